#include "base/log.hpp"

#include <atomic>

#include <unistd.h>

#include "base/text.hpp"

namespace mscale {
namespace {

void write_to_stderr(Level, const std::string& line)
{
    const std::string whole = format("mscale: {}\n", line);
    const ssize_t written = ::write(STDERR_FILENO, whole.data(), whole.size());
    static_cast<void>(written); // a closed stderr leaves nobody to tell
}

std::atomic<Sink> current_sink = write_to_stderr;
std::atomic<Level> current_level = Level::info;

} // namespace

void set_sink(Sink sink)
{
    current_sink = sink;
}

void set_level(Level level)
{
    current_level = level;
}

void log_line(Level level, const std::string& line)
{
    if (level <= current_level.load()) current_sink.load()(level, line);
}

void log_error(std::string_view context, const Error& error)
{
    log_line(Level::error, format("{}: {}", context, to_line(error)));
}

} // namespace mscale

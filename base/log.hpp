#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace mscale {

/// error: the user or the administrator must act; info: once per job; debug: the rest.
enum class Level { error, info, debug };

/// Where lines go.  An edge sets it once at its start (slurm_error in plugins, stderr in commands, syslog in daemons);
/// lines of a floor below never decide it.  The default writes "mscale: TEXT" to stderr.
using Sink = void (*)(Level, const std::string& line);
void set_sink(Sink sink);
/// Lines of a lower level than this are dropped; the default is info.
void set_level(Level level);

void log_line(Level level, const std::string& line);
void log_error(std::string_view context, const Error& error);

} // namespace mscale

#include "cli/output.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::cli {
namespace {

constexpr unsigned least_columns = 60;
constexpr unsigned usual_columns = 100;

void write_line(std::FILE* stream, std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stream);
    if (!text.ends_with('\n')) std::fputc('\n', stream);
}

} // namespace

void print(std::string_view text)
{
    write_line(stdout, text);
}

void print_json(const Json& json)
{
    write_line(stdout, json.dump(2, ' ', false, Json::error_handler_t::replace));
}

int report(const Error& error)
{
    write_line(stderr, format("mscale: {}: {}", entry_of(error.code).id, error.text));
    if (!error.cure.empty()) write_line(stderr, format("mscale: {}", error.cure));
    return exit_status(error);
}

Json error_json(const Error& error)
{
    return {{"code", entry_of(error.code).id}, {"text", error.text}, {"cure", error.cure}};
}

int report(const Faults& faults)
{
    write_line(stderr, to_text(faults));
    const bool denied = std::ranges::any_of(faults, [](const Fault& fault) { return fault.error.denied; });
    return exit_status(denied ? Kind::denied : Kind::invalid);
}

void remark(std::string_view note)
{
    write_line(stderr, format("mscale: {}", note));
}

unsigned output_columns()
{
    winsize size = {};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return std::max<unsigned>(least_columns, size.ws_col);
    const char* const columns = std::getenv("COLUMNS");
    const auto number = parse_number(columns != nullptr ? columns : "");
    return number && *number < 10000 ? std::max(least_columns, static_cast<unsigned>(*number))
                                     : usual_columns;
}

std::string table_row(std::string_view name, std::string_view text, std::size_t indent)
{
    const std::size_t width = std::max<std::size_t>(output_columns() - indent, 30);
    std::string row = format("{:<{}}", name, indent);
    if (name.size() >= indent) row += "\n" + std::string(indent, ' ');
    std::size_t used = 0;
    for (const std::string_view word : split(text, ' ')) {
        if (used > 0 && used + 1 + word.size() > width) {
            row += "\n" + std::string(indent, ' ');
            used = 0;
        }
        if (used > 0) row += ' ';
        row += word;
        used += word.size() + (used > 0 ? 1 : 0);
    }
    return row + "\n";
}

} // namespace mscale::cli

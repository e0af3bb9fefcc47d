#include <array>

#include "base/text.hpp"
#include "contract/values.hpp"

namespace mscale::contract {
namespace {

struct TimeUnit {
    std::string_view name;
    std::uint64_t milliseconds;
};

constexpr std::array<TimeUnit, 4> time_units = {{{"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}}};
constexpr std::uint64_t greatest = 366ULL * 24 * 3600000;

tl::unexpected<Error> refuse_time(std::string_view text, std::string_view why, std::string cure = {})
{
    return failure(Code::bad_duration, format("time '{}': {}", printable(text), why), std::move(cure));
}

} // namespace

Result<std::chrono::milliseconds> read_duration(std::string_view text)
{
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, end), unit = text.substr(end);
    if (digits.empty()) return refuse_time(text, "it doesn't begin with a number");
    if (unit.empty())
        return refuse_time(text, "it has no unit", format("write {}s or another of ms, s, min, h", digits));
    if (unit == "m") return refuse_time(text, "there is no unit 'm'", format("write {}min", digits));
    for (const TimeUnit& known : time_units) {
        if (unit != known.name) continue;
        const auto number = parse_number(digits);
        if (!number || *number > greatest / known.milliseconds)
            return refuse_time(text, "it is longer than a year");
        if (*number == 0) return refuse_time(text, "it is zero", "leave the clause out to promise nothing");
        return std::chrono::milliseconds(*number * known.milliseconds);
    }
    return refuse_time(text, format("there is no unit '{}'", printable(unit)), "the units are ms, s, min, h");
}

std::string write_duration(std::chrono::milliseconds duration)
{
    const auto whole = static_cast<std::uint64_t>(duration.count());
    for (const TimeUnit& unit : time_units)
        if (whole % unit.milliseconds == 0) return format("{}{}", whole / unit.milliseconds, unit.name);
    return "";
}

} // namespace mscale::contract

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "contract/values.hpp"

namespace mscale::contract {
namespace {

struct SizeUnit {
    std::string_view name;
    unsigned shift;
};

constexpr std::array<SizeUnit, 4> size_units = {{{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}}};
constexpr std::string_view spellings = "KiB, MiB, GiB, TiB, or K, M, G, T";

tl::unexpected<Error> refuse_bytes(std::string_view text, std::string_view why, std::string cure = {})
{
    return failure(Code::bad_size, format("size '{}': {}", printable(text), why), std::move(cure));
}

char upper(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::optional<unsigned> find_shift(std::string_view unit)
{
    const bool is_letter = unit.size() == 1;
    for (const SizeUnit& known : size_units)
        if (unit == known.name || (is_letter && upper(unit[0]) == known.name[0])) return known.shift;
    return std::nullopt;
}

/// The binary unit that "MB", "Mi", "mib" and the like were meant to be; "" when there is none.
std::string_view meant_unit(std::string_view unit)
{
    std::string raised(unit);
    std::ranges::transform(raised, raised.begin(), upper);
    for (const SizeUnit& known : size_units) {
        const std::string letter(1, known.name[0]);
        if (raised == letter + "B" || raised == letter + "I" || raised == letter + "IB") return known.name;
    }
    return "";
}

tl::unexpected<Error> refuse_unit(std::string_view text, std::string_view digits, std::string_view unit)
{
    if (unit.empty())
        return refuse_bytes(text, "it has no unit", format("write {}MiB or another of {}", digits, spellings));
    if (const std::string_view meant = meant_unit(unit); !meant.empty())
        return refuse_bytes(
            text,
            format("'{}' is not taken, because it means powers of ten to some and of two to others", unit),
            format("write {}{}", digits, meant));
    if (unit.front() == '.')
        return refuse_bytes(text, "sizes are whole numbers", "write it in the next smaller unit, as in 1536MiB");
    return refuse_bytes(text, format("there is no unit '{}'", printable(unit)),
                  format("the units are {}", spellings));
}

struct Parts {
    std::string_view digits, unit;
};

Parts take_apart(std::string_view text)
{
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    return {text.substr(0, end), text.substr(end)};
}

Result<std::uint64_t> scale(std::string_view text, std::string_view digits, unsigned shift)
{
    const auto number = parse_number(digits);
    if (!number || *number > (std::numeric_limits<std::uint64_t>::max() >> shift))
        return refuse_bytes(text, "it is larger than any machine");
    if (*number == 0) return refuse_bytes(text, "it is zero", "leave the clause out to promise nothing");
    return *number << shift;
}

tl::unexpected<Error> refuse_pages(std::string_view text, std::string cure)
{
    return failure(Code::bad_size,
                   format("huge pages '{}': a page size and a count are expected", printable(text)),
                   std::move(cure));
}

} // namespace

Result<std::uint64_t> read_size(std::string_view text)
{
    const auto [digits, unit] = take_apart(text);
    if (text.starts_with('-')) return refuse_bytes(text, "it is negative");
    if (digits.empty()) return refuse_bytes(text, "it doesn't begin with a number");
    const auto shift = find_shift(unit);
    if (!shift) return refuse_unit(text, digits, unit);
    return scale(text, digits, *shift);
}

Result<std::uint64_t> read_page_size(std::string_view text)
{
    const auto [digits, unit] = take_apart(text);
    if (unit != "kB" || digits.empty()) return read_size(text);
    return scale(text, digits, 10);
}

std::string write_size(std::uint64_t bytes)
{
    const auto fits = [&](const SizeUnit& unit) { return bytes % (std::uint64_t{1} << unit.shift) == 0; };
    const auto unit = std::ranges::find_if(size_units, fits);
    return unit == size_units.end() ? format("{}B", bytes) : format("{}{}", bytes >> unit->shift, unit->name);
}

Result<HugePages> read_huge_pages(std::string_view text)
{
    const std::size_t star = text.find('*'), cross = text.find('x');
    if (star == std::string_view::npos && cross == std::string_view::npos)
        return refuse_pages(text, "write SIZE*COUNT, as in 2MiB*512");
    const bool size_first = star != std::string_view::npos;
    const std::size_t sign = size_first ? star : cross;
    const std::string_view left = trim(text.substr(0, sign)), right = trim(text.substr(sign + 1));
    const auto bytes = read_page_size(size_first ? left : right);
    if (!bytes) {
        const bool is_swapped = size_first && parse_number(left) && read_page_size(right);
        if (is_swapped) return refuse_pages(text, format("write {}*{}", right, left));
        return tl::unexpected(bytes.error());
    }
    const auto count =
        read_count(size_first ? right : left, 1, std::numeric_limits<std::uint64_t>::max() / *bytes);
    if (!count) return tl::unexpected(count.error());
    return HugePages{*bytes, *count};
}

std::string write_huge_pages(const HugePages& pages)
{
    return format("{}*{}", write_size(pages.page_bytes), pages.count);
}

Result<std::uint64_t> read_byte_rate(std::string_view text)
{
    if (!text.ends_with("/s")) return refuse_bytes(text, "a rate ends in /s", "write it as in 2GiB/s");
    return read_size(text.substr(0, text.size() - 2));
}

std::string write_byte_rate(std::uint64_t rate)
{
    return write_size(rate) + "/s";
}

Result<unsigned> read_bit_rate(std::string_view text)
{
    if (!text.ends_with("Gb/s"))
        return failure(Code::bad_number, format("rate '{}': gigabits a second are expected", printable(text)),
                       "write it as in 200Gb/s");
    const auto gigabits = read_count(text.substr(0, text.size() - 4), 1, 100000);
    if (!gigabits) return tl::unexpected(gigabits.error());
    return static_cast<unsigned>(*gigabits);
}

std::string write_bit_rate(unsigned gigabits)
{
    return format("{}Gb/s", gigabits);
}

} // namespace mscale::contract

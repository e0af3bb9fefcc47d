// Values that say where: cores, nearness, numbers and words.
#include <algorithm>

#include "base/text.hpp"
#include "contract/values.hpp"

namespace mscale::contract {
namespace {

constexpr unsigned greatest_numa = 1023; ///< MAX_NUMNODES of the kernel is 1024 at most

bool is_bracketed(std::string_view text)
{
    return text.size() >= 2 && text.front() == '[' && text.back() == ']';
}

Result<Cores> read_set(std::string_view text)
{
    std::string list(is_bracketed(text) ? text.substr(1, text.size() - 2) : text);
    std::ranges::replace(list, '+', ',');
    auto set = parse_cpu_list(list);
    if (!set) return tl::unexpected(set.error());
    return Cores(std::move(*set));
}

} // namespace

Result<std::uint64_t> read_count(std::string_view text, std::uint64_t least, std::uint64_t greatest)
{
    const auto number = parse_number(text);
    if (number && *number >= least && *number <= greatest) return *number;
    const std::string range = format("write a number from {} to {}", least, greatest);
    const bool is_digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    return failure(Code::bad_number,
                   format("'{}' is {}", printable(text), is_digits ? "out of range" : "no decimal number"),
                   range);
}

Result<Cores> read_cores(std::string_view text)
{
    const bool is_count = text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_count) return read_set(text);
    const auto count = read_count(text, 1, CpuSet::limit);
    if (!count) return tl::unexpected(count.error());
    return Cores(static_cast<unsigned>(*count));
}

std::string write_cores(const Cores& cores)
{
    if (const auto* count = std::get_if<unsigned>(&cores)) return std::to_string(*count);
    return format("[{}]", to_string(std::get<CpuSet>(cores)));
}

Result<Near> read_near(std::string_view text)
{
    if (text.starts_with("numa:")) {
        const auto node = read_count(text.substr(5), 0, greatest_numa);
        if (!node) return tl::unexpected(node.error());
        return Near{Near::To::numa, static_cast<unsigned>(*node)};
    }
    static constexpr std::string_view words[] = {"gpu", "nic", "disk", "numa:N"};
    if (text == words[0]) return Near{Near::To::gpu, 0};
    if (text == words[1]) return Near{Near::To::nic, 0};
    if (text == words[2]) return Near{Near::To::disk, 0};
    return tl::unexpected(read_word(text == "numa:N" ? "numa" : text, words).error());
}

std::string write_near(const Near& near)
{
    switch (near.to) {
    case Near::To::gpu: return "gpu";
    case Near::To::nic: return "nic";
    case Near::To::disk: return "disk";
    case Near::To::numa: break;
    }
    return format("numa:{}", near.numa);
}

Result<std::string> read_word(std::string_view text, std::span<const std::string_view> words)
{
    if (std::ranges::find(words, text) != words.end()) return std::string(text);
    const auto nearest = nearest_spelling(lower_case(text), words);
    const std::vector<std::string> list(words.begin(), words.end());
    return failure(Code::bad_word, format("'{}' is none of {}", printable(text), join(list, ", ")),
                   nearest ? format("did you mean '{}'?", *nearest)
                           : format("write one of {}", join(list, ", ")));
}

Result<bool> read_yes_no(std::string_view text)
{
    static constexpr std::string_view words[] = {"yes", "no"};
    const auto word = read_word(text, words);
    if (!word) return tl::unexpected(word.error());
    return *word == "yes";
}

std::string write_yes_no(bool value)
{
    return value ? "yes" : "no";
}

std::vector<std::string_view> split_list(std::string_view text)
{
    const std::string_view inner = is_bracketed(text) ? text.substr(1, text.size() - 2) : text;
    std::vector<std::string_view> items = split(inner, ',');
    for (std::string_view& item : items) item = trim(item);
    return items;
}

std::string write_list(std::span<const std::string> items)
{
    return items.size() > 1 ? format("[{}]", join(items, ",")) : join(items, ",");
}

} // namespace mscale::contract

#include "contract/state.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace mscale::contract {
namespace {

constexpr std::array<std::pair<State, std::string_view>, 8> state_words = {{
    {State::refused, "refused"},
    {State::observed, "observed"},
    {State::accepted, "accepted"},
    {State::granted, "granted"},
    {State::honoured, "honoured"},
    {State::breached, "breached"},
    {State::recovering, "recovering"},
    {State::released, "released"},
}};

constexpr std::string_view head = "mscale:";

/// Where our segment stands in an AdminComment: from its head to the ';' after it or the end.
struct Segment {
    std::size_t begin, end;
};

std::optional<Segment> find_segment(std::string_view text)
{
    for (std::size_t at = 0; (at = text.find(head, at)) != std::string_view::npos; at += head.size()) {
        const std::string_view before = trim(text.substr(0, at));
        if (!before.empty() && before.back() != ';') continue;
        return Segment{at, std::min(text.find(';', at), text.size())};
    }
    return std::nullopt;
}

/// Values stand between blanks and end at ';': those bytes become '_'.
std::string as_value(std::string text)
{
    for (char& c : text)
        if (c <= ' ' || c > '~' || c == ';') c = '_';
    return text;
}

} // namespace

std::string_view to_string(State state)
{
    return std::ranges::find(state_words, state, &std::pair<State, std::string_view>::first)->second;
}

std::optional<State> parse_state(std::string_view word)
{
    const auto row = std::ranges::find(state_words, word, &std::pair<State, std::string_view>::second);
    if (row == state_words.end()) return std::nullopt;
    return row->first;
}

std::string to_string(const Comment& comment)
{
    std::string text = format("{} state={}", head, to_string(comment.state));
    for (const auto& [key, value] : comment.fields) text += format(" {}={}", key, as_value(value));
    return text;
}

std::optional<Comment> find_comment(std::string_view admin_comment)
{
    const auto segment = find_segment(admin_comment);
    if (!segment) return std::nullopt;
    const std::size_t begin = segment->begin + head.size();
    Comment comment;
    bool has_state = false;
    for (const std::string_view word : split(admin_comment.substr(begin, segment->end - begin), ' ')) {
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
        if (key != "state") {
            comment.fields.emplace_back(key, value);
        } else if (const auto state = parse_state(value)) {
            comment.state = *state;
            has_state = true;
        }
    }
    if (!has_state) return std::nullopt;
    return comment;
}

std::string replace_comment(std::string_view admin_comment, const Comment& comment)
{
    const std::string ours = to_string(comment);
    const auto segment = find_segment(admin_comment);
    if (!segment) return trim(admin_comment).empty() ? ours : format("{}; {}", admin_comment, ours);
    return format("{}{}{}", admin_comment.substr(0, segment->begin), ours,
                  admin_comment.substr(segment->end));
}

} // namespace mscale::contract

#include "base/ini_gate.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace mscale {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t name_limit =
    49; ///< libinih keeps 49 bytes of a section's name and drops the rest in silence

/// The line without what libinih takes for a comment: ';' after white space.
std::string_view strip_comment(std::string_view line)
{
    for (std::size_t i = 1; i < line.size(); ++i)
        if (line[i] == ';' && (line[i - 1] == ' ' || line[i - 1] == '\t')) return line.substr(0, i);
    return line;
}

/// The first byte that no line may hold, and none of `code` outside comments.
std::optional<std::size_t> find_bad_byte(std::string_view line, std::size_t code_size)
{
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto byte = static_cast<unsigned char>(line[i]);
        const bool is_control = (byte < 0x20 && byte != '\t') || byte == 0x7F;
        if (is_control || (byte >= 0x80 && i < code_size)) return i;
    }
    return std::nullopt;
}

class Gate {
public:
    explicit Gate(std::string_view source) : source_(source) {}

    Gated pass(std::string_view text)
    {
        const bool has_mark = text.starts_with(byte_order_mark);
        offset_ = has_mark ? byte_order_mark.size() : 0;
        text.remove_prefix(offset_);
        for (const std::string_view line : split(text, '\n')) {
            ++line_number_;
            line_ = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
            if (pass_line()) gated_.text += line_;
            gated_.text += '\n';
            offset_ += line.size() + 1;
        }
        return std::move(gated_);
    }

private:
    Place place(std::size_t column, std::size_t width) const
    {
        return {source_, line_number_, column, std::max<std::size_t>(width, 1), std::string(line_)};
    }

    bool fault(Code code, const Place& where, std::string text, std::string cure = {})
    {
        gated_.faults.push_back({failure(code, std::move(text), std::move(cure)).value(), where});
        return false;
    }

    /// True when libinih may have the line.
    bool pass_line()
    {
        const std::string_view content = trim(line_);
        const bool is_comment = content.starts_with(';') || content.starts_with('#');
        const std::string_view code = is_comment ? std::string_view() : strip_comment(line_);
        if (const auto bad = find_bad_byte(line_, code.size())) return refuse_byte(*bad);
        if (content.empty() || is_comment) return true;
        if (line_.front() == ' ' || line_.front() == '\t')
            return fault(Code::text_syntax, place(1, line_.find_first_not_of(" \t")),
                         "the line begins with a blank",
                         "there are no continuation lines: begin keys and sections at the first column");
        return code.front() == '[' ? pass_section(trim(code)) : pass_key(code);
    }

    bool refuse_byte(std::size_t at)
    {
        const auto byte = static_cast<unsigned char>(line_[at]);
        const std::string_view name = byte == 0     ? "a NUL byte"
                                      : byte < 0x80 ? "a control character"
                                                    : "not ASCII";
        return fault(Code::bad_byte, place(at + 1, 1),
                     format("byte 0x{:02X} at offset {} is {}", byte, offset_ + at, name));
    }

    bool pass_section(std::string_view code)
    {
        section_.reset();
        below_damaged_heading_ = true;
        const std::size_t end = code.find(']');
        if (end == std::string_view::npos)
            return fault(Code::text_syntax, place(1, code.size()), "the section's name has no ']'",
                         "write [SECTION]");
        const std::string_view name = code.substr(1, end - 1);
        if (end + 1 < code.size())
            return fault(Code::text_syntax, place(end + 2, code.size() - end - 1), "there is text after ']'",
                         "give each key a line of its own");
        if (name.empty() || name != trim(name) || name.size() > name_limit)
            return fault(Code::text_syntax, place(2, name.size()),
                         format("'{}' is no section's name", printable(name)),
                         format("write [SECTION] without blanks, with at most {} bytes", name_limit));
        section_ = name;
        below_damaged_heading_ = false;
        const auto [first, is_new] = sections_.try_emplace(*section_, line_number_);
        if (is_new) return true;
        fault(
            Code::twice, place(2, name.size()),
            format("section [{}] stands in line {} and again in line {}", name, first->second, line_number_),
            "put the keys of both under one heading");
        return true;
    }

    bool pass_key(std::string_view code)
    {
        const std::size_t sign = code.find_first_of("=:");
        const std::string_view key = trim(code.substr(0, sign));
        if (sign == std::string_view::npos || code[sign] == ':' || key.empty())
            return fault(Code::text_syntax, place(1, trim(code).size()),
                         "this is neither [SECTION] nor key = value", "write key = value");
        if (!section_) return refuse_stray(key);
        const auto [first, is_new] = keys_.try_emplace({*section_, std::string(key)}, line_number_);
        if (!is_new)
            return fault(Code::twice, place(1, key.size()),
                         format("key '{}' of [{}] stands in line {} and again in line {}", key, *section_,
                                first->second, line_number_),
                         "keep one of the two");
        const std::size_t value = std::min(code.find_first_not_of(" \t", sign + 1), code.size());
        gated_.keys.push_back({*section_, place(1, key.size()), place(value + 1, 1)});
        return true;
    }

    bool refuse_stray(std::string_view key)
    {
        if (below_damaged_heading_) return false; // that heading is the fault
        return fault(Code::text_syntax, place(1, key.size()),
                     format("key '{}' stands before any section", key),
                     "begin with a heading such as [contract]");
    }

    std::string source_;
    Gated gated_;
    std::optional<std::string> section_;          ///< empty before the first one and below a damaged one
    std::map<std::string, std::size_t> sections_; ///< name -> its line
    std::map<std::pair<std::string, std::string>, std::size_t> keys_; ///< section, key -> its line
    std::string_view line_;
    bool below_damaged_heading_ = false;
    std::size_t line_number_ = 0, offset_ = 0;
};

} // namespace

Gated gate_ini(std::string_view text, std::string_view source, std::size_t limit)
{
    if (text.size() <= limit) return Gate(source).pass(text);
    Gated gated;
    const std::string fault = format("the text has {} bytes, at most {} are read", text.size(), limit);
    gated.faults.push_back({failure(Code::too_large, fault).value(), {std::string(source), 1, 1, 1, ""}});
    return gated;
}

} // namespace mscale

#include "contract/lexer.hpp"

#include <algorithm>

#include "contract/parse.hpp"

namespace mscale::contract {
namespace {

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

bool is_allowed(char c)
{
    return (c >= ' ' && c <= '~') || is_blank(c);
}

class InlineLexer {
public:
    explicit InlineLexer(const SourceText& source) : source_(source), text_(source.text()) {}

    Pieces lex()
    {
        for (std::size_t begin = 0; begin <= text_.size();) {
            const auto end = find_end(begin);
            if (!end) break;
            take(begin, *end);
            const std::string_view taken = text_.substr(begin, *end + 1 - begin);
            if (is_at_beginning_) is_at_beginning_ = trim(taken).empty();
            begin = *end + 1;
        }
        return std::move(found_);
    }

private:
    /// A carriage return counts as blank before a line end or the end of the text only.
    bool is_blank_at(std::size_t at) const
    {
        if (text_[at] != '\r') return is_blank(text_[at]);
        return at + 1 == text_.size() || text_[at + 1] == '\n';
    }

    void fault(Code code, std::size_t offset, std::size_t width, std::string text, std::string cure = {})
    {
        add_fault(found_.faults, source_, source_.spot_at(offset, width),
                  failure(code, std::move(text), std::move(cure)).value());
    }

    /// The separator that ends the clause at `begin`: the first comma or line end outside brackets.  Nothing when a bracket
    /// is never closed: then all that follows is in doubt, but for the bytes that are wrong wherever they stand.
    std::optional<std::size_t> find_end(std::size_t begin)
    {
        constexpr std::size_t none = std::string_view::npos;
        std::size_t open = none, at = begin;
        for (; at < text_.size(); ++at) {
            const char c = text_[at];
            if (c == '[' && open == none) open = at;
            if (c == ']') open = none;
            if (open == none && (c == ',' || c == '\n')) return at;
        }
        if (open == none) return at;
        fault(Code::text_syntax, open, 1, "this bracket is never closed", "close it with ']'");
        refuse_bytes(begin, text_.size());
        return std::nullopt;
    }

    void take(std::size_t begin, std::size_t end)
    {
        const bool is_line =
            (end == text_.size() || text_[end] == '\n') && (begin == 0 || text_[begin - 1] == '\n');
        while (begin < end && is_blank_at(begin)) ++begin;
        while (end > begin && is_blank_at(end - 1)) --end;
        const std::string_view clause = text_.substr(begin, end - begin);
        if (refuse_bytes(begin, end)) return;
        if (clause.empty()) {
            if (!is_line) fault(Code::text_syntax, begin, 1, "a clause is missing here", "remove the comma");
            return;
        }
        const std::size_t sign = clause.find('=');
        sign == std::string_view::npos ? take_word(clause, begin) : take_clause(clause, sign, begin);
    }

    /// A fault for each run of bytes that aren't allowed: a letter of UTF-8 is one.  True when there was any.
    bool refuse_bytes(std::size_t begin, std::size_t end)
    {
        bool is_in_run = false, found = false;
        for (std::size_t at = begin; at < end; ++at) {
            const bool is_wrong = !is_allowed(text_[at]) && !is_blank_at(at);
            if (is_wrong && !is_in_run) refuse_byte(at);
            is_in_run = is_wrong;
            found = found || is_wrong;
        }
        return found;
    }

    void refuse_byte(std::size_t at)
    {
        const auto byte = static_cast<unsigned char>(text_[at]);
        fault(Code::bad_byte, at, 1,
              format("byte 0x{:02X} at offset {} is {}", byte, at,
                     byte == 0     ? "a NUL byte"
                     : byte < 0x80 ? "a control character"
                                   : "not ASCII"));
    }

    void take_clause(std::string_view clause, std::size_t sign, std::size_t begin)
    {
        const std::string_view name = trim(clause.substr(0, sign)), value = trim(clause.substr(sign + 1));
        if (name.empty())
            return fault(Code::text_syntax, begin, 1, "a name is missing before '='",
                         "write section.key=value");
        if (value.empty())
            return fault(Code::text_syntax, begin, clause.size(),
                         format("'{}' has no value", printable(name)), "write section.key=value");
        const auto value_begin = static_cast<std::size_t>(value.data() - text_.data());
        found_.pieces.push_back({std::string(name), std::string(value), source_.spot_at(begin, name.size()),
                                 source_.spot_at(value_begin, value.size()), false});
    }

    /// Without '=' only a profile's name at the beginning is right.
    void take_word(std::string_view word, std::size_t begin)
    {
        const Spot spot = source_.spot_at(begin, word.size());
        if (word.front() == '@')
            return fault(Code::contract_file, begin, word.size(),
                         "a file is read only by sbatch, srun, salloc and mscale, as you",
                         "give @FILE alone as the option, or write its clauses here");
        if (is_at_beginning_ && word.front() != '+')
            return found_.pieces.push_back({"contract.profile", std::string(word), spot, spot, false});
        if (word.front() == '+')
            return fault(Code::text_syntax, begin, 1,
                         "'+' amends an earlier --mscale-contract, and there is none here");
        const bool is_set = word.front() >= '0' && word.front() <= '9' && !found_.pieces.empty();
        fault(Code::text_syntax, begin, word.size(),
              format("'{}' is no clause: it has no '='", printable(word)),
              is_set ? format("a set with commas stands in brackets: {}=[{},{}]", found_.pieces.back().name,
                              found_.pieces.back().value, printable(word))
                     : "write section.key=value; a profile's name stands first");
    }

    const SourceText& source_;
    std::string_view text_;
    Pieces found_;
    bool is_at_beginning_ = true; ///< nothing but blanks stood before; kept, since to look again is quadratic
};

} // namespace

void add_fault(Faults& faults, const SourceText& source, const Spot& spot, Error error)
{
    constexpr std::size_t limit = 100;
    if (faults.size() > limit) return;
    if (faults.size() == limit)
        error = failure(Code::text_syntax, "further faults aren't listed", "mend those above first").value();
    faults.push_back({std::move(error), source.place_of(spot)});
}

Pieces lex_inline(const SourceText& source)
{
    return InlineLexer(source).lex();
}

Pieces lex_ini(const SourceText& source)
{
    Ini ini = parse_ini(source.text(), source.name(), contract_limit);
    Pieces found{{}, std::move(ini.faults)};
    for (const IniEntry& entry : ini.entries) {
        const auto spot = [](const Place& place) { return Spot{place.line, place.column, place.width}; };
        const std::string name = entry.section + "." + entry.key;
        if (!entry.value.empty()) {
            found.pieces.push_back({name, entry.value, spot(entry.key_place), spot(entry.value_place), true});
            continue;
        }
        add_fault(
            found.faults, source, spot(entry.key_place),
            failure(Code::text_syntax, format("'{}' has no value", printable(name)), "write key = value")
                .value());
    }
    return found;
}

} // namespace mscale::contract

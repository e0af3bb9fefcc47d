#include "base/json.hpp"

#include "base/text.hpp"

namespace mscale {

namespace {

constexpr std::size_t cause_limit = 400; // the parser repeats what it read last

/// True when some array or object of `text` lies deeper than the limit; of a text that is no JSON, anything.
bool is_too_deep(std::string_view text)
{
    unsigned depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char byte = text[i];
        if (quoted && byte == '\\') ++i;
        if (byte == '"') quoted = !quoted;
        if (quoted) continue;
        if ((byte == '[' || byte == '{') && ++depth > json_depth_limit) return true;
        if ((byte == ']' || byte == '}') && depth > 0) --depth;
    }
    return false;
}

} // namespace

Result<Json> parse_json(const std::string& text, const std::string& what)
{
    if (is_too_deep(text))
        return failure(Code::json_syntax,
                       format("{}: lists stand deeper in each other than {}", what, json_depth_limit));
    try {
        return Json::parse(text);
    } catch (const Json::exception& e) {
        return failure(Code::json_syntax, format("{}: {}", what, printable(e.what(), cause_limit)));
    }
}

std::string write_json(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace mscale

#include "base/json.hpp"

#include "base/text.hpp"

namespace mscale {

Result<Json> parse_json(const std::string& text, const std::string& what)
{
    try {
        return Json::parse(text);
    } catch (const Json::exception& e) {
        return failure(Code::json_syntax, format("{}: {}", what, e.what()));
    }
}

} // namespace mscale

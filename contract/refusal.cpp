#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/verdict.hpp"
#include "hal/json_reader.hpp"

namespace mscale::contract {

std::string to_text(const std::vector<Refusal>& refusals)
{
    std::string text;
    for (const Refusal& refusal : refusals) {
        const std::string value = refusal.read.empty() ? "" : "=" + refusal.read;
        text += format("{} {}{}: {}; {}\n", entry_of(refusal.code).id, refusal.clause, value, refusal.reason,
                       refusal.hint);
    }
    return text;
}

Json to_json(const Refusal& refusal)
{
    return {{"code", entry_of(refusal.code).id},
            {"clause", refusal.clause},
            {"read", refusal.read},
            {"reason", refusal.reason},
            {"hint", refusal.hint}};
}

Result<Refusal> refusal_from_json(const Json& json, const std::string& what)
{
    hal::JsonReader reader(json, what);
    Refusal refusal{};
    std::string id;
    reader.read("code", id);
    reader.read("clause", refusal.clause);
    reader.read("read", refusal.read);
    reader.read("reason", refusal.reason);
    reader.read("hint", refusal.hint);
    auto whole = reader.end(std::move(refusal));
    if (!whole) return whole;
    const auto code = find_code(id);
    if (!code) return failure(Code::json_member, format("{}: member 'code': there is no code '{}'", what, id));
    whole->code = code->code;
    return whole;
}

} // namespace mscale::contract

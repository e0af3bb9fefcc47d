#include "base/text.hpp"
#include "contract/given.hpp"
#include "contract/parse.hpp"

namespace mscale::contract {

std::string to_canonical(const Contract& contract)
{
    std::vector<std::string> clauses;
    for (const Given& given : given_clauses(contract))
        clauses.push_back(format("{}={}", given.name, given.value));
    return join(clauses, ",");
}

std::string to_ini(const Contract& contract)
{
    std::string text, heading;
    for (const Given& given : given_clauses(contract)) {
        const std::string section = given.name.substr(0, given.name.rfind('.'));
        if (section != heading) text += format("{}[{}]\n", text.empty() ? "" : "\n", section);
        heading = section;
        text += format("{} = {}\n", given.clause->key, given.value);
    }
    return text;
}

} // namespace mscale::contract

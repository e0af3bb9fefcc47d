// Any bytes as a contract: never a crash, and what is read is written and read back as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "contract/parse.hpp"
#include "tests/fuzz/property.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

/// One profile, so that overriding is reached.
class OneProfile final : public Profiles {
public:
    Result<std::string> read(std::string_view name) const override
    {
        if (name == "heavy") return std::string("[gpu]\nsm = 24\n[role.loader]\ncores = 4\nnear = gpu\n");
        return failure(Code::unknown_profile, "there is no such profile");
    }
    std::vector<std::string> names() const override { return {"heavy"}; }
};

const OneProfile profiles;

void check_faults(const Parsed& parsed)
{
    for (const Fault& fault : parsed.faults) {
        require(!fault.error.text.empty() && !fault.error.cure.empty(), "a fault has a text and a cure");
        require(fault.place.line > 0 && fault.place.column > 0, "a fault has a place");
    }
    require(parsed.ok() || !to_text(parsed.faults).empty(), "faults can be shown");
}

void check_round_trip(const Contract& contract)
{
    const std::string canonical = to_canonical(contract);
    const Parsed again = parse_contract(canonical, "canonical", profiles);
    require(again.ok(), "the canonical form is a right contract", canonical + "\n" + to_text(again.faults));
    require(again.contract == contract, "the canonical form reads back as the same contract", canonical);
    require(to_canonical(again.contract) == canonical, "the canonical form is stable", canonical);
    const std::string ini = to_ini(contract);
    const Parsed from_ini = parse_contract_ini(ini, "ini", profiles);
    require(from_ini.ok() && from_ini.contract == contract, "the INI form reads back as the same contract",
            ini);
}

void check(const Parsed& parsed)
{
    check_faults(parsed);
    if (parsed.ok()) check_round_trip(parsed.contract);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check(parse_contract(text, "fuzz", profiles));
    check(parse_contract_ini(text, "fuzz.ini", profiles));
    return 0;
}

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "contract/parse.hpp"
#include "tests/unit/contract/suites.hpp"

// What the tests of the language share: profiles in memory, the shipped ones, and rows of the case tables.

/// Profiles that a test writes down.
class GivenProfiles final : public mscale::contract::Profiles {
public:
    using Texts = std::map<std::string, std::string, std::less<>>;
    explicit GivenProfiles(Texts texts) : texts_(std::move(texts)) {}
    mscale::Result<std::string> read(std::string_view name) const override
    {
        const auto text = texts_.find(name);
        if (text == texts_.end())
            return mscale::failure(mscale::Code::unknown_profile, "there is no such profile");
        return text->second;
    }
    std::vector<std::string> names() const override { return {}; }

private:
    Texts texts_;
};

inline mscale::contract::Parsed parse(std::string_view text)
{
    return mscale::contract::parse_contract(text, "--mscale-contract", GivenProfiles(GivenProfiles::Texts{}));
}

/// The canonical form of a text that must be right.
inline std::string canonical(std::string_view text)
{
    const auto parsed = parse(text);
    ck_assert_msg(parsed.ok(), "'%s': %s", std::string(text).c_str(), mscale::to_text(parsed.faults).c_str());
    return to_canonical(parsed.contract);
}

/// The one fault of a text that must have one.
inline mscale::Fault fault_of(std::string_view text)
{
    const auto parsed = parse(text);
    ck_assert_msg(parsed.faults.size() == 1, "'%s' has %zu faults: %s", std::string(text).c_str(),
                  parsed.faults.size(), mscale::to_text(parsed.faults).c_str());
    return parsed.faults.front();
}

/// What stands at a fault's place.
inline std::string marked(const mscale::Fault& fault)
{
    return fault.place.excerpt.substr(fault.place.column - 1, fault.place.width);
}

/// The rows of a case table without its comments, cells split at tabs.
std::vector<std::vector<std::string>> case_rows(const std::string& name);
/// A file of the source tree, by its path in it.
std::string source_file(const std::string& path);

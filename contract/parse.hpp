#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ini.hpp"
#include "contract/contract.hpp"

namespace mscale::contract {

/// The largest contract, in bytes, before and after the profile is put in (DESIGN §3).
inline constexpr std::size_t contract_limit = 64 << 10;

/// Finds the text of a profile by name.
class Profiles {
public:
    virtual ~Profiles() = default;
    /// The INI text of the profile, or unknown_profile with the nearest name.
    virtual Result<std::string> read(std::string_view name) const = 0;
    virtual std::vector<std::string> names() const = 0;
};

/// Profiles as files DIRECTORY/NAME.ini.  Names with other characters than [a-z0-9_-] are never looked up.
class ProfileDirectory final : public Profiles {
public:
    explicit ProfileDirectory(std::string directory) : directory_(std::move(directory)) {}
    Result<std::string> read(std::string_view name) const override;
    std::vector<std::string> names() const override;

private:
    std::string directory_;
};

/// The profiles of another source as they are at one moment, for those that may not wait for a file.
class LoadedProfiles final : public Profiles {
public:
    LoadedProfiles() = default; ///< none
    explicit LoadedProfiles(const Profiles& source);
    Result<std::string> read(std::string_view name) const override;
    std::vector<std::string> names() const override;

private:
    std::map<std::string, Result<std::string>, std::less<>> texts_;
};

/// The contract, or every fault of its text with its place, and what a person should know though it is no fault.
struct Parsed {
    Contract contract; ///< with the profile's clauses put in and its `profile` empty
    Faults faults;
    std::vector<std::string> notes; ///< "512x2MiB is read as 2MiB*512" and the like
    std::string profile;            ///< the name of the profile it started from; "" none
    bool ok() const { return faults.empty(); }
};

/// Reads one of the spellings that travel inline: "PROFILE", "PROFILE,section.key=value,…", "section.key=value,…", each clause
/// after a comma or on a line of its own, or an INI text that begins with a heading or a comment.  "@file" is a fault here:
/// only a client opens it.  Pure but for the profiles.
Parsed parse_contract(std::string_view text, std::string_view source, const Profiles& profiles);

/// Reads the text of a contract file (INI).
Parsed parse_contract_ini(std::string_view text, std::string_view source, const Profiles& profiles);

/// Opens "@FILE" as the calling user: a regular file of at most 64 KiB.  Only for clients; root must not call it for a user.
Result<std::string> read_contract_file(std::string_view at_file);

/// What the client does with the option's texts in the order given: "@file" is read, "+…" amends the earlier one, a later
/// one without "+" replaces it, and `notes` names the clauses that were dropped.
Parsed parse_options(const std::vector<std::string>& texts, const Profiles& profiles);

/// The one spelling of a contract: one line, "section.key=value,…" in the order of the clause table, roles by name, the
/// profile resolved into its clauses.  parse_contract(to_canonical(c)) == c, and equal contracts have equal texts.
std::string to_canonical(const Contract& contract);

/// The same as INI, for people and files.
std::string to_ini(const Contract& contract);

} // namespace mscale::contract

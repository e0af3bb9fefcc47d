#pragma once

#include <string>

#include "contract/parse.hpp"
#include "contract/verdict.hpp"

namespace mscale::contract {

/// Two sockets of four cores with two CPUs each (siblings are c and c+8), 1,000 free pages of 2 MiB and no
/// other free memory on each node; near each a GPU (H100, 16 chunks of 8 SMs), a disk of depth 128 and an
/// active port.
hal::Machine two_sockets();

/// The machine model of this name in tests/fixtures/cases/topo, read as a copied tree; unpacked once.
const hal::Machine& model(const std::string& name);
/// Reads all four models; before Check forks.
void load_models();

/// A site without profiles.
struct NoProfiles final : Profiles {
    Result<std::string> read(std::string_view name) const override;
    std::vector<std::string> names() const override { return {}; }
};

/// The contract of an inline text; the test fails with the faults when it has some.
Contract contract_of(const std::string& text);

/// What the verdict says of `text` on `machine` under the site's defaults.
Verdict judge(const std::string& text, const hal::Machine& machine, const Allocation& allocation = {});

/// The refusal with this clause; the test fails, with all refusals, when there is none.
Refusal refusal_of(const Verdict& verdict, const std::string& clause);
/// Fails, with all refusals, unless the verdict honours.
void expect_honoured(const Verdict& verdict);
/// Fails, with both, unless the texts are equal.
void expect_text(const std::string& text, const std::string& wanted);
/// Fails unless `text` holds `part`.
void expect_part(const std::string& text, const std::string& part);
/// True when one of the lines holds the part.
bool any_holds(const std::vector<std::string>& lines, const std::string& part);

CpuSet cpus(const std::string& list);

} // namespace mscale::contract

#pragma once

#include "contract/contract.hpp"

namespace mscale::contract {

/// What ft.redundancy asks for: groups of at least `members` ranks, no two on one node, of which any `parity` may be lost.
struct CodingScheme {
    unsigned members = 0; ///< 0: nothing is coded, snapshots are kept as whole copies
    unsigned parity = 0;
    bool operator==(const CodingScheme&) const = default;
};

/// xor:N is N members and one parity, rs:K+M is K + M members and M.
CodingScheme coding_scheme_of(const Ft& ft);
/// Whole copies of each snapshot on other nodes; beside coded parts only as many as are asked for.
unsigned count_copies(const Ft& ft);

} // namespace mscale::contract

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "contract/last_snapshot.hpp"
#include "contract/site.hpp"

namespace mscale::contract {

/// The text that job_submit vouches for: the payload of the munge credential in SPANK_MSCALE_VERIFIED.
struct Verified {
    std::uint32_t uid = 0;
    Mode mode = Mode::enforce; ///< observe: judged only, nothing is set up
    std::string canonical;     ///< the contract
    unsigned tasks = 1;        ///< on each node, as judged at submit: a prolog doesn't know it, and its pages depend on it
    Notice notice = {};        ///< as slurmctld knew it at submit
    bool operator==(const Verified&) const = default;
};

/// The name in spank_job_env; the node sees it with the prefix SPANK_.
inline constexpr std::string_view verified_name = "MSCALE_VERIFIED";
/// What the client hands to job_submit in spank_job_env: the canonical text.
inline constexpr std::string_view request_name = "MSCALE_CONTRACT";

std::string to_payload(const Verified& verified);
Result<Verified> verified_from_payload(std::string_view payload);

} // namespace mscale::contract

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mscale::submit {

/// An array of "NAME=value" strings as job_desc_msg_t holds it: owned by Slurm, entries may be null, `count`
/// may be written.
struct Variables {
    char** entries = nullptr;
    std::uint32_t* count = nullptr;
    void (*release)(char* entry) = nullptr; ///< frees one entry
};

/// The bounds on what any job may bring into the environment of prolog and epilog.  One string above 128 KiB
/// makes the exec of a prolog fail, which drains the node (facts/slurm.md, "Size").
inline constexpr std::size_t entry_limit = 64 << 10;
inline constexpr std::size_t total_limit = 256 << 10;

/// True for the names in spank_job_env that only mscale itself may set: MSCALE…, and the raw option of its
/// SPANK plugin; also with "SPANK_" before them, which is how the prolog sees them.
bool is_reserved(std::string_view entry);

/// True for what the client's Slurm copies of these into the job's own environment (SLURM_SPANK_MSCALE…), and
/// MSCALE_CONTRACT.
bool is_reserved_copy(std::string_view entry);

/// Removes every entry for which `is_ours` holds, keeping the order of the others; all but one are released.
/// The first "MSCALE_CONTRACT=…" is returned, now the caller's to release, or null.  Nothing is allocated and
/// nothing is thrown.
char* strip(const Variables& variables, bool (*is_ours)(std::string_view)) noexcept;

/// True when an entry "NAME=" with a value stands in the array.
bool has_value(const Variables& variables, std::string_view name) noexcept;

/// "" or the sentence that refuses the job: which entry or total is above its limit.
std::string find_oversize(const Variables& variables);

} // namespace mscale::submit

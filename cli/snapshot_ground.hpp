#pragma once

#include <string>

#include "base/json_forward.hpp"
#include "cli/slurm_view.hpp"
#include "contract/site.hpp"

/// Whether Slurm and the site leave the snapshots what they need.  Pure.
namespace mscale::cli {

/// What was found; `cure` is empty when it is as it should be.
struct Ground {
    std::string found, cure;
};

/// held_memory belongs to no job: it must lie inside what Slurm doesn't hand out of any node.
Ground judge_held_memory(const contract::Site& site, const SlurmView& view);
/// What may be lost together, by what mscaled answers to {"op":"domains"}.
Ground describe_domains(const contract::Site& site, const Json& answer);
/// Whose limit counts the snapshots of a running job.
Ground judge_charging(const SlurmView& view);
/// What the kernel gives the snapshots for pages; `huge_page` is the size that it grants to shared memory, 0 none.
Ground describe_pages(std::uint64_t huge_page);

} // namespace mscale::cli

#pragma once

#include <cstdint>
#include <string>

#include "base/json_forward.hpp"
#include "cli/slurm_view.hpp"
#include "contract/state.hpp"

/// What slurmctld keeps of a job with a contract: its AdminComment, as the nodes posted it.
namespace mscale::cli {

/// "" is 0, a job's number itself; anything else a wrong call.
Result<std::uint32_t> read_job_number(const std::string& text);

/// The segment of mscale in the job's AdminComment, or the error that the job has no contract.
Result<contract::Comment> check_recorded(const SlurmJob& job);

/// Slurm has forgotten the job, or it never was.
tl::unexpected<Error> job_is_gone(std::uint32_t id);

std::string recorded_text(const SlurmJob& job, const contract::Comment& comment);
Json recorded_json(const SlurmJob& job, const contract::Comment& comment);

} // namespace mscale::cli

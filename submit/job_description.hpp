#pragma once

#include <string>

#include <slurm/slurm.h>

#include "submit/decision.hpp"
#include "submit/job_change.hpp"
#include "submit/job_request.hpp"
#include "submit/job_variables.hpp"

/// The way between Slurm's job_desc_msg_t, whose strings belong to Slurm's allocator, and our plain data.
namespace mscale::submit {

Variables variables_of(job_desc_msg_t& job); ///< spank_job_env
Variables environment_of(job_desc_msg_t& job);

/// "" or the sentence that refuses a job whose node lists are too long to be expanded.
std::string find_node_list_fault(const job_desc_msg_t& job);

/// Only without such a fault.
JobRequest read_request(const job_desc_msg_t& job);

/// Writes the decision into the job: `sealed` (the credential, "" none) into spank_job_env, the rest into its
/// fields.
void write_decision(job_desc_msg_t& job, const Decision& decision, const std::string& sealed);

/// True when the change names a field that a contract depends on.  Allocates nothing: it also decides what becomes of a
/// change when something else fails.
bool touches_contract(const job_desc_msg_t& job) noexcept;

/// The change, or why it can't be read.  Expands a node list: only for a job with a contract.
Result<JobChange> read_change(const job_desc_msg_t& job);

/// Copies `text` into memory of Slurm's allocator, releasing what `field` held.
void set_text(char*& field, const std::string& text);

} // namespace mscale::submit

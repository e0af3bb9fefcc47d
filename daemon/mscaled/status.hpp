#pragma once

#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "daemon/mscaled/contract_state.hpp"
#include "daemon/mscaled/jobs.hpp"

/// The answer to `status`.  Pure.
///
///   {"ok":true, "jobs":[{
///      "job":12, "uid":1000, "restarts":0, "contract":"role.image_loader.cores=2,…",
///      "state":"honoured", "comment":"mscale: state=…", "writer":"n1",
///      "unenforced":["gpu.sm"], "silent":["n3"],
///      "nodes":[{
///         "node":"n1", "stage":"applied", "observe":false,
///         "refusals":[{"code","clause","read","reason","hint"}],
///         "breach":{"pid":"4711","role":"image_loader","promised":"0","found":"0-1"},
///         "clauses":[{"clause":"role.image_loader.cores","promised":"2","granted":"0-1","found":"0-1",
///                     "enforced":true}],
///         "processes":[{"pid":4711,"step":0,"task":0,"role":"image_loader","promised":"0","found":"0"}],
///         "pages":[{"page_bytes":2097152,"numa":0,"promised":64,"found":64},
///                  {"page_bytes":2097152,"mount":"/run/…","promised":64,"found":64}]
///      }]
///   }]}
///
/// state, comment and writer are "" when no daemon knows them; stage is planned, applied, refused, releasing,
/// released or silent; breach is absent when nothing is broken; step is Slurm's number (the batch script's is
/// 4294967291); role is "" for a task itself; found is "" for a process that has ended.
namespace mscale::daemon {

/// This node's part of a job, with what the whole job's lines need.  `profiles` is the directory of profiles.
Json status_of(const LocalJob& job, const std::string& node, const std::string& profiles);

/// The lines of the whole job, from the daemon that writes its state; added to `job`.
void add_state(Json& job, const ContractState& state, const Judgement& judgement, const std::string& writer);

/// One job out of what several nodes said of it: their nodes side by side, the state from the one that writes
/// it.
Json merge_status(const std::vector<Json>& parts);

} // namespace mscale::daemon

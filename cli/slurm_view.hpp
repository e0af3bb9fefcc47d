#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "hal/inventory.hpp"

namespace mscale::cli {

/// A node as slurmctld describes it.
struct SlurmNode {
    std::string name;
    std::string
        shape; ///< sockets, cores, threads, memory and GRES in one text: equal for nodes of one NodeName line
    std::string address;
    std::string host;   ///< NodeHostname
    bool is_up = false; ///< neither down, nor planned, nor powered off
    std::uint64_t memory_mib = 0, spared_memory_mib = 0; ///< RealMemory, and what of it Slurm hands out to no job
};

/// A SlurmctldHost.
struct SlurmController {
    std::string name;
    std::string address; ///< SlurmctldHost's own, else the name
    bool answers = false;
};

/// What of Slurm's configuration the commands look at.
struct SlurmView {
    std::string version;
    std::string plugin_dir, job_submit_plugins, gres_types, task_plugins;
    bool counts_memory = false; ///< memory is a resource that jobs are given
    std::string plugstack;       ///< path of plugstack.conf
    bool has_alloc_flag = false; ///< PrologFlags=Alloc
    unsigned prolog_timeout = 0; ///< seconds; 0: none
    unsigned slurmd_timeout = 0; ///< seconds until slurmctld notices a dead node by itself; 0: never
    unsigned sched_delay = 3;    ///< seconds that the scheduler may let a job wait for its look (batch_sched_delay)
    std::vector<SlurmController> controllers;
    std::vector<SlurmNode> nodes;
    std::vector<hal::PartitionEntry> partitions;
};

/// Asks slurmctld, no longer than `limit`.  In a child process, because libslurm ends its process where there is no
/// configuration; an error when there is none or the controller doesn't answer.
Result<SlurmView> view_slurm(std::chrono::milliseconds limit = std::chrono::seconds(20));

/// A job as slurmctld describes it.
struct SlurmJob {
    std::uint32_t id = 0;
    std::string state, nodes, admin_comment; ///< "RUNNING", "n[1-2]"
    bool is_running = false;
};

/// Asks slurmctld for one job; nothing when it knows none of this number (any more).
Result<std::optional<SlurmJob>> view_job(std::uint32_t id);

/// The names of a host list in Slurm's spelling ("n[1-3]"), or an error.
Result<std::vector<std::string>> expand_host_list(const std::string& text);

} // namespace mscale::cli

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mscale::cli {

/// What stands after `mscale run`, read.
struct RunLine {
    unsigned max_restarts = 10;
    std::optional<std::chrono::seconds> hang_limit; ///< --hang-limit; 0: never
    std::string timeline;                           ///< --timeline: path that ends in .json or .svg, or ""
    std::string verdict;                            ///< --verdict: path, or ""
    std::vector<std::string> options;               ///< srun's own, as they were given
    std::vector<std::string> command;
    std::optional<unsigned> nodes;    ///< of srun's -N
    std::optional<unsigned> tasks;    ///< of srun's -n
    std::optional<unsigned> per_node; ///< of srun's --ntasks-per-node
};

/// Splits the words into our options, srun's and the command.  usage for a line without `--` and a command, and for options of
/// srun that would take the choice of nodes, or the end of a step whose rank failed, out of our hands.
Result<RunLine> read_run_line(const std::vector<std::string>& words);

/// Where a job's numbers come from when the line doesn't say them: a variable's value, or nothing.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// The tasks of a run on `nodes` nodes: -n, else --ntasks-per-node for each node, else what sbatch was told, else one a node.
unsigned count_tasks(const RunLine& line, unsigned nodes, const Environment& environment);

/// The line of one run: srun, its own options, then ours, which win, and the command.  `overlap`: what a step that is over for
/// us still has in Slurm's books is no obstacle.
std::vector<std::string> srun_arguments(const RunLine& line, const std::vector<std::string>& nodes,
                                        unsigned tasks, bool overlap = false);
/// The same without a choice of ours.
std::vector<std::string> srun_arguments(const RunLine& line);

} // namespace mscale::cli

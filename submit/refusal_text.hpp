#pragma once

#include <string>
#include <vector>

#include "base/ini.hpp"
#include "contract/verdict.hpp"
#include "submit/judgement.hpp"

/// What the user reads when a contract isn't taken.  Slurm prints each line with its own prefix ("sbatch:
/// error: ").
namespace mscale::submit {

/// The greatest text that is handed to Slurm.
inline constexpr std::size_t message_limit = 16 << 10;

std::string tell_faults(const Faults& faults);
std::string tell_error(const Error& error);
/// Reasons that don't lie in the machines.
std::string tell_refusals(const std::vector<contract::Refusal>& refusals);
/// Not enough nodes honour the contract: what the nearest class answers, and the other classes.
std::string tell_machines(const Judgement& judgement, std::size_t needed);
/// A node that the user requires can't honour the contract.
std::string tell_required_node(const Judgement& judgement, const std::string& node);

/// The line that goes on with the nearest contract, or says that the search was given up; "" for none.
std::string tell_nearest(const NearestText& nearest);

/// At most `message_limit` bytes, cut at the end of a line, and then it says so; `last` (lines, or "") stands at the end
/// in any case.
std::string bound_message(std::string message, const std::string& last = "");

} // namespace mscale::submit

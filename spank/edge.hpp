#pragma once

#include <exception>

#include "spank/slurm.hpp"

namespace mscale::spank {

/// What a hook decided.
enum class Decision { go_on, refuse };

/// Tells a text line by line, each behind "mscale: "; empty lines are left out.
void tell_lines(Slurm& slurm, Level level, const std::string& text);

/// Tells the exception that reached a hook; allocates nothing.
void report_exception(Slurm& slurm, const char* hook, const char* what) noexcept;

/// Runs the act of a hook and lets nothing past it: an exception in slurmstepd would leave a job running with nobody
/// behind it, and in a prolog would drain the node.  `on_exception` is the decision of a hook that threw.
template <class Act> int edge(Slurm& slurm, const char* hook, Decision on_exception, Act&& act) noexcept
{
    Decision decision = on_exception;
    try {
        decision = act();
    } catch (const std::exception& e) {
        report_exception(slurm, hook, e.what());
    } catch (...) {
        report_exception(slurm, hook, "an exception of unknown type");
    }
    if (decision == Decision::go_on) return 0;
    slurm.end_process();
    return -1;
}

} // namespace mscale::spank

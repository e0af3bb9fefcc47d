#pragma once

namespace mscale::library {

/// The signals by which Slurm says that a job will end soon: SIGTERM (preemption, time limit, requeue), and SIGUSR1 and
/// SIGUSR2 of --signal.  Each is caught only while the program leaves it at its default action, which would end the program at
/// once; a handler of the program, or of a library that it uses, stays what it is.
void catch_notices();

/// The first that came, or 0.
int caught_notice();

/// Gives the default action back, where nobody else has taken the signal meanwhile.
void release_notices();

/// What would have happened without us: the default action of the signal.
void obey_notice(int signal);

} // namespace mscale::library

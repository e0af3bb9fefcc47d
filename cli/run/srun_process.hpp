#pragma once

#include <csignal>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace mscale::cli {

/// The srun of one run: it has our streams, our directory and our process group.
class SrunProcess {
public:
    /// Starts the words by PATH with `mask` as its blocked signals.
    static Result<SrunProcess> start(const std::vector<std::string>& words, const sigset_t& mask);

    pid_t pid() const { return pid_; }
    /// For poll(2): readable when it has ended.
    int descriptor() const { return pidfd_.number(); }
    void send(int signal) const;
    /// Takes the end of an srun that has ended: its exit status, or 128 + signal.
    int reap() const;

private:
    SrunProcess(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

    pid_t pid_;
    Fd pidfd_;
};

} // namespace mscale::cli

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "base/json_forward.hpp"

namespace mscale::cli {

/// A piece of work with libslurm, in a process of its own: libslurm ends its process where there is no configuration, and
/// waits long where slurmctld doesn't answer.  Killed when this object ends.
class SlurmChild {
public:
    /// `work` runs in the child; what it returns is the answer.
    static Result<SlurmChild> start(const std::function<Json()>& work);

    /// For poll(2): readable when there is something for `receive`.
    int descriptor() const { return reader_.number(); }
    /// Reads what is there: the answer once the child has ended, nothing before.
    Result<std::optional<Json>> receive();
    static constexpr std::chrono::milliseconds patience{20000};
    /// Waits for the answer, no longer than `limit`.
    Result<Json> wait(std::chrono::milliseconds limit = patience);

    SlurmChild(SlurmChild&& other) noexcept;
    SlurmChild& operator=(SlurmChild&& other) noexcept;
    SlurmChild(const SlurmChild&) = delete;
    SlurmChild& operator=(const SlurmChild&) = delete;
    ~SlurmChild();

private:
    SlurmChild(Fd reader, pid_t child) : reader_(std::move(reader)), child_(child) {}

    Fd reader_;
    pid_t child_ = -1;
    std::string text_;
};

} // namespace mscale::cli

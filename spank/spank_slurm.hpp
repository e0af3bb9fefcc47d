#pragma once

#include "spank/slurm.hpp"

struct spank_handle;

namespace mscale::spank {

/// What Slurm calls when it reads the option.
using OptionCallback = int (*)(int value, const char* text, int remote);

/// Slurm itself, by the handle of one hook.
class SpankSlurm final : public Slurm {
public:
    SpankSlurm(spank_handle* handle, OptionCallback callback) : handle_(handle), callback_(callback) {}

    Context context() override;
    Result<void> register_option() override;
    Result<void> set_job_control(const std::string& name, const std::string& value) override;
    void unset_job_control(const std::string& name) override;
    Result<std::uint32_t> read_job_id() override;
    Result<StepFacts> read_step() override;
    Result<unsigned> read_local_task() override;
    std::vector<std::string> list_environment() override;
    Result<void> set_environment(const std::string& name, const std::string& value) override;
    void unset_environment(const std::string& name) override;
    void tell(Level level, const char* line) noexcept override;
    void end_process() noexcept override;

private:
    spank_handle* handle_;
    OptionCallback callback_;
};

/// Sends the log lines of all floors to Slurm's log.
void log_to_slurm(Level level);

} // namespace mscale::spank

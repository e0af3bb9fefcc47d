#pragma once

#include <algorithm>
#include <map>

#include "spank/slurm.hpp"

/// Slurm as a table: what it would say, and what it was told.
class FakeSlurm final : public mscale::spank::Slurm {
public:
    mscale::spank::Context where = mscale::spank::Context::allocator;
    std::map<std::string, std::string> job_control;
    std::map<std::string, std::string> environment;
    mscale::spank::StepFacts facts;
    unsigned local_id = 0;
    std::string told; ///< every line, with "\n" behind it
    bool ended = false;

    mscale::spank::Context context() override { return where; }
    mscale::Result<void> register_option() override { return {}; }
    mscale::Result<void> set_job_control(const std::string& name, const std::string& value) override
    {
        job_control[name] = value;
        return {};
    }
    void unset_job_control(const std::string& name) override { job_control.erase(name); }
    mscale::Result<std::uint32_t> read_job_id() override { return facts.job_id; }
    mscale::Result<mscale::spank::StepFacts> read_step() override { return facts; }
    mscale::Result<unsigned> read_local_task() override { return local_id; }
    std::vector<std::string> list_environment() override
    {
        std::vector<std::string> entries;
        for (const auto& [name, value] : environment) entries.push_back(name + "=" + value);
        return entries;
    }
    mscale::Result<void> set_environment(const std::string& name, const std::string& value) override
    {
        environment[name] = value;
        return {};
    }
    void unset_environment(const std::string& name) override { environment.erase(name); }
    void tell(mscale::Level, const char* line) noexcept override { told += std::string(line) + "\n"; }
    void end_process() noexcept override { ended = true; }

    bool said(const std::string& words) const { return told.find(words) != std::string::npos; }
};

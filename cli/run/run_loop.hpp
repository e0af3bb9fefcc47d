#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>

#include "cli/daemon_client.hpp"
#include "cli/run/srun_line.hpp"
#include "cli/run/srun_process.hpp"
#include "cli/run/supervisor.hpp"
#include "cli/slurm_child.hpp"

namespace mscale::cli {

/// Does what the Supervisor decides, and tells it what happens: srun's end, mscaled's answers, Slurm's, signals, the time.
class RunLoop {
public:
    /// `signals` is a signalfd of the signals that are handed on; `mask` what srun has blocked.
    struct Signals {
        Fd descriptor;
        sigset_t mask{};
    };
    static Result<Signals> open_signals();

    RunLoop(const contract::Site& site, RunLine line, const Supervisor::Setup& setup, const RunView& view,
            Signals signals);

    /// Runs until the supervisor says so; the exit status.
    int run();

private:
    using Answered = std::function<void(const Result<Json>&)>;
    struct Question {
        SlurmChild child;
        Answered answered;
    };

    void perform(const std::vector<Act>& acts);
    void perform(const act::Launch& launch);
    bool has_left_a_step();
    void perform(const act::FenceStep&);
    void perform(const act::KillSrun&);
    void perform(const act::SendSignal& signal);
    void perform(const act::EndStep& end);
    void perform(const act::AskAllocation&);
    void perform(const act::AskStep&);
    void perform(const act::Requeue&);
    void perform(const act::TellRanks& told);
    void perform(const act::EndRanks&);
    void perform(const act::AskJobEnd&);
    void perform(const act::Say& say);
    void perform(const act::ShowTimeline& show);
    void perform(const act::Finish& finish);
    void write_verdict(const RunVerdict& verdict) const;

    void ask_slurm(const std::function<Json()>& work, Answered answered);
    void wait();
    void on_srun_end();
    void on_signal();
    void on_daemon();
    void on_slurm(std::size_t at);
    void poll_daemon();

    const contract::Site& site_;
    RunLine line_;
    Supervisor::Setup setup_;
    Supervisor supervisor_;
    Signals signals_;
    std::optional<SrunProcess> srun_;
    pid_t last_pid_ = 0; // of the newest srun, also after its end
    std::optional<OpenRequest> request_;
    int told_signal_ = 0; // that mscaled hands to the ranks
    bool ends_ranks_ = false; // that mscaled kills what is left of the run
    std::chrono::milliseconds asked_at_{};
    std::vector<Question> questions_;
    std::optional<int> status_;
};

/// One line for people, on stderr after "mscale run: ".
void tell(const std::string& text);

} // namespace mscale::cli

#pragma once

// A `mscale run` against a clock, nodes and ranks that the tests play.
#include <optional>
#include <string>
#include <vector>

#include "cli/run/supervisor.hpp"


namespace mscale::cli {

using std::chrono::milliseconds;

/// A job on n1, n2 and the spare n3 whose run needs two nodes.
struct Stage {
    explicit Stage(unsigned max_restarts = 10, bool has_past = false) : supervisor(setup(max_restarts, has_past), view)
    {
        collect(supervisor.begin(moment()));
    }

    static Supervisor::Setup setup(unsigned max_restarts, bool has_past)
    {
        Supervisor::Setup setup;
        setup.job_id = 12;
        setup.wanted_nodes = 2;
        setup.tasks = 2;
        setup.max_restarts = max_restarts;
        setup.has_past = has_past;
        return setup;
    }
    static RunView first_view()
    {
        RunView view;
        view.nodes = {"n1", "n2", "n3"};
        view.keeps_snapshots = true;
        view.spares = 1;
        return view;
    }

    Moment moment() const { return {milliseconds(now), milliseconds(1000000 + now)}; }
    void collect(std::vector<Act> more)
    {
        acts = std::move(more);
        for (const Act& act : acts) {
            if (const auto* launch = std::get_if<act::Launch>(&act)) launches.push_back(launch->nodes);
            if (const auto* finish = std::get_if<act::Finish>(&act)) {
                verdict = finish->verdict;
                status = verdict->status;
            }
            timelines += std::holds_alternative<act::ShowTimeline>(act) ? 1 : 0;
            if (const auto* said = std::get_if<act::Say>(&act)) words += said->text + "\n";
        }
    }
    template <class Kind> bool asked() const
    {
        for (const Act& act : acts)
            if (std::holds_alternative<Kind>(act)) return true;
        return false;
    }
    bool said(const char* text) const { return words.find(text) != std::string::npos; }

    /// The ranks of run `step_id` train until `step`, of which snapshots are committed.
    void train(std::uint32_t step_id, std::uint64_t step, std::uint64_t committed)
    {
        for (const std::uint64_t at : {step / 2 + 1, step - 10, step}) {
            view.ranks = {0, step_id, 2, 0, at, milliseconds(1), "n2"};
            view.committed_step = committed;
            pass(100);
        }
    }
    void leave(std::uint32_t step_id)
    {
        view.ranks = {0, step_id, 2, 2, view.ranks.least_step, milliseconds(1), ""};
    }
    void die(const char* node)
    {
        view.dead.push_back({node, milliseconds(now), milliseconds(now + 700), {}, "silence"});
    }
    /// mscaled answers and the clock ticks each 100 ms.
    void pass(int ms)
    {
        std::vector<Act> all;
        for (int i = 0; i < ms; i += 100) {
            now += 100;
            for (auto& act : supervisor.on_view(view, moment())) all.push_back(std::move(act));
            for (auto& act : supervisor.on_time(moment())) all.push_back(std::move(act));
        }
        collect(std::move(all));
    }
    void end_srun(int code) { collect(supervisor.on_srun_end({code}, moment())); }
    void send(int signal) { collect(supervisor.on_signal({signal, false}, moment())); }

    int now = 0;
    RunView view = first_view();
    std::vector<Act> acts; // of the last event
    std::vector<std::vector<std::string>> launches;
    std::optional<RunVerdict> verdict;
    std::optional<int> status; // of it
    int timelines = 0;
    std::string words;
    Supervisor supervisor;
};

} // namespace mscale::cli

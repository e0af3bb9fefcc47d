#pragma once

// What the tests of the coordinator share: nodes whose messages arrive at once.
#include <map>
#include <set>

#include "base/json.hpp"
#include "daemon/keeper/coordinator.hpp"
#include "daemon/keeper/messages.hpp"
#include "daemon/mscaled/message.hpp"
#include "recovery/spill_file.hpp"
#include "tests/unit/check.hpp"

namespace nodes_of_test {

using namespace mscale;
using namespace mscale::daemon;

inline constexpr recovery::Incarnation first{0, 0}, second{0, 1};
inline const std::vector<std::string> names = {"n1", "n2", "n3"}, cluster = {"n1", "n2", "n3", "n4", "n5"};
inline constexpr recovery::Incarnation requeued{1, 0};

/// Three nodes of an allocation, and two others, whose messages arrive at once; those in `dead` answer nothing.
class Nodes {
public:
    Nodes()
    {
        for (const std::string& name : cluster) {
            Keepers::Network network{
                [name] { return name; },
                [this](const std::string& to, const std::string& op, const Json& body,
                       const Keepers::Answered& answered) { deliver(to, op, body, answered); },
                {},
                [] { return cluster; },
                [](std::chrono::milliseconds, const std::function<void()>&) {},
                [](std::uint32_t, const std::string&) { return false; },
                [this](std::uint32_t, const auto& answer) { answer(told); }};
            Node& node = nodes_[name];
            node.keepers = std::make_unique<Keepers>(
                std::move(network), [](std::uint32_t) { return names; },
                [this, name](const std::string& op, const Json& body, const Keepers::Answer& answer) {
                    handle(name, op, body, answer);
                });
            node.coordinator = std::make_unique<Coordinator>(*node.keepers, [this](std::uint32_t) { return terms; });
        }
    }

    void prepare(const std::string& from, const Prepared& prepared)
    {
        nodes_[from].keepers->ask_coordinator(7, "prepare", to_json(prepared),
                                              [this](const Result<Json>& answer) {
                                                  if (!answer) refused.push_back(answer.error().code);
                                              });
    }
    void tell(const std::string& from, const std::string& op, const Json& body)
    {
        nodes_[from].keepers->ask_coordinator(7, op, body, [](const Result<Json>&) {});
    }
    RestoreAnswer restore(const std::string& from, const RestoreState& state)
    {
        RestoreAnswer read;
        nodes_[from].keepers->ask_coordinator(7, "restore", to_json(state), [&](const Result<Json>& answer) {
            if (!answer) words = answer.error().text;
            if (!answer) return void(refused.push_back(answer.error().code));
            read = restore_answer_from_json(*answer, "x").value();
        });
        return read;
    }

    std::set<std::string> dead;
    std::optional<std::uint64_t> told; ///< what slurmctld knows of
    JobTerms terms; ///< of the job, as its ledger has them
    std::vector<Code> refused;
    std::string words; ///< of the last refusal
    std::map<std::string, std::vector<recovery::SpilledEpoch>> files; ///< what each node sees in the directory of ft.spill
    std::set<std::string> foreign;                                    ///< nodes that hold another user's snapshots
    std::vector<std::string> looked;                                  ///< for files
    std::map<std::string, Holdings> held;                 ///< what each node says that it holds
    std::vector<std::pair<std::string, std::string>> log; ///< node and operation, of keep, committed and drop
    std::vector<std::string> asked;                       ///< what they hold

private:
    struct Node {
        std::unique_ptr<Keepers> keepers;
        std::unique_ptr<Coordinator> coordinator;
    };

    void deliver(const std::string& to, const std::string& op, const Json& body,
                 const Keepers::Answered& answered)
    {
        if (dead.contains(to)) return answered(failure(Code::peer, "silent"));
        handle(to, op, body, [answered](const Json& answer) {
            if (auto error = error_of(answer)) return answered(tl::unexpected(std::move(*error)));
            answered(answer);
        });
    }
    void handle(const std::string& name, const std::string& op, const Json& body,
                const Keepers::Answer& answer)
    {
        if (op == "prepare") return nodes_[name].coordinator->answer_prepare(body, answer);
        if (op == "restore") return nodes_[name].coordinator->answer_restore(body, answer);
        if (op == "spilled") return nodes_[name].coordinator->answer_spilled(body, answer);
        if (op == "files") return answer(list_files(name));
        if (op == "hold" && foreign.contains(name)) return answer(ok_with({{"foreign", true}}));
        if (op == "hold") asked.push_back(name);
        if (op == "hold") return answer(to_json(held[name]));
        log.emplace_back(name, body.value("spill", false) ? op + " and spill" : op);
        if (op == "drop" || op == "settle") return answer(ok_with());
        held[name].records = {recovery::commit_from_json(body, "x").value()};
        answer(ok_with());
    }

    Json list_files(const std::string& name)
    {
        looked.push_back(name);
        Json epochs = Json::array();
        for (const auto& epoch : files[name]) epochs.push_back(recovery::to_json(epoch));
        return ok_with({{"epochs", epochs}});
    }

    std::map<std::string, Node> nodes_;
};

inline Prepared prepared(std::uint32_t rank, std::uint64_t epoch, const recovery::Incarnation& run = first)
{
    return {7, run, 2, rank, epoch, epoch * 10};
}

inline recovery::HeldCopy held_copy(std::uint32_t rank, std::uint64_t epoch)
{
    return {rank, first, epoch, epoch * 10, "", recovery::Tier::memory};
}

} // namespace nodes_of_test

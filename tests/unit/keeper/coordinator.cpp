#include "daemon/keeper/coordinator.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/json.hpp"
#include "daemon/keeper/messages.hpp"
#include "daemon/mscaled/message.hpp"
#include "recovery/spill_file.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

constexpr recovery::Incarnation first{0, 0}, second{0, 1};
const std::vector<std::string> names = {"n1", "n2", "n3"}, cluster = {"n1", "n2", "n3", "n4", "n5"};
constexpr recovery::Incarnation requeued{1, 0};

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
            if (!answer) return void(refused.push_back(answer.error().code));
            read = restore_answer_from_json(*answer, "x").value();
        });
        return read;
    }

    std::set<std::string> dead;
    std::optional<std::uint64_t> told; ///< what slurmctld knows of
    JobTerms terms; ///< of the job, as its ledger has them
    std::vector<Code> refused;
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

Prepared prepared(std::uint32_t rank, std::uint64_t epoch, const recovery::Incarnation& run = first)
{
    return {7, run, 2, rank, epoch, epoch * 10};
}

recovery::HeldCopy copy(std::uint32_t rank, std::uint64_t epoch)
{
    return {rank, first, epoch, epoch * 10, "", recovery::Tier::memory};
}

} // namespace

START_TEST(an_epoch_is_announced_after_a_second_node_has_kept_its_record)
{
    Nodes nodes;
    nodes.prepare("n2", prepared(0, 1));
    ck_assert(nodes.log.empty());
    nodes.prepare("n3", prepared(1, 1));
    const std::vector<std::pair<std::string, std::string>> wanted = {
        {"n1", "keep"}, {"n2", "keep"}, {"n1", "committed"}, {"n2", "committed"}, {"n3", "committed"}};
    ck_assert(nodes.log == wanted);
}
END_TEST

START_TEST(a_dead_second_node_is_passed_over)
{
    Nodes nodes;
    nodes.dead = {"n2"};
    nodes.prepare("n1", prepared(0, 1));
    nodes.prepare("n3", prepared(1, 1));
    ck_assert((nodes.log[1] == std::pair<std::string, std::string>("n3", "keep")));
}
END_TEST

START_TEST(when_the_coordinator_dies_the_next_node_goes_on_with_what_all_hold)
{
    Nodes nodes;
    nodes.prepare("n2", prepared(0, 1));
    nodes.prepare("n3", prepared(1, 1));
    nodes.dead = {"n1"};
    nodes.held["n2"].copies = {copy(0, 1), copy(1, 1)};
    const RestoreAnswer answer = nodes.restore("n3", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->epoch == 1);
    ck_assert(answer.sources == std::vector<RankSources>({{{"n2"}, {}}, {{"n2"}, {}}}));
}
END_TEST

START_TEST(a_run_starts_when_every_rank_is_ready)
{
    Nodes nodes;
    ck_assert(!nodes.restore("n2", {7, first, 2, {{0, 0}}, {}, {}, {}}).go);
    ck_assert(nodes.restore("n3", {7, first, 2, {{1, 0}}, {}, {}, {}}).go);
    ck_assert(nodes.restore("n2", {7, first, 2, {{0, 0}}, {}, {}, {}}).go);
}
END_TEST

START_TEST(a_new_run_goes_on_from_what_the_run_before_it_committed)
{
    Nodes nodes;
    nodes.restore("n2", {7, first, 2, {{0, 0}, {1, 0}}, {}, {}, {}});
    nodes.prepare("n2", prepared(0, 1));
    nodes.prepare("n3", prepared(1, 1));
    nodes.held["n3"].copies = {copy(0, 1), copy(1, 1)};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(!answer.go && answer.record && answer.record->epoch == 1);
}
END_TEST

START_TEST(a_coordinator_that_began_anew_in_the_middle_of_a_run_asks_again_for_the_next)
{
    Nodes nodes;
    nodes.held["n2"] = {{{7, first, 2, 4, 40}}, {copy(0, 4), copy(1, 4)}, {}};
    nodes.prepare("n2", prepared(0, 5)); // the first word that it hears
    nodes.held["n2"] = {{{7, first, 2, 5, 50}}, {copy(0, 5), copy(1, 5)}, {}};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->epoch == 5 && answer.sources.size() == 2);
}
END_TEST

START_TEST(a_node_that_is_silent_is_waited_for_when_it_may_hold_what_is_missing)
{
    Nodes nodes;
    nodes.held["n2"] = {{{7, first, 2, 4, 40}}, {copy(0, 4)}, {}};
    nodes.held["n3"] = {{{7, first, 2, 4, 40}}, {copy(1, 4)}, {}};
    nodes.dead = {"n3"};
    const RestoreAnswer waiting = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(!waiting.gathered && !waiting.record);
    nodes.dead = {};
    nodes.restore("n2", {7, second, 2, {}, {}, {}, {}}); // asks the nodes again
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.gathered && answer.record && answer.record->epoch == 4);
}
END_TEST

START_TEST(a_silent_node_is_not_waited_for_when_the_others_hold_all)
{
    Nodes nodes;
    nodes.held["n2"] = {{{7, first, 2, 4, 40}}, {copy(0, 4), copy(1, 4)}, {}};
    nodes.dead = {"n3"};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.gathered && answer.record && answer.record->epoch == 4);
}
END_TEST

START_TEST(a_run_that_was_followed_by_a_newer_one_commits_nothing)
{
    Nodes nodes;
    nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    nodes.prepare("n2", prepared(0, 1));
    nodes.prepare("n3", prepared(1, 1));
    ck_assert(nodes.log.empty() && nodes.refused == std::vector<Code>({Code::fenced, Code::fenced}));
}
END_TEST

START_TEST(a_requeued_run_goes_on_from_what_a_node_out_of_its_allocation_holds)
{
    Nodes nodes;
    nodes.held["n2"].earlier = {"n2", "n4"};
    nodes.held["n4"] = {{{7, first, 2, 1, 10}}, {copy(0, 1), copy(1, 1)}, {}};
    const RestoreAnswer answer = nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->epoch == 1);
    ck_assert(answer.sources == std::vector<RankSources>({{{"n4"}, {}}, {{"n4"}, {}}}));
    ck_assert(nodes.asked == std::vector<std::string>({"n1", "n2", "n3", "n4"})); // the run before was there
}
END_TEST

START_TEST(where_nobody_knows_the_run_before_the_whole_cluster_is_asked)
{
    Nodes nodes;
    nodes.dead = {"n4"};
    nodes.held["n5"] = {{{7, first, 2, 1, 10}}, {copy(0, 1), copy(1, 1)}, {}};
    ck_assert(nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}}).record);
}
END_TEST

START_TEST(a_first_run_asks_no_node_out_of_its_allocation)
{
    Nodes nodes;
    nodes.held["n1"].earlier = {"n4"};
    nodes.restore("n2", {7, first, 2, {}, {}, {}, {}});
    ck_assert(nodes.asked == names);
}
END_TEST

START_TEST(what_lies_out_of_the_allocation_is_dropped_at_the_first_commit)
{
    Nodes nodes;
    nodes.held["n4"] = {{{7, first, 2, 1, 10}}, {copy(0, 1), copy(1, 1)}, {}};
    nodes.restore("n2", {7, requeued, 2, {{0, 1}, {1, 1}}, {}, {}, {}});
    ck_assert(nodes.log.empty());
    nodes.prepare("n2", prepared(0, 2, requeued));
    nodes.prepare("n2", prepared(1, 2, requeued));
    ck_assert((nodes.log.back() == std::pair<std::string, std::string>("n4", "drop")));
}
END_TEST

START_TEST(a_requeued_run_never_starts_from_nothing_when_something_was_committed)
{
    Nodes nodes;
    nodes.held["n4"].records = {{7, first, 2, 1, 10}}; // its memory was freed meanwhile
    nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(nodes.refused == std::vector<Code>({Code::no_snapshot}));
}
END_TEST

START_TEST(a_run_is_refused_when_only_slurmctld_still_knows_of_a_snapshot)
{
    Nodes nodes;
    nodes.told = 10;
    nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(nodes.refused == std::vector<Code>({Code::no_snapshot}));
}
END_TEST

START_TEST(a_requeued_run_of_a_job_that_never_had_a_snapshot_begins_from_nothing)
{
    Nodes nodes;
    const RestoreAnswer answer = nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(answer.gathered && !answer.record && nodes.refused.empty());
}
END_TEST

START_TEST(a_newer_epoch_in_files_wins_over_an_older_one_in_memory)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/scratch";
    nodes.held["n2"] = {{{7, first, 2, 1, 10}}, {copy(0, 1), copy(1, 1)}, {}};
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0, 1}}};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->epoch == 3);
    ck_assert(answer.sources == std::vector<RankSources>({{{}, {"n1"}}, {{}, {"n1"}}}));
    ck_assert(nodes.looked == std::vector<std::string>({"n1"})); // which saw all of it
}
END_TEST

START_TEST(a_damaged_file_gives_way_to_the_older_epoch_in_memory)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/scratch";
    nodes.held["n2"] = {{{7, first, 2, 1, 10}}, {copy(0, 1), copy(1, 1)}, {}};
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0, 1}}};
    nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    const RestoreState::Failed failed{1, 3, "n1", recovery::Tier::spill, "a flipped byte"};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {failed}, {}});
    ck_assert(answer.record && answer.record->epoch == 1);
    ck_assert(answer.sources == std::vector<RankSources>({{{"n2"}, {}}, {{"n2"}, {}}}));
}
END_TEST

START_TEST(a_copy_in_memory_that_is_lost_gives_way_to_the_file_of_the_same_node)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/scratch";
    nodes.held["n1"] = {{{7, first, 2, 3, 30}}, {copy(0, 3), copy(1, 3)}, {}};
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0, 1}}};
    const RestoreState::Failed failed{1, 3, "n1", recovery::Tier::memory, "gone"};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {failed}, {}});
    ck_assert(answer.record && answer.record->epoch == 3);
    ck_assert(answer.sources == std::vector<RankSources>({{{"n1"}, {"n1"}}, {{}, {"n1"}}}));
}
END_TEST

START_TEST(files_that_no_node_sees_alone_are_put_together)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/local";
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0}}};
    nodes.files["n3"] = {{{7, first, 2, 3, 30}, {1}}};
    const RestoreAnswer answer = nodes.restore("n2", {7, requeued, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.sources == std::vector<RankSources>({{{}, {"n1"}}, {{}, {"n3"}}}));
}
END_TEST

START_TEST(a_job_without_a_spill_looks_at_no_file)
{
    Nodes nodes;
    nodes.files["n1"] = {{{7, first, 2, 3, 30}, {0, 1}}};
    ck_assert(!nodes.restore("n2", {7, second, 2, {}, {}, {}, {}}).record);
    ck_assert(nodes.looked.empty());
}
END_TEST

START_TEST(a_job_resumes_another_from_files_or_from_memory)
{
    for (const bool in_files : {true, false}) {
        Nodes nodes;
        nodes.terms.ft.resume = 5;
        nodes.terms.ft.spill = "/scratch";
        if (in_files) nodes.files["n1"] = {{{5, requeued, 2, 3, 30}, {0, 1}}};
        if (!in_files)
            nodes.held["n5"] = {{{5, requeued, 2, 3, 30}}, {{0, requeued, 3, 30, ""}, {1, requeued, 3, 30, ""}}, {}};
        const RestoreAnswer answer = nodes.restore("n2", {7, first, 2, {}, {}, {}, {}});
        ck_assert(answer.record && answer.record->job_id == 5 && answer.record->epoch == 3);
    }
}
END_TEST

START_TEST(a_job_that_has_committed_goes_on_from_its_own)
{
    Nodes nodes;
    nodes.terms.ft.resume = 5;
    nodes.terms.ft.spill = "/scratch";
    nodes.files["n1"] = {{{5, requeued, 2, 300, 3000}, {0, 1}}};
    nodes.held["n2"] = {{{7, first, 2, 4, 40}}, {copy(0, 4), copy(1, 4)}, {}};
    const RestoreAnswer answer = nodes.restore("n2", {7, second, 2, {}, {}, {}, {}});
    ck_assert(answer.record && answer.record->job_id == 7 && answer.record->epoch == 4);
}
END_TEST

START_TEST(a_job_that_resumes_nothing_is_refused_and_never_begins_anew)
{
    Nodes nodes;
    nodes.terms.ft.resume = 5;
    nodes.terms.ft.spill = "/scratch";
    nodes.restore("n2", {7, first, 2, {}, {}, {}, {}});
    ck_assert(nodes.refused == std::vector<Code>({Code::no_snapshot}));
}
END_TEST

START_TEST(a_job_of_another_user_is_not_resumed)
{
    Nodes nodes;
    nodes.terms.ft.resume = 5;
    nodes.foreign = {"n5"};
    nodes.restore("n2", {7, first, 2, {}, {}, {}, {}});
    ck_assert(nodes.refused == std::vector<Code>({Code::snapshot_foreign}));
}
END_TEST

START_TEST(every_second_commit_is_spilled_and_settled_when_all_ranks_are_written)
{
    Nodes nodes;
    nodes.terms.ft.spill = "/scratch";
    nodes.terms.ft.spill_every = 2;
    for (const std::uint64_t epoch : {1, 2, 3}) {
        nodes.prepare("n2", prepared(0, epoch));
        nodes.prepare("n3", prepared(1, epoch));
    }
    const auto count = [&nodes](const std::string& op) {
        return std::ranges::count(nodes.log, op, &std::pair<std::string, std::string>::second);
    };
    ck_assert_int_eq(count("committed and spill"), 3); // of epoch 2, at three nodes
    const recovery::CommitRecord second_epoch{7, first, 2, 2, 20};
    nodes.tell("n2", "spilled", to_json(recovery::SpilledEpoch{second_epoch, {0}}));
    ck_assert_int_eq(count("settle"), 0);
    nodes.tell("n3", "spilled", to_json(recovery::SpilledEpoch{second_epoch, {1}}));
    ck_assert_int_eq(count("settle"), 3);
}
END_TEST

START_TEST(nodes_that_say_nothing_are_waited_for_no_longer_than_the_limit)
{
    std::function<void()> limit;
    std::vector<Keepers::Answered> open;
    Keepers keepers({[] { return "n1"; },
                     [&](const std::string&, const std::string&, const Json&, Keepers::Answered answered) {
                         open.push_back(std::move(answered));
                     },
                     {},
                     {},
                     [&](std::chrono::milliseconds, std::function<void()> call) { limit = std::move(call); },
                     {},
                     {}},
                    {}, {});
    std::vector<std::size_t> counts;
    keepers.ask_nodes({"n4", "n5"}, "hold", {}, std::chrono::seconds(1),
                      [&](const auto& answers) { counts.push_back(answers.size()); });
    open[0](Json(ok_with()));
    ck_assert(counts.empty());
    limit();
    open[1](Json(ok_with()));
    ck_assert(counts == std::vector<std::size_t>{1});
}
END_TEST

Suite* coordinator_suite()
{
    return make_suite(
        "coordinator", an_epoch_is_announced_after_a_second_node_has_kept_its_record,
        a_dead_second_node_is_passed_over, when_the_coordinator_dies_the_next_node_goes_on_with_what_all_hold,
        a_run_starts_when_every_rank_is_ready, a_new_run_goes_on_from_what_the_run_before_it_committed,
        a_coordinator_that_began_anew_in_the_middle_of_a_run_asks_again_for_the_next,
        a_node_that_is_silent_is_waited_for_when_it_may_hold_what_is_missing,
        a_silent_node_is_not_waited_for_when_the_others_hold_all,
                a_run_that_was_followed_by_a_newer_one_commits_nothing,
        a_requeued_run_goes_on_from_what_a_node_out_of_its_allocation_holds,
        where_nobody_knows_the_run_before_the_whole_cluster_is_asked,
        a_first_run_asks_no_node_out_of_its_allocation,
        what_lies_out_of_the_allocation_is_dropped_at_the_first_commit,
        a_run_is_refused_when_only_slurmctld_still_knows_of_a_snapshot,
        a_requeued_run_of_a_job_that_never_had_a_snapshot_begins_from_nothing,
        a_requeued_run_never_starts_from_nothing_when_something_was_committed,
        a_newer_epoch_in_files_wins_over_an_older_one_in_memory, a_damaged_file_gives_way_to_the_older_epoch_in_memory,
        a_copy_in_memory_that_is_lost_gives_way_to_the_file_of_the_same_node, files_that_no_node_sees_alone_are_put_together,
        a_job_without_a_spill_looks_at_no_file, a_job_resumes_another_from_files_or_from_memory,
        a_job_that_has_committed_goes_on_from_its_own, a_job_that_resumes_nothing_is_refused_and_never_begins_anew,
        a_job_of_another_user_is_not_resumed, every_second_commit_is_spilled_and_settled_when_all_ranks_are_written,
        nodes_that_say_nothing_are_waited_for_no_longer_than_the_limit);
}

// The start of a run on one node: real memory and real streams, a coordinator that the test plays.
#include "daemon/keeper/run_start.hpp"

#include "tests/unit/keeper/coding_nodes.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace coding_of_test;

namespace {

constexpr std::uint64_t saved_bytes = 5 << 20; // a whole chunk and a part
constexpr Incarnation run_before{0, 2}, run_here{0, 3};

/// A node with the ranks of a run, whose coordinator answers what `answer` is.
struct Starting {
    Starting()
    {
        set_sink([](Level, const std::string&) {});
        other.serve();
        answer.gathered = true;
    }

    /// An earlier run of `ranks` ranks saved epoch 5; the other node holds rank `rank` of it.
    std::shared_ptr<HeldSegment> hold_on_other(std::uint32_t rank, std::uint32_t ranks)
    {
        return hold(other.store, rank, ranks, SegmentStore::Kind::copy);
    }
    std::shared_ptr<HeldSegment> hold_here(std::uint32_t rank, std::uint32_t ranks)
    {
        return hold(store, rank, ranks, SegmentStore::Kind::copy);
    }
    std::shared_ptr<HeldSegment> rank_of_run(std::uint32_t rank)
    {
        return store.provide(owner_of(rank, 2, run_here), saved_bytes, SegmentStore::Kind::own).value();
    }
    /// What the coordinator says there is: epoch 5 of `ranks` ranks, each on the nodes given.
    void choose(std::uint32_t ranks, const std::vector<std::string>& nodes)
    {
        answer.record = CommitRecord{7, run_before, ranks, 5, 50};
        answer.sources.assign(ranks, RankSources{nodes, {}});
    }
    void run_until(const std::function<bool()>& done)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        const std::function<void()> watch = [&] {
            if (done() || std::chrono::steady_clock::now() > end) return loop->stop();
            loop->after(std::chrono::milliseconds(2), watch);
        };
        loop->post(watch);
        ck_assert(loop->run().has_value());
        ck_assert(done());
    }
    RunStart::Started into(std::optional<Result<std::optional<RestorePoint>>>& point)
    {
        return [&point](const auto& started) { point = started; };
    }
    bool was_asked(const std::function<bool(const RestoreState&)>& what) const { return std::ranges::any_of(asked, what); }

    std::unique_ptr<Loop> loop = std::move(*Loop::create());
    CodingNode other{.name = "n1", .rank = 0, .address = {}, .store = SegmentStore(), .server = {}, .keepers = {}, .coded = {},
                     .failures = {}, .coder = {}};
    SegmentStore store;
    RestoreAnswer answer;
    std::optional<Error> silence; ///< instead of the answer
    std::vector<RestoreState> asked;
    Keepers keepers{{[] { return std::string("n0"); },
                     [this](const std::string&, const std::string&, const Json&, const Keepers::Answered& answered) {
                         answered(failure(Code::peer, "silent"));
                     },
                     [this](const std::string&, const auto& located) { located(other.address); },
                     [] { return std::vector<std::string>{"n0", "n1"}; },
                     [this](std::chrono::milliseconds delay, const std::function<void()>& call) { loop->after(delay, call); },
                     [](std::uint32_t, const std::string&) { return false; },
                     {}},
                    [](std::uint32_t) { return std::vector<std::string>{"n0", "n1"}; },
                    [this](const std::string&, const Json& body, const Keepers::Answer& say) {
                        asked.push_back(restore_state_from_json(body, "x").value());
                        say(silence ? error_to_json(*silence) : to_json(answer));
                    }};
    Spill spill{*loop, "/absent", [] { return std::uint64_t{0}; }}; // no file is read here
    Carrier carrier{*loop, trusting_introduction, derive_timing(std::chrono::milliseconds(600)), spill, store,
                    [](std::uint64_t) { return Result<void>(); }};
    std::shared_ptr<RunStart> start =
        std::make_shared<RunStart>(*loop, keepers, carrier, RunStart::Run{7, run_here, 2}, std::nullopt);

private:
    static std::shared_ptr<HeldSegment> hold(SegmentStore& store, std::uint32_t rank, std::uint32_t ranks, SegmentStore::Kind kind)
    {
        const Owner owner = owner_of(rank, ranks, run_before);
        const auto held = store.provide(owner, saved_bytes, kind).value();
        save_pattern(held->memory.view(), 0, 5, saved_bytes, owner);
        SegmentStore::seal(*held, 0, {owner, 5, 50, 0, saved_bytes});
        return held;
    }
};

using Point = std::optional<Result<std::optional<RestorePoint>>>;

} // namespace

START_TEST(ranks_without_a_snapshot_start_when_the_coordinator_lets_all_go)
{
    Starting node;
    Point first, second;
    node.start->add(node.rank_of_run(0), false, node.into(first));
    node.start->add(node.rank_of_run(1), false, node.into(second));
    node.run_until([&] {
        return node.was_asked([](const RestoreState& state) {
            return state.ready == std::vector<RestoreState::Ready>{{0, 0}, {1, 0}};
        });
    });
    ck_assert(!first && !second && !node.start->idle());
    node.answer.go = true;
    node.run_until([&] { return first && second; });
    ck_assert(*first && !**first && *second && !**second && node.start->idle());
}
END_TEST

START_TEST(a_rank_gets_what_another_node_holds_and_goes_on_when_all_have_taken_theirs)
{
    Starting node;
    Point point, taken;
    node.hold_on_other(0, 2);
    node.choose(2, {"n1"});
    const auto own = node.rank_of_run(0);
    node.start->add(own, false, node.into(point));
    node.run_until([&] {
        return node.was_asked([](const RestoreState& state) { return state.ready == std::vector<RestoreState::Ready>{{0, 5}}; });
    });
    ck_assert(!point);
    node.answer.go = true;
    node.run_until([&] { return point.has_value(); });
    ck_assert(*point && (**point)->epoch == 5 && (**point)->step == 50 && !(**point)->apart);
    ck_assert(std::ranges::equal(own->memory.view().data((**point)->slot).first(saved_bytes),
                                 node.hold_on_other(0, 2)->memory.view().data(0).first(saved_bytes)));
    node.start->confirm(0, 5, node.into(taken));
    node.run_until([&] { return node.was_asked([](const RestoreState& state) { return !state.confirmed.empty(); }); });
    ck_assert(!taken);
    node.answer.settled = true;
    node.run_until([&] { return taken.has_value(); });
    ck_assert(*taken && (**taken)->epoch == 5);
}
END_TEST

START_TEST(a_copy_that_cannot_be_used_is_told_to_the_coordinator)
{
    Starting node;
    Point point;
    node.hold_on_other(0, 2)->memory.view().data(0)[17] ^= std::byte{1};
    node.choose(2, {"n1"});
    node.start->add(node.rank_of_run(0), false, node.into(point));
    node.run_until([&] { return node.was_asked([](const RestoreState& state) { return !state.failed.empty(); }); });
    const auto told = std::ranges::find_if(node.asked, [](const RestoreState& state) { return !state.failed.empty(); });
    ck_assert(told->failed.front().rank == 0 && told->failed.front().epoch == 5 && told->failed.front().node == "n1");
    ck_assert(!point);
}
END_TEST

START_TEST(another_number_of_ranks_is_refused_to_a_program_that_cannot_take_its_part)
{
    Starting node;
    Point point;
    node.choose(3, {"n1"});
    node.start->add(node.rank_of_run(0), false, node.into(point));
    node.run_until([&] { return point.has_value(); });
    ck_assert(!*point && point->error().code == Code::no_snapshot);
    ck_assert(point->error().text.find("of 3 ranks and this run has 2") != std::string::npos);
}
END_TEST

/// An elastic rank that was given back epoch 5 of three ranks.
void start_apart(Starting& node, Point& point, const std::vector<std::string>& nodes)
{
    node.choose(3, nodes);
    node.answer.go = true;
    node.start->add(node.rank_of_run(0), true, node.into(point));
    node.run_until([&] { return point.has_value(); });
    ck_assert(*point && (**point)->apart && (**point)->apart->ranks == 3);
}

Result<void> read_piece(Starting& node, const PieceRequest& request)
{
    std::optional<Result<void>> read;
    node.start->read(0, request, [&](const Result<void>& done) { read = done; });
    node.run_until([&] { return read.has_value(); });
    return *read;
}

START_TEST(an_elastic_rank_reads_pieces_of_what_the_others_wrote)
{
    Starting node;
    Point point;
    const auto written = node.hold_on_other(2, 3);
    start_apart(node, point, {"n1"});
    ck_assert(read_piece(node, {{0, 0, 2, 0, {}}, 5, PieceKind::data, 4096, 100}).has_value());
    const auto own = node.store.find(owner_of(0, 2, run_here), SegmentStore::Kind::own);
    ck_assert(std::ranges::equal(own->memory.view().data((**point)->slot).first(100),
                                 written->memory.view().data(0).subspan(4096, 100)));
    for (const PieceRequest& wrong : {PieceRequest{{0, 0, 3, 0, {}}, 5, PieceKind::data, 0, 100}, // of no rank
                                      PieceRequest{{0, 0, 2, 0, {}}, 6, PieceKind::data, 0, 100}, // of another epoch
                                      PieceRequest{{0, 0, 2, 0, {}}, 5, PieceKind::data, 0, saved_bytes + (1 << 20)}})
        ck_assert(read_piece(node, wrong).error().code == Code::save_order);
}
END_TEST

START_TEST(a_damaged_piece_comes_from_elsewhere_and_the_coordinator_hears_of_the_copy)
{
    Starting node;
    Point point;
    node.hold_here(2, 3)->memory.view().data(0)[17] ^= std::byte{1};
    node.hold_on_other(2, 3);
    start_apart(node, point, {"n0", "n1"});
    node.silence = failure(Code::peer, "a coordinator that is just away").value();
    ck_assert(read_piece(node, {{0, 0, 2, 0, {}}, 5, PieceKind::data, 0, 100}).has_value());
    node.asked.clear();
    node.silence.reset();
    node.run_until([&] { return !node.asked.empty(); });
    const auto& failed = node.asked.front().failed;
    ck_assert(failed.size() == 1 && failed[0].rank == 2 && failed[0].epoch == 5 && failed[0].node == "n0");
    ck_assert(failed[0].tier == Tier::memory && failed[0].why.find("MSC-R") == 0);
    ck_assert(node.start->idle());
}
END_TEST

START_TEST(nobody_starts_where_the_coordinator_refuses)
{
    Starting node;
    Point point;
    node.silence = failure(Code::no_snapshot, "all copies are lost").value();
    node.start->add(node.rank_of_run(0), false, node.into(point));
    node.run_until([&] { return point.has_value(); });
    ck_assert(!*point && point->error().code == Code::no_snapshot && node.start->idle());
    Point taken;
    node.start->reject(1, 5, node.into(taken)); // a rank that never joined
    ck_assert(taken && !*taken && taken->error().code == Code::save_order);
}
END_TEST

Suite* run_start_suite()
{
    return make_suite("run_start", ranks_without_a_snapshot_start_when_the_coordinator_lets_all_go,
                      a_rank_gets_what_another_node_holds_and_goes_on_when_all_have_taken_theirs,
                      a_copy_that_cannot_be_used_is_told_to_the_coordinator,
                      another_number_of_ranks_is_refused_to_a_program_that_cannot_take_its_part,
                      an_elastic_rank_reads_pieces_of_what_the_others_wrote,
                      a_damaged_piece_comes_from_elsewhere_and_the_coordinator_hears_of_the_copy,
                      nobody_starts_where_the_coordinator_refuses);
}

#include "recovery/restore_round.hpp"

#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr Incarnation written{0, 0}, next{0, 1};

CommitRecord commit_of(std::uint64_t epoch)
{
    return {7, written, 2, epoch, epoch * 10};
}

HeldCopy copy_on(std::uint32_t rank, std::uint64_t epoch, const std::string& node)
{
    return {rank, written, epoch, epoch * 10, node, Tier::memory};
}

RestoreRound two_epochs()
{
    RestoreRound round(next, 2);
    round.offer({commit_of(5), commit_of(4)},
                {copy_on(0, 5, "n1"), copy_on(1, 5, "n2"), copy_on(1, 5, "n3"), copy_on(0, 4, "n1"), copy_on(1, 4, "n2")});
    return round;
}

std::uint64_t epoch_of(const RestoreRound& round)
{
    return (*round.choice())->record.epoch;
}

} // namespace

START_TEST(nobody_goes_before_every_rank_has_verified_the_same_epoch)
{
    RestoreRound round = two_epochs();
    ck_assert(!round.go());
    round.ready(0, 5);
    round.ready(1, 4); // an epoch that isn't the chosen one
    ck_assert(!round.go() && round.missing() == std::vector<std::uint32_t>{1});
    round.ready(1, 5);
    ck_assert(round.go());
}
END_TEST

START_TEST(the_training_goes_on_when_every_program_has_its_state_back)
{
    RestoreRound round = two_epochs();
    round.ready(0, 5);
    round.ready(1, 5);
    round.confirm(0, 5);
    ck_assert(!round.settled());
    round.confirm(1, 5);
    ck_assert(round.settled());
}
END_TEST

START_TEST(a_program_that_cannot_use_the_epoch_takes_all_to_the_older_one)
{
    RestoreRound round = two_epochs();
    round.ready(0, 5);
    round.ready(1, 5);
    round.confirm(0, 5);
    round.reject(5);
    ck_assert(!round.go() && !round.settled() && epoch_of(round) == 4);
}
END_TEST

START_TEST(a_damaged_copy_moves_the_rank_to_another_one_and_all_start_again)
{
    RestoreRound round = two_epochs();
    round.ready(0, 5);
    round.drop_copy(1, 5, "n2");
    ck_assert(epoch_of(round) == 5 && (*round.choice())->sources[1].front().node == "n3");
    ck_assert(round.missing().size() == 2);
}
END_TEST

START_TEST(the_last_damaged_copy_moves_the_job_to_the_older_epoch)
{
    RestoreRound round = two_epochs();
    round.drop_copy(1, 5, "n2");
    round.drop_copy(1, 5, "n3");
    ck_assert(epoch_of(round) == 4);
    round.ready(0, 5); // said before it heard of the change
    ck_assert(round.missing().size() == 2);
}
END_TEST

START_TEST(a_job_that_committed_never_starts_from_nothing)
{
    RestoreRound round = two_epochs();
    round.reject(5);
    ck_assert(epoch_of(round) == 4);
    round.reject(4);
    ck_assert(!round.choice() && round.choice().error().code == Code::no_snapshot && !round.go());
}
END_TEST

START_TEST(a_job_that_never_committed_starts_from_the_beginning)
{
    RestoreRound round(next, 1);
    round.ready(0, 0);
    ck_assert(!round.go()); // before the nodes have said what they hold
    round.offer({}, {});
    round.ready(0, 0);
    ck_assert(round.go() && !*round.choice());
}
END_TEST

START_TEST(a_lost_rank_is_made_of_its_group_and_without_a_part_that_turned_out_damaged)
{
    const CodedGroup group{2, {{0, 4096, 100}, {1, 4096, 100}, {2, 4096, 100}, {3, 4096, 100}}};
    std::vector<HeldCopy> copies;
    for (std::uint32_t rank = 1; rank < 4; ++rank) {
        const std::string node = "n" + std::to_string(rank);
        copies.push_back({rank, written, 5, 50, node, Tier::memory});
        copies.push_back({rank, written, 5, 50, node, Tier::coded, group});
    }
    RestoreRound round(next, 4);
    round.offer({{7, written, 4, 5, 50}}, copies);
    const auto plan = (*round.choice())->rebuilds.at(0);
    ck_assert(plan.group == group && plan.shards == std::vector<std::string>({"", "n1", "n2", "n3"}) && plan.coded == plan.shards);
    ck_assert((*round.choice())->rebuilds.size() == 1);
    round.drop_copy(0, 5, "n1", Tier::coded); // of another rank: nothing
    round.drop_copy(1, 5, "n1", Tier::coded);
    ck_assert((*round.choice())->rebuilds.at(0).coded == std::vector<std::string>({"", "", "n2", "n3"}));
    round.drop_copy(2, 5, "n2", Tier::coded);
    round.drop_copy(3, 5, "n3", Tier::memory);
    ck_assert(!round.choice() && round.choice().error().code == Code::no_snapshot);
    ck_assert(round.choice().error().text == "epoch 5 (step 50): no copy of rank 0, 3");
}
END_TEST

Suite* restore_round_suite()
{
    return make_suite("restore_round", a_lost_rank_is_made_of_its_group_and_without_a_part_that_turned_out_damaged,
                      nobody_goes_before_every_rank_has_verified_the_same_epoch,
                      the_training_goes_on_when_every_program_has_its_state_back,
                      a_program_that_cannot_use_the_epoch_takes_all_to_the_older_one,
                      a_damaged_copy_moves_the_rank_to_another_one_and_all_start_again,
                      the_last_damaged_copy_moves_the_job_to_the_older_epoch,
                      a_job_that_committed_never_starts_from_nothing,
                      a_job_that_never_committed_starts_from_the_beginning);
}

#include "daemon/keeper/segment_store.hpp"

#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/keeper/snapshots.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace mscale::recovery;

namespace {

constexpr std::uint64_t state_bytes = 1 << 20;
constexpr auto as_own = SegmentStore::Kind::own, as_copy = SegmentStore::Kind::copy;

SlotHeader header(std::uint64_t epoch)
{
    return {sample_owner, epoch, epoch * 10, 100, state_bytes};
}

} // namespace

START_TEST(a_rank_that_joins_again_finds_the_memory_it_had)
{
    SegmentStore store;
    const auto first = store.provide(sample_owner, state_bytes, as_own).value();
    save_pattern(first->memory.view(), 0, 5, state_bytes);
    Owner again = sample_owner;
    again.incarnation.step += 1;
    const auto second = store.provide(again, state_bytes, as_own).value();
    ck_assert(first == second && second->owner == again);
    ck_assert(read_slot(second->memory.view(), 0, again).value()->header.epoch == 5);
}
END_TEST

START_TEST(an_older_run_and_another_user_get_nothing)
{
    SegmentStore store;
    ck_assert(store.provide(sample_owner, state_bytes, as_own).has_value());
    Owner older = sample_owner, foreign = sample_owner;
    older.incarnation.step -= 1;
    foreign.uid += 1;
    ck_assert(store.provide(older, state_bytes, as_own).error().code == Code::fenced);
    ck_assert(store.provide(foreign, state_bytes, as_own).error().code == Code::snapshot_foreign);
}
END_TEST

START_TEST(own_memory_and_a_copy_of_the_same_rank_are_apart)
{
    SegmentStore store;
    const auto mine = store.provide(sample_owner, state_bytes, as_own).value();
    const auto theirs = store.provide(sample_owner, state_bytes, as_copy).value();
    ck_assert(mine != theirs && store.find(sample_owner, as_own) == mine && store.find(sample_owner, as_copy) == theirs);
    store.forget(7);
    ck_assert(!store.find(sample_owner, as_own) && !store.find(sample_owner, as_copy) && store.count_bytes(0) == 0);
}
END_TEST

START_TEST(what_another_number_of_ranks_wrote_stays_until_a_newer_run_has_committed)
{
    SegmentStore store;
    const auto before = store.provide(sample_owner, state_bytes, as_own).value();
    ck_assert(store.provide(sample_owner, state_bytes, as_copy).has_value());
    Owner newer = sample_owner;
    newer.ranks = 3;
    newer.incarnation.step += 1;
    const auto mine = store.provide(newer, 2 * state_bytes, as_own).value();
    ck_assert(store.find(sample_owner, as_own) == before && store.find(newer, as_own) == mine && mine != before);
    ck_assert(store.release_older({7, sample_owner.incarnation, 4, 5, 50}).empty()); // of those that wrote it
    ck_assert(store.release_older({8, newer.incarnation, 3, 6, 60}).empty());        // of another job
    ck_assert_uint_eq(store.release_older({7, newer.incarnation, 3, 6, 60}).size(), 2);
    ck_assert(!store.find(sample_owner, as_own) && !store.find(sample_owner, as_copy) && store.find(newer, as_own) == mine);
}
END_TEST

START_TEST(a_newer_run_of_another_number_of_ranks_fences_too)
{
    SegmentStore store;
    Owner newer = sample_owner;
    newer.ranks = 3;
    newer.incarnation.step += 1;
    ck_assert(store.provide(newer, state_bytes, as_own).has_value());
    ck_assert(store.provide(sample_owner, state_bytes, as_copy).error().code == Code::fenced);
    newer.uid += 1;
    newer.ranks = 4;
    ck_assert(store.provide(newer, state_bytes, as_copy).error().code == Code::snapshot_foreign);
}
END_TEST

START_TEST(a_save_never_overwrites_the_newest_committed_epoch)
{
    SegmentStore store;
    const auto held = store.provide(sample_owner, state_bytes, as_copy).value();
    ck_assert_uint_eq(SegmentStore::choose_slot(*held, 1), 0);
    SegmentStore::seal(*held, 0, header(1));
    ck_assert_uint_eq(SegmentStore::choose_slot(*held, 2), 1);
    SegmentStore::seal(*held, 1, header(2));
    ck_assert_uint_eq(SegmentStore::choose_slot(*held, 3), 0);
    store.commit(7, 1);
    ck_assert_uint_eq(SegmentStore::choose_slot(*held, 3), 1); // epoch 2 was abandoned
    // After going on from epoch 1, an epoch 2 that was never committed gives way, and not epoch 1.
    ck_assert_uint_eq(SegmentStore::choose_slot(*held, 2), 1);
}
END_TEST

START_TEST(a_commit_is_seen_in_the_memory_of_who_holds_the_epoch)
{
    SegmentStore store;
    const auto held = store.provide(sample_owner, state_bytes, as_own).value();
    store.commit(7, 4);
    ck_assert_uint_eq(held->memory.view().committed_epoch(), 0);
    SegmentStore::seal(*held, 0, header(4));
    store.commit(7, 4);
    ck_assert_uint_eq(held->memory.view().committed_epoch(), 4);
    store.commit(7, 3);
    ck_assert_uint_eq(held->memory.view().committed_epoch(), 4);
    ck_assert_uint_eq(store.list(7).size(), 1);
}
END_TEST

START_TEST(nobody_can_change_the_size_of_a_segment)
{
    const auto memory = make_segment(state_bytes);
    ck_assert_int_ne(ftruncate(memory.descriptor(), 4096), 0);
    ck_assert_int_ne(fcntl(memory.descriptor(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}
END_TEST

START_TEST(a_segment_is_taken_over_by_its_descriptor)
{
    const auto memory = make_segment(state_bytes);
    save_pattern(memory.view(), 1, 9, state_bytes);
    const auto layout = memory.view().layout();
    auto taken = SegmentMemory::adopt(Fd(dup(memory.descriptor())), layout);
    ck_assert(taken.has_value() && read_slot(taken->view(), 1, sample_owner).value()->header.epoch == 9);
    ck_assert(!SegmentMemory::adopt(Fd(dup(memory.descriptor())), lay_out_segment(2 * state_bytes, 4096)));
    ck_assert(!SegmentMemory::adopt(Fd(memfd_create("open", MFD_CLOEXEC)), layout));
}
END_TEST

START_TEST(a_rank_that_begins_where_its_copy_lies_takes_it_as_its_own)
{
    std::vector<SegmentStore::Kind> told;
    SegmentStore store([&](HeldSegment&, SegmentStore::Kind kind) { told.push_back(kind); });
    const auto copy = store.provide(sample_owner, state_bytes, as_copy).value();
    save_pattern(copy->memory.view(), 1, 5, state_bytes);
    SegmentStore::seal(*copy, 1, header(5));
    Owner again = sample_owner;
    again.incarnation.step += 1;
    ck_assert(store.take_copy(again, state_bytes) == copy && copy->owner == again);
    ck_assert(store.find(sample_owner, as_own) == copy && !store.find(sample_owner, as_copy) && store.entries(7).size() == 1);
    ck_assert(told == (std::vector{as_copy, as_own}) && SegmentStore::find_slot(*copy, 5) == 1U);
    ck_assert(store.provide(again, state_bytes, as_own).value() == copy);
    ck_assert(SegmentStore::begin_copy(*copy, 6, 0).error().code == Code::fenced); // for who still holds it as a copy
}
END_TEST

START_TEST(a_copy_that_doesn_t_fit_the_rank_is_left)
{
    SegmentStore store;
    Owner older = sample_owner, foreign = sample_owner;
    older.incarnation.step -= 1;
    foreign.uid += 1;
    ck_assert(!store.take_copy(sample_owner, state_bytes));
    const auto copy = store.provide(sample_owner, state_bytes, as_copy).value();
    ck_assert(!store.take_copy(older, state_bytes) && !store.take_copy(foreign, state_bytes));
    ck_assert(!store.take_copy(sample_owner, 2 * state_bytes));
    ck_assert(store.find(sample_owner, as_copy) == copy);
}
END_TEST

START_TEST(a_copy_that_is_being_written_is_waited_for_but_not_for_long)
{
    SegmentStore store;
    const auto copy = store.provide(sample_owner, state_bytes, as_copy).value();
    const unsigned slot = SegmentStore::begin_copy(*copy, 6, 0).value();
    ck_assert(!store.take_copy(sample_owner, state_bytes));
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        SegmentStore::end_copy(*copy, slot, header(6));
    });
    ck_assert(store.take_copy(sample_owner, state_bytes) == copy);
    ck_assert(SegmentStore::find_slot(*copy, 6) == slot);
    writer.join();
}
END_TEST

START_TEST(a_copy_that_was_held_before_its_rank_took_it_is_let_go)
{
    SegmentStore store;
    const auto own = store.provide(sample_owner, state_bytes, as_own).value();
    Owner other = sample_owner;
    other.rank = 3;
    const auto copy = store.provide(other, state_bytes, as_copy).value();
    const auto same = ::fcntl(own->memory.descriptor(), F_DUPFD_CLOEXEC, 0);
    store.adopt(std::make_shared<HeldSegment>(
                    sample_owner, SegmentMemory::adopt(Fd(same), own->memory.view().layout()).value()),
                as_copy);
    store.drop_taken_copies();
    ck_assert(store.find(sample_owner, as_own) == own && !store.find(sample_owner, as_copy) && store.find(other, as_copy) == copy);
}
END_TEST

Suite* segment_store_suite()
{
    return make_suite("segment_store", a_rank_that_joins_again_finds_the_memory_it_had,
                      an_older_run_and_another_user_get_nothing,
                      own_memory_and_a_copy_of_the_same_rank_are_apart,
                      what_another_number_of_ranks_wrote_stays_until_a_newer_run_has_committed,
                      a_newer_run_of_another_number_of_ranks_fences_too, a_save_never_overwrites_the_newest_committed_epoch,
                      a_commit_is_seen_in_the_memory_of_who_holds_the_epoch,
                      nobody_can_change_the_size_of_a_segment, a_segment_is_taken_over_by_its_descriptor,
                      a_rank_that_begins_where_its_copy_lies_takes_it_as_its_own, a_copy_that_doesn_t_fit_the_rank_is_left,
                      a_copy_that_is_being_written_is_waited_for_but_not_for_long,
                      a_copy_that_was_held_before_its_rank_took_it_is_let_go);
}

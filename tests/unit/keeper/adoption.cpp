#include "daemon/keeper/adoption.hpp"

#include <csignal>
#include <cstdlib>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "daemon/holder/packet.hpp"
#include "daemon/keeper/unit_cgroup.hpp"
#include "tests/unit/keeper/snapshots.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace mscale::recovery;

namespace {

constexpr std::uint64_t kept_bytes = 1 << 20;
constexpr auto own = SegmentStore::Kind::own, copy = SegmentStore::Kind::copy;
const CommitRecord record{7, {0, 3}, 4, 5, 50};

/// A directory with a holder's socket, whose holder is started by who needs it and ends with what it holds.
struct HolderPlace {
    HolderPlace()
    {
        char name[] = "/tmp/mscale-holder-XXXXXX";
        ck_assert(mkdtemp(name) != nullptr);
        directory = name;
        const char* const build = std::getenv("top_builddir");
        program = std::string(build ? build : ".") + "/mscale-holder";
    }
    ~HolderPlace()
    {
        unlink(socket().c_str());
        rmdir(directory.c_str());
    }
    std::string socket() const { return directory + "/holder.sock"; }

    std::string directory, program;
};

void wait_until_gone(pid_t process)
{
    for (int i = 0; i < 500 && kill(process, 0) == 0; ++i) usleep(10000);
    ck_assert(kill(process, 0) != 0);
}

const Owner other{7, 1000, 1, 4, {0, 3}};

/// What one daemon leaves to the next: rank 2's own snapshot of epoch 5, a copy of rank 1's, and the commit record.
void leave_behind(const HolderPlace& place)
{
    Holder holder(place.socket(), place.program);
    SegmentStore store(
        [&](HeldSegment& segment, SegmentStore::Kind kind) { give_to_holder(holder, segment, kind); });
    save_pattern(store.provide(sample_owner, kept_bytes, own).value()->memory.view(), 0, 5, kept_bytes);
    save_pattern(store.provide(other, kept_bytes, copy).value()->memory.view(), 1, 5, kept_bytes, other);
    ck_assert(give_to_holder(holder, record).has_value());
}

void end_holder(const HolderPlace& place)
{
    Holder holder(place.socket(), place.program);
    ck_assert(holder.take_all().has_value());
    const pid_t process = holder.pid();
    ck_assert(holder.forget(7).has_value());
    if (process > 0) wait_until_gone(process);
}

} // namespace

START_TEST(what_one_daemon_held_is_taken_over_by_the_next)
{
    const HolderPlace place;
    leave_behind(place);
    Holder holder(place.socket(), place.program);
    SegmentStore store;
    const CommitRecords records = adopt_held(holder, store);
    ck_assert(records.size() == 1 && records.at(7) == record);
    const auto mine = store.find(sample_owner, own), theirs = store.find(other, copy);
    ck_assert(mine && theirs && mine->owner == sample_owner && mine->since > 0);
    ck_assert(mine->sealed[0]->epoch == 5 && !mine->sealed[1] && theirs->sealed[1]->epoch == 5);
    ck_assert(mine->committed == 5 && mine->memory.view().committed_epoch() == 5);
    ck_assert_uint_eq(verify_held(store.entries(0)), 0);
    end_holder(place);
}
END_TEST

START_TEST(a_flipped_byte_is_found_and_the_slot_is_held_no_more)
{
    const HolderPlace place;
    leave_behind(place);
    Holder holder(place.socket(), place.program);
    SegmentStore store;
    (void)adopt_held(holder, store);
    const auto mine = store.find(sample_owner, own);
    mine->memory.view().data(0)[4711] ^= std::byte{1};
    ck_assert_uint_eq(verify_held(store.entries(0)), 1);
    ck_assert(!mine->sealed[0] && store.find(other, copy)->sealed[1]);
    end_holder(place);
}
END_TEST

START_TEST(the_holder_keeps_the_newest_owner_and_one_segment_for_each_rank)
{
    const HolderPlace place;
    {
        Holder holder(place.socket(), place.program);
        SegmentStore store(
            [&](HeldSegment& segment, SegmentStore::Kind kind) { give_to_holder(holder, segment, kind); });
        Owner newer = sample_owner;
        newer.incarnation.step += 1;
        ck_assert(store.provide(sample_owner, kept_bytes, own).has_value());
        ck_assert(store.provide(newer, 2 * kept_bytes, own).has_value());
        newer.incarnation.step += 1;
        ck_assert(store.provide(newer, 2 * kept_bytes, own).has_value());
    }
    Holder holder(place.socket(), place.program);
    SegmentStore store;
    (void)adopt_held(holder, store);
    ck_assert_uint_eq(store.entries(0).size(), 1);
    ck_assert_uint_eq(store.find(sample_owner, own)->owner.incarnation.step, sample_owner.incarnation.step + 2);
    ck_assert(store.provide(sample_owner, 2 * kept_bytes, own).error().code == Code::fenced);
    end_holder(place);
}
END_TEST

START_TEST(what_another_number_of_ranks_wrote_is_held_beside_and_let_go_of_alone)
{
    const HolderPlace place;
    {
        Holder holder(place.socket(), place.program);
        SegmentStore store(
            [&](HeldSegment& segment, SegmentStore::Kind kind) { give_to_holder(holder, segment, kind); });
        Owner newer = sample_owner;
        newer.ranks = 3;
        newer.incarnation.step += 1;
        ck_assert(store.provide(sample_owner, kept_bytes, own).has_value() && store.provide(newer, kept_bytes, own).has_value());
        SegmentStore next;
        ck_assert(adopt_held(holder, next).empty() && next.entries(0).size() == 2);
        const auto released = next.release_older({7, newer.incarnation, 3, 6, 60});
        ck_assert_uint_eq(released.size(), 1);
        take_from_holder(holder, released[0]);
    }
    Holder holder(place.socket(), place.program);
    SegmentStore store;
    (void)adopt_held(holder, store);
    ck_assert(store.entries(0).size() == 1 && !store.find(sample_owner, own));
    end_holder(place);
}
END_TEST

START_TEST(a_holder_that_died_is_noticed_once_and_another_one_is_started)
{
    const HolderPlace place;
    Holder holder(place.socket(), place.program);
    ck_assert(give_to_holder(holder, record).has_value());
    const pid_t first = holder.pid();
    ck_assert(first > 0 && !holder.is_incomplete());
    kill(first, SIGKILL);
    wait_until_gone(first);
    ck_assert(holder.is_incomplete() && !holder.is_incomplete());
    ck_assert(give_to_holder(holder, record).has_value() && holder.pid() != first);
    const pid_t second = holder.pid();
    kill(second, SIGKILL);
    wait_until_gone(second);
    ck_assert(give_to_holder(holder, record).has_value() &&
              holder.pid() != second); // who speaks to it notices too
    ck_assert(holder.is_incomplete());
    end_holder(place);
}
END_TEST

START_TEST(a_commit_record_is_held_on_when_the_memory_of_its_job_goes)
{
    const HolderPlace place;
    Holder holder(place.socket(), place.program);
    ck_assert(give_to_holder(holder, record).has_value());
    for (int i = 0; i < 30; ++i) { // the holder ends with what it holds, and another one is started at once
        ck_assert(holder.forget(7).has_value());
        ck_assert(give_to_holder(holder, record).has_value());
        ck_assert(!holder.is_incomplete());
    }
    usleep(200000); // the last holder that ended must not take the new one's socket with it
    Holder next(place.socket(), place.program);
    const auto held = next.take_all();
    ck_assert(held && held->size() == 1);
    ck_assert(next.forget(7).has_value());
}
END_TEST

START_TEST(a_holder_without_its_program_is_an_error_that_costs_no_time_twice)
{
    const HolderPlace place;
    Holder holder(place.socket(), place.directory + "/none");
    ck_assert(give_to_holder(holder, record).error().code == Code::holder);
    ck_assert(give_to_holder(holder, record).error().code == Code::holder);
    ck_assert(holder.is_incomplete());
    Holder nothing;
    ck_assert(give_to_holder(nothing, record).has_value() && nothing.take_all()->empty());
}
END_TEST

START_TEST(what_the_holder_cannot_understand_is_refused_or_ends_the_connection)
{
    const HolderPlace place;
    leave_behind(place);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, place.socket().c_str());
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    ck_assert(connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    HolderRecord sent, answer;
    Fd descriptor;
    sent.word = HolderWord::hold; // without a descriptor
    ck_assert(send_record(socket, sent) && receive_record(socket, answer, descriptor));
    ck_assert(answer.word == HolderWord::refused && answer.held == 3);
    sent.word = HolderWord::forget;
    sent.version += 1;
    sent.job_id = 7;
    ck_assert(send_record(socket, sent) && receive_record(socket, answer, descriptor));
    ck_assert(answer.word == HolderWord::refused && answer.held == 3);
    ck_assert(send(socket.number(), &sent, 10, 0) == 10 && !receive_record(socket, answer, descriptor));
    end_holder(place);
}
END_TEST

START_TEST(the_holder_leaves_the_cgroup_of_the_unit)
{
    const HolderPlace place;
    const std::string tree = place.directory + "/tree", group = tree + "/sys/fs/cgroup";
    ck_assert(make_directories(group + "/mscale-holder", 0755) &&
              make_directories(tree + "/proc/self", 0755));
    ck_assert(append_line(group + "/cgroup.controllers", "memory\n", 0644).has_value());
    ck_assert(replace_file(group + "/mscale-holder/cgroup.procs", "", 0644).has_value());
    ck_assert(replace_file(tree + "/proc/self/cgroup", "0::/\n", 0644).has_value());
    leave_unit_cgroup(4711, Root(tree));
    ck_assert(read_file(group + "/mscale-holder/cgroup.procs") == std::string());
    ck_assert(
        replace_file(tree + "/proc/self/cgroup", "0::/system.slice/mscaled.service\n", 0644).has_value());
    leave_unit_cgroup(4711, Root(tree));
    ck_assert(read_file(group + "/mscale-holder/cgroup.procs") == std::string("4711"));
    ck_assert_int_eq(std::system(("rm -r " + tree).c_str()), 0);
}
END_TEST

Suite* adoption_suite()
{
    return make_suite("adoption", what_one_daemon_held_is_taken_over_by_the_next,
                      a_flipped_byte_is_found_and_the_slot_is_held_no_more,
                      the_holder_keeps_the_newest_owner_and_one_segment_for_each_rank,
                      what_another_number_of_ranks_wrote_is_held_beside_and_let_go_of_alone,
                      a_holder_that_died_is_noticed_once_and_another_one_is_started,
                      a_commit_record_is_held_on_when_the_memory_of_its_job_goes,
                      a_holder_without_its_program_is_an_error_that_costs_no_time_twice,
                      what_the_holder_cannot_understand_is_refused_or_ends_the_connection,
                      the_holder_leaves_the_cgroup_of_the_unit);
}

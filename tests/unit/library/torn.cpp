// A program killed at every single store of a save: the snapshot before it is whole, and the torn one is never taken.
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library/save.hpp"
#include "recovery/slot.hpp"
#include "tests/unit/check.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

const Owner owner{.job_id = 7, .uid = 1000, .rank = 0, .ranks = 1, .incarnation = {}};
constexpr std::size_t state_bytes = 500;

/// Memory that a child's death doesn't take back.
SegmentView make_segment()
{
    const SegmentLayout layout = lay_out_segment(4096, SegmentLayout::page);
    void* const start =
        ::mmap(nullptr, layout.total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(start != MAP_FAILED);
    return {{static_cast<std::byte*>(start), layout.total_bytes}, layout};
}

void save(const SegmentView& segment, unsigned slot, std::uint64_t epoch)
{
    const std::vector<std::byte> state(state_bytes, static_cast<std::byte>(epoch));
    library::Save writer(segment, slot, {.owner = owner, .epoch = epoch, .step = epoch});
    ck_assert(writer.put({.name = "state"}, state).has_value());
    ck_assert(writer.seal().has_value());
}

/// True when the slot holds `epoch` whole; fails when it holds another one, or one with other data.
bool holds(const SegmentView& segment, unsigned slot, std::uint64_t epoch)
{
    const auto read = read_slot(segment, slot, owner);
    if (!read || !*read) return false;
    const auto data = segment.data(slot).first((*read)->manifest.data_bytes);
    ck_assert(verify_data(data, (*read)->manifest).has_value());
    ck_assert(data.front() == static_cast<std::byte>((*read)->header.epoch));
    return (*read)->header.epoch == epoch;
}

/// The child that saves epoch 3 over epoch 1 is killed before store `number`; true when it was.
bool kill_at(const SegmentView& segment, long number)
{
    const pid_t child = ::fork();
    if (child == 0) {
        stores_left = number;
        save(segment, 0, 3);
        ::_exit(0);
    }
    int status = 0;
    ck_assert(::waitpid(child, &status, 0) == child);
    ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

START_TEST(a_save_that_is_killed_at_any_store_leaves_the_snapshot_before_it_and_is_never_taken_itself)
{
    const SegmentView segment = make_segment();
    save(segment, 1, 2);
    long number = 0;
    for (bool killed = true; killed; ++number) {
        save(segment, 0, 1);
        killed = kill_at(segment, number);
        ck_assert_msg(holds(segment, 1, 2), "store %ld damaged the slot beside it", number);
        ck_assert_msg(holds(segment, 0, 3) != killed, "store %ld of a save that wasn't whole", number);
        ck_assert_msg(holds(segment, 0, 1) == (number == 0), "store %ld left the old snapshot readable",
                      number);
    }
    ck_assert_msg(number > long(state_bytes), "only %ld stores were counted", number);
}
END_TEST

} // namespace

int main()
{
    Suite* suite = suite_create("torn");
    TCase* tests = tcase_create("torn");
    tcase_set_timeout(tests, 60);
    tcase_add_test(
        tests, a_save_that_is_killed_at_any_store_leaves_the_snapshot_before_it_and_is_never_taken_itself);
    suite_add_tcase(suite, tests);
    return run_suites(suite);
}

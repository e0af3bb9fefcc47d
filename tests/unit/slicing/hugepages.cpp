#include "slicing/hugepages.hpp"

#include "base/text.hpp"
#include "tests/unit/slicing/suites.hpp"

using namespace mscale;
using namespace mscale::slicing;
using contract::PagePlan;

namespace {

constexpr std::uint64_t page = 2 << 20;
constexpr std::uint64_t plenty = 1 << 20;

/// A tree that holds what the kernel shows of one pool.  Its files take what is written and change nothing
/// else.
class FakePool {
public:
    FakePool(std::uint64_t total, std::uint64_t free, std::uint64_t reserved)
    {
        set_total(total);
        set_free(free);
        set_reserved(reserved);
        tree_.write(node + "surplus_hugepages", "0\n");
        tree_.write("/proc/sys/vm/compact_memory", "");
    }

    void set_total(std::uint64_t pages) const { tree_.write(node + "nr_hugepages", format("{}\n", pages)); }
    void set_free(std::uint64_t pages) const
    {
        tree_.write(node + "free_hugepages", format("{}\n", pages));
        tree_.write(everywhere + "free_hugepages", format("{}\n", pages));
    }
    void set_reserved(std::uint64_t pages) const
    {
        tree_.write(everywhere + "resv_hugepages", format("{}\n", pages));
    }
    /// As a process leaves it that is killed in the midst of a change.
    void leave_record(const std::vector<PoolRecord>& pools) const
    {
        tree_.write("/state/hugepages.lock", "");
        ck_assert(write_pools(tree_.path("/state/hugepages.json"), pools).has_value());
    }
    std::int64_t total() const { return root().read_number(node + "nr_hugepages").value(); }
    HugePages open() const
    {
        auto pages = HugePages::open(root(), tree_.path("/state"), Clock::now() + std::chrono::seconds(60));
        ck_assert_msg(pages.has_value(), "%s", pages ? "" : pages.error().text.c_str());
        return std::move(*pages);
    }

private:
    Root root() const { return Root(tree_.path()); }

    static inline const std::string node = "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/";
    static inline const std::string everywhere = "/sys/kernel/mm/hugepages/hugepages-2048kB/";
    Scratch tree_;
};

std::uint64_t missing_of(HugePages pages, std::uint64_t count)
{
    return pages.count_missing({page, count, 0}).value();
}

/// What apply does for a job, without its mount.
Result<void> take(const FakePool& pool, std::uint32_t job_id, std::uint64_t count)
{
    HugePages pages = pool.open();
    const PagePlan plan{page, count, 0};
    const auto missing = pages.count_missing(plan);
    ck_assert(missing.has_value());
    return pages.take(job_id, plan, *missing, Clock::now() + std::chrono::seconds(60));
}

} // namespace

START_TEST(free_pages_that_a_mount_reserved_belong_to_others)
{
    ck_assert_uint_eq(missing_of(FakePool(100, 80, 0).open(), 64), 0);
    ck_assert_uint_eq(missing_of(FakePool(100, 80, 30).open(), 64), 14);
    ck_assert_uint_eq(missing_of(FakePool(100, 80, 80).open(), 64), 64);
}
END_TEST

START_TEST(a_pool_grows_by_what_is_missing_and_shrinks_by_what_grew)
{
    const FakePool pool(100, 10, 0);
    ck_assert(take(pool, 7, 64).has_value());
    ck_assert_int_eq(pool.total(), 154);
    pool.set_free(64);
    ck_assert(pool.open().give_back(7).has_value());
    ck_assert_int_eq(pool.total(), 100);
}
END_TEST

START_TEST(giving_back_twice_is_harmless)
{
    const FakePool pool(100, 10, 0);
    ck_assert(take(pool, 7, 64).has_value());
    pool.set_free(plenty);
    ck_assert(pool.open().give_back(7).has_value());
    ck_assert(pool.open().give_back(7).has_value());
    ck_assert(pool.open().give_back(8).has_value());
    ck_assert_int_eq(pool.total(), 100);
}
END_TEST

START_TEST(pages_in_use_stay_and_go_with_the_next_settling)
{
    const FakePool pool(0, 0, 0);
    ck_assert(take(pool, 7, 64).has_value());
    pool.set_free(24);
    ck_assert(pool.open().give_back(7).has_value());
    ck_assert_int_eq(pool.total(), 40);
    pool.set_free(40);
    ck_assert(pool.open().settle().has_value());
    ck_assert_int_eq(pool.total(), 0);
}
END_TEST

START_TEST(reserved_pages_are_never_given_back)
{
    const FakePool pool(0, 0, 0);
    ck_assert(take(pool, 7, 64).has_value());
    pool.set_free(64);
    pool.set_reserved(60);
    ck_assert(pool.open().give_back(7).has_value());
    ck_assert_int_eq(pool.total(), 60);
}
END_TEST

START_TEST(another_jobs_growth_stays)
{
    const FakePool pool(0, 0, 0);
    ck_assert(take(pool, 7, 64).has_value());
    ck_assert(take(pool, 8, 32).has_value());
    ck_assert_int_eq(pool.total(), 96);
    pool.set_free(plenty);
    ck_assert(pool.open().give_back(7).has_value());
    ck_assert_int_eq(pool.total(), 32);
    ck_assert(pool.open().give_back(8).has_value());
    ck_assert_int_eq(pool.total(), 0);
}
END_TEST

START_TEST(pages_that_the_administrator_adds_are_not_ours)
{
    const FakePool pool(0, 0, 0);
    ck_assert(take(pool, 7, 64).has_value());
    pool.set_total(74);
    pool.set_free(plenty);
    ck_assert(pool.open().give_back(7).has_value());
    ck_assert_int_eq(pool.total(), 10);
    pool.set_total(50);
    ck_assert(pool.open().settle().has_value());
    ck_assert_int_eq(pool.total(), 50);
}
END_TEST

START_TEST(a_growth_that_a_crash_cut_is_given_back_as_far_as_it_came)
{
    for (const std::uint64_t reached : {100U, 130U, 164U}) {
        const FakePool pool(100, 0, 0);
        pool.leave_record({{0, page, 100, 100, 164, {{7, 64, 64}}}});
        pool.set_total(reached);
        pool.set_free(plenty);
        ck_assert(pool.open().give_back(7).has_value());
        ck_assert_int_eq(pool.total(), 100);
    }
}
END_TEST

START_TEST(a_shrinking_that_a_crash_cut_is_ended)
{
    for (const std::uint64_t reached : {164U, 130U, 100U}) {
        const FakePool pool(100, 0, 0);
        pool.leave_record({{0, page, 100, 164, 100, {}}});
        pool.set_total(reached);
        pool.set_free(plenty);
        ck_assert(pool.open().settle().has_value());
        ck_assert_int_eq(pool.total(), 100);
    }
}
END_TEST

START_TEST(what_cant_be_had_in_time_is_not_kept)
{
    const FakePool pool(100, 0, 0);
    {
        HugePages pages = pool.open();
        const PagePlan plan{page, 64, 0};
        ck_assert(pages.count_missing(plan).has_value());
        const auto taken = pages.take(7, plan, 64, Clock::now() - std::chrono::seconds(1));
        ck_assert(!taken && taken.error().code == Code::deadline);
    }
    ck_assert_int_eq(pool.total(), 100);
    ck_assert(pool.open().jobs().empty());
}
END_TEST

START_TEST(the_lock_is_waited_for_until_the_deadline)
{
    const Scratch state;
    const auto first = HugePages::open(Root("/"), state.path(), Clock::now());
    ck_assert(first.has_value());
    const auto second = HugePages::open(Root("/"), state.path(), Clock::now());
    ck_assert(!second && second.error().code == Code::deadline);
}
END_TEST

START_TEST(a_damaged_record_of_the_pools_is_named)
{
    const Scratch state;
    state.write("/hugepages.json", "{\"pools\": [{}]}");
    const auto pages = HugePages::open(Root("/"), state.path(), Clock::now());
    ck_assert(!pages && pages.error().text.find("hugepages.json") != std::string::npos);
}
END_TEST

Suite* hugepages_suite()
{
    return make_suite("hugepages", free_pages_that_a_mount_reserved_belong_to_others,
                      a_pool_grows_by_what_is_missing_and_shrinks_by_what_grew, giving_back_twice_is_harmless,
                      pages_in_use_stay_and_go_with_the_next_settling, reserved_pages_are_never_given_back,
                      another_jobs_growth_stays, pages_that_the_administrator_adds_are_not_ours,
                      a_growth_that_a_crash_cut_is_given_back_as_far_as_it_came,
                      a_shrinking_that_a_crash_cut_is_ended, what_cant_be_had_in_time_is_not_kept,
                      the_lock_is_waited_for_until_the_deadline, a_damaged_record_of_the_pools_is_named);
}

// What of [ft] a machine can't hold, and what it needs of the job.
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

Verdict judge_under(const Site& site, const std::string& text, unsigned tasks = 1)
{
    static const hal::Machine machine = two_sockets();
    Question question{machine, site, {}};
    question.allocation.tasks = tasks;
    return verify(contract_of(text), question);
}

} // namespace

START_TEST(snapshots_that_the_machine_cannot_hold_are_refused_with_both_numbers)
{
    // 16 GiB in two nodes, 3.9 GiB of them huge pages: two slots of each rank and of the copy that it holds.
    expect_honoured(judge_under({}, "ft.state=3GiB"));
    const Refusal refusal = refusal_of(judge_under({}, "ft.state=5GiB"), "ft.state");
    ck_assert(refusal.code == Code::snapshot_room);
    expect_part(refusal.reason, "1 rank take 20 GiB on a node: 4 times 5 GiB");
    expect_part(refusal.reason, "the machine has 16 GiB, of which 4000 MiB are huge pages");
    expect_part(refusal.hint, "at most 3096 MiB");
    refusal_of(judge_under({}, "ft.state=4GiB", 2), "ft.state");
    refusal_of(judge_under({}, "ft.state=2GiB,ft.copies=4"), "ft.state");
    refusal_of(judge_under({}, "ft.state=2GiB,contract.workers=3"), "ft.state");
}
END_TEST

START_TEST(snapshots_over_what_the_site_allows_are_refused_with_its_key)
{
    Site site;
    site.recovery_memory = 2 * gibibyte;
    expect_honoured(judge_under(site, "ft.state=512MiB"));
    expect_part(refusal_of(judge_under(site, "ft.state=1GiB"), "ft.state").reason, "the site allows 2 GiB ([recovery] memory)");
}
END_TEST

START_TEST(coded_parts_are_not_counted_as_whole_copies)
{
    expect_honoured(judge_under({}, "ft.state=5GiB,ft.redundancy=xor:4"));
    refusal_of(judge_under({}, "ft.state=9GiB,ft.redundancy=xor:4"), "ft.state");
    refusal_of(judge_under({}, "ft.state=5GiB,ft.copies=1,ft.redundancy=xor:4"), "ft.state");
}
END_TEST

START_TEST(a_state_that_no_number_holds_is_refused_and_one_that_fits_is_found)
{
    refusal_of(judge_under({}, "ft.state=16000000TiB"), "ft.state");
    const hal::Machine machine = two_sockets();
    const Site site;
    const auto nearest = nearest_contract(contract_of("role.a.cores=1,ft.state=5GiB"), {machine, site, {}});
    ck_assert(nearest && nearest->ft.state == 3 * gibibyte);
}
END_TEST

START_TEST(snapshots_and_the_huge_pages_of_the_contract_share_the_memory)
{
    hal::Machine machine = two_sockets();
    for (hal::NumaNode& node : machine.numa) {
        node.free_bytes = 4 * gibibyte;
        node.cache_bytes = gibibyte;
        node.huge_pages[0].total = node.huge_pages[0].free = 0;
    }
    const Site site;
    Question question{machine, site, {}};
    const std::string pages = "role.a.hugepages=2MiB*1024";
    expect_honoured(verify(contract_of("ft.state=3GiB," + pages), question));
    const Refusal all = refusal_of(verify(contract_of("ft.state=4GiB," + pages), question), "ft.state");
    expect_part(all.reason, "take 16 GiB on a node");
    expect_part(all.reason, "the machine has 16 GiB, of which 0 bytes are huge pages, and the contract's huge pages take 2 GiB more");
    // 10 GiB are free or cached.
    question.unstarted = true;
    expect_honoured(verify(contract_of("ft.state=2560MiB"), question));
    expect_honoured(verify(contract_of("ft.state=2GiB," + pages), question));
    const Refusal free = refusal_of(verify(contract_of("ft.state=2560MiB," + pages), question), "ft.state");
    expect_part(free.reason, "of the machine's 16 GiB 10 GiB are free or hold files only, and the contract's huge pages take 2 GiB");
    expect_part(free.hint, "at most 2 GiB in each rank");
}
END_TEST

START_TEST(a_machine_of_unknown_memory_is_judged_by_the_site_alone)
{
    hal::Machine machine = two_sockets();
    for (hal::NumaNode& node : machine.numa) node.memory_bytes = 0;
    expect_honoured(judge("ft.state=1TiB", machine));
}
END_TEST

START_TEST(what_ft_needs_of_the_job_is_noted)
{
    const Verdict verdict = judge_under({}, "ft.state=1GiB,ft.copies=2,ft.step_time=3s,ft.spares=1");
    expect_honoured(verdict);
    ck_assert(any_holds(verdict.plan.notes, "ft.copies: each copy lies on another node, so the job needs 3 nodes"));
    ck_assert(any_holds(verdict.plan.notes, "ft.spares: 1 node beside those"));
    ck_assert(any_holds(verdict.plan.notes, "a step (3.0 s) with a snapshot (2.0 s) takes 5.0 s; --signal"));
    ck_assert(!any_holds(judge_under({}, "ft.every=5").plan.notes, "ft."));
}
END_TEST

Suite* ft_suite()
{
    return make_suite("ft", snapshots_that_the_machine_cannot_hold_are_refused_with_both_numbers,
                      snapshots_over_what_the_site_allows_are_refused_with_its_key, coded_parts_are_not_counted_as_whole_copies,
                      a_state_that_no_number_holds_is_refused_and_one_that_fits_is_found,
                      snapshots_and_the_huge_pages_of_the_contract_share_the_memory,
                      a_machine_of_unknown_memory_is_judged_by_the_site_alone, what_ft_needs_of_the_job_is_noted);
}

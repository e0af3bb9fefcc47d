#include "base/text.hpp"
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

START_TEST(clauses_that_cannot_be_enforced_yet_are_refused_only_at_submit)
{
    const hal::Machine machine = two_sockets();
    const Site site;
    const Contract contract = contract_of("role.loader.isa=avx2");
    Question question{machine, site, {}};
    const Verdict checked = verify(contract, question);
    expect_honoured(checked);
    ck_assert(any_holds(checked.warnings, "role.loader.isa"));
    question.at_submit = true;
    ck_assert(refusal_of(verify(contract, question), "role.loader.isa").code == Code::not_enforceable);
}
END_TEST

START_TEST(an_instruction_set_is_judged_by_name)
{
    expect_part(refusal_of(judge("role.loader.isa=avx512f", two_sockets()), "role.loader.isa").reason,
                "avx512f");
    hal::Machine unread = two_sockets();
    unread.kernel.cpu_flags.clear();
    expect_part(refusal_of(judge("role.loader.isa=avx2", unread), "role.loader.isa").reason, "unknown");
}
END_TEST

START_TEST(spares_need_a_batch_script)
{
    const hal::Machine machine = two_sockets();
    const Site site;
    Question question{machine, site, {}};
    question.has_script = false;
    const Refusal refusal = refusal_of(verify(contract_of("ft.spares=1"), question), "ft.spares");
    ck_assert(refusal.code == Code::spares_not_batch);
    expect_part(refusal.hint, "sbatch");
    expect_honoured(verify(contract_of("ft.spares=0"), question));
}
END_TEST

namespace {

/// "role.r0.cores=1,role.r1.cores=1,…"
std::string roles_of_one_core(unsigned count)
{
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += format("{}role.r{}.cores=1", i == 0 ? "" : ",", i);
    return text;
}

} // namespace

START_TEST(more_roles_than_can_be_planned_are_one_refusal_and_none_is_placed)
{
    for (const char* workers : {"contract.workers=16,", "contract.workers=8000,"}) {
        const Verdict verdict = judge(workers + roles_of_one_core(65), two_sockets());
        ck_assert_uint_eq(verdict.refusals.size(), 1);
        const Refusal& refusal = verdict.refusals.front();
        ck_assert(refusal.code == Code::too_many_roles);
        expect_part(refusal.reason, "65 roles of 16 workers are 1040 on a node");
        expect_text(refusal.hint, "use at most 15 workers per node");
        ck_assert(verdict.plan.workers.empty());
    }
    const Verdict within = judge("contract.workers=15," + roles_of_one_core(65), two_sockets());
    ck_assert(refusal_of(within, "role.r0.cores").code == Code::too_few_cores);
}
END_TEST

START_TEST(placed_clauses_are_named_as_unenforced)
{
    const Verdict verdict = judge("gpu.sm=8,role.loader.cores=1", two_sockets());
    ck_assert(verdict.plan.unenforced == std::vector<std::string>({"gpu.sm"}));
}
END_TEST

START_TEST(a_core_in_two_nodes_is_refused_when_strict_and_told_otherwise)
{
    hal::Machine machine = two_sockets();
    machine.cores[3].spans_nodes = true;
    machine.cores[3].numa.reset();
    ck_assert(refusal_of(judge("role.a.cores=1", machine), "role.a.cores").code == Code::core_spans_nodes);
    const Verdict lenient = judge("contract.strict=no,role.a.cores=1", machine);
    expect_honoured(lenient);
    ck_assert(any_holds(lenient.warnings, "two NUMA nodes"));
}
END_TEST

Suite* policy_suite()
{
    return make_suite("policy", clauses_that_cannot_be_enforced_yet_are_refused_only_at_submit,
                      an_instruction_set_is_judged_by_name, spares_need_a_batch_script,
                      more_roles_than_can_be_planned_are_one_refusal_and_none_is_placed,
                      placed_clauses_are_named_as_unenforced,
                      a_core_in_two_nodes_is_refused_when_strict_and_told_otherwise);
}

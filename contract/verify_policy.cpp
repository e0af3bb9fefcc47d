#include "base/text.hpp"
#include "contract/draft.hpp"
#include "contract/given.hpp"

namespace mscale::contract {
namespace {

void verify_held(Draft& draft)
{
    for (const Given& given : given_clauses(draft.contract)) {
        if (given.clause->held != Held::refused) continue;
        const std::string reason = format("this build can judge {} but not enforce it yet", given.name);
        if (draft.question.at_submit)
            draft.refuse(Code::not_enforceable, given.name, reason, "leave the clause out");
        else
            draft.warn(reason + ": it is refused at submit");
    }
}

void verify_spares(Draft& draft)
{
    const unsigned spares = draft.contract.ft.spares.value_or(0);
    if (spares == 0 || draft.question.has_script) return;
    draft.refuse(Code::spares_not_batch, "ft.spares",
                 format("{} spare node{} can be kept only for a job with a batch script", spares,
                        spares == 1 ? "" : "s"),
                 "submit with sbatch, or set ft.spares = 0");
}

void verify_workers(Draft& draft)
{
    const auto cpus = draft.machine.online.size();
    const auto workers = draft.contract.workers.value_or(draft.question.allocation.tasks);
    if (workers > cpus)
        draft.refuse(Code::too_many_workers, "contract.workers",
                     format("{} workers are asked on a machine of {} CPUs", workers, cpus),
                     format("use at most {} workers per node", cpus));
    else if (draft.contract.workers && draft.question.allocation.tasks > 1)
        draft.note(format("contract.workers: the {} workers hold for the node, not for each of its {} tasks",
                          workers, draft.question.allocation.tasks));
}

} // namespace

void verify_policy(Draft& draft)
{
    verify_held(draft);
    verify_spares(draft);
    verify_workers(draft);
}

} // namespace mscale::contract

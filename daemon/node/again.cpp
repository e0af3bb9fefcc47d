#include "daemon/node/again.hpp"

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/kept_job.hpp"
#include "daemon/node/apply.hpp"
#include "daemon/node/slurm.hpp"
#include "slicing/ledger.hpp"

namespace mscale::node {
namespace {

constexpr const char* job_name = "the question of a job";

/// As the prolog of this run would have told it.
JobEnvironment describe_run(const contract::KeptJob& kept, RunHere run)
{
    // No prolog knows the restart count, and the nodes of a run compare what their ledgers say.
    return JobEnvironment{kept.job_id, 0, kept.uid, kept.gid, kept.node, std::move(run.nodes),
                          std::move(run.sm_slices), kept.verified, false};
}

} // namespace

Result<AgainQuestion> read_again_question(const std::string& text)
{
    const auto json = parse_json(text, job_name);
    if (!json) return tl::unexpected(json.error());
    const auto job_id = read_member<std::uint32_t>(*json, "job", job_name);
    const auto uid = read_member<std::uint32_t>(*json, "uid", job_name);
    if (!job_id) return tl::unexpected(job_id.error());
    if (!uid) return tl::unexpected(uid.error());
    return AgainQuestion{*job_id, *uid};
}

Result<void> set_up_again(const AgainQuestion& question, const contract::Site& site)
{
    const auto kept = contract::read_kept_job(site.state, question.job_id);
    if (!kept && kept.error().code == Code::no_such_job) return {};
    if (!kept) return tl::unexpected(kept.error());
    if (question.uid && *question.uid != kept->uid) return {};
    const auto ledger = slicing::Ledger::open(contract::ledger_directory(site.state), kept->job_id,
                                              site.apply_deadline / 2);
    if (!ledger) return tl::unexpected(ledger.error());
    const auto before = ledger->read();
    if (before || before.error().code != Code::no_such_job) return {}; // somebody else did it
    auto run = load_run(kept->job_id, kept->node, site.gres_name);
    if (!run) return tl::unexpected(run.error());
    if (run->restarts == 0 || run->uid != kept->uid) return {}; // another job with the same number
    const auto record = apply_to_ledger(*ledger, describe_run(*kept, std::move(*run)), site);
    if (!record) return tl::unexpected(record.error());
    log_line(Level::info, format("job {}: this node was set up again, as its prolog did not run", kept->job_id));
    return {};
}

} // namespace mscale::node

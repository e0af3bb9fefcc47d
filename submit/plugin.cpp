#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "submit/credential.hpp"
#include "submit/decision.hpp"
#include "submit/job_description.hpp"
#include "submit/job_lookup.hpp"
#include "submit/policy_files.hpp"
#include "submit/refusal_text.hpp"
#include "submit/slurm_abi.hpp"

// job_submit_mscale.so in slurmctld: the authority over contracts.
//   init        read the site's files and follow them on a thread of our own
//   job_submit  every job: strip our names, bound the rest; a job with a contract: judge it and fit the job to it
//   job_modify  a user's change of a pending job: refuse what would break its contract
//   fini        end the threads
// Both job hooks run under the job lock, so nothing in them waits: not for a file, not for munged, not for slurmctld.

#define HOOK extern "C" [[gnu::visibility("default")]]

HOOK const char plugin_name[];
HOOK const char plugin_type[];
HOOK const std::uint32_t plugin_version;
const char plugin_name[] = "mscale contracts";
const char plugin_type[] = "job_submit/mscale";
const std::uint32_t plugin_version = SLURM_VERSION_NUMBER;

namespace mscale::submit {

namespace {

struct ReleaseText {
    void operator()(char* text) const { slurm_xfree(reinterpret_cast<void**>(&text)); }
};
using SlurmText = std::unique_ptr<char, ReleaseText>;

/// What outlives every call.  Never destroyed, nor is this library unloaded (-z nodelete): a thread that hangs in a file
/// system or in munged may still use them while slurmctld ends.
struct State {
    PolicyFiles files{find_configuration()};
    JobLookup jobs;
    Sealer sealer;
};

State& state()
{
    static State* const kept = new State;
    return *kept;
}

/// Runs the body of a hook.  Nothing is thrown into slurmctld: an exception becomes `on_exception`.
template <class Body> int edge(const char* hook, int on_exception, Body body) noexcept
{
    try {
        return body();
    } catch (const std::exception& e) {
        slurm_error("mscale: %s: %s", hook, e.what());
    } catch (...) {
        slurm_error("mscale: %s: unknown exception", hook);
    }
    return on_exception;
}

void log_to_slurm(Level level, const std::string& line)
{
    switch (level) {
    case Level::error: slurm_error("mscale: %s", line.c_str()); return;
    case Level::info: slurm_info("mscale: %s", line.c_str()); return;
    case Level::debug: slurm_debug("mscale: %s", line.c_str()); return;
    }
}

int code_of(Outcome outcome)
{
    switch (outcome) {
    case Outcome::accepted: return SLURM_SUCCESS;
    case Outcome::faulty: return ESLURM_INVALID_FEATURE;
    case Outcome::refused: return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
    case Outcome::failed: break;
    }
    return ESLURM_INTERNAL;
}

/// Strips every name of ours and returns "MSCALE_CONTRACT=…", as the client handed it over or else from the job's
/// environment, or null: then nothing else is touched.
SlurmText take_contract(job_desc_msg_t& job) noexcept
{
    SlurmText entry(strip(variables_of(job), is_reserved));
    const Variables environment = environment_of(job);
    if (!entry && !has_value(environment, contract::request_name)) return nullptr;
    SlurmText copy(strip(environment, is_reserved_copy));
    return entry ? std::move(entry) : std::move(copy);
}

int answer(Outcome outcome, const std::string& message, std::uint32_t uid, char** err_msg)
{
    if (!message.empty() && err_msg) set_text(*err_msg, message);
    if (outcome != Outcome::accepted)
        slurm_info("mscale: a contract of uid %u: %s", uid, message.substr(0, 1 << 10).c_str());
    return code_of(outcome);
}

/// The credential for the nodes, "" when the decision carries none.
Result<std::string> seal_decision(const Decision& decision, const Policy& policy)
{
    if (decision.outcome != Outcome::accepted || !decision.verified) return "";
    return state().sealer.seal(contract::to_payload(*decision.verified), policy.site->munge_socket);
}

int submit_contract(job_desc_msg_t& job, const SlurmText& taken, char** err_msg)
{
    if (const std::string fault = find_node_list_fault(job); !fault.empty())
        return answer(Outcome::refused, tell_error(failure(Code::node_list, fault).value()), job.user_id,
                      err_msg);
    JobRequest request = read_request(job);
    request.contract = std::strchr(taken.get(), '=') + 1;
    const auto policy = state().files.current();
    const Decision decision = decide(request, *policy);
    const auto sealed = seal_decision(decision, *policy);
    if (!sealed) return answer(Outcome::failed, tell_error(sealed.error()), request.uid, err_msg);
    if (decision.outcome == Outcome::accepted) write_decision(job, decision, *sealed);
    return answer(decision.outcome, decision.message, request.uid, err_msg);
}

int submit(job_desc_msg_t& job, const SlurmText& taken, char** err_msg)
{
    if (const std::string oversize = find_oversize(variables_of(job)); !oversize.empty())
        return answer(Outcome::refused, tell_error(failure(Code::entry_too_large, oversize).value()),
                      job.user_id, err_msg);
    return taken ? submit_contract(job, taken, err_msg) : SLURM_SUCCESS;
}

/// slurmctld calls the hook again with the lock released in between, where it can (see JobLookup).
int wait_code(std::string& message)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
    message.clear();
    return ESLURM_JOB_SETTING_DB_INX;
#else
    message = "mscale: the job is being looked at; repeat the change in a second";
    return EAGAIN;
#endif
}

/// Up to 25.05 the number stands beside its text.
std::optional<std::uint32_t> read_job_id(const job_desc_msg_t& job)
{
    if (job.job_id_str) return find_job_id(job.job_id_str);
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
    return job.job_id == NO_VAL ? std::nullopt : std::optional(job.job_id);
#else
    return job.step_id.job_id == NO_VAL ? std::nullopt : std::optional(job.step_id.job_id);
#endif
}

/// The AdminComment of the job, straight from slurmctld's record: it tells the many jobs without a contract apart at
/// once, where a look-up costs the user a second.  Nothing when the record isn't one that we know.
std::optional<std::string> read_admin_comment(const void* record)
{
    const auto* head = static_cast<const JobRecordHead*>(record);
    if (!knows_job_record || !head || head->magic != job_record_magic) return std::nullopt;
    return head->admin_comment ? head->admin_comment : "";
}

int modify(const job_desc_msg_t& job, const void* record, std::uint32_t uid, std::string& message)
{
    using Kind = ChangeAnswer::Kind;
    const auto policy = state().files.kept();
    const ChangeQuestion question{read_admin_comment(record), read_job_id(job),
                                  [](std::uint32_t id) { return state().jobs.find(id); },
                                  [&] { return read_change(job); }};
    const ChangeAnswer answer = answer_change(question, policy->site ? policy->site->gres_name : "sm");
    if (answer.kind == Kind::allowed) return SLURM_SUCCESS;
    if (answer.kind == Kind::ask_again) return wait_code(message);
    message = tell_error(failure(Code::job_changed, answer.reason).value());
    slurm_info("mscale: uid %u may not change job %s: %s", uid,
               job.job_id_str ? printable(job.job_id_str, 40).c_str() : "?", answer.reason.c_str());
    return answer.kind == Kind::unreadable_id ? ESLURM_INVALID_JOB_ID : ESLURM_ACCESS_DENIED;
}

/// Where something of ours fails, a change that a contract may depend on is refused: it could take what the job holds.
int modify_at_edge(job_desc_msg_t* job, const void* record, std::uint32_t uid, char** err_msg) noexcept
{
    if (!job) return SLURM_SUCCESS;
    const SlurmText forged(strip(variables_of(*job), is_reserved));
    if (uid == 0 || uid == geteuid() || !touches_contract(*job)) return SLURM_SUCCESS;
    return edge("job_modify", ESLURM_INTERNAL, [&] {
        std::string message;
        const int code = modify(*job, record, uid, message);
        if (!message.empty() && err_msg) set_text(*err_msg, message);
        return code;
    });
}

} // namespace

} // namespace mscale::submit

using namespace mscale::submit;

HOOK int init()
{
    return edge("init", SLURM_SUCCESS, [] {
        mscale::set_sink(log_to_slurm);
        state().files.load();
        return SLURM_SUCCESS;
    });
}

HOOK int fini()
{
    return edge("fini", SLURM_SUCCESS, [] {
        state().files.end(std::chrono::seconds(1));
        return SLURM_SUCCESS;
    });
}

HOOK int job_submit(job_desc_msg_t* job, std::uint32_t, char** err_msg)
{
    if (!job) return SLURM_SUCCESS;
    const SlurmText taken = take_contract(*job);
    return edge("job_submit", taken ? ESLURM_INTERNAL : SLURM_SUCCESS,
                [&] { return submit(*job, taken, err_msg); });
}

// A hook with the wrong number of arguments crashes slurmctld: 22.05 passes no place for a message.
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
HOOK int job_modify(job_desc_msg_t* job, void* record, std::uint32_t uid)
{
    return modify_at_edge(job, record, uid, nullptr);
}
#else
HOOK int job_modify(job_desc_msg_t* job, void* record, std::uint32_t uid, char** err_msg)
{
    return modify_at_edge(job, record, uid, err_msg);
}
#endif

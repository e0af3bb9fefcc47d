#include "daemon/mscaled/post.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "daemon/mscaled/child.hpp"

namespace mscale::daemon {

namespace {

using contract::Comment;
using contract::State;

constexpr std::chrono::seconds child_deadline{30};
constexpr std::int64_t clock_difference = 300; ///< seconds between two nodes; beyond, munge denies everything

Result<void> act(Action action, const JobFacts& facts)
{
    if (action == Action::none) return {};
    if (action == Action::requeue && facts.batch) return requeue_job(facts.job_id);
    return cancel_job(facts.job_id);
}

Result<void> run_recorder(std::uint32_t job_id, const std::string& program, const std::string& config,
                          const std::string& text)
{
    return run_child(Code::node_act,
                     {program, "--config", config, "--record-released", std::to_string(job_id)}, text,
                     child_deadline);
}

} // namespace

bool is_of_run(const JobFacts& facts, const Judgement& judgement)
{
    if (judgement.restarts) return *judgement.restarts == facts.restarts;
    return judgement.started == 0 || facts.started <= judgement.started + clock_difference;
}

std::optional<PostOutcome> contradict_silence(const Judgement& judgement, const JobFacts& facts)
{
    if (!judgement.by_silence) return std::nullopt;
    for (const std::string& node : judgement.silent) {
        if (std::find(facts.nodes.begin(), facts.nodes.end(), node) == facts.nodes.end())
            return PostOutcome::moved;
    }
    return std::nullopt;
}

Result<Posted> post_judgement(std::uint32_t job_id, Judgement judgement)
{
    const auto facts = load_job(job_id);
    if (!facts && facts.error().code == Code::no_such_job) return Posted{};
    if (!facts) return tl::unexpected(facts.error());
    if (!facts->running || facts->completing) return Posted{};
    if (!is_of_run(*facts, judgement)) return Posted{};
    if (const auto contradicted = contradict_silence(judgement, *facts))
        return Posted{*contradicted, facts->restarts};
    judgement.comment.fields.emplace_back("restarts", std::to_string(facts->restarts));
    const auto current = contract::find_comment(facts->admin_comment);
    judgement.comment = carry_snapshot(current, std::move(judgement.comment));
    if (current != judgement.comment) {
        if (current && !may_follow(*current, judgement)) return Posted{PostOutcome::kept, facts->restarts};
        const std::string text = contract::replace_comment(facts->admin_comment, judgement.comment);
        if (auto updated = update_admin_comment(job_id, text); !updated)
            return tl::unexpected(updated.error());
    }
    if (auto acted = act(judgement.action, *facts); !acted) return tl::unexpected(acted.error());
    return Posted{PostOutcome::posted, facts->restarts};
}

std::optional<Comment> released_comment(const std::optional<Comment>& posted, const Judgement& judged)
{
    if (!posted || posted->state == State::released) return std::nullopt;
    Comment last = *posted;
    if (judged.comment.state != State::accepted && may_follow(*posted, judged)) last = judged.comment;
    if (last.state == State::refused || last.state == State::breached)
        return last.state == posted->state ? std::nullopt : std::optional(last);
    Comment comment{State::released, {{"was", std::string(contract::to_string(last.state))}}};
    comment.fields.insert(comment.fields.end(), last.fields.begin(), last.fields.end());
    return comment;
}

Result<bool> post_released(std::uint32_t job_id, const Judgement& judged, const std::string& program,
                           const std::string& config)
{
    const auto facts = load_job(job_id);
    if (!facts && facts.error().code == Code::no_such_job) return true;
    if (!facts) return tl::unexpected(facts.error());
    if (!facts->finished) return !facts->completing;
    Judgement last = judged;
    last.comment.fields.emplace_back("restarts", std::to_string(facts->restarts));
    const auto comment = released_comment(contract::find_comment(facts->admin_comment), last);
    if (!comment) return true;
    const std::string text = contract::replace_comment(facts->admin_comment, *comment);
    if (auto recorded = run_recorder(job_id, program, config, text); !recorded)
        return tl::unexpected(recorded.error());
    return true;
}

Result<std::optional<std::uint64_t>> load_told_snapshot(std::uint32_t job_id)
{
    const auto facts = load_job(job_id);
    if (!facts) return tl::unexpected(facts.error());
    const auto comment = contract::find_comment(facts->admin_comment);
    return comment ? told_snapshot(*comment) : std::nullopt;
}

std::optional<Comment> held_comment(const std::optional<Comment>& posted, bool held)
{
    const std::string_view key = "waits_for";
    if (!posted) return std::nullopt;
    Comment comment = *posted;
    const bool said = std::erase_if(comment.fields, [key](const auto& field) { return field.first == key; }) > 0;
    if (said == held) return std::nullopt;
    if (held) comment.fields.emplace_back(key, "operator");
    return comment;
}

Result<void> tell_held(const JobFacts& facts)
{
    const auto comment = held_comment(contract::find_comment(facts.admin_comment), facts.held);
    if (!facts.pending || !comment) return {};
    return update_admin_comment(facts.job_id, contract::replace_comment(facts.admin_comment, *comment));
}

namespace {

std::chrono::seconds double_delay(unsigned first, unsigned times)
{
    return std::chrono::seconds(std::min(60u, first << std::min(times == 0 ? 0u : times - 1, 6u)));
}

} // namespace

std::chrono::milliseconds retry_delay(unsigned failures)
{
    return double_delay(1, failures);
}

std::chrono::milliseconds completing_delay(unsigned times)
{
    return double_delay(3, times);
}

} // namespace mscale::daemon

#include "cli/run/run_verdict.hpp"

#include "base/json.hpp"

namespace mscale::cli {
namespace {

Json step_or_null(const std::optional<std::uint64_t>& step)
{
    return step ? Json(*step) : Json(nullptr);
}

Json loss_to_json(const Loss& loss)
{
    return {{"cause", name_of(loss.cause)},
            {"node", loss.node},
            {"what", loss.what},
            {"step", step_or_null(loss.has_ranks ? std::optional(loss.step) : std::nullopt)},
            {"committed_step", step_or_null(loss.committed_step)}};
}

} // namespace

std::string name_of(Outcome outcome)
{
    switch (outcome) {
    case Outcome::running: return "running";
    case Outcome::complete: return "complete";
    case Outcome::left: return "left";
    case Outcome::ended: return "ended";
    case Outcome::out_of_restarts: return "out_of_restarts";
    case Outcome::no_progress: return "no_progress";
    case Outcome::unregistered: return "unregistered";
    case Outcome::refused: return "refused";
    case Outcome::out_of_nodes: return "out_of_nodes";
    }
    return "";
}

std::string name_of(Cause cause)
{
    switch (cause) {
    case Cause::node: return "node";
    case Cause::part: return "part";
    case Cause::program: return "program";
    case Cause::hang: return "hang";
    case Cause::launch: return "launch";
    }
    return "";
}

Json to_json(const RunVerdict& verdict)
{
    Json losses = Json::array();
    for (const Loss& loss : verdict.losses) losses.push_back(loss_to_json(loss));
    return {{"version", 1},
            {"job", verdict.job_id},
            {"verdict", name_of(verdict.outcome)},
            {"status", verdict.status},
            {"program_status", verdict.program_status},
            {"requeued", verdict.requeued},
            {"committed_step", step_or_null(verdict.committed_step)},
            {"restarts", verdict.restarts},
            {"losses", std::move(losses)}};
}

} // namespace mscale::cli

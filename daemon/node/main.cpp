// mscale-node: what root does on a node for a contract, in a process of its own, so that a crash hurts no
// slurmstepd.
#include <cstdio>
#include <iostream>
#include <iterator>

#include <CLI/CLI.hpp>

#include "base/cpu_set.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "daemon/node/again.hpp"
#include "daemon/node/apply.hpp"
#include "daemon/node/release.hpp"
#include "daemon/node/step.hpp"

namespace mscale::node {
namespace {

struct Arguments {
    std::string config;
    std::optional<std::uint32_t> job_id, restarts;
    std::optional<std::int64_t> started;
    std::optional<std::vector<std::uint32_t>> live;
};

Result<void> run_apply(const Arguments&, const contract::Site& site)
{
    const auto job = read_job_environment();
    if (!job) return tl::unexpected(job.error());
    const auto record = apply_contract(*job, site);
    if (!record) return tl::unexpected(record.error());
    if (*record && !(*record)->refusals.empty()) std::cout << contract::to_text((*record)->refusals) << '\n';
    return {};
}

Result<void> run_step(const Arguments&, const contract::Site& site)
{
    const auto question = read_step_question({std::istreambuf_iterator<char>(std::cin), {}});
    if (!question) return tl::unexpected(question.error());
    const auto step = plan_step(*question, site);
    if (!step) return tl::unexpected(step.error());
    std::cout << (*step ? contract::to_json(**step) : Json::object()).dump() << '\n';
    return {};
}

/// Root names the job; the SPANK plugin says on stdin also whose step it is.
Result<void> run_again(const Arguments& arguments, const contract::Site& site)
{
    if (arguments.job_id) return set_up_again({*arguments.job_id, std::nullopt}, site);
    const auto question = read_again_question({std::istreambuf_iterator<char>(std::cin), {}});
    if (!question) return tl::unexpected(question.error());
    return set_up_again(*question, site);
}

Result<void> run_release(const Arguments& arguments, const contract::Site& site)
{
    const auto job_id = arguments.job_id ? Result<std::uint32_t>(*arguments.job_id) : read_job_id();
    if (!job_id) return tl::unexpected(job_id.error());
    std::optional<contract::Run> run;
    if (arguments.started) run = contract::Run{arguments.restarts.value_or(0), *arguments.started};
    return release_job(*job_id, run, site);
}

Result<void> run_reconcile(const Arguments& arguments, const contract::Site& site)
{
    if (!arguments.live) return reconcile_node(std::nullopt, site);
    return reconcile_node(std::set(arguments.live->begin(), arguments.live->end()), site);
}

using Verb = Result<void> (*)(const Arguments&, const contract::Site&);

int run_verb(Verb verb, const Arguments& arguments)
{
    const auto done = contract::read_site(arguments.config).and_then([&](const contract::Site& site) {
        return verb(arguments, site);
    });
    if (done) return 0;
    log_error("mscale-node", done.error());
    return exit_status(entry_of(done.error().code).kind);
}

int run(int argc, char** argv)
{
    CLI::App app(
        "Sets a node up for the contract of a job, and undoes it.  Called by Slurm's prolog and epilog.");
    Arguments arguments;
    Verb verb = nullptr;
    app.add_option("--config", arguments.config, "mscale.conf [$MSCALE_CONF, else the installed one]");
    app.require_subcommand(1);
    app.add_subcommand("apply", "set the node up, as the prolog's environment says")->callback([&] {
        verb = run_apply;
    });
    app.add_subcommand("step", "plan a step; the question is JSON on stdin")->callback([&] {
        verb = run_step;
    });
    app.add_subcommand("again", "set the node up for a later run of a job that got no prolog; the question is JSON on stdin")
        ->callback([&] { verb = run_again; })
        ->add_option("--job", arguments.job_id, "job id, in place of the question");
    auto* release =
        app.add_subcommand("release", "undo all that a job holds")->callback([&] { verb = run_release; });
    release->add_option("--job", arguments.job_id, "job id [$SLURM_JOB_ID]");
    auto* started =
        release->add_option("--started", arguments.started,
                            "only the run whose ledger was begun then; 0: only what has no ledger");
    release->add_option("--restarts", arguments.restarts, "restart count of that run [0]")->needs(started);
    auto* reconcile = app.add_subcommand("reconcile", "release every job that Slurm has ended");
    reconcile->callback([&] { verb = run_reconcile; });
    reconcile->add_option("--live", arguments.live, "jobs that still run, instead of asking slurmctld")
        ->delimiter(',')
        ->expected(0, -1);
    app.footer("Examples:\n  mscale-node release --job 4711\n  mscale-node reconcile\n  mscale-node "
               "reconcile --live 12,13");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : exit_status(Kind::invalid);
    }
    return run_verb(verb, arguments);
}

} // namespace
} // namespace mscale::node

int main(int argc, char** argv)
{
    try {
        return mscale::node::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "mscale-node: %s\n", e.what());
        return mscale::exit_status(mscale::Kind::system);
    }
}

#include "daemon/mscaled/daemon.hpp"

#include <cerrno>
#include <csignal>

#include <poll.h>
#include <sys/signalfd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "contract/kept_job.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::milliseconds confirm_delay{500};
constexpr std::size_t questions_waiting = 32;
constexpr std::size_t strangers_waiting = 256; // credentials of unproven origin; their seats are fewer

/// Must run before the first thread starts, so that every thread inherits the mask.
Result<Fd> open_signals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    Fd signals(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!signals) return os_failure(Code::node_act, "signalfd", errno);
    return signals;
}

/// Only root, whose munge proves it, opens or makes the secret of a stream.
recovery::Introduction introduce(const Sealer& sealer)
{
    return {[sealer](std::string_view secret) { return sealer.seal(std::string(secret), uid_t{0}); },
            [sealer](const std::string& credential) -> Result<std::string> {
                auto proven = sealer.open(credential);
                if (!proven) return tl::unexpected(std::move(proven.error()));
                if (proven->uid != 0)
                    return failure(Code::not_yours, format("a stream of uid {}", proven->uid));
                return std::move(proven->payload);
            }};
}

/// The keeper's programs lie beside mscaled.
Keeper::Helpers find_helpers(const std::string& own_program)
{
    const std::string directory = own_program.substr(0, own_program.rfind('/') + 1);
    return {directory + "mscale-holder", directory + "mscale-spill", directory + "mscale-charge"};
}

void set_port(NodeAddress& address, unsigned port)
{
    const auto number = htons(static_cast<in_port_t>(port));
    if (address.address.ss_family == AF_INET6)
        reinterpret_cast<sockaddr_in6*>(&address.address)->sin6_port = number;
    else
        reinterpret_cast<sockaddr_in*>(&address.address)->sin_port = number;
}

} // namespace

Result<std::unique_ptr<Daemon>> Daemon::create(contract::Site site, const Options& options)
{
    const std::string ledgers = contract::ledger_directory(site.state);
    if (auto made = make_directories(site.state, 0755); !made) return tl::unexpected(made.error());
    if (auto made = make_directories(ledgers, 0700); !made) return tl::unexpected(made.error());
    auto signals = open_signals();
    if (!signals) return tl::unexpected(signals.error());
    auto loop = Loop::create();
    if (!loop) return tl::unexpected(loop.error());
    // TCP first: a second mscaled ends here and leaves the local socket of the first alone.
    auto tcp = listen_tcp(site.port);
    if (!tcp) return tl::unexpected(tcp.error());
    auto local = listen_local(site.state + "/mscaled.sock");
    if (!local) return tl::unexpected(local.error());
    auto keeper = Keeper::open_sockets(site);
    if (!keeper) return tl::unexpected(keeper.error());
    auto beats = Failure::open_socket(site);
    if (!beats) return tl::unexpected(beats.error());
    auto notice = DirectoryNotice::open(ledgers);
    if (!notice) return tl::unexpected(notice.error());
    return std::unique_ptr<Daemon>(new Daemon(
        std::move(site), options, std::move(*loop),
        {std::move(*local), std::move(*tcp), std::move(*signals), std::move(*beats), std::move(*keeper)},
        std::move(*notice)));
}

Daemon::Daemon(contract::Site site, const Options& options, std::unique_ptr<Loop> loop, Sockets sockets,
               DirectoryNotice notice)
    : site_(std::move(site)), site_file_(options.config, site_), loop_(std::move(loop)),
      signals_(std::move(sockets.signals)), notice_(std::move(notice)), slurm_(*loop_),
      questions_(*loop_, questions_waiting), names_(*loop_), munge_(*loop_),
      strangers_(*loop_, strangers_waiting), node_(*loop_), jobs_(site_), restarts_(*loop_, jobs_, slurm_),
      addresses_(names_, site_.port), cluster_(*loop_, slurm_, addresses_, options.node, [this] { return site_.domains; }),
      peers_(
          *loop_, {munge_, strangers_}, Sealer(site_.munge_socket), std::move(sockets.tcp),
          [this](const std::string& node, AddressBook::Located located) {
              cluster_.locate(node, std::move(located));
          },
          [this](const Request& request, const Peers::Answer& answer) { handle_peer(request, answer); }),
      states_(*loop_, site_, cluster_, peers_, slurm_, {options.program, options.config},
              [this](std::uint32_t job_id) { return run_.is_attached(job_id); }),
      status_(site_, jobs_, states_, cluster_, peers_, questions_,
              [this](std::uint32_t job_id) { return keeper_.describe_memory(job_id); }),
      run_relay_(questions_, [](std::uint32_t job_id) { return load_job(job_id); },
                 [this](const std::string& node, const Json& body, const Peers::Answered& answered) {
                     peers_.call(node, "run", body, answered);
                 }),
      reconcile_(
          *loop_, site_, options.config, jobs_, cluster_, states_, slurm_, node_,
          [this](const LostStep& step) { on_lost(step); },
          [this](const JobFacts& facts) { on_unprepared(facts); }),
      drain_(site_, cluster_, slurm_), again_(site_, options.config, node_),
      local_(*loop_, std::move(sockets.local),
             [this](const Asker& asker, const Json& request, const LocalSocket::Answer& answer) {
                 handle_local(asker, request, answer);
             }),
      keeper_(*loop_, site_, jobs_, keeper_network(), introduce(Sealer(site_.munge_socket)),
              std::move(sockets.keeper), find_helpers(options.program),
              [this](std::uint32_t job_id) { report(job_id); }),
      failure_(
          *loop_, site_, jobs_, [this](std::uint32_t job_id) { return keeper_.progress_of(job_id); },
          peer_network(), std::move(sockets.beats)),
      run_(site_, jobs_, run_sources()),
      departed_(*loop_, site_, jobs_, slurm_,
                {[this](std::uint32_t job_id) { return keeper_.count_bytes(job_id); },
                 [this](std::uint32_t job_id) { keeper_.release_memory(job_id); },
                 [this](std::uint32_t job_id) { keeper_.forget(job_id); },
                 [this](std::uint32_t job_id, const std::function<void()>& then) { keeper_.spill_departed(job_id, then); }}),
      returns_(*loop_, jobs_, returns_view()), preemptions_(*loop_, jobs_, preemptions_view()),
      waiting_(*loop_, site_, jobs_, waiting_view(), make_stepd_acts(site_)),
      ways_back_(site_, jobs_, node_, [this](std::uint32_t job_id) { report(job_id); }),
      gpus_(*loop_, site_, [this](const hal::GpuFailure& failure) { on_gpu_failure(failure); })
{
}

RunService::Sources Daemon::run_sources()
{
    return {[this](std::uint32_t job_id) { return failure_.view(job_id); },
            [this](std::uint32_t job_id) { return keeper_.committed_of(job_id); },
            [this](std::uint32_t job_id) { return keeper_.exit_of(job_id); },
            [this](std::uint32_t job_id, const recovery::Incarnation& run, std::uint32_t signal) {
                keeper_.end_run(job_id, run, signal);
            },
            [this](std::uint32_t job_id) { return states_.list_lost(job_id); },
            [this](std::uint32_t job_id) { return keeper_.gone_of(job_id); },
            [this](std::uint32_t job_id, const recovery::Incarnation& run) { keeper_.end_ranks(job_id, run); }};
}

Returns::View Daemon::returns_view()
{
    return {[this] { return cluster_.self(); },
            [this](std::uint32_t job_id) { return failure_.view(job_id); },
            [this](std::uint32_t job_id) { return run_.is_attached(job_id); },
            [this](std::uint32_t job_id) { keeper_.end_ranks(job_id, keeper_.progress_of(job_id).run); }};
}

WaitingStepds::View Daemon::waiting_view()
{
    return {[this](std::uint32_t job_id) { return failure_.view(job_id); },
            [this](const std::string& node, const std::function<void(Result<NodeAddress>)>& located) {
                cluster_.locate(node, located);
            }};
}

Preemptions::View Daemon::preemptions_view()
{
    return {[this] { return cluster_.self(); },
            [this](std::uint32_t job_id) { return keeper_.exit_of(job_id); },
            [this](std::uint32_t job_id) { return keeper_.committed_of(job_id); },
            [this](std::uint32_t job_id) { return run_.is_attached(job_id); }};
}

Keepers::Network Daemon::keeper_network()
{
    return {[this] { return cluster_.self(); },
            [this](const std::string& node, const std::string& op, Json body, Keepers::Answered answered) {
                peers_.call(node, op, std::move(body), std::move(answered));
            },
            [this](const std::string& node, const std::function<void(Result<NodeAddress>)>& located) {
                locate(node, site_.recovery_port, located);
            },
            [this] { return cluster_.nodes(); },
            [this](std::chrono::milliseconds delay, std::function<void()> call) {
                loop_->after(delay, std::move(call));
            },
            [this](std::uint32_t job_id, const std::string& node) { return failure_.is_dead(job_id, node); },
            [this](std::uint32_t job_id, auto told) {
                slurm_.run<Result<std::optional<std::uint64_t>>>([job_id] { return load_told_snapshot(job_id); },
                                                                 std::move(told));
            },
            [this](const std::string& node) { return cluster_.domain_of(node); },
            [this] { return cluster_.kill_wait(); },
            [this](auto told) {
                slurm_.run<Result<std::set<std::string>>>(
                    load_down_nodes, [told = std::move(told)](const auto& down) { told(down.value_or(std::set<std::string>())); });
            }};
}

PeerNetwork Daemon::peer_network()
{
    return {
        [this] { return cluster_.name(); },
        [this](const std::string& node, const std::string& op, Json body, PeerNetwork::Answered answered) {
            peers_.call(node, op, std::move(body), std::move(answered));
        },
        [this](const std::string& node, const PeerNetwork::Located& located) {
            locate(node, site_.recovery_port, located);
        },
        [this](const std::string& node, const PeerNetwork::Located& located) {
            locate(node, cluster_.slurmd_port(node), located);
        },
        [this] { return cluster_.controllers(); }};
}

void Daemon::locate(const std::string& node, unsigned port, const PeerNetwork::Located& located)
{
    cluster_.locate(node, [located, port](Result<NodeAddress> address) {
        if (address) set_port(*address, port);
        located(std::move(address));
    });
}

Result<void> Daemon::run()
{
    watch_signals();
    notice_.start(*loop_, [this] { refresh(); });
    jobs_.refresh();
    cluster_.refresh([this] { start(); });
    return loop_->run();
}

void Daemon::start()
{
    peers_.set_self(cluster_.name());
    if (cluster_.name().empty())
        log_line(Level::error, "slurmctld has no node with this host's name: mscaled answers status only");
    else if (cluster_.self().empty())
        log_line(Level::info, format("{} is no node: mscaled votes on the death of nodes", cluster_.name()));
    log_line(Level::info, format("node {}: {} jobs hold a contract", cluster_.self(), jobs_.all().size()));
    restarts_.follow();
    for (const std::uint32_t job_id : contract::list_kept_jobs(site_.state))
        if (!jobs_.find(job_id)) departed_.leave(job_id); // while no daemon ran
    check_all();
    failure_.follow();
    gpus_.follow(jobs_.have_gpus());
    keeper_.serve();
    loop_->every([this] { return site_.watch_interval; }, [this] { look(); });
    loop_->every([this] { return site_.reconcile_interval; },
                 [this] {
                     read_site_again(false);
                     cluster_.refresh([] {});
                     refresh();
                     check_all();
                 });
}

void Daemon::check_all()
{
    if (cluster_.self().empty()) return;
    for (const std::uint32_t job_id : keeper_.held_jobs()) // it left while mscaled was away, or a copy came late
        if (!jobs_.find(job_id) && !departed_.knows(job_id)) departed_.leave(job_id);
    report_all();
    reconcile_.run();
    departed_.look();
    drain_.check();
}

void Daemon::read_site_again(bool forced)
{
    auto next = site_file_.read_again(forced);
    if (!next) return;
    site_ = std::move(*next);
    jobs_.use(site_);
    log_line(Level::info, "mscale.conf was read again");
}

void Daemon::watch_signals()
{
    loop_->watch(signals_.number(), POLLIN, [this](short) {
        signalfd_siginfo info{};
        if (read(signals_.number(), &info, sizeof info) != sizeof info) return;
        if (info.ssi_signo == SIGHUP) return read_site_again(true);
        log_line(Level::info, "mscaled ends; the jobs keep what they hold");
        loop_->stop();
    });
}

void Daemon::refresh()
{
    apply(jobs_.refresh());
}

void Daemon::refresh_user(uid_t uid)
{
    for (const std::uint32_t job_id : jobs_.of_user(uid)) apply(jobs_.refresh(job_id));
}

void Daemon::apply(const Jobs::Changes& changes)
{
    if (cluster_.self().empty()) return;
    restarts_.follow();
    failure_.follow();
    gpus_.follow(jobs_.have_gpus());
    for (const std::uint32_t job_id : changes.changed) report(job_id);
    for (const std::uint32_t job_id : changes.gone) {
        states_.end(job_id);
        run_.forget(job_id);
        keeper_.leave(job_id);
        departed_.leave(job_id);
    }
}

void Daemon::report_all()
{
    for (const auto& [job_id, job] : jobs_.all()) report(job);
}

void Daemon::report(std::uint32_t job_id)
{
    if (const LocalJob* job = jobs_.find(job_id)) report(*job);
}

void Daemon::report(const LocalJob& job)
{
    const contract::Stage stage = job.record.stage;
    if (cluster_.self().empty() || stage == contract::Stage::releasing || stage == contract::Stage::released)
        return;
    states_.report(make_report_of(job));
}

/// Without what only earlier runs of the step had: where the ranks went to another node, no later step tells it here.
std::vector<LostPart> Daemon::list_lost(const LocalJob& job) const
{
    std::vector<LostPart> lost = job.parts.lost();
    const auto view = lost.empty() ? std::nullopt : failure_.view(job.record.job_id);
    if (!view) return lost;
    const std::uint32_t newest = join_progress(view->progress).run.step;
    std::erase_if(lost, [newest](const LostPart& part) { return is_past(part, newest); });
    return lost;
}

Report Daemon::make_report_of(const LocalJob& job) const
{
    Report report = make_report(job.record, cluster_.self(), job.breach, job.on_breach);
    if (job.first_save > 0) report.kept = keeper_.kept_of(job.record.job_id);
    report.kept.first_save = job.first_save;
    report.kept.step_began = job.step_began;
    report.kept.step_ended = job.step_ended;
    report.lost = list_lost(job);
    return report;
}

void Daemon::look()
{
    refresh();
    const Jobs::Look seen = jobs_.look();
    for (const auto* jobs : {&seen.broken, &seen.ended, &seen.lossy})
        for (const std::uint32_t job_id : *jobs) report(job_id);
    for (const auto& [job_id, part] : seen.gone) ways_back_.on_gone(job_id, part);
    if (seen.confirm) loop_->after(confirm_delay, [this] { look(); });
}

void Daemon::on_lost(const LostStep& step)
{
    const LocalJob* job = jobs_.find(step.job_id);
    if (!job || job->breach) return;
    jobs_.mark(step.job_id, Breach{{{"stepd", "gone"}, {"step", step.step}}});
    Report lost = make_report_of(*job);
    // Nobody is behind the job any more, so that even a contract that only warns can't let it run on.
    if (lost.on_breach == contract::OnBreach::warn) lost.on_breach = contract::OnBreach::fail;
    states_.report(lost);
}

void Daemon::on_gpu_failure(const hal::GpuFailure& failure)
{
    jobs_.learn_gpu_fault(hal::to_string(failure.pci), failure.what);
    look();
}

void Daemon::on_unprepared(const JobFacts& facts)
{
    if (facts.nodes.empty() || facts.nodes.front() != cluster_.self()) return;
    log_line(Level::error,
             format("job {} runs here without being prepared: is the SPANK plugin loaded?", facts.job_id));
    Report unprepared;
    unprepared.job_id = facts.job_id;
    unprepared.uid = facts.uid;
    unprepared.restarts = facts.restarts;
    unprepared.node = cluster_.self();
    unprepared.nodes = facts.nodes;
    states_.report(unprepared);
}

} // namespace mscale::daemon

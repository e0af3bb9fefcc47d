#include "cli/run/run_loop.hpp"

#include <cerrno>
#include <cstdio>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/run/slurm_acts.hpp"

namespace mscale::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_polls{100};
constexpr milliseconds run_answer_limit{2000}; // then mscaled is asked anew

template <class Clock> milliseconds now_of()
{
    return std::chrono::duration_cast<milliseconds>(Clock::now().time_since_epoch());
}

Moment take_moment()
{
    return {now_of<std::chrono::steady_clock>(), now_of<std::chrono::system_clock>()};
}

Result<void> write_timeline(const std::string& path, const recovery::Timeline& timeline)
{
    const std::string text =
        path.ends_with(".svg") ? to_svg(timeline) : recovery::to_json(timeline).dump(2) + "\n";
    return replace_file(path, text, 0644);
}

} // namespace

void tell(const std::string& text)
{
    std::string lines;
    const std::string_view whole = trim(std::string_view(text));
    for (const std::string_view line : split(whole, '\n')) lines += format("mscale run: {}\n", line);
    std::fwrite(lines.data(), 1, lines.size(),
                stderr); // stderr isn't buffered: whole lines beside the program's own
}

Result<RunLoop::Signals> RunLoop::open_signals()
{
    Signals signals;
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &signals.mask);
    signals.descriptor = Fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!signals.descriptor) return os_failure(Code::node_act, "signalfd", errno);
    return signals;
}

RunLoop::RunLoop(const contract::Site& site, RunLine line, const Supervisor::Setup& setup,
                 const RunView& view, Signals signals)
    : site_(site), line_(std::move(line)), setup_(setup), supervisor_(setup, view),
      signals_(std::move(signals))
{
}

int RunLoop::run()
{
    write_verdict(supervisor_.verdict()); // that of an earlier run is none of this one
    perform(supervisor_.begin(take_moment()));
    while (!status_) {
        wait();
        poll_daemon();
        perform(supervisor_.on_time(take_moment()));
    }
    return *status_;
}

void RunLoop::perform(const std::vector<Act>& acts)
{
    for (const Act& act : acts) std::visit([this](const auto& what) { perform(what); }, act);
}

void RunLoop::perform(const act::Launch& launch)
{
    const bool overlap = has_left_a_step();
    if (overlap) tell("Slurm still lists the old step, which has ended: the new one takes its place by --overlap");
    auto srun = SrunProcess::start(srun_arguments(line_, launch.nodes, setup_.tasks, overlap), signals_.mask);
    if (!srun) {
        tell(to_line(srun.error()));
        status_ = exit_status(entry_of(srun.error().code).kind);
        return;
    }
    last_pid_ = srun->pid();
    ends_ranks_ = false;
    srun_ = std::move(*srun);
}

/// The step of an srun that has ended, of this `mscale run` or of one before it in the script.
bool RunLoop::has_left_a_step()
{
    auto child = SlurmChild::start([job = setup_.job_id] { return wait_for_end_of_steps(job, has_srun_ended); });
    const auto answer = child ? child->wait() : Result<Json>(tl::unexpected(child.error()));
    return answer && is_step_left(*answer);
}

void RunLoop::perform(const act::FenceStep&)
{
    const auto pid = static_cast<std::uint32_t>(last_pid_);
    ask_slurm([job = setup_.job_id, pid] { return signal_step_of(job, pid, SIGKILL); },
              [this](const Result<Json>& answer) {
                  if (answer) perform(supervisor_.on_fenced(had_step(*answer), take_moment()));
              });
}

void RunLoop::perform(const act::KillSrun&)
{
    if (srun_) srun_->send(SIGKILL);
}

void RunLoop::perform(const act::SendSignal& signal)
{
    if (srun_) srun_->send(signal.signal);
}

void RunLoop::perform(const act::EndStep& end)
{
    const auto pid = static_cast<std::uint32_t>(last_pid_);
    ask_slurm([job = setup_.job_id, pid, signal = end.signal] { return signal_step_of(job, pid, signal); },
              [this, signal = end.signal](const Result<Json>& answer) {
                  const bool is_sent = answer && answer->value("found", false);
                  if (!is_sent && srun_)
                      srun_->send(signal); // it has no step yet, or slurmctld doesn't answer
              });
}

void RunLoop::perform(const act::AskStep&)
{
    const auto is_newest = [newest = static_cast<std::uint32_t>(last_pid_)](std::uint32_t pid) { return pid == newest; };
    ask_slurm([job = setup_.job_id, is_newest] { return wait_for_end_of_steps(job, is_newest); },
              [this](const Result<Json>& answer) {
                  const bool has_step = !answer || !answer->contains("left") || is_step_left(*answer);
                  perform(supervisor_.on_step(has_step, take_moment()));
              });
}

void RunLoop::perform(const act::AskAllocation&)
{
    ask_slurm([job = setup_.job_id] { return list_allocation(job); },
              [this](const Result<Json>& answer) {
                  perform(supervisor_.on_allocation(answer ? read_allocation(*answer) : std::nullopt,
                                                    take_moment()));
              });
}

void RunLoop::perform(const act::Requeue&)
{
    auto child = SlurmChild::start([job = setup_.job_id] { return requeue_job(job); });
    const auto answer = child ? child->wait() : Result<Json>(tl::unexpected(child.error()));
    if (!answer) return tell(to_line(answer.error()));
    if (answer->contains("error"))
        tell(format("the job can't be requeued: {}", answer->at("error").get<std::string>()));
}

void RunLoop::perform(const act::TellRanks& told)
{
    told_signal_ = told.signal;
    request_.reset();
    asked_at_ = {};
}

void RunLoop::perform(const act::EndRanks&)
{
    ends_ranks_ = true;
    request_.reset();
    asked_at_ = {};
}

void RunLoop::perform(const act::AskJobEnd&)
{
    ask_slurm([job = setup_.job_id] { return load_job_end(job); },
              [this](const Result<Json>& answer) {
                  perform(supervisor_.on_job_end(answer ? read_job_end(*answer) : JobEnd{"", false, false, false}, take_moment()));
              });
}

void RunLoop::perform(const act::Say& say)
{
    tell(say.text);
}

void RunLoop::perform(const act::ShowTimeline& show)
{
    tell(to_text(show.timeline));
    if (line_.timeline.empty()) return;
    if (const auto written = write_timeline(line_.timeline, show.timeline); !written)
        tell(to_line(written.error()));
}

void RunLoop::perform(const act::Finish& finish)
{
    write_verdict(finish.verdict);
    status_ = finish.verdict.status;
}

void RunLoop::write_verdict(const RunVerdict& verdict) const
{
    if (line_.verdict.empty()) return;
    if (const auto written = replace_file(line_.verdict, to_json(verdict).dump(2) + "\n", 0644); !written)
        tell(to_line(written.error()));
}

void RunLoop::ask_slurm(const std::function<Json()>& work, Answered answered)
{
    auto child = SlurmChild::start(work);
    if (!child) return tell(to_line(child.error()));
    questions_.push_back({std::move(*child), std::move(answered)});
}

void RunLoop::wait()
{
    std::vector<pollfd> ready = {{signals_.descriptor.number(), POLLIN, 0},
                                 {srun_ ? srun_->descriptor() : -1, POLLIN, 0},
                                 {request_ ? request_->descriptor() : -1, POLLIN, 0}};
    for (const Question& question : questions_) ready.push_back({question.child.descriptor(), POLLIN, 0});
    if (::poll(ready.data(), ready.size(), static_cast<int>(between_polls.count())) <= 0) return;
    // From the last: a handler may add questions, and takes out its own.
    for (std::size_t i = ready.size(); i-- > 3;)
        if (ready[i].revents != 0) on_slurm(i - 3);
    if (ready[2].revents != 0) on_daemon();
    if (ready[0].revents != 0) on_signal();
    if (ready[1].revents != 0) on_srun_end();
}

void RunLoop::on_srun_end()
{
    const int status = srun_->reap();
    srun_.reset();
    perform(supervisor_.on_srun_end({status}, take_moment()));
}

void RunLoop::on_signal()
{
    signalfd_siginfo info{};
    while (::read(signals_.descriptor.number(), &info, sizeof info) == sizeof info)
        perform(supervisor_.on_signal({static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL},
                                      take_moment()));
}

void RunLoop::on_slurm(std::size_t at)
{
    const auto answer = questions_[at].child.receive();
    if (answer && !*answer) return;
    const Answered answered = std::move(questions_[at].answered);
    questions_.erase(questions_.begin() + static_cast<std::ptrdiff_t>(at));
    answered(answer ? Result<Json>(**answer) : Result<Json>(tl::unexpected(answer.error())));
}

void RunLoop::on_daemon()
{
    const auto answer = request_->receive();
    if (answer && !*answer) return;
    request_.reset();
    if (!answer) return; // the next poll asks again; a daemon that is gone is silent, not a loss
    if (const auto view = run_view_from_json(**answer)) perform(supervisor_.on_view(*view, take_moment()));
}

void RunLoop::poll_daemon()
{
    const milliseconds now = take_moment().steady;
    if (request_ && now - asked_at_ < run_answer_limit) return;
    if (!request_ && now - asked_at_ < between_polls) return;
    request_.reset();
    asked_at_ = now;
    Json question = {{"op", "run"}, {"job", setup_.job_id}};
    if (told_signal_ != 0) question["end"] = told_signal_;
    if (ends_ranks_) question["end_ranks"] = true;
    if (auto request = OpenRequest::send(site_, question))
        request_ = std::move(*request);
}

} // namespace mscale::cli

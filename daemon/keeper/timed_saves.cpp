#include "daemon/keeper/timed_saves.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "daemon/keeper/exit_word.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::milliseconds between_looks{200}; // in which the speed of the ranks shows
constexpr std::uint64_t looks_ahead = 3;                // what the word may take to all ranks, in such times
constexpr std::uint64_t steps_ahead = 2;                // a rank may be at the end of the step after the one that it told

Json steps_to_json(const NodeProgress& progress)
{
    return ok_with({{"restarts", progress.run.restarts},
                    {"step_id", progress.run.step},
                    {"training", progress.restored_at.count() > 0 ? progress.joined - progress.left : 0},
                    {"least", progress.least_step},
                    {"greatest", progress.greatest_step}});
}

} // namespace

bool TimedSaves::knows(const std::string& op)
{
    return op == "steps" || op == "save_at";
}

void TimedSaves::answer(const std::string& op, const Json& body, const Keepers::Answer& answer)
{
    const auto word = exit_word_from_json(body);
    if (!word) return answer(error_to_json(word.error()));
    const NodeProgress progress = progress_(word->job_id);
    if (op == "steps") return answer(steps_to_json(progress.run == word->run ? progress : NodeProgress()));
    push_(word->job_id, word->run, std::nullopt, {{"event", "save"}, {"step", word->step}});
    answer(ok_with());
}

void TimedSaves::look(const Run& run, std::chrono::steady_clock::time_point now)
{
    Page& page = pages_[run.job_id];
    if (page.run != run.incarnation || page.last == std::chrono::steady_clock::time_point())
        page = {run.incarnation, now, false, 0};
    if (page.asking || now - page.last < run.every) return;
    page.asking = true;
    ask(run, [this, run](const Steps& steps) {
        const Page* asked = find(run);
        // While not all train, or one hasn't come to the step that was named last, there is nothing to name.
        if (!asked || steps.training < run.ranks || steps.least < asked->step) return rest(run);
        keepers_.call_after(between_looks, [this, run, steps] { measure(run, steps); });
    });
}

void TimedSaves::measure(const Run& run, const Steps& before)
{
    ask(run, [this, run, before](const Steps& now) {
        Page* page = find(run);
        if (!page || now.training < run.ranks) return rest(run);
        const std::uint64_t done = now.greatest - std::min(before.greatest, now.greatest);
        page->step = now.greatest + steps_ahead + looks_ahead * done;
        page->last = std::chrono::steady_clock::now();
        page->asking = false;
        const ExitWord word{run.job_id, run.incarnation, 0, run.ranks, 0, page->step};
        keepers_.ask_all(run.job_id, "save_at", to_json(word), [](const auto&) {}); // who doesn't hear it leaves this one out
    });
}

void TimedSaves::ask(const Run& run, std::function<void(const Steps&)> then)
{
    const ExitWord word{run.job_id, run.incarnation, 0, run.ranks, 0, 0};
    keepers_.ask_all(run.job_id, "steps", to_json(word),
                     [then = std::move(then)](const auto& answers) { then(add_up(answers)); });
}

TimedSaves::Steps TimedSaves::add_up(const std::vector<std::pair<std::string, Json>>& answers)
{
    Steps all;
    for (const auto& [node, answer] : answers) {
        const auto training = read_member<std::uint32_t>(answer, "training", "an answer");
        const auto least = read_member<std::uint64_t>(answer, "least", "an answer");
        const auto greatest = read_member<std::uint64_t>(answer, "greatest", "an answer");
        if (!training || *training == 0 || !least || !greatest) continue;
        all.least = all.training == 0 ? *least : std::min(all.least, *least);
        all.greatest = std::max(all.greatest, *greatest);
        all.training += *training;
    }
    return all;
}

/// Nothing where a newer run has begun meanwhile, or the job is over.
TimedSaves::Page* TimedSaves::find(const Run& run)
{
    const auto page = pages_.find(run.job_id);
    return page != pages_.end() && page->second.run == run.incarnation ? &page->second : nullptr;
}

void TimedSaves::rest(const Run& run)
{
    keepers_.call_after(between_looks, [this, run] {
        if (Page* page = find(run)) page->asking = false;
    });
}

} // namespace mscale::daemon

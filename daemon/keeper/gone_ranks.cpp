#include "daemon/keeper/gone_ranks.hpp"

#include <algorithm>

#include <poll.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/keeper/exit_word.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

/// What is busy or broken now may serve the next run; an older run's rank is refused for the sake of a newer one.
bool is_final(Code code)
{
    const Kind kind = entry_of(code).kind;
    return code != Code::fenced && (kind == Kind::refused || kind == Kind::invalid || kind == Kind::denied);
}

} // namespace

GoneWatch::~GoneWatch()
{
    while (!waiting_.empty()) drop(waiting_.begin()->first);
}

bool GoneWatch::knows(const std::string& op)
{
    return op == "gone" || op == "done" || op == "refused" || op == "end_ranks";
}

/// The job's page of this run; a newer run begins it anew, an older one is over.
GoneRanks* GoneWatch::page_of(std::uint32_t job_id, const recovery::Incarnation& run)
{
    GoneRanks& page = jobs_[job_id];
    if (run < page.run) return nullptr;
    if (page.run < run) page = GoneRanks{};
    page.run = run;
    return &page;
}

void GoneWatch::answer(const std::string& op, const Json& body, const Keepers::Answer& answer)
{
    const auto word = exit_word_from_json(body);
    if (!word) return answer(error_to_json(word.error()));
    GoneRanks* const page = page_of(word->job_id, word->run);
    if (!page)
        return answer(error_to_json(
            failure(Code::fenced, format("job {}: a newer run has begun", word->job_id)).value()));
    if (op == "gone") {
        page->ranks.insert(word->rank);
        if (page->status == 0) page->status = word->signal; // others fail for the first
    } else if (op == "done") {
        page->done.insert(word->rank);
    } else if (op == "refused") {
        const auto error = error_of(read_member<Json>(body, "fault", "a refusal").value_or(ok_with()));
        if (error && !page->refusal) page->refusal = Refusal{error->code, error->text, error->cure};
    } else {
        kill_(word->job_id, word->run);
    }
    answer(ok_with());
}

void GoneWatch::wait(Waiting waiting)
{
    if (!waiting.task) return;
    const Key key{waiting.owner.job_id, waiting.owner.rank};
    drop(key);
    const int number = waiting.task.number();
    waiting_[key] = std::move(waiting);
    loop_.watch(number, POLLIN, [this, key](short) { on_task_end(key); });
}

void GoneWatch::drop(const Key& key)
{
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) return;
    loop_.unwatch(found->second.task.number());
    waiting_.erase(found);
}

void GoneWatch::stop_waiting(const recovery::Owner& owner)
{
    drop({owner.job_id, owner.rank});
}

void GoneWatch::on_task_end(const Key& key)
{
    const Waiting& gone = waiting_.at(key);
    const recovery::Owner owner = gone.owner;
    const ExitWord word{owner.job_id, owner.incarnation, gone.status, owner.ranks, owner.rank, 0};
    const bool has_left = gone.has_left;
    drop(key);
    if (has_left) return keepers_.ask_all(owner.job_id, "done", to_json(word), [](const auto&) {});
    log_line(Level::info, format("job {} rank {} has ended without a word, exit status {}", owner.job_id, owner.rank,
                                 word.signal));
    keepers_.ask_all(owner.job_id, "gone", to_json(word), [](const auto&) {});
}

void GoneWatch::refuse(const recovery::Owner& owner, const Error& error)
{
    if (!is_final(error.code)) return;
    Json word = to_json(ExitWord{owner.job_id, owner.incarnation, 0, owner.ranks, owner.rank, 0});
    word["fault"] = error_to_json(error);
    keepers_.ask_all(owner.job_id, "refused", word, [](const auto&) {});
}

/// Who answers was alive after the loss: what is gone isn't so by its node's death.
void GoneWatch::end_ranks(std::uint32_t job_id, const recovery::Incarnation& run)
{
    const ExitWord word{job_id, run, 0, 0, 0, 0};
    for (const std::string& node : keepers_.nodes(job_id))
        keepers_.ask(node, "end_ranks", to_json(word), [this, job_id, run, node](const Result<Json>& answer) {
            const auto page = jobs_.find(job_id);
            if (answer && page != jobs_.end() && page->second.run == run) page->second.ended.insert(node);
        });
}

std::optional<GoneRanks> GoneWatch::find(std::uint32_t job_id) const
{
    const auto page = jobs_.find(job_id);
    const bool is_any =
        page != jobs_.end() && !(page->second.ranks.empty() && page->second.done.empty() && !page->second.refusal);
    return is_any ? std::optional(page->second) : std::nullopt;
}

void GoneWatch::forget(std::uint32_t job_id)
{
    jobs_.erase(job_id);
    while (true) {
        const auto found = waiting_.lower_bound({job_id, 0});
        if (found == waiting_.end() || found->first.first != job_id) return;
        drop(found->first);
    }
}

} // namespace mscale::daemon

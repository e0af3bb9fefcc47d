#include "daemon/mscaled/contract_state.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

using contract::Comment;
using contract::OnBreach;
using contract::Stage;
using contract::State;

Action action_on(OnBreach on_breach)
{
    switch (on_breach) {
    case OnBreach::requeue: return Action::requeue;
    case OnBreach::warn: return Action::none;
    case OnBreach::fail: break;
    }
    return Action::cancel;
}

constexpr std::chrono::minutes snapshot_interval{10};
constexpr std::string_view snapshot_key = "snapshot";
constexpr std::string_view other_key = "other"; // of a breach: what takes the place of the part that is lost

bool has_spoken(const Report& report)
{
    return report.stage == Stage::applied || report.stage == Stage::refused || report.observe;
}

std::string field_of(const Comment& comment, std::string_view key)
{
    for (const auto& [name, value] : comment.fields) {
        if (name == key) return value;
    }
    return {};
}

bool is_observed(const std::map<std::string, Report>& reports)
{
    return std::ranges::any_of(reports, [](const auto& entry) { return entry.second.observe; });
}

/// Broken by the program alone, which can still keep it: nothing ends for want of its insurance.
bool is_curable(const Comment& breach)
{
    return field_of(breach, "code") == entry_of(Code::unregistered).id;
}

/// Broken, and the job lives on without what was promised.
bool is_outlived(const Comment& breach)
{
    return !field_of(breach, other_key).empty();
}

std::string run_of(const Comment& comment)
{
    const std::string restarts = field_of(comment, "restarts");
    return restarts.empty() ? "0" : restarts;
}

} // namespace

void ContractState::expect(std::vector<std::string> nodes)
{
    if (nodes_.empty()) nodes_ = std::move(nodes);
}

void ContractState::replace_nodes(std::vector<std::string> nodes)
{
    nodes_ = std::move(nodes);
    std::erase_if(reports_, [this](const auto& entry) {
        return std::find(nodes_.begin(), nodes_.end(), entry.first) == nodes_.end();
    });
}

void ContractState::add(const Report& report, Instant now)
{
    const auto earlier = reports_.find(report.node);
    const std::int64_t known = earlier == reports_.end() ? 0 : earlier->second.started;
    const bool comparable = known != 0 && report.started != 0; // a node without a readable ledger says 0
    if (report.restarts < restarts_ || (comparable && report.started < known)) return;
    if (report.restarts > restarts_ || (comparable && report.started > known)) {
        reports_.clear();
        nodes_.clear();
        settled_ = false;
        known_ = now;
        started_ = 0;
        run_.reset();
    }
    restarts_ = report.restarts;
    if (started_ == 0) started_ = report.started;
    uid_ = report.uid;
    expect(report.nodes);
    reports_[report.node] = report;
    if (report.started == 0) reports_[report.node].started = known;
    learn_snapshot(report.kept, now);
}

/// The first at once; later ones now and then, since each posting is work for slurmctld.
void ContractState::learn_snapshot(const KeptState& kept, Instant now)
{
    if (spilled_ == 0) spilled_ = kept.spilled;
    if (kept.committed <= snapshot_ || (snapshot_ > 0 && now - snapshot_told_ < snapshot_interval)) return;
    snapshot_ = kept.committed;
    spilled_ = std::max(spilled_, kept.spilled);
    snapshot_told_ = now;
}

std::vector<std::string> ContractState::missing() const
{
    std::vector<std::string> names;
    for (const std::string& node : nodes_) {
        const auto found = reports_.find(node);
        if (found == reports_.end() || !has_spoken(found->second)) names.push_back(node);
    }
    return names;
}

Judgement ContractState::judge_breach(const Report& report) const
{
    Judgement judgement{{State::breached, {{"node", report.node}}}, action_on(report.on_breach)};
    judgement.comment.fields.insert(judgement.comment.fields.end(), report.breach->fields.begin(),
                                    report.breach->fields.end());
    return judgement;
}

Judgement ContractState::judge_loss(const Report& report, const LostPart& lost) const
{
    const bool returns = attended_ && (lost.way == WayBack::relaunch || lost.way == WayBack::leave);
    Judgement judgement{{returns ? State::recovering : State::breached, {{"node", report.node}}}};
    const bool is_deserted = lost.part.kind == PartKind::stepd; // nobody is behind the step any more
    const bool is_over = lost.way == WayBack::breach || lost.part.kind == PartKind::gpu; // nobody computes on it
    if (is_over && !returns) judgement.action = action_on(report.on_breach);
    if (is_deserted && !returns)
        judgement.action = report.on_breach == OnBreach::requeue ? Action::requeue : Action::cancel;
    auto& fields = judgement.comment.fields;
    fields.emplace_back("lost", name_of(lost.part.kind));
    fields.emplace_back("promised", lost.part.name);
    fields.emplace_back("found", lost.found);
    if (!lost.other.empty()) fields.emplace_back(other_key, lost.other);
    return judgement;
}

/// The gravest loss of all nodes: what nothing makes good, then what a new run does, then what the training outlives.
std::optional<Judgement> ContractState::judge_losses() const
{
    for (const WayBack way : {WayBack::breach, WayBack::leave, WayBack::relaunch, WayBack::reroute}) {
        for (const auto& [node, report] : reports_) {
            const auto lost = std::ranges::find(report.lost, way, &LostPart::way);
            if (lost != report.lost.end() && !report.observe) return judge_loss(report, *lost);
        }
    }
    return std::nullopt;
}

Judgement ContractState::judge_refusal(const Report& report) const
{
    Judgement judgement{{report.observe ? State::observed : State::refused, {{"node", report.node}}}};
    if (!report.refused_step.empty()) judgement.comment.fields.emplace_back("step", report.refused_step);
    if (report.refusals.empty()) return judgement;
    const contract::Refusal& first = report.refusals.front();
    judgement.comment.fields.emplace_back("code", entry_of(first.code).id);
    if (!first.clause.empty()) judgement.comment.fields.emplace_back("clause", first.clause);
    return judgement;
}

Judgement ContractState::judge_silence() const
{
    Judgement judgement{{State::refused, {{"silent", join(missing(), ",")}}}, Action::cancel, true};
    judgement.silent = missing();
    judgement.comment.fields.emplace_back("code", entry_of(Code::node_silent).id);
    return judgement;
}

Judgement ContractState::judge_whole() const
{
    std::set<std::string> unenforced, exposed;
    std::string short_grace;
    std::vector<std::string> spill_faults;
    unsigned chunks = 0;
    bool observe = false;
    for (const auto& [node, report] : reports_) {
        unenforced.insert(report.unenforced.begin(), report.unenforced.end());
        chunks += report.chunks;
        observe = observe || report.observe;
        if (short_grace.empty()) short_grace = report.kept.short_grace;
        if (!report.kept.exposed.empty()) exposed.insert(report.kept.exposed);
        if (!report.kept.spill_fault.empty()) {
            unenforced.insert("ft.spill");
            spill_faults.push_back(node + ":" + report.kept.spill_fault);
        }
    }
    if (observe) return {{State::observed, {}}};
    Judgement judgement{{unenforced.empty() ? State::honoured : State::granted, {}}};
    const std::vector<std::string> names(unenforced.begin(), unenforced.end());
    judgement.comment.fields.emplace_back("nodes", std::to_string(nodes_.size()));
    if (chunks > 0) judgement.comment.fields.emplace_back("slices", std::to_string(chunks));
    if (!names.empty()) judgement.comment.fields.emplace_back("unenforced", join(names, ","));
    if (snapshot_ > 0) judgement.comment.fields.emplace_back(snapshot_key, std::to_string(snapshot_));
    if (spilled_ > 0) judgement.comment.fields.emplace_back("spilled", std::to_string(spilled_));
    if (!exposed.empty())
        judgement.comment.fields.emplace_back("exposed", join(std::vector<std::string>(exposed.begin(), exposed.end()), ","));
    if (!short_grace.empty()) judgement.comment.fields.emplace_back("grace", short_grace);
    if (!spill_faults.empty()) judgement.comment.fields.emplace_back("spill_fault", spill_faults.front());
    return judgement;
}

/// What the program did not do for its snapshots, or nothing.
std::optional<std::string> ContractState::find_unkept(Instant now) const
{
    unsigned registered = 0;
    bool late = false, began = false, step_ended = false, unsaved = false;
    for (const auto& [node, report] : reports_) {
        const KeptState& kept = report.kept;
        if (kept.first_save == 0) return std::nullopt;
        late = late || now - known_ > std::chrono::milliseconds(kept.first_save);
        registered += kept.registered;
        began = began || kept.step_began;
        step_ended = step_ended || kept.step_ended;
        unsaved = unsaved || kept.saved < kept.registered;
    }
    if (registered == 0 && (late || step_ended || (ended_ && began))) return "no_rank_has_registered_state";
    if (late && unsaved) return "a_rank_has_saved_nothing";
    return std::nullopt;
}

bool ContractState::promises_snapshots() const
{
    return std::ranges::any_of(reports_, [](const auto& entry) { return entry.second.kept.first_save > 0; });
}

Judgement ContractState::judge(Instant now, std::chrono::milliseconds deadline) const
{
    Judgement judgement = judge_run(now, deadline);
    judgement.started = started_;
    judgement.restarts = run_;
    return judgement;
}

Judgement ContractState::judge_run(Instant now, std::chrono::milliseconds deadline) const
{
    for (const auto& [node, report] : reports_) {
        if (report.breach && !report.observe) return judge_breach(report);
    }
    if (const auto loss = judge_losses()) return *loss;
    for (const auto& [node, report] : reports_) {
        if (report.stage == Stage::refused || !report.refusals.empty()) return judge_refusal(report);
    }
    if (nodes_.empty()) return {{State::accepted, {}}};
    const bool whole = missing().empty();
    if (const auto unkept = whole ? find_unkept(now) : std::nullopt; unkept && !is_observed(reports_))
        return {
            {State::breached, {{"code", std::string(entry_of(Code::unregistered).id)}, {"reason", *unkept}}}};
    if (whole) return judge_whole();
    if (!settled_ && now - known_ > deadline) return judge_silence();
    return {{State::accepted, {}}};
}

Comment carry_snapshot(const std::optional<Comment>& current, Comment next)
{
    const std::string told = current ? field_of(*current, snapshot_key) : "";
    if (!told.empty() && field_of(next, snapshot_key).empty()) next.fields.emplace_back(snapshot_key, told);
    return next;
}

std::optional<std::uint64_t> told_snapshot(const Comment& comment)
{
    return parse_number(field_of(comment, snapshot_key));
}

bool is_same_post(const Judgement& a, const Judgement& b)
{
    return a.comment == b.comment && a.action == b.action && a.by_silence == b.by_silence &&
           a.started == b.started;
}

std::string choose_writer(const std::vector<std::string>& nodes, const std::vector<std::string>& dead)
{
    for (const std::string& node : nodes) {
        if (std::find(dead.begin(), dead.end(), node) == dead.end()) return node;
    }
    return {};
}

bool may_follow(const Comment& current, const Judgement& next)
{
    if (run_of(current) != run_of(next.comment)) return true;
    switch (current.state) {
    case State::refused: return false;
    case State::breached:
        return next.comment.state == State::recovering || is_curable(current) ||
               (next.comment.state == State::breached && is_outlived(current));
    case State::granted:
    case State::honoured:
    case State::recovering: return !next.by_silence;
    case State::observed:
    case State::accepted:
    case State::released: break;
    }
    return true;
}

} // namespace mscale::daemon

#include "tests/doubles/keeper/keeper.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.hpp"

namespace mscale::doubles {
namespace {

Json refuse(std::string_view code, std::string_view text)
{
    return {{"ok", false}, {"error", {{"code", code}, {"text", text}, {"cure", "ask the test"}}}};
}

void tell_test(const Json& event)
{
    std::printf("%s\n", event.dump().c_str());
    std::fflush(stdout);
}

} // namespace

Member& Keeper::member(std::uint32_t rank, std::uint64_t state_bytes)
{
    Member& own = members_[rank];
    if (own.memory) return own;
    own.layout =
        recovery::lay_out_segment(state_bytes ? state_bytes : options_.data_bytes, options_.page_bytes);
    own.memory = Fd(::memfd_create("keeper double", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (::ftruncate(own.memory.number(), static_cast<off_t>(own.layout.total_bytes)) != 0) std::abort();
    void* const start =
        ::mmap(nullptr, own.layout.total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, own.memory.number(), 0);
    if (start == MAP_FAILED) std::abort();
    ::fcntl(own.memory.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    std::memset(start, 0, own.layout.total_bytes);
    own.bytes = {static_cast<std::byte*>(start), own.layout.total_bytes};
    return own;
}

recovery::Owner Keeper::owner(std::uint32_t rank) const
{
    return {job_id, static_cast<std::uint32_t>(::getuid()), rank, options_.ranks, run_};
}

void Keeper::begin_run()
{
    ++run_.step;
    next_epoch_ = greatest_epoch_ + 1;
    book_.begin(run_, options_.ranks);
    for (auto& [rank, own] : members_) {
        own.joined = false;
        own.restored.reset();
    }
    held_back_.clear();
}

/// The slot of a rank that holds this epoch whole.
std::optional<unsigned> Keeper::find_slot(std::uint32_t rank, std::uint64_t epoch)
{
    const auto found = members_.find(rank);
    if (found == members_.end()) return std::nullopt;
    for (unsigned slot = 0; slot < recovery::SegmentLayout::slots; ++slot) {
        const auto view = found->second.view();
        const auto read = read_slot(view, slot, owner(rank));
        if (!read || !*read || (*read)->header.epoch != epoch) continue;
        if (verify_data(view.data(slot).first((*read)->manifest.data_bytes), (*read)->manifest)) return slot;
    }
    return std::nullopt;
}

/// null: nothing was ever committed; an error: something was, and nothing is left.
Json Keeper::choose(std::uint32_t rank)
{
    for (auto record = committed_.rbegin(); record != committed_.rend(); ++record) {
        bool whole = !rejected_.contains(record->first);
        for (std::uint32_t other = 0; other < options_.ranks; ++other)
            whole = whole && find_slot(other, record->first).has_value();
        if (!whole) continue;
        const auto slot = find_slot(rank, record->first);
        return {{"slot", *slot}, {"epoch", record->first}, {"step", record->second}};
    }
    if (committed_.empty() && left_ && !rejected_.contains(left_->record.epoch)) {
        const recovery::CommitRecord& record = left_->record;
        return {{"slot", 0}, {"epoch", record.epoch}, {"step", record.step},
                {"writers", {{"ranks", record.ranks}, {"restarts", record.incarnation.restarts}, {"step_id", record.incarnation.step}}}};
    }
    return committed_.empty() && !left_ ? Json(nullptr) : Json("none is usable");
}

Json Keeper::describe_restore(std::uint32_t rank)
{
    const Json restore = choose(rank);
    if (restore.is_string()) return refuse("MSC-R005", restore.get<std::string>());
    return {{"ok", true}, {"restore", restore}};
}

/// What was committed last stays for a run of another number of ranks.
void Keeper::end_run_for(std::uint32_t ranks)
{
    if (!committed_.empty()) {
        const auto [epoch, step] = *committed_.rbegin();
        const auto sealed = read_slot(members_.at(0).view(), find_slot(0, epoch).value(), owner(0)).value();
        left_ = Left{{job_id, sealed->header.owner.incarnation, options_.ranks, epoch, step}, std::move(members_)};
    }
    options_.ranks = ranks;
    members_.clear();
    committed_.clear();
    book_ = recovery::CommitBook(job_id, ranks);
    begin_run();
}

/// A piece of what a rank of the run before holds, into the memory of the one that asks.
Reply Keeper::read(std::uint32_t rank, const Json& message)
{
    const auto from = message.at("rank").get<std::uint32_t>();
    if (!left_ || message.at("epoch") != left_->record.epoch || !left_->members.contains(from))
        return {rank, refuse("MSC-R005", "nobody has it")};
    const recovery::SegmentView view = left_->members.at(from).view();
    const recovery::Owner owner{job_id, static_cast<std::uint32_t>(::getuid()), from, left_->record.ranks, left_->record.incarnation};
    for (unsigned slot = 0; slot < recovery::SegmentLayout::slots; ++slot) {
        const auto sealed = read_slot(view, slot, owner);
        if (!sealed || !*sealed || (*sealed)->header.epoch != left_->record.epoch) continue;
        std::span<const std::byte> whole = view.data(slot);
        if (message.at("kind") == "header") whole = view.header(slot);
        if (message.at("kind") == "manifest") whole = std::as_bytes(std::span((*sealed)->encoded_manifest));
        const auto piece = whole.subspan(message.at("at"), message.at("bytes"));
        std::ranges::copy(piece, members_.at(rank).view().data(0).begin());
        return {rank, {{"ok", true}}};
    }
    return {rank, refuse("MSC-R001", "no slot holds it")};
}

Reply Keeper::join(std::uint32_t rank, const Json& message)
{
    const Json writers = choose(rank);
    if (writers.is_object() && writers.contains("writers") && !message.value("elastic", false))
        return {rank, refuse("MSC-R005", "the snapshots are of another number of ranks")};
    if (!refusal_.empty()) return {rank, refuse(refusal_, "the test says no")};
    const bool have = message.value("have", false);
    if (run_.step == 0 || (!have && members_[rank].joined)) begin_run();
    Member& own = member(rank, message.value("state_bytes", std::uint64_t{0}));
    Json answer = have ? Json{{"ok", true}, {"restore", nullptr}} : describe_restore(rank);
    if (!answer["ok"].get<bool>()) return {rank, answer};
    const bool pass = !have || !own.joined || pass_again_;
    own.joined = true;
    answer.update({{"data_bytes", own.layout.data_bytes},
                   {"page_bytes", options_.page_bytes},
                   {"job", job_id},
                   {"uid", ::getuid()},
                   {"restarts", run_.restarts},
                   {"step_id", run_.step},
                   {"next_epoch", next_epoch_},
                   {"every_steps", options_.every_steps ? Json(*options_.every_steps) : Json(nullptr)},
                   {"every_ms", options_.every_ms ? Json(*options_.every_ms) : Json(nullptr)},
                   {"ops", options_.ops}});
    return {rank, answer, pass ? own.memory.number() : -1};
}

void Keeper::prepare(std::uint32_t rank, std::uint64_t epoch, std::uint64_t step)
{
    const auto record = book_.prepare(run_, rank, epoch, step);
    if (!record) tell_test({{"refused", to_line(record.error())}});
    if (record && *record) committed_[(*record)->epoch] = (*record)->step;
    if (record && *record) tell_test({{"committed", (*record)->epoch}, {"step", (*record)->step}});
    publish();
}

void Keeper::publish()
{
    for (auto& [rank, own] : members_) {
        if (!committed_.empty()) own.view().set_committed_epoch(committed_.rbegin()->first);
        own.view().set_abandoned_epoch(book_.abandoned());
    }
}

void Keeper::seal(std::uint32_t rank, const Json& message)
{
    const auto epoch = message.at("epoch").get<std::uint64_t>(),
               step = message.at("step").get<std::uint64_t>();
    const bool whole = find_slot(rank, epoch) == message.at("slot").get<unsigned>();
    greatest_epoch_ = std::max(greatest_epoch_, epoch);
    tell_test({{"sealed", epoch}, {"rank", rank}, {"step", step}, {"whole", whole}});
    if (!whole) return;
    if (hold_)
        held_back_.push_back({rank, epoch, step});
    else
        prepare(rank, epoch, step);
}

std::vector<Reply> Keeper::reject(std::uint32_t rank, std::uint64_t epoch)
{
    rejected_.insert(epoch);
    std::vector<Reply> replies = {{rank, describe_restore(rank)}};
    for (auto& [other, own] : members_)
        if (own.restored == epoch) replies.push_back({other, describe_restore(other)});
    for (auto& [other, own] : members_) own.restored.reset();
    return replies;
}

std::vector<Reply> Keeper::restored(std::uint32_t rank, std::uint64_t epoch)
{
    if (rejected_.contains(epoch)) return {{rank, describe_restore(rank)}};
    members_[rank].restored = epoch;
    std::vector<Reply> replies;
    for (std::uint32_t other = 0; other < options_.ranks; ++other) {
        if (members_[other].restored != epoch) return {};
        replies.push_back({other, Json{{"ok", true}, {"restore", nullptr}}});
    }
    return replies;
}

std::vector<Reply> Keeper::take(std::uint32_t rank, const Json& message)
{
    const auto op = message.value("op", "");
    if (op == "join") return {join(rank, message)};
    if (op == "read") return {read(rank, message)};
    if (op == "reject") return reject(rank, message.at("epoch"));
    if (op == "restored") return restored(rank, message.at("epoch"));
    if (op == "sealed")
        seal(rank, message);
    else
        tell_test({{"told", message}, {"rank", rank}});
    return {};
}

void Keeper::obey(const std::vector<std::string>& words)
{
    const auto number = [&](std::size_t i) { return parse_number(words.at(i)).value(); };
    if (words[0] == "hold") hold_ = true;
    if (words[0] == "commit") {
        hold_ = false;
        for (const auto& [rank, epoch, step] : std::exchange(held_back_, {}))
            prepare(static_cast<std::uint32_t>(rank), epoch, step);
    }
    if (words[0] == "run") begin_run();
    if (words[0] == "ranks") end_run_for(static_cast<std::uint32_t>(number(1)));
    if (words[0] == "degraded")
        for (auto& [rank, own] : members_) own.view().set_degraded(number(1) != 0);
    if (words[0] == "flip")
        members_.at(static_cast<std::uint32_t>(number(1)))
            .view()
            .data(static_cast<unsigned>(number(2)))[number(3)] ^= std::byte{1};
    if (words[0] == "word")
        for (auto& [rank, own] : members_) own.view().set_committed_epoch(number(1));
    if (words[0] == "pass-again") pass_again_ = true;
    if (words[0] == "forget") members_.clear();
    if (words[0] == "refuse") refusal_ = words.at(1);
    if (words[0] == "accept") refusal_.clear();
}

} // namespace mscale::doubles

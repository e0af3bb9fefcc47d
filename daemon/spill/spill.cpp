#include "daemon/spill/spill.hpp"

#include "base/json.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds look_limit = 20s;
constexpr std::chrono::milliseconds start_limit = 60s; // of the first bytes
constexpr std::uint64_t slowest = 8 << 20;             // bytes a second: a file system below it counts as hanging

constexpr std::size_t most_listed = 1 << 22; // ranks of all epochs

std::chrono::milliseconds limit_of(const SpillRequest& request)
{
    std::uint64_t bytes = 0;
    for (const auto& slot : request.slots) bytes += slot.data_bytes;
    const std::uint64_t rate = std::min(request.rate, slowest);
    return start_limit + std::chrono::seconds(bytes / rate);
}

/// What the program printed.  It ran as the user, so that its words are believed no more than the user's.
Result<Json> read_answer(const Outcome& outcome, const std::string& program)
{
    if (outcome.timed_out) return failure(Code::spill, "the file system of ft.spill didn't answer in time");
    if (outcome.status != 0)
        return failure(Code::spill, format("{}: exit {}, {}", program, outcome.status, printable(outcome.diagnostics)));
    auto answer = parse_json(outcome.output, "mscale-spill's answer");
    if (!answer) return answer;
    if (auto error = error_of(*answer)) {
        error->text = printable(error->text, 400);
        return tl::unexpected(std::move(*error));
    }
    return answer;
}

SpillRequest make_request(SpillAct act, const SpillPlace& place, const recovery::CommitRecord& record,
                          const std::string& node, std::uint64_t rate)
{
    SpillRequest request;
    request.act = act;
    request.place = place;
    request.record = record;
    request.node = node;
    request.rate = rate;
    return request;
}

/// A record of which only the job counts.
recovery::CommitRecord any_record_of(std::uint32_t job_id)
{
    return {job_id, {}, 1, 1, 0};
}

SpillRequest::Slot slot_of(const HeldSegment& segment, std::uint32_t rank, unsigned slot)
{
    return {rank, slot, segment.memory.view().layout().data_bytes};
}

} // namespace

Spill::Spill(Loop& loop, std::string program, std::function<std::uint64_t()> rate)
    : program_(std::move(program)), rate_(std::move(rate)), writing_(loop), looking_(loop)
{
}

Result<Json> Spill::run(const SpillRequest& request, const std::vector<int>& descriptors) const
{
    const auto limit = request.act == SpillAct::list ? look_limit : limit_of(request);
    const auto outcome = run_process({program_}, {"PATH=/usr/bin:/bin"}, write_json(to_json(request)), limit,
                                     default_death_limit, descriptors);
    if (!outcome) return tl::unexpected(outcome.error());
    return read_answer(*outcome, program_);
}

Result<void> Spill::run_write(SpillRequest request, const std::vector<Source>& sources) const
{
    std::vector<int> descriptors;
    for (const Source& source : sources) {
        const std::scoped_lock lock(source.segment->mutex);
        request.slots.push_back(slot_of(*source.segment, source.segment->owner.rank, source.slot));
        descriptors.push_back(source.segment->memory.descriptor());
    }
    const auto done = run(request, descriptors);
    return done ? Result<void>() : tl::unexpected(done.error());
}

void Spill::write(const SpillPlace& place, const recovery::CommitRecord& record, const std::string& node,
                  std::vector<Source> sources, Done done)
{
    writing_.run<Result<void>>(
        [this, request = make_request(SpillAct::write, place, record, node, rate_()), sources = std::move(sources)] {
            return run_write(request, sources);
        },
        std::move(done));
}

void Spill::settle(const SpillPlace& place, const recovery::CommitRecord& record, const std::string& node, Done done)
{
    writing_.run<Result<void>>(
        [this, request = make_request(SpillAct::settle, place, record, node, rate_())] { return run_write(request, {}); },
        std::move(done));
}

Result<std::vector<recovery::SpilledEpoch>> Spill::run_list(const SpillRequest& request) const
{
    const auto answer = run(request, {});
    if (!answer) return tl::unexpected(answer.error());
    const auto list = read_member<Json>(*answer, "epochs", "mscale-spill's answer");
    if (!list) return tl::unexpected(list.error());
    std::vector<recovery::SpilledEpoch> epochs;
    std::size_t ranks = 0;
    for (const Json& item : *list) {
        auto epoch = recovery::spilled_from_json(item, "mscale-spill's answer");
        if (!epoch) return tl::unexpected(std::move(epoch.error()));
        ranks += epoch->ranks.size();
        if (ranks > most_listed) break; // the newest come first
        epochs.push_back(std::move(*epoch));
    }
    return epochs;
}

void Spill::list(const SpillPlace& place, std::uint32_t job_id, Listed listed)
{
    looking_.run<Result<std::vector<recovery::SpilledEpoch>>>(
        [this, request = make_request(SpillAct::list, place, any_record_of(job_id), "", 1)] { return run_list(request); },
        std::move(listed));
}

Result<void> Spill::read(const SpillPlace& place, const recovery::CommitRecord& record, const HeldSegment& segment,
                         std::uint32_t rank, unsigned slot) const
{
    SpillRequest request = make_request(SpillAct::read, place, record, "", UINT64_MAX);
    request.slots = {slot_of(segment, rank, slot)};
    const auto done = run(request, {segment.memory.descriptor()});
    return done ? Result<void>() : tl::unexpected(done.error());
}

Result<void> Spill::read_piece(const SpillPlace& place, const recovery::CommitRecord& record,
                               const recovery::PieceRequest& piece, const HeldSegment& into, unsigned slot) const
{
    SpillRequest request = make_request(SpillAct::piece, place, record, "", UINT64_MAX);
    request.slots = {slot_of(into, piece.owner.rank, slot)};
    request.piece = {piece.kind, piece.at, piece.bytes};
    const auto done = run(request, {into.memory.descriptor()});
    return done ? Result<void>() : tl::unexpected(done.error());
}

} // namespace mscale::daemon

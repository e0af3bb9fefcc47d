#include "daemon/keeper/carrier.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/coding/rebuild.hpp"

namespace mscale::daemon {

namespace {

const sockaddr* address_of(const KeeperAddress& keeper)
{
    return reinterpret_cast<const sockaddr*>(&keeper.address.address);
}

/// How long TCP is used after RDMA has failed.
constexpr std::chrono::seconds rdma_pause{60};

/// An error of the connection, not of the snapshot.
bool is_of_the_way(const Error& error)
{
    return error.code == Code::peer || error.code == Code::verbs;
}

/// The snapshot of the record in a slot, with data as they were saved.
Result<recovery::SlotHeader> verify_slot_of(const HeldSegment& own, unsigned slot, const recovery::CommitRecord& record,
                                            const recovery::Owner& wanted)
{
    const recovery::SegmentView view = own.memory.view();
    const auto sealed = recovery::read_slot(view, slot, wanted);
    if (!sealed) return tl::unexpected(sealed.error());
    if (!*sealed || (*sealed)->header.owner.incarnation != record.incarnation ||
        (*sealed)->header.epoch != record.epoch)
        return failure(Code::snapshot_damaged, format("slot {} no longer holds epoch {}", slot, record.epoch));
    if (auto verified = recovery::verify_data(view.data(slot), (*sealed)->manifest); !verified)
        return tl::unexpected(std::move(verified.error()));
    return (*sealed)->header;
}

/// The slot of `own` that holds the record's epoch.
Result<unsigned> verify_own(HeldSegment& own, const recovery::CommitRecord& record)
{
    std::unique_lock lock(own.mutex);
    const auto slot = SegmentStore::find_slot(own, record.epoch);
    const bool same_job = slot && own.sealed[*slot]->owner.job_id == record.job_id;
    const recovery::Owner wanted = recovery::owner_in(record, own.owner);
    lock.unlock();
    if (!same_job)
        return failure(Code::no_snapshot, format("epoch {} isn't in this node's own memory", record.epoch));
    const auto header = verify_slot_of(own, *slot, record, wanted);
    if (!header) return tl::unexpected(header.error());
    return *slot;
}

/// The node doesn't see the file that others saw.
Error elsewhere(const Error& missing, std::uint32_t rank, const Carrier::Sources& sources)
{
    return failure(Code::spill_elsewhere, format("rank {}: {} (node {}); it was seen on {}", rank, missing.text, sources.self,
                                                 join(sources.spilled, ", ")))
        .value();
}

} // namespace

Carrier::Carrier(Loop& loop, const recovery::Introduction& introduction, const recovery::Timing& timing, const Spill& spill,
                 SegmentStore& store, Admit admit)
    : spill_(spill), store_(store), admit_(std::move(admit)), introduction_(introduction), timing_(timing),
      pieces_(store, introduction, timing), out_(loop), in_(loop)
{
}

void Carrier::copy_out(std::shared_ptr<HeldSegment> own, unsigned slot, std::uint64_t epoch,
                       std::vector<KeeperAddress> partners, std::function<void(const Result<Copied>&)> done)
{
    out_.run<Result<Copied>>([this, own = std::move(own), slot, epoch,
                              partners = std::move(partners)] { return copy(*own, slot, epoch, partners); },
                             std::move(done));
}

Result<Carrier::Copied> Carrier::copy(const HeldSegment& own, unsigned slot, std::uint64_t epoch,
                                      const std::vector<KeeperAddress>& partners)
{
    const auto sealed = recovery::read_slot(own.memory.view(), slot, own.owner);
    if (!sealed) return tl::unexpected(sealed.error());
    if (!*sealed || (*sealed)->header.epoch != epoch || (*sealed)->header.owner != own.owner)
        return failure(Code::snapshot_damaged,
                       format("slot {} doesn't hold epoch {} of this run", slot, epoch));
    Copied copied{(*sealed)->header, {}, {}};
    for (const KeeperAddress& partner : partners) {
        auto sent = send_to(partner, own, slot, **sealed);
        if (sent)
            copied.held_by.push_back(partner.node);
        else
            copied.failures.push_back(std::move(sent.error()));
    }
    return copied;
}

bool Carrier::may_use_rdma(const std::string& node)
{
    const std::scoped_lock lock(mutex_);
    const auto failed = rdma_failed_.find(node);
    return failed == rdma_failed_.end() || std::chrono::steady_clock::now() - failed->second > rdma_pause;
}

void Carrier::give_up_rdma(const std::string& node, const Error& error)
{
    log_error(format("snapshots from and to {} go by TCP for {} s", node, rdma_pause.count()), error);
    const std::scoped_lock lock(mutex_);
    rdma_failed_[node] = std::chrono::steady_clock::now();
}

Result<recovery::FrameStream> Carrier::connect(const KeeperAddress& keeper, const Terms& terms)
{
    auto stream = recovery::FrameStream::connect(address_of(keeper), keeper.address.length, introduction_,
                                                 timing_.connect, timing_.fetch_stall);
    if (!stream || !terms || !may_use_rdma(keeper.node)) return stream;
    const auto used = recovery::use_verbs(*stream, *terms, timing_.connect);
    if (!used) give_up_rdma(keeper.node, used.error());
    if (used || used.error().code == Code::verbs) return stream;
    return connect(keeper, std::nullopt); // what was said over the stream so far is unclear
}

Result<recovery::FrameStream*> Carrier::stream_to(const KeeperAddress& partner, const Terms& terms)
{
    const std::pair key(partner.node, terms);
    const auto found = streams_.find(key);
    if (found != streams_.end()) return &found->second;
    auto stream = connect(partner, terms);
    if (!stream) return tl::unexpected(std::move(stream.error()));
    return &streams_.emplace(key, std::move(*stream)).first->second;
}

Result<void> Carrier::send_to(const KeeperAddress& partner, const HeldSegment& own, unsigned slot,
                              const recovery::SealedSlot& sealed)
{
    const recovery::SegmentView view = own.memory.view();
    const std::pair key(partner.node, own.verbs);
    const bool kept = streams_.contains(key);
    auto stream = stream_to(partner, own.verbs);
    if (!stream) return tl::unexpected(std::move(stream.error()));
    auto sent = recovery::send_snapshot(**stream, sealed, view.data(slot), view.layout().data_bytes, view.committed_epoch());
    if (sent) return sent;
    const bool rdma = (*stream)->path().is_rdma();
    streams_.erase(key);
    if (!is_of_the_way(sent.error())) return sent;
    // The other keeper may have started anew since the stream was made; else a port has failed, and TCP has another.
    if (!kept && rdma) give_up_rdma(partner.node, sent.error());
    return kept || rdma ? send_to(partner, own, slot, sealed) : sent;
}

void Carrier::bring_in(std::shared_ptr<HeldSegment> own, const recovery::CommitRecord& record, Sources sources,
                       std::function<void(const Result<Brought>&)> done)
{
    in_.run<Result<Brought>>(
        [this, own = std::move(own), record, sources = std::move(sources)]() -> Result<Brought> {
            return bring(*own, record, sources);
        },
        std::move(done));
}

Carrier::Brought Carrier::bring(HeldSegment& own, const recovery::CommitRecord& record, const Sources& sources)
{
    using recovery::Tier;
    Brought brought;
    std::unique_lock lock(own.mutex);
    const std::uint32_t rank = own.owner.rank;
    lock.unlock();
    const auto take = [&](const std::string& node, Tier tier, const Result<unsigned>& slot) {
        if (slot) return void(brought.slot = *slot);
        brought.unusable.push_back({rank, node, tier, slot.error()});
    };
    auto verified = verify_own(own, record);
    if (verified || verified.error().code != Code::no_snapshot) take(sources.self, Tier::memory, verified);
    for (const KeeperAddress& source : sources.nodes) {
        if (brought.slot) break;
        take(source.node, Tier::memory, fetch(own, record, source));
    }
    if (!brought.slot && sources.rebuild) rebuild(own, record, sources, brought);
    if (brought.slot || sources.spilled.empty()) return brought;
    const auto read = read_file(own, record, sources);
    for (const std::string& node : sources.spilled) take(node, Tier::spill, read); // one file, whoever saw it
    return brought;
}

void Carrier::rebuild(HeldSegment& own, const recovery::CommitRecord& record, const Sources& sources, Brought& brought)
{
    const recovery::RebuildPlan& plan = *sources.rebuild;
    std::unique_lock lock(own.mutex);
    const recovery::Owner any = recovery::owner_in(record, own.owner);
    lock.unlock();
    const auto read = [&](const recovery::GroupPiece& piece, std::span<std::byte> place) -> Result<void> {
        const std::string& node = plan.node_of(piece);
        const auto keeper = std::ranges::find(sources.group, node, &KeeperAddress::node);
        if (node != sources.self && keeper == sources.group.end())
            return failure(Code::peer, "the address of node " + node + " isn't known");
        recovery::Owner owner = any;
        owner.rank = plan.group.members[piece.member].rank;
        return pieces_.read(node == sources.self ? nullptr : &*keeper, {owner, record.epoch, piece.kind, piece.at, piece.bytes},
                            place);
    };
    auto rebuilt = rebuild_snapshot(own, record, plan, read);
    if (rebuilt) return void(brought.slot = *rebuilt);
    // A sum that isn't what was saved names no part: the coded ones are given up one by one.
    const auto first = static_cast<unsigned>(
        std::ranges::find_if(plan.coded, [](const std::string& node) { return !node.empty(); }) - plan.coded.begin());
    const recovery::GroupPiece any_coded{first, recovery::PieceKind::coded, 0, 0};
    const recovery::GroupPiece piece = rebuilt.error().piece.value_or(any_coded);
    if (piece.member >= plan.group.size()) return;
    brought.unusable.push_back({plan.group.members[piece.member].rank, plan.node_of(piece),
                                piece.kind == recovery::PieceKind::coded ? recovery::Tier::coded : recovery::Tier::memory,
                                rebuilt.error().why});
}

void Carrier::read_piece(std::shared_ptr<HeldSegment> into, unsigned slot, const recovery::PieceRequest& request,
                         const recovery::CommitRecord& record, Sources sources,
                         std::function<void(const PieceRead&)> done)
{
    in_.run<Result<PieceRead>>(
        [this, into = std::move(into), slot, request, record, sources = std::move(sources)]() -> Result<PieceRead> {
            return read_from_any(*into, slot, request, record, sources);
        },
        [done = std::move(done)](const Result<PieceRead>& piece) {
            done(piece ? *piece : PieceRead{tl::unexpected(piece.error())});
        });
}

Carrier::PieceRead Carrier::read_from_any(const HeldSegment& into, unsigned slot, const recovery::PieceRequest& request,
                                          const recovery::CommitRecord& record, const Sources& sources)
{
    const auto place = into.memory.view().data(slot).first(request.bytes);
    PieceRead piece{failure(Code::no_snapshot, format("no node has rank {} of epoch {}", request.owner.rank, request.epoch))};
    const auto take = [&](const std::string& node, Result<void> read) {
        if (!read && read.error().code == Code::snapshot_damaged)
            piece.unusable.push_back({request.owner.rank, node, recovery::Tier::memory, read.error()});
        piece.read = std::move(read);
    };
    if (sources.held_here) take(sources.self, pieces_.read(nullptr, request, place));
    for (const KeeperAddress& source : sources.nodes)
        if (!piece.read && source.node != sources.self) take(source.node, pieces_.read(&source, request, place));
    if (!piece.read && sources.rebuild) piece.read = read_rebuilt(request, place, record, sources);
    if (!piece.read && !sources.spilled.empty()) piece.read = read_from_file(into, slot, request, record, sources);
    return piece;
}

Result<void> Carrier::read_from_file(const HeldSegment& into, unsigned slot, const recovery::PieceRequest& request,
                                     const recovery::CommitRecord& record, const Sources& sources) const
{
    if (!sources.place) return failure(Code::spill, "the contract of this run has no ft.spill");
    const auto read = spill_.read_piece(*sources.place, record, request, into, slot);
    if (!read && read.error().code == Code::no_snapshot)
        return tl::unexpected(elsewhere(read.error(), request.owner.rank, sources));
    return read;
}

Result<void> Carrier::read_rebuilt(const recovery::PieceRequest& request, std::span<std::byte> place,
                                   const recovery::CommitRecord& record, const Sources& sources)
{
    auto read = pieces_.read(nullptr, request, place); // of what an earlier piece was made for
    if (read || read.error().code != Code::no_snapshot) return read;
    if (auto held = hold_rebuilt(request.owner, record, sources); !held) return held;
    return pieces_.read(nullptr, request, place);
}

/// It goes with all else that the owner's run has left.  It isn't given to the holder, since it can be made again.
Result<void> Carrier::hold_rebuilt(const recovery::Owner& owner, const recovery::CommitRecord& record, const Sources& sources)
{
    const auto member = sources.rebuild->group.find(owner.rank);
    if (!member) return failure(Code::parts_lost, format("rank {} isn't of the group", owner.rank));
    const std::uint64_t room = sources.rebuild->group.members[*member].data_bytes;
    if (auto admitted = admit_(room); !admitted) return admitted;
    const auto made = store_.make(owner, room, SegmentStore::Kind::copy);
    if (!made) return tl::unexpected(made.error());
    Brought brought;
    rebuild(**made, record, sources, brought);
    if (!brought.slot && !brought.unusable.empty()) return tl::unexpected(brought.unusable.front().why);
    if (!brought.slot) return failure(Code::parts_lost, format("rank {} can't be made of its group's parts", owner.rank));
    (*made)->committed = record.epoch;
    store_.adopt(*made, SegmentStore::Kind::copy);
    log_line(Level::info, format("job {}: what rank {} of {} wrote was made of its group's parts", owner.job_id, owner.rank,
                                 owner.ranks));
    return {};
}

Result<unsigned> Carrier::read_file(HeldSegment& own, const recovery::CommitRecord& record, const Sources& sources) const
{
    if (!sources.place) return failure(Code::spill, "the contract of this run has no ft.spill");
    std::unique_lock lock(own.mutex);
    const recovery::Owner wanted = recovery::owner_in(record, own.owner);
    const unsigned slot = SegmentStore::choose_slot(own, record.epoch);
    own.sealed[slot].reset();
    lock.unlock();
    const auto read = spill_.read(*sources.place, record, own, wanted.rank, slot);
    if (!read && read.error().code == Code::no_snapshot)
        return tl::unexpected(elsewhere(read.error(), wanted.rank, sources));
    if (!read) return tl::unexpected(read.error());
    auto header = verify_slot_of(own, slot, record, wanted);
    if (!header) header.error().text = recovery::name_snapshot({record, wanted.rank}) + ": " + header.error().text;
    if (!header) return tl::unexpected(header.error());
    SegmentStore::seal(own, slot, *header);
    return slot;
}

Result<unsigned> Carrier::fetch(HeldSegment& own, const recovery::CommitRecord& record,
                                const KeeperAddress& source)
{
    auto stream = connect(source, own.verbs);
    if (!stream) return tl::unexpected(std::move(stream.error()));
    unsigned slot = 0;
    const auto provide = [&](const recovery::Announcement& announced) -> Result<recovery::Destination> {
        const std::scoped_lock lock(own.mutex);
        slot = SegmentStore::choose_slot(own, announced.epoch);
        own.sealed[slot].reset();
        return recovery::Destination{own.memory.view(), slot};
    };
    const auto header = recovery::fetch_snapshot(*stream, recovery::owner_in(record, own.owner), record.epoch, provide);
    if (header) {
        SegmentStore::seal(own, slot, *header);
        return slot;
    }
    if (!stream->path().is_rdma() || !is_of_the_way(header.error())) return tl::unexpected(header.error());
    give_up_rdma(source.node, header.error());
    return fetch(own, record, source);
}

} // namespace mscale::daemon

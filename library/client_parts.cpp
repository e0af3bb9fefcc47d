// What a restore gives the program: all that this rank saved, or its part of what another number of ranks did.
#include "base/json.hpp"
#include "base/text.hpp"
#include "library/client.hpp"

namespace mscale::library {
namespace {

constexpr const char* no_restore = "no restore has been started";

const char* word_of(WrittenPiece::Kind kind)
{
    if (kind == WrittenPiece::Kind::data) return "data";
    return kind == WrittenPiece::Kind::header ? "header" : "manifest";
}

/// As many ranks as wrote it: where this one stood, if nothing is to be changed.
Result<recovery::RankCursor> check_own_cursor(const std::string& bytes, const Rank& rank, std::uint32_t batch)
{
    auto cursor = recovery::decode_cursor(bytes);
    if (!cursor) return cursor;
    if (cursor->rank != rank.rank || cursor->ranks != rank.ranks || (batch != 0 && batch != cursor->batch))
        return failure(Code::reshape,
                       format("a sample cursor of rank {} of {} with batches of {} isn't one of rank {} of {} with {}",
                              cursor->rank, cursor->ranks, cursor->batch, rank.rank, rank.ranks, batch));
    return cursor;
}

} // namespace

std::span<const recovery::Extent> Client::extents() const
{
    if (parts_) return parts_->extents();
    return restore_ ? restore_->extents() : std::span<const recovery::Extent>();
}

std::uint32_t Client::writers() const
{
    if (!restart_pending_) return 0;
    return point_->writers ? point_->writers->ranks : rank_.ranks;
}

Result<void> Client::open_parts()
{
    const Terms& terms = session_.terms();
    const RestorePoint point = *point_;
    Written::Which which{{terms.restore_job, terms.uid, 0, point.writers->ranks, point.writers->run}, point.epoch, point.step,
                         session_.segment().layout().data_bytes};
    auto written = Written::open(which, [this](const WrittenPiece& piece) { return read_written(piece); });
    if (!written) return tl::unexpected(std::move(written.error()));
    parts_.emplace(std::move(*written), rank_);
    return {};
}

/// The keeper puts the piece into this rank's memory.
Result<std::span<const std::byte>> Client::read_written(const WrittenPiece& piece)
{
    auto answer = ask_written(piece);
    while (!answer && answer.error().code == Code::keeper_lost) {
        const auto joined = session_.join_anew();
        if (!joined) return tl::unexpected(joined.error());
        const auto& restore = session_.terms().restore;
        if (!restore || restore->epoch != point_->epoch || restore->writers != point_->writers)
            return failure(Code::save_busy, "the keeper began anew, and goes on from another snapshot", "restore again");
        point_ = restore;
        answer = ask_written(piece);
    }
    if (!answer) return tl::unexpected(std::move(answer.error()));
    if (auto done = read_done(*answer); !done) return tl::unexpected(std::move(done.error()));
    return session_.segment().data(point_->slot).first(piece.bytes);
}

Result<Json> Client::ask_written(const WrittenPiece& piece)
{
    return session_.ask({{"op", "read"},
                         {"epoch", point_->epoch},
                         {"rank", piece.rank},
                         {"kind", word_of(piece.kind)},
                         {"at", piece.at},
                         {"bytes", piece.bytes}});
}

Result<const recovery::Extent*> Client::find(std::string_view name) const
{
    if (parts_) return parts_->find(name);
    if (!restore_) return wrong_order(no_restore);
    return restore_->find(name);
}

Result<void> Client::get(std::string_view name, std::span<std::byte> data)
{
    if (!parts_ && !restore_) return wrong_order(no_restore);
    if (restore_) return restore_->get(name, data);
    const auto whole = parts_->find(name);
    return whole ? get_part(**whole, data) : tl::unexpected(whole.error());
}

Result<void> Client::get_part(const recovery::Extent& wanted, std::span<std::byte> data)
{
    if (!parts_ && !restore_) return wrong_order(no_restore);
    if (restore_) return restore_->get_part(wanted, data);
    return parts_->get([this](const WrittenPiece& piece) { return read_written(piece); }, wanted, data);
}

Result<recovery::RankCursor> Client::get_cursor(std::string_view name, std::uint32_t batch)
{
    const auto extent = find(name);
    if (!extent) return tl::unexpected(extent.error());
    if ((*extent)->kind != recovery::ExtentKind::cursor)
        return failure(Code::save_order, format("'{}' is no cursor", printable(name)));
    if (parts_)
        return parts_->get_cursor([this](const WrittenPiece& piece) { return read_written(piece); }, name, batch);
    std::string bytes(std::min<std::uint64_t>((*extent)->bytes, 4096), '\0'); // more is no cursor
    if (auto got = restore_->get(name, std::as_writable_bytes(std::span(bytes))); !got)
        return tl::unexpected(std::move(got.error()));
    return check_own_cursor(bytes, rank_, batch);
}

} // namespace mscale::library

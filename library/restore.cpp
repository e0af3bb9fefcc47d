#include "library/restore.hpp"

#include <cstring>

#include "base/text.hpp"

namespace mscale::library {

Result<Restore> Restore::open(const recovery::SegmentView& segment, const RestorePoint& point,
                              const recovery::Owner& owner)
{
    auto read = read_slot(segment, point.slot, owner);
    if (!read) return tl::unexpected(std::move(read.error()));
    if (!*read || (*read)->header.epoch != point.epoch || (*read)->header.step != point.step)
        return failure(Code::snapshot_damaged, format("slot {}: it doesn't hold epoch {} of step {}",
                                                      point.slot, point.epoch, point.step));
    const auto data = segment.data(point.slot).first((*read)->manifest.data_bytes);
    if (auto verified = verify_data(data, (*read)->manifest); !verified)
        return failure(verified.error().code,
                       format("rank {}, epoch {}: {}", owner.rank, point.epoch, verified.error().text));
    return Restore(std::move(**read), data);
}

Restore::Restore(recovery::SealedSlot&& snapshot, std::span<const std::byte> data)
    : snapshot_(std::move(snapshot)), data_(data)
{
    for (std::size_t i = 0; i < extents().size(); ++i) by_name_.emplace(extents()[i].name, i);
}

Result<const recovery::Extent*> Restore::find(std::string_view name) const
{
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return &extents()[found->second];
    return failure(Code::save_order, format("the snapshot has no extent '{}'", printable(name)));
}

Result<void> Restore::get_part(const recovery::Extent& wanted, std::span<std::byte> data) const
{
    const auto found = find(wanted.name);
    if (!found) return tl::unexpected(found.error());
    const recovery::Extent& extent = **found;
    if (extent.kind != wanted.kind)
        return failure(Code::reshape, format("'{}': it was saved as another kind", printable(wanted.name)));
    if (wanted.kind == recovery::ExtentKind::tensor &&
        (extent.type != wanted.type || extent.global != wanted.global || extent.offset != wanted.offset ||
         extent.shape != wanted.shape))
        return failure(Code::reshape,
                       format("'{}': as many ranks go on as wrote it, and each takes the part that it saved, of the same type and "
                              "shape",
                              printable(wanted.name)));
    return get(wanted.name, data);
}

Result<void> Restore::get(std::string_view name, std::span<std::byte> data) const
{
    const auto found = find(name);
    if (!found) return tl::unexpected(found.error());
    const recovery::Extent& extent = **found;
    if (extent.bytes != data.size())
        return failure(Code::save_order, format("extent '{}' has {} bytes, not {}", printable(name),
                                                extent.bytes, data.size()));
    if (!data.empty()) std::memcpy(data.data(), data_.data() + extent.at, data.size());
    return {};
}

} // namespace mscale::library

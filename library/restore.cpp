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

Result<void> Restore::get(std::string_view name, std::span<std::byte> data) const
{
    const auto found = by_name_.find(name);
    if (found == by_name_.end())
        return failure(Code::save_order, format("the snapshot has no extent '{}'", printable(name)));
    const recovery::Extent& extent = extents()[found->second];
    if (extent.bytes != data.size())
        return failure(Code::save_order, format("extent '{}' has {} bytes, not {}", printable(name),
                                                extent.bytes, data.size()));
    if (!data.empty()) std::memcpy(data.data(), data_.data() + extent.at, data.size());
    return {};
}

} // namespace mscale::library

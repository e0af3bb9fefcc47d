#include "library/save.hpp"

#include "base/text.hpp"

namespace mscale::library {
namespace {

using recovery::Extent;
using recovery::ExtentKind;

tl::unexpected<Error> wrong(const std::string& name, std::string what)
{
    return failure(Code::save_order, format("extent '{}': {}", printable(name), what));
}

Result<void> check_tensor(const Extent& extent, std::size_t bytes)
{
    std::uint64_t wanted = size_of(extent.type);
    for (std::size_t axis = 0; axis < extent.shape.size(); ++axis) {
        const std::uint64_t global = extent.global[axis], offset = extent.offset[axis],
                            shape = extent.shape[axis];
        if (offset > global || shape > global - offset)
            return wrong(extent.name, format("axis {}: {} from {} pass {}", axis, shape, offset, global));
        if (__builtin_mul_overflow(wanted, shape, &wanted))
            return wrong(extent.name, "its shape is greater than a number can be");
    }
    if (wanted == bytes) return {};
    return wrong(extent.name, format("{} bytes aren't the {} of its shape", bytes, wanted));
}

} // namespace

Save::Save(const recovery::SegmentView& segment, unsigned slot, const recovery::SlotHeader& header)
    : segment_(segment), slot_(slot), header_(header), copy_(segment.data(slot))
{
    recovery::open_slot(segment_, slot_);
}

Result<void> Save::put(Extent extent, std::span<const std::byte> data)
{
    if (fault_) return tl::unexpected(*fault_);
    auto added = add(std::move(extent), data);
    if (!added) fault_ = added.error();
    return added;
}

Result<void> Save::add(Extent&& extent, std::span<const std::byte> data)
{
    if (extent.name.empty() || extent.name.size() > recovery::longest_name)
        return wrong(extent.name, format("a name has 1 to {} bytes", recovery::longest_name));
    if (names_.contains(extent.name)) return wrong(extent.name, "the name is put twice");
    if (names_.size() == recovery::most_extents)
        return wrong(extent.name, format("a save has at most {} extents", recovery::most_extents));
    if (extent.kind == ExtentKind::tensor)
        if (auto checked = check_tensor(extent, data.size()); !checked) return checked;
    if (!copy_.align(alignment) || data.size() > copy_.room()) return no_room(extent.name, data.size());
    extent.at = copy_.position();
    extent.bytes = data.size();
    copy_.append(data);
    names_.insert(extent.name);
    manifest_.extents.push_back(std::move(extent));
    return {};
}

tl::unexpected<Error> Save::no_room(const std::string& name, std::size_t bytes) const
{
    const std::uint64_t limit = segment_.layout().data_bytes;
    return failure(
        Code::snapshot_room,
        format("extent '{}' of {} bytes after {} passes the {} bytes reserved for this rank's state",
               printable(name), bytes, copy_.position(), limit),
        "state the size of all extents in ft.state of the contract, or in state_bytes of mscale_init");
}

Result<void> Save::seal()
{
    if (fault_) return tl::unexpected(*fault_);
    manifest_.data_bytes = copy_.position();
    manifest_.chunks = copy_.checksums();
    if (auto checked = check_manifest(manifest_); !checked) return checked;
    return seal_slot(segment_, slot_, header_, manifest_);
}

} // namespace mscale::library

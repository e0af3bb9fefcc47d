#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "library/copy.hpp"
#include "recovery/manifest.hpp"
#include "recovery/segment.hpp"
#include "recovery/slot.hpp"

namespace mscale::library {

/// One save into one slot, from its opening to its seal.
class Save {
public:
    static constexpr std::size_t alignment = 64; ///< of each extent in the slot's data

    /// Opens the slot: what it held is no snapshot any more.  `segment` outlives the save.
    Save(const recovery::SegmentView& segment, unsigned slot, const recovery::SlotHeader& header);

    /// Copies one extent in; `extent` says what it is, its place is filled in here.  After a refusal the save can't
    /// be sealed any more.
    Result<void> put(recovery::Extent extent, std::span<const std::byte> data);
    /// Makes it a snapshot.
    Result<void> seal();

    unsigned slot() const { return slot_; }
    std::uint64_t epoch() const { return header_.epoch; }
    std::uint64_t step() const { return header_.step; }

private:
    Result<void> add(recovery::Extent&& extent, std::span<const std::byte> data);
    tl::unexpected<Error> no_room(const std::string& name, std::size_t bytes) const;

    recovery::SegmentView segment_;
    unsigned slot_;
    recovery::SlotHeader header_;
    recovery::Manifest manifest_;
    std::set<std::string, std::less<>> names_;
    SummingCopy copy_;
    std::optional<Error> fault_;
};

} // namespace mscale::library

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "recovery/segment.hpp"
#include "recovery/slot.hpp"

namespace mscale::library {

/// The snapshot that the keeper chose to go on from; it lies in a slot of this rank's memory.
struct RestorePoint {
    unsigned slot = 0;
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    /// Where another number of ranks wrote it: how many, and in which run.  The slot is then where the keeper puts pieces of
    /// what they wrote.
    struct Writers {
        std::uint32_t ranks = 0;
        recovery::Incarnation run;
        bool operator==(const Writers&) const = default;
    };
    std::optional<Writers> writers = {};
    bool operator==(const RestorePoint&) const = default;
};

/// A snapshot that is being read back.
class Restore {
public:
    /// Reads the manifest and compares all data with their checksums: what fails here is never used.
    static Result<Restore> open(const recovery::SegmentView& segment, const RestorePoint& point,
                                const recovery::Owner& owner);

    std::span<const recovery::Extent> extents() const { return snapshot_.manifest.extents; }
    /// The extent of this name; save_order when there is none.
    Result<const recovery::Extent*> find(std::string_view name) const;
    /// Copies an extent out.  save_order for a name that isn't there or another size.
    Result<void> get(std::string_view name, std::span<std::byte> data) const;
    /// The same where the extent is the one that is wanted, with its shape; reshape when it has another.
    Result<void> get_part(const recovery::Extent& wanted, std::span<std::byte> data) const;

private:
    Restore(recovery::SealedSlot&& snapshot, std::span<const std::byte> data);

    recovery::SealedSlot snapshot_;
    std::span<const std::byte> data_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
};

} // namespace mscale::library

#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "recovery/segment.hpp"

namespace mscale::library {

/// This rank's memory, mapped.  The keeper owns it; a child of fork doesn't get it.
class Memory {
public:
    Memory() = default;
    /// Maps `descriptor` whole; it must be as large as the layout says.
    static Result<Memory> map(Fd&& descriptor, const recovery::SegmentLayout& layout);
    Memory(Memory&& other) noexcept
        : descriptor_(std::move(other.descriptor_)), bytes_(std::exchange(other.bytes_, {})),
          layout_(other.layout_)
    {
    }
    Memory& operator=(Memory&& other) noexcept;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory();

    recovery::SegmentView view() const { return {bytes_, layout_}; }
    /// True when `descriptor` is of the memory that is mapped here.
    bool is_same(const Fd& descriptor) const;

private:
    Fd descriptor_;
    std::span<std::byte> bytes_;
    recovery::SegmentLayout layout_;
};

} // namespace mscale::library

#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <sys/types.h>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "recovery/segment.hpp"

namespace mscale::library {

/// This rank's memory, mapped.  The keeper owns it; a child of fork gets neither the mapping nor a descriptor, or it would keep the
/// memory of a job that is over.
class Memory {
public:
    Memory() = default;
    /// Maps `descriptor` whole and closes it; it must be as large as the layout says.
    static Result<Memory> map(Fd&& descriptor, const recovery::SegmentLayout& layout);
    Memory(Memory&& other) noexcept
        : identity_(other.identity_), bytes_(std::exchange(other.bytes_, {})), layout_(other.layout_)
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
    /// What the file is known by when it is open no more: the mapping keeps its inode from being given to another.
    struct Identity {
        dev_t device = 0;
        ino_t inode = 0;
    };
    Identity identity_;
    std::span<std::byte> bytes_;
    recovery::SegmentLayout layout_;
};

} // namespace mscale::library

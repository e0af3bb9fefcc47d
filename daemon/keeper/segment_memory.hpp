#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "recovery/segment.hpp"

namespace mscale::daemon {

/// The memory of one rank's snapshots: a memfd that outlives the program, which nobody can grow or shrink.
class SegmentMemory {
public:
    /// Fills a memfd of its whole size with pages.
    using Reserve = std::function<Result<void>(int descriptor, std::uint64_t bytes)>;

    /// Reserves and writes all of its pages, huge ones where the kernel grants them, so that no save finds memory missing: takes
    /// up to a second for each 256 MiB, so it is for a thread of its own.  `name` shows in /proc.  snapshot_room when there is
    /// no memory.  Without `reserve` the pages are this process's.
    static Result<SegmentMemory> create(const std::string& name, const recovery::SegmentLayout& layout,
                                        const Reserve& reserve = {});

    /// Takes over what an earlier daemon made; snapshot_damaged when its size or seals aren't those of a segment.
    static Result<SegmentMemory> adopt(Fd descriptor, const recovery::SegmentLayout& layout);

    SegmentMemory(SegmentMemory&& other) noexcept;
    SegmentMemory& operator=(SegmentMemory&& other) noexcept;
    SegmentMemory(const SegmentMemory&) = delete;
    SegmentMemory& operator=(const SegmentMemory&) = delete;
    ~SegmentMemory();

    recovery::SegmentView view() const { return {memory_, layout_}; }
    int descriptor() const { return descriptor_.number(); }
    /// Whether both are of one memfd.
    bool is_same(const SegmentMemory& other) const;

private:
    SegmentMemory(Fd descriptor, std::span<std::byte> memory, const recovery::SegmentLayout& layout);
    static Result<SegmentMemory> map(Fd descriptor, const recovery::SegmentLayout& layout);

    Fd descriptor_;
    std::span<std::byte> memory_;
    recovery::SegmentLayout layout_;
};

} // namespace mscale::daemon

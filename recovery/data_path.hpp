#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "recovery/slot.hpp"

namespace mscale::recovery {

class FrameStream;

/// The way that a snapshot's data take between two keepers that are connected: in the stream's own frames (FramePath), or past
/// them by RDMA WRITE (recovery/verbs).  All else that is said of a snapshot goes in frames.
class DataPath {
public:
    virtual ~DataPath() = default;

    /// Who receives, before it says that there is room: from now on until `receive` returns the other side may write to `place`,
    /// and to nothing else.  Returns what the other side must know for that.
    virtual Result<std::string> open(std::span<std::byte> place) = 0;
    /// Who receives: waits until all of `place` is written, as data of `header`; the CRC32C of each chunk as it came.
    virtual Result<std::vector<std::uint32_t>> receive(FrameStream& stream, const SlotHeader& header,
                                                       std::span<std::byte> place) = 0;
    /// Who sends: writes `data`, those of `header`, to what the other side has opened.
    virtual Result<void> send(FrameStream& stream, const SlotHeader& header, std::string_view opened,
                              std::span<const std::byte> data) = 0;
    virtual bool is_rdma() const = 0;
    /// For logs: "frames", or "verbs, 3 retries, 128 writes in flight".
    virtual std::string describe() const = 0;
};

} // namespace mscale::recovery

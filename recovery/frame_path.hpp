#pragma once

#include "recovery/data_path.hpp"

namespace mscale::recovery {

/// Data in frames of the stream itself, a chunk each.
class FramePath : public DataPath {
public:
    Result<std::string> open(std::span<std::byte> place) override;
    Result<std::vector<std::uint32_t>> receive(FrameStream& stream, const SlotHeader& header,
                                               std::span<std::byte> place) override;
    Result<void> send(FrameStream& stream, const SlotHeader& header, std::string_view opened,
                      std::span<const std::byte> data) override;
    bool is_rdma() const override { return false; }
    std::string describe() const override { return "frames"; }
};

} // namespace mscale::recovery

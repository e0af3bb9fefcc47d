#pragma once

#include <cstddef>
#include <optional>

#include "recovery/data_path.hpp"
#include "recovery/verbs/connection.hpp"
#include "recovery/verbs/region.hpp"

namespace mscale::recovery {

/// Data by RDMA WRITE into the opened part of a slot, a chunk each; who receives is told the index of each when it lies there.
/// After an error it carries nothing more.
class VerbsPath : public DataPath {
public:
    explicit VerbsPath(Connection connection) : connection_(std::move(connection)) {}

    Result<std::string> open(std::span<std::byte> place) override;
    Result<std::vector<std::uint32_t>> receive(FrameStream& stream, const SlotHeader& header,
                                               std::span<std::byte> place) override;
    Result<void> send(FrameStream& stream, const SlotHeader& header, std::string_view opened,
                      std::span<const std::byte> data) override;
    bool is_rdma() const override { return true; }
    std::string describe() const override;

private:
    Result<void> write_chunks(FrameStream& stream, const RemoteRegion& to, std::uint32_t local_key,
                              std::span<const std::byte> data);
    Result<std::uint32_t> take_chunk(FrameStream& stream, std::size_t index,
                                     std::span<const std::byte> chunk);

    Connection connection_;
    std::optional<Region> opened_; ///< what the other side may write to
    std::size_t told_ = 0;         ///< chunks that it can tell of
};

} // namespace mscale::recovery

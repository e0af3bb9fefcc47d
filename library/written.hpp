#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "recovery/slot.hpp"

namespace mscale::library {

/// A piece of what one of the ranks that wrote a snapshot holds of it.
struct WrittenPiece {
    enum class Kind { header, manifest, data };
    std::uint32_t rank = 0;
    Kind kind = Kind::data;
    std::uint64_t at = 0, bytes = 0;
};

/// Reads one; what it gives is valid until the next call.
using ReadWritten = std::function<Result<std::span<const std::byte>>(const WrittenPiece& piece)>;

/// A snapshot as all the ranks that wrote it left it.  Nothing of it is used before it was compared with its checksums: they
/// come of the header and the manifest, which have their own.
class Written {
public:
    /// Which snapshot, and the most that may be read at once.
    struct Which {
        recovery::Owner owner; ///< ranks and incarnation: of those that wrote; its rank doesn't count
        std::uint64_t epoch = 0, step = 0;
        std::uint64_t window = 0;
    };
    /// Reads the header and the manifest of each rank.
    static Result<Written> open(const Which& which, const ReadWritten& read);

    /// By rank.
    std::span<const recovery::Manifest> manifests() const { return manifests_; }
    /// Copies `data.size()` bytes of the data of `rank` from `at` on.
    Result<void> copy(const ReadWritten& read, std::uint32_t rank, std::uint64_t at, std::span<std::byte> data);

private:
    explicit Written(std::uint64_t window) : window_(window) {}
    Result<void> read_rank(const Which& which, std::uint32_t rank, const ReadWritten& read);
    Result<void> take_chunk(const ReadWritten& read, std::uint32_t rank, std::uint64_t number);

    struct Chunk {
        std::uint32_t rank = 0;
        std::uint64_t number = 0;
    };
    std::uint64_t window_;
    std::uint64_t manifest_bytes_ = 0; // of all
    std::vector<recovery::Manifest> manifests_;
    std::optional<Chunk> held_; // what `bytes_` is
    std::vector<std::byte> bytes_;
};

} // namespace mscale::library

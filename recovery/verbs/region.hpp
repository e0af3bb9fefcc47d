#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/handle.hpp"

struct ibv_mr;
struct ibv_pd;

namespace mscale::recovery {

void deregister(ibv_mr* region);

/// Memory that an adapter may touch while this lives.  Slots begin on huge pages where they lie on such, so that the adapter
/// needs one translation for each of these.
class Region {
public:
    /// Memory that is only read, to send it.
    static Result<Region> for_sending(ibv_pd* domain, std::span<const std::byte> memory);
    /// Memory that the other side of a connection of `domain` may write to.
    static Result<Region> for_writing(ibv_pd* domain, std::span<std::byte> memory);

    std::uint32_t local_key() const;
    /// What the other side must know to write to it.
    std::string describe() const;

private:
    static Result<Region> open(ibv_pd* domain, const std::byte* memory, std::size_t bytes, int access);

    explicit Region(ibv_mr* region) : region_(region) {}
    Handle<ibv_mr*, deregister> region_;
};

/// Memory of the other side that this one may write to.
struct RemoteRegion {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint32_t key = 0;
};
/// Reads what the other side's `describe` says.
Result<RemoteRegion> read_region(std::string_view described);

} // namespace mscale::recovery

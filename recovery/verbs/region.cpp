#include "recovery/verbs/region.hpp"

#include <cerrno>

#include <infiniband/verbs.h>

#include "base/text.hpp"
#include "recovery/bytes.hpp"

namespace mscale::recovery {

void deregister(ibv_mr* region)
{
    ibv_dereg_mr(region);
}

Result<Region> Region::open(ibv_pd* domain, const std::byte* memory, std::size_t bytes, int access)
{
    ibv_mr* region = ibv_reg_mr(domain, const_cast<std::byte*>(memory), bytes, access);
    if (region) return Region(region);
    return os_failure(Code::verbs,
                      format("registering {} of a snapshot with the adapter", format_bytes(bytes)), errno);
}

Result<Region> Region::for_sending(ibv_pd* domain, std::span<const std::byte> memory)
{
    return open(domain, memory.data(), memory.size(), 0);
}

Result<Region> Region::for_writing(ibv_pd* domain, std::span<std::byte> memory)
{
    return open(domain, memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
}

std::uint32_t Region::local_key() const
{
    return region_.pointer()->lkey;
}

std::string Region::describe() const
{
    ByteWriter writer;
    writer.put(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(region_.pointer()->addr)));
    writer.put(static_cast<std::uint64_t>(region_.pointer()->length));
    writer.put(region_.pointer()->rkey);
    return writer.bytes();
}

Result<RemoteRegion> read_region(std::string_view described)
{
    ByteReader reader(described);
    RemoteRegion region;
    region.address = reader.get<std::uint64_t>();
    region.bytes = reader.get<std::uint64_t>();
    region.key = reader.get<std::uint32_t>();
    if (reader.failed() || reader.left() != 0)
        return failure(Code::verbs, "the other keeper opened no memory for RDMA");
    return region;
}

} // namespace mscale::recovery

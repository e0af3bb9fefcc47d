#include "recovery/verbs/verbs_path.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "recovery/checksum.hpp"

namespace mscale::recovery {

namespace {

std::size_t count_chunks(std::size_t bytes)
{
    return (bytes + chunk_bytes - 1) / chunk_bytes;
}

template <class Byte> std::span<Byte> chunk_of(std::span<Byte> data, std::size_t index)
{
    const std::size_t at = index * chunk_bytes;
    return data.subspan(at, std::min<std::size_t>(chunk_bytes, data.size() - at));
}

} // namespace

Result<std::string> VerbsPath::open(std::span<std::byte> place)
{
    opened_.reset();
    told_ = 0;
    if (place.empty()) return std::string();
    auto region = Region::for_writing(connection_.queue().domain(), place);
    if (!region) return tl::unexpected(std::move(region.error()));
    opened_ = std::move(*region);
    const std::size_t due = std::min<std::size_t>(connection_.queue().window(), count_chunks(place.size()));
    for (; told_ < due; ++told_)
        if (auto posted = connection_.queue().post_receive(); !posted)
            return tl::unexpected(std::move(posted.error()));
    return opened_->describe();
}

Result<std::vector<std::uint32_t>> VerbsPath::receive(FrameStream& stream, const SlotHeader&,
                                                      std::span<std::byte> place)
{
    const std::optional<Region> region =
        std::exchange(opened_, std::nullopt); // closed at the end, come what may
    std::vector<std::uint32_t> chunks;
    while (chunks.size() < count_chunks(place.size())) {
        const auto chunk = take_chunk(stream, chunks.size(), chunk_of(place, chunks.size()));
        if (!chunk) return tl::unexpected(chunk.error());
        chunks.push_back(*chunk);
        if (told_ == count_chunks(place.size())) continue;
        if (auto posted = connection_.queue().post_receive(); !posted)
            return tl::unexpected(std::move(posted.error()));
        ++told_;
    }
    return chunks;
}

Result<std::uint32_t> VerbsPath::take_chunk(FrameStream& stream, std::size_t index,
                                            std::span<const std::byte> chunk)
{
    const auto done = connection_.queue().await(stream.stall_limit(), stream.descriptor());
    if (!done) return tl::unexpected(done.error());
    if (done->is_receive && done->index == index && done->bytes == chunk.size()) return crc32c(chunk);
    return failure(Code::bad_frame, format("chunk {} with {} bytes came by RDMA where {} with {} was due",
                                           done->index, done->bytes, index, chunk.size()));
}

Result<void> VerbsPath::send(FrameStream& stream, const SlotHeader&, std::string_view opened,
                             std::span<const std::byte> data)
{
    if (data.empty()) return {};
    const auto to = read_region(opened);
    if (!to) return tl::unexpected(to.error());
    const auto from = Region::for_sending(connection_.queue().domain(), data);
    if (!from) return tl::unexpected(from.error());
    auto written = write_chunks(stream, *to, from->local_key(), data);
    if (!written) connection_.break_off(); // nothing may read the memory after this
    return written;
}

Result<void> VerbsPath::write_chunks(FrameStream& stream, const RemoteRegion& to, std::uint32_t local_key,
                                     std::span<const std::byte> data)
{
    Queue& queue = connection_.queue();
    const std::size_t count = count_chunks(data.size());
    for (std::size_t posted = 0, done = 0; done < count;) {
        if (posted < count && posted - done < queue.window()) {
            auto sent = queue.post_write(chunk_of(data, posted), local_key, to.address + posted * chunk_bytes,
                                         to.key, static_cast<std::uint32_t>(posted));
            if (!sent) return sent;
            ++posted;
            continue;
        }
        const auto one = queue.await(stream.stall_limit(), stream.descriptor());
        if (!one) return tl::unexpected(one.error());
        if (one->is_receive) return failure(Code::bad_frame, "data came by RDMA where none were due");
        ++done;
    }
    return {};
}

std::string VerbsPath::describe() const
{
    return format("verbs, {} retries, {} writes in flight", connection_.retry_count(),
                  connection_.queue().window());
}

} // namespace mscale::recovery

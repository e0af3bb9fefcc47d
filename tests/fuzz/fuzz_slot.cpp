// Any bytes as the slot that a program left behind, with checksums that fit: no snapshot, or one within the slot.
#include <algorithm>
#include <vector>

#include "recovery/slot.hpp"
#include "tests/fuzz/checked.hpp"
#include "tests/fuzz/property.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr std::size_t header_bytes = 68;

void place(std::span<std::byte> where, std::string_view bytes)
{
    const auto from = std::as_bytes(std::span(bytes.data(), std::min(bytes.size(), where.size())));
    std::ranges::copy(from, where.begin());
}

/// The trailer that makes a header count.
std::string trailer_of(std::string_view header)
{
    ByteWriter writer;
    writer.put(std::uint64_t(0x31444e4553534d4d));
    const std::string sum = with_checksum(header).substr(header.size());
    return writer.bytes() + std::string(header.substr(36, 8)) + sum;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const SegmentLayout layout = lay_out_segment(4096, 4096);
    static std::vector<std::byte> memory(layout.total_bytes);
    const SegmentView view(memory, layout);
    std::string bytes(reinterpret_cast<const char*>(data), size);
    bytes.resize(std::max(bytes.size(), header_bytes));
    const std::string header = with_checksum(std::string_view(bytes).substr(0, header_bytes - 4));
    open_slot(view, 0);
    place(view.manifest(0), with_checksum(std::string_view(bytes).substr(header_bytes)));
    place(view.header(0), header);
    place(view.trailer(0), trailer_of(header));
    const auto read =
        read_slot(view, 0, {.job_id = 7, .uid = 1000, .rank = 1, .ranks = 4, .incarnation = {}});
    if (!read || !*read) return 0;
    require((*read)->header.data_bytes <= layout.data_bytes, "the data lie in the slot");
    require((*read)->encoded_manifest.size() <= layout.manifest_bytes, "the manifest lies in the slot");
    (void)verify_data(view.data(0), (*read)->manifest);
    return 0;
}

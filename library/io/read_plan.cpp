#include "library/io/read_plan.hpp"

#include "base/text.hpp"

namespace mscale::library {

Result<void> check_extents(const std::vector<FileExtent>& list, std::uint64_t size, std::uint64_t block)
{
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto [offset, length] = list[i];
        if (length > block)
            return failure(Code::reader_call, format("extent {} has {} bytes, and a block has {}", i, length, block),
                           "open the reader with a block as long as the longest extent");
        if (offset > size || length > size - offset)
            return failure(Code::reader_call,
                           format("extent {}: {} bytes at {} of a file of {} bytes", i, length, offset, size),
                           "ask for bytes that the file has");
    }
    return {};
}

} // namespace mscale::library

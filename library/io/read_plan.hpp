#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.hpp"

namespace mscale::library {

/// Bytes of a file.
struct FileExtent {
    std::uint64_t offset = 0, length = 0;
};

/// What is to be read, piece by piece: the extents of a list, or a whole file in blocks.
class ReadPlan {
public:
    ReadPlan() = default;
    explicit ReadPlan(std::vector<FileExtent> list) : list_(std::move(list)), count_(list_.size()) {}
    ReadPlan(std::uint64_t size, std::uint64_t block) : size_(size), block_(block), count_((size + block - 1) / block) {}

    std::uint64_t count() const { return count_; }
    FileExtent at(std::uint64_t index) const
    {
        if (block_ == 0) return list_[index];
        return {index * block_, std::min(block_, size_ - index * block_)};
    }

private:
    std::vector<FileExtent> list_;
    std::uint64_t size_ = 0, block_ = 0, count_ = 0;
};

/// reader_call, naming the first extent that is longer than a block or ends beyond the file.
Result<void> check_extents(const std::vector<FileExtent>& list, std::uint64_t size, std::uint64_t block);

} // namespace mscale::library

#pragma once

#include <string_view>
#include <vector>

#include "library/rank.hpp"
#include "library/written.hpp"
#include "recovery/cursor.hpp"
#include "recovery/reshard.hpp"

namespace mscale::library {

/// A snapshot that another number of ranks wrote, as one of the ranks that go on from it takes its part.
class Parts {
public:
    Parts(Written&& written, const Rank& reader);

    /// All that was saved, each name once, in the order of the first rank that has it: of a tensor the whole, `global` large.
    const std::vector<recovery::Extent>& extents() const { return whole_; }
    /// The whole of this name; save_order when no rank saved it.
    Result<const recovery::Extent*> find(std::string_view name) const;
    /// Copies out what is wanted: any part of a tensor, or what is equal on all ranks, which is compared.  reshape, with the
    /// reason, where it can't be had (recovery/reshard.hpp), and for what ranks say is shared and isn't.
    Result<void> get(const ReadWritten& read, const recovery::Extent& wanted, std::span<std::byte> data);
    /// Where this rank goes on among the samples, with `batch` of them in each step (0: as before).
    Result<recovery::RankCursor> get_cursor(const ReadWritten& read, std::string_view name, std::uint32_t batch);

private:
    Result<void> copy_pieces(const ReadWritten& read, const recovery::ReadPlan& plan, std::span<std::byte> data);
    Result<void> compare_shared(const ReadWritten& read, std::string_view name, std::span<const std::byte> data,
                                std::uint32_t from);
    Result<void> compare_with(const ReadWritten& read, std::uint32_t rank, const recovery::Extent& theirs, std::uint32_t from,
                              std::span<const std::byte> data);

    Written written_;
    Rank reader_;
    std::vector<recovery::Extent> whole_;
};

} // namespace mscale::library

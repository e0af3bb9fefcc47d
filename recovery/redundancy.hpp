#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"

namespace mscale::recovery {

using Bytes = std::vector<std::byte>;
using BytesView = std::span<const std::byte>;

inline constexpr std::size_t most_parts = 255; ///< shards and parity of a group together

/// The parity of a group of shards: of one it is their XOR, of more Reed-Solomon's.  Any `parity` of the
/// parts, shards or parity, may be lost.  Shards may differ in length: the shorter ones count as if zeros
/// followed, and each parity is as long as the longest.  Every byte depends only on those at the same place,
/// so that a caller may work through long shards in windows.  save_order when there are no shards or too
/// many.
Result<std::vector<Bytes>> encode_parity(std::span<const BytesView> shards, unsigned parity);

/// One of those parities, the `which`th from 0.
Result<Bytes> encode_one_parity(std::span<const BytesView> shards, unsigned parity, unsigned which);

/// The lost parts by number.  `parts` are the shards and then their parity, nothing for a lost one;
/// `shard_bytes` the length of each shard.  parts_lost, with numbers, when more are lost than there is
/// parity; snapshot_damaged when a part hasn't its length.
Result<std::map<unsigned, Bytes>> rebuild_parts(std::span<const std::optional<BytesView>> parts,
                                                std::span<const std::uint64_t> shard_bytes);

} // namespace mscale::recovery

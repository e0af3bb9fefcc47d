#pragma once

#include <cstdint>
#include <vector>

#include "base/json_forward.hpp"
#include "daemon/keeper/segment_store.hpp"

/// What `mscale snapshot` is told of what a node holds.
namespace mscale::daemon {

/// {"job", "uid", "rank", "ranks", "kind": "own" | "copy" | "coded", "bytes" of memory, "since" in seconds since 1970,
///  "slots": [{"slot", "epoch", "step", "bytes" of data, "age" in seconds or null, "committed"}]}
/// The age is null where the snapshot was sealed before this daemon began.
Json describe_segment(const SegmentStore::Entry& entry, std::int64_t now);

/// Reads the data of each slot of the entries: [{"job", "rank", "kind", "slot", "epoch", "result", "text"}] with the results
/// "whole", "damaged" (held no more) and "being written".  Takes seconds for each ten GiB.
Json verify_entries(const std::vector<SegmentStore::Entry>& entries);

} // namespace mscale::daemon

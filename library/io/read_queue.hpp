#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "base/error.hpp"

namespace mscale::library {

/// One read: the bytes from `at` on into `into`, for slot `slot`.
struct ReadAct {
    unsigned slot = 0;
    std::span<std::byte> into;
    std::uint64_t at = 0;
};

/// What the system answered: bytes that were read, or a negative error number.
struct ReadEnd {
    unsigned slot = 0;
    int result = 0;
};

/// Reads of one file, several under way at once.
class ReadQueue {
public:
    virtual ~ReadQueue() = default; ///< waits for what is under way
    /// Takes the read on, to be submitted; never more at once than the queue's depth.
    virtual void begin(const ReadAct& act) = 0;
    /// Hands what was begun to the kernel, and may wait until at least one read has ended.
    virtual Result<void> submit(bool wait) = 0;
    /// Appends the reads that have ended and weren't taken yet.
    virtual void take(std::vector<ReadEnd>& ends) = 0;
    /// Until nothing is under way; what was read is dropped.
    virtual Result<void> drain() = 0;
    /// In a child of fork: what is under way is the parent's, and isn't waited for.
    virtual void forget() = 0;
    /// "io_uring, registered buffers", for people.
    virtual std::string describe() const = 0;
};

struct QueueNeeds {
    int file = -1;
    unsigned depth = 1;
    std::vector<std::span<std::byte>> buffers; ///< by slot
    CpuSet workers;                            ///< CPUs of the kernel's own threads; empty: wherever
};

/// By io_uring; nothing, and the reason in `why_not`, where that can't be had here.
std::unique_ptr<ReadQueue> make_ring_queue(const QueueNeeds& needs, std::string& why_not);

/// By preadv when a piece is waited for; the kernel is told before what will be read.
std::unique_ptr<ReadQueue> make_plain_queue(int file);

} // namespace mscale::library

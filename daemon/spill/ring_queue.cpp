#include "daemon/spill/write_queue.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <liburing.h>

namespace mscale::daemon {

namespace {

constexpr unsigned depth = 4; // 16 MiB of buffers: enough to keep a file system busy, little beside the state

class RingQueue : public WriteQueue {
public:
    explicit RingQueue(int file) : file_(file) {}
    ~RingQueue() override
    {
        (void)wait(); // the kernel must not read memory that is gone
        if (there_) io_uring_queue_exit(&ring_);
    }
    bool start() { return there_ = io_uring_queue_init(depth, &ring_, 0) == 0; }

    Result<std::span<std::byte>> next_buffer() override
    {
        while (writes_[next_].size > 0)
            if (auto taken = take_one(); !taken) return tl::unexpected(std::move(taken.error()));
        return writes_[next_].buffer.span();
    }
    Result<void> write(std::size_t size, std::uint64_t at) override
    {
        Write& write = writes_[next_];
        io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
        io_uring_prep_write(entry, file_, write.buffer.span().data(), static_cast<unsigned>(size), at);
        io_uring_sqe_set_data64(entry, next_);
        if (const int submitted = io_uring_submit(&ring_); submitted < 0)
            return os_failure(Code::spill, "io_uring", -submitted);
        write.size = size;
        write.at = at;
        next_ = (next_ + 1) % depth;
        return {};
    }
    Result<void> wait() override
    {
        Result<void> first;
        while (is_busy())
            if (auto taken = take_one(); !taken && first) first = std::move(taken);
        return first;
    }

private:
    struct Write {
        PageBuffer buffer;
        std::size_t size = 0; ///< 0: not under way
        std::uint64_t at = 0;
    };

    bool is_busy() const
    {
        for (const Write& write : writes_)
            if (write.size > 0) return true;
        return false;
    }
    Result<void> take_one()
    {
        io_uring_cqe* done = nullptr;
        int waited = 0;
        do waited = io_uring_wait_cqe(&ring_, &done);
        while (waited == -EINTR);
        if (waited < 0) return give_up(-waited);
        const int result = done->res;
        Write& write = writes_[done->user_data];
        io_uring_cqe_seen(&ring_, done);
        const std::size_t size = std::exchange(write.size, 0);
        if (result < 0) return os_failure(Code::spill, "writing a snapshot", -result);
        const auto written = static_cast<std::size_t>(result);
        return write_all(file_, write.buffer.span().first(size).subspan(written), write.at + written);
    }
    Result<void> give_up(int error)
    {
        for (Write& write : writes_) write.size = 0;
        return os_failure(Code::spill, "io_uring", error);
    }

    int file_;
    std::array<Write, depth> writes_;
    std::size_t next_ = 0;
    io_uring ring_{};
    bool there_ = false;
};

} // namespace

std::unique_ptr<WriteQueue> make_ring_queue(int file)
{
    auto ring = std::make_unique<RingQueue>(file);
    if (!ring->start()) return nullptr;
    return ring;
}

} // namespace mscale::daemon

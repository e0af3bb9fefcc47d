#include <cerrno>
#include <cstring>

#include <liburing.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "base/text.hpp"
#include "library/io/liburing_calls.hpp"
#include "library/io/read_queue.hpp"

namespace mscale::library {
namespace {

/// Locked memory is counted, on most systems little is granted, and reads go without it.
std::string explain_registration(int error)
{
    rlimit limit{};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    const std::string why = std::strerror(error);
    if (error != ENOMEM) return "buffers not registered: " + why;
    return format("buffers not registered: {}, with a memlock limit of {}", why, format_bytes(limit.rlim_cur));
}

class RingReads : public ReadQueue {
public:
    explicit RingReads(const LiburingCalls& calls, int file) : calls_(calls), file_(file) {}
    ~RingReads() override
    {
        if (!there_) return;
        if (!forgotten_) (void)drain(); // the kernel must not write to memory that is another's by then
        calls_.queue_exit(&ring_);
    }

    /// 0, or the error number.
    int start(const QueueNeeds& needs)
    {
        int error = -calls_.queue_init(needs.depth, &ring_, IORING_SETUP_COOP_TASKRUN);
        if (error == EINVAL) error = -calls_.queue_init(needs.depth, &ring_, 0); // before Linux 5.19
        there_ = error == 0;
        if (!there_) return error;
        register_buffers(needs.buffers);
        if (!needs.workers.empty()) register_workers(needs.workers);
        return 0;
    }

    void begin(const ReadAct& act) override
    {
        io_uring_sqe* const entry = calls_.get_sqe(&ring_);
        const auto size = static_cast<unsigned>(act.into.size());
        if (registered_)
            io_uring_prep_read_fixed(entry, file_, act.into.data(), size, act.at, static_cast<int>(act.slot));
        else
            io_uring_prep_read(entry, file_, act.into.data(), size, act.at);
        io_uring_sqe_set_data64(entry, act.slot);
        ++under_way_;
    }

    Result<void> submit(bool wait) override
    {
        const int submitted = calls_.submit_and_wait(&ring_, wait && under_way_ > 0 ? 1 : 0);
        if (submitted >= 0 || submitted == -EINTR || submitted == -EAGAIN || submitted == -EBUSY) return {};
        return os_failure(Code::reader_failed, "io_uring_enter", -submitted);
    }
    void take(std::vector<ReadEnd>& ends) override
    {
        unsigned head = 0, count = 0;
        io_uring_cqe* end = nullptr;
        io_uring_for_each_cqe(&ring_, head, end)
        {
            ends.push_back({static_cast<unsigned>(end->user_data), end->res});
            ++count;
        }
        io_uring_cq_advance(&ring_, count);
        under_way_ -= count;
    }
    Result<void> drain() override
    {
        std::vector<ReadEnd> ends;
        for (take(ends); under_way_ > 0; take(ends))
            if (auto waited = submit(true); !waited) return waited;
        return {};
    }
    void forget() override { forgotten_ = true; }
    std::string describe() const override { return "io_uring, " + buffers_ + workers_; }

private:
    void register_buffers(const std::vector<std::span<std::byte>>& buffers)
    {
        std::vector<iovec> places;
        for (const auto& buffer : buffers) places.push_back({buffer.data(), buffer.size()});
        const int error = -calls_.register_buffers(&ring_, places.data(), static_cast<unsigned>(places.size()));
        registered_ = error == 0;
        buffers_ = registered_ ? "registered buffers" : explain_registration(error);
    }
    void register_workers(const CpuSet& cpus)
    {
        cpu_set_t* const mask = CPU_ALLOC(CpuSet::limit);
        if (mask == nullptr) return;
        const std::size_t bytes = CPU_ALLOC_SIZE(CpuSet::limit);
        CPU_ZERO_S(bytes, mask);
        for (const unsigned cpu : cpus.cpus()) CPU_SET_S(cpu, bytes, mask);
        const int error = -calls_.register_workers(&ring_, bytes, mask);
        CPU_FREE(mask);
        workers_ = error == 0 ? ", the kernel's workers on CPUs " + to_string(cpus)
                              : format(", the kernel's workers anywhere ({})", std::strerror(error));
    }

    const LiburingCalls& calls_;
    int file_;
    io_uring ring_{};
    bool there_ = false, registered_ = false, forgotten_ = false;
    unsigned under_way_ = 0;
    std::string buffers_, workers_;
};

std::string explain_no_ring(int error)
{
    const std::string why = format("io_uring_setup: {}", std::strerror(error));
    return error == EPERM || error == ENOSYS
               ? why + " (kernel.io_uring_disabled, the filter of a container, or a kernel without it)"
               : why;
}

} // namespace

std::unique_ptr<ReadQueue> make_ring_queue(const QueueNeeds& needs, std::string& why_not)
{
    const LiburingCalls& calls = liburing_calls();
    why_not = calls.missing;
    if (!why_not.empty()) return nullptr;
    auto ring = std::make_unique<RingReads>(calls, needs.file);
    const int error = ring->start(needs);
    if (error == 0) return ring;
    why_not = explain_no_ring(error);
    return nullptr;
}

} // namespace mscale::library

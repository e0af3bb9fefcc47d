#include <cerrno>
#include <deque>

#include <fcntl.h>
#include <sys/uio.h>

#include "library/io/read_queue.hpp"

namespace mscale::library {
namespace {

class PlainQueue : public ReadQueue {
public:
    explicit PlainQueue(int file) : file_(file) {}

    void begin(const ReadAct& act) override
    {
        ::posix_fadvise(file_, static_cast<off_t>(act.at), static_cast<off_t>(act.into.size()), POSIX_FADV_WILLNEED);
        acts_.push_back(act);
    }
    Result<void> submit(bool wait) override
    {
        if (!wait || acts_.empty()) return {};
        const ReadAct act = acts_.front();
        acts_.pop_front();
        const iovec into{act.into.data(), act.into.size()};
        const ssize_t got = ::preadv(file_, &into, 1, static_cast<off_t>(act.at));
        ends_.push_back({act.slot, got < 0 ? -errno : static_cast<int>(got)});
        return {};
    }
    void take(std::vector<ReadEnd>& ends) override
    {
        ends.insert(ends.end(), ends_.begin(), ends_.end());
        ends_.clear();
    }
    Result<void> drain() override
    {
        forget();
        return {};
    }
    void forget() override
    {
        acts_.clear();
        ends_.clear();
    }
    std::string describe() const override { return "preadv"; }

private:
    int file_;
    std::deque<ReadAct> acts_;
    std::vector<ReadEnd> ends_;
};

} // namespace

std::unique_ptr<ReadQueue> make_plain_queue(int file)
{
    return std::make_unique<PlainQueue>(file);
}

} // namespace mscale::library

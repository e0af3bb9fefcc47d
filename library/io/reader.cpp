#include "library/io/reader.hpp"

#include <cerrno>
#include <numeric>

#include <unistd.h>

#include "base/text.hpp"

namespace mscale::library {
namespace {

constexpr std::uint64_t smallest_alignment = 4096; // of buffers, also where reads aren't direct

std::uint64_t round_up(std::uint64_t number, std::uint64_t alignment)
{
    return (number + alignment - 1) / alignment * alignment;
}

/// In order, pieces that came early wait for a late one and must not keep others from being read meanwhile.
std::size_t count_buffers(const ReaderOptions& options)
{
    return options.depth + 1 + (options.in_order ? options.depth / 2 : 0);
}

} // namespace

Reader::Reader(ReadFile file, BufferPool pool, const ReaderOptions& options)
    : file_(std::move(file)), pool_(std::move(pool)), options_(options), process_(::getpid()), slots_(pool_.count())
{
}

Reader::~Reader()
{
    if (queue_ && ::getpid() != process_) queue_->forget();
}

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path, const ReaderOptions& options)
{
    auto file = open_for_reading(path, options.direct);
    if (!file) return tl::unexpected(std::move(file.error()));
    const std::uint64_t alignment = std::max(smallest_alignment, file->alignment);
    // A piece that begins and ends within a unit of alignment takes one more.
    auto pool = BufferPool::make(count_buffers(options), round_up(options.block, alignment) + alignment);
    if (!pool) return tl::unexpected(std::move(pool.error()));
    std::unique_ptr<Reader> reader(new Reader(std::move(*file), std::move(*pool), options));
    if (auto made = reader->make_queue(); !made) return tl::unexpected(std::move(made.error()));
    return reader;
}

Result<void> Reader::make_queue()
{
    QueueNeeds needs{file_.file.number(), options_.depth, {}, options_.workers};
    for (std::size_t i = 0; i < pool_.count(); ++i) needs.buffers.push_back(pool_.at(i));
    queue_ = make_ring_queue(needs, why_plain_);
    if (queue_) return {};
    queue_ = make_plain_queue(needs.file);
    return file_.is_direct() ? give_up_direct(file_, "which reads ahead for preadv") : Result<void>();
}

Result<void> Reader::check_process() const
{
    if (::getpid() == process_) return {};
    return failure(Code::reader_call, format("this reader was opened by process {}, and {} is its child", process_, ::getpid()),
                   "open a reader in each process");
}

Result<void> Reader::start(std::vector<FileExtent> list)
{
    if (auto fit = check_extents(list, file_.size, options_.block); !fit) return fit;
    return begin_plan(ReadPlan(std::move(list)));
}

Result<void> Reader::start_whole()
{
    return begin_plan(ReadPlan(file_.size, options_.block));
}

Result<void> Reader::begin_plan(ReadPlan plan)
{
    if (auto own = check_process(); !own) return own;
    if (auto drained = queue_->drain(); !drained) return drained;
    plan_ = std::move(plan);
    next_ = 0;
    under_way_ = 0;
    line_.clear();
    held_.reset();
    fault_.reset();
    free_.resize(slots_.size());
    std::iota(free_.rbegin(), free_.rend(), 0U);
    fill();
    return queue_->submit(false);
}

Result<std::optional<Piece>> Reader::next()
{
    if (auto own = check_process(); !own) return tl::unexpected(std::move(own.error()));
    if (fault_) return tl::unexpected(*fault_);
    if (held_) free_.push_back(*held_);
    held_.reset();
    for (;;) {
        take_ends();
        fill();
        const bool ready = is_ready();
        if (!ready && under_way_ == 0) return std::nullopt;
        if (auto submitted = queue_->submit(!ready); !submitted) return fail(std::move(submitted.error()));
        if (ready) return hand_out();
    }
}

void Reader::fill()
{
    while (!free_.empty() && under_way_ < options_.depth && next_ < plan_.count()) {
        const unsigned number = free_.back();
        free_.pop_back();
        prepare(slots_[number], next_++);
        if (options_.in_order) line_.push_back(number);
        if (slots_[number].extent.length == 0)
            end_slot(number);
        else
            begin_read(number);
    }
}

void Reader::prepare(Slot& slot, std::uint64_t index) const
{
    slot = {};
    slot.index = index;
    slot.extent = plan_.at(index);
    slot.begin = slot.extent.offset / file_.alignment * file_.alignment;
    slot.asked = round_up(slot.wanted(), file_.alignment);
}

void Reader::begin_read(unsigned number)
{
    Slot& slot = slots_[number];
    slot.direct = file_.is_direct();
    slot.from = slot.done / file_.alignment * file_.alignment;
    queue_->begin({number, pool_.at(number).subspan(slot.from, slot.asked - slot.from), slot.begin + slot.from});
    ++under_way_;
}

void Reader::end_slot(unsigned number)
{
    slots_[number].ended = true;
    if (!options_.in_order) line_.push_back(number);
}

void Reader::take_ends()
{
    ends_.clear();
    queue_->take(ends_);
    for (const ReadEnd& end : ends_) take_end(end);
}

void Reader::take_end(const ReadEnd& end)
{
    Slot& slot = slots_[end.slot];
    --under_way_;
    if (end.result >= 0) return advance(end.slot, static_cast<std::size_t>(end.result));
    if (end.result == -EINTR || end.result == -EAGAIN) return begin_read(end.slot);
    if (end.result == -EINVAL && slot.direct) { // some file systems say so only now
        const auto given_up =
            file_.is_direct() ? give_up_direct(file_, "the file system refused a direct read") : Result<void>();
        if (given_up) return begin_read(end.slot);
    }
    slot.fault = os_failure(Code::reader_failed,
                            format("{}: reading {} bytes at {}", printable(file_.path), slot.extent.length, slot.extent.offset),
                            -end.result)
                     .value();
    end_slot(end.slot);
}

/// A read may end early and be gone on with; where the file ends, it doesn't get any further.
void Reader::advance(unsigned number, std::size_t bytes)
{
    Slot& slot = slots_[number];
    const std::size_t done = slot.from + bytes;
    if (done < slot.wanted() && done > slot.done) {
        slot.done = done;
        return begin_read(number);
    }
    if (done < slot.wanted()) slot.fault = shrunk(slot);
    end_slot(number);
}

Error Reader::shrunk(const Slot& slot) const
{
    return failure(Code::reader_failed,
                   format("{}: {} bytes at {} were asked, and the file ends at {}; it had {} bytes when it was opened",
                          printable(file_.path), slot.extent.length, slot.extent.offset, size_now(file_), file_.size),
                   "don't shorten a file while it is read; write a new one and rename it")
        .value();
}

Result<std::optional<Piece>> Reader::hand_out()
{
    const unsigned number = line_.front();
    line_.pop_front();
    held_ = number;
    const Slot& slot = slots_[number];
    if (slot.fault) return fail(*slot.fault);
    return Piece{slot.index, slot.extent, pool_.at(number).subspan(slot.head(), slot.extent.length)};
}

tl::unexpected<Error> Reader::fail(Error error)
{
    fault_ = error;
    return tl::unexpected(std::move(error));
}

std::string Reader::describe() const
{
    const std::string how =
        why_plain_.empty() ? queue_->describe() : format("{} and not io_uring ({})", queue_->describe(), why_plain_);
    const std::string path =
        file_.is_direct() ? "directly" : format("through the page cache ({})", file_.buffered_since);
    return format("{}: {} bytes, {} reads of {} under way, in {} order, by {}, {}", printable(file_.path), file_.size,
                  options_.depth, format_bytes(options_.block), options_.in_order ? "the asked" : "any", how, path);
}

} // namespace mscale::library

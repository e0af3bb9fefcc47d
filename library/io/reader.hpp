#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>

#include <sys/types.h>

#include "library/io/buffer_pool.hpp"
#include "library/io/read_file.hpp"
#include "library/io/read_plan.hpp"
#include "library/io/read_queue.hpp"

namespace mscale::library {

struct ReaderOptions {
    unsigned depth = 32;
    std::uint32_t block = 256 << 10;
    bool direct = true;
    bool in_order = true;
    CpuSet workers; ///< of the kernel, see QueueNeeds
};

/// Bytes of the file, in memory of the reader.
struct Piece {
    std::uint64_t index = 0;
    FileExtent extent;
    std::span<const std::byte> bytes;
};

/// Reads a file ahead and gives it piece by piece (mscale_io).
class Reader {
public:
    static Result<std::unique_ptr<Reader>> open(const std::string& path, const ReaderOptions& options);
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader();

    /// Begins anew, with these extents or the whole file; what is under way is dropped.
    Result<void> start(std::vector<FileExtent> list);
    Result<void> start_whole();
    /// The next piece, whole, valid until the next call; nothing after the last.  An error stays until the next start.
    Result<std::optional<Piece>> next();

    std::uint64_t size() const { return file_.size; }
    std::string describe() const;

private:
    /// A buffer and the piece that is read into it.
    struct Slot {
        std::uint64_t index = 0;
        FileExtent extent;
        std::uint64_t begin = 0; ///< in the file, of the buffer's first byte
        std::size_t asked = 0;   ///< bytes from there on, aligned
        std::size_t from = 0;    ///< where in the buffer the read that is under way begins
        std::size_t done = 0;
        bool direct = false;
        bool ended = false;
        std::optional<Error> fault;
        std::size_t head() const { return extent.offset - begin; }
        std::size_t wanted() const { return head() + extent.length; }
    };

    Reader(ReadFile file, BufferPool pool, const ReaderOptions& options);
    Result<void> make_queue();
    Result<void> check_process() const;
    Result<void> begin_plan(ReadPlan plan);
    void fill();
    void prepare(Slot& slot, std::uint64_t index) const;
    void begin_read(unsigned number);
    void end_slot(unsigned number);
    void take_ends();
    void take_end(const ReadEnd& end);
    void advance(unsigned number, std::size_t bytes);
    Error shrunk(const Slot& slot) const;
    bool is_ready() const { return !line_.empty() && slots_[line_.front()].ended; }
    Result<std::optional<Piece>> hand_out();
    tl::unexpected<Error> fail(Error error);

    ReadFile file_;
    BufferPool pool_;
    ReaderOptions options_;
    std::unique_ptr<ReadQueue> queue_; ///< after the pool: ends before it
    std::string why_plain_;            ///< why not by io_uring
    pid_t process_;
    std::vector<Slot> slots_;
    ReadPlan plan_;
    std::uint64_t next_ = 0;        ///< of the plan, to be begun
    unsigned under_way_ = 0;
    std::vector<unsigned> free_;
    std::deque<unsigned> line_;     ///< in order: slots that were begun; in any order: those that have ended
    std::optional<unsigned> held_;  ///< by the caller
    std::optional<Error> fault_;
    std::vector<ReadEnd> ends_;
};

} // namespace mscale::library

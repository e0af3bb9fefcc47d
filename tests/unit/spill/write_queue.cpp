#include "daemon/spill/write_queue.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/spill/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

/// Fills a file with twenty buffers, each of its own byte.
void fill(WriteQueue& queue)
{
    for (unsigned i = 0; i < 20; ++i) {
        const auto buffer = queue.next_buffer();
        ck_assert(buffer.has_value());
        std::ranges::fill(*buffer, static_cast<std::byte>(i));
        ck_assert(queue.write(65536, i * 65536).has_value());
    }
    ck_assert(queue.wait().has_value());
}

void expect_filled(const std::string& path)
{
    const Fd file(open(path.c_str(), O_RDONLY));
    std::vector<std::byte> part(65536);
    for (unsigned i = 0; i < 20; ++i) {
        ck_assert_int_eq(pread(file.number(), part.data(), part.size(), i * 65536), 65536);
        ck_assert(std::ranges::all_of(part, [i](std::byte byte) { return byte == static_cast<std::byte>(i); }));
    }
}

} // namespace

START_TEST(every_byte_is_where_it_belongs)
{
    const Scratch scratch;
    const std::string path = scratch.path + "/a";
    const Fd file(open(path.c_str(), O_CREAT | O_RDWR, 0600));
    fill(*make_write_queue(file.number()));
    expect_filled(path);
}
END_TEST

START_TEST(the_ring_of_the_kernel_writes_the_same)
{
    const Scratch scratch;
    const std::string path = scratch.path + "/a";
    const Fd file(open(path.c_str(), O_CREAT | O_RDWR, 0600));
    const auto ring = make_ring_queue(file.number());
    if (!ring) return; // no io_uring in this build or on this kernel
    fill(*ring);
    expect_filled(path);
}
END_TEST

START_TEST(a_full_file_system_is_an_error)
{
    const Fd full(open("/dev/full", O_WRONLY));
    const auto queue = make_write_queue(full.number());
    ck_assert(queue->next_buffer().has_value());
    auto written = queue->write(4096, 0);
    if (written) written = queue->wait();
    ck_assert(!written);
    expect_part(written.error().text, "No space left");
}
END_TEST

START_TEST(an_error_of_one_write_is_not_lost_among_others)
{
    const Scratch scratch;
    const Fd read_only(open((scratch.path + "/a").c_str(), O_CREAT | O_RDONLY, 0600));
    const auto queue = make_write_queue(read_only.number());
    Result<void> written;
    for (unsigned i = 0; i < 10 && written; ++i) {
        const auto buffer = queue->next_buffer();
        written = buffer ? queue->write(4096, i * 4096) : tl::unexpected(buffer.error());
    }
    if (written) written = queue->wait();
    ck_assert(!written);
}
END_TEST

Suite* write_queue_suite()
{
    return make_suite("write queue", every_byte_is_where_it_belongs, the_ring_of_the_kernel_writes_the_same,
                      a_full_file_system_is_an_error, an_error_of_one_write_is_not_lost_among_others);
}

// The reader by its C calls: every byte once, in its place, or an error that says where.
#include "mscale/io.h"

#include <cerrno>
#include <set>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/library/open_reader.hpp"
#include "tests/unit/library/refused_call.hpp"
#include "tests/unit/library/suites.hpp"

namespace {

constexpr std::size_t odd_size = 40 * 4096 + 777; // ends within a page

void read_at_depth(unsigned depth, std::uint64_t flags)
{
    const ScratchFile file(odd_size);
    const OpenReader reader(file.path(), depth, 8192, flags);
    ck_assert_uint_eq(mscale_io_size(reader.get()), odd_size);
    for (int again = 0; again < 2; ++again) {
        ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
        reader.expect_whole(odd_size);
    }
}

START_TEST(every_byte_comes_in_order_at_depth_1_and_at_64)
{
    read_at_depth(1, 0);
    read_at_depth(64, 0);
}
END_TEST

START_TEST(through_the_page_cache_the_bytes_are_the_same)
{
    read_at_depth(7, MSCALE_IO_BUFFERED);
}
END_TEST

START_TEST(extents_that_lie_anywhere_and_hold_nothing_are_given_as_asked)
{
    const ScratchFile file(odd_size);
    const OpenReader reader(file.path(), 3, 20000);
    const std::vector<mscale_io_extent> list = {{4095, 2}, {odd_size - 5, 5}, {100, 0}, {0, 20000}, {4096, 4096},
                                                {odd_size, 0}, {12345, 20000}, {4095, 2}};
    ck_assert_int_eq(mscale_io_start(reader.get(), list.data(), list.size()), MSCALE_OK);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const mscale_io_piece piece = reader.expect_piece();
        ck_assert(piece.index == i && piece.offset == list[i].offset && piece.bytes == list[i].length);
    }
    reader.expect_end();
    ck_assert_int_eq(mscale_io_start(reader.get(), list.data(), 0), MSCALE_OK); // a list, of none
    reader.expect_end();
}
END_TEST

START_TEST(in_any_order_each_piece_comes_once)
{
    const ScratchFile file(odd_size);
    const OpenReader reader(file.path(), 8, 4096, MSCALE_IO_ANY_ORDER);
    ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 41; ++i) seen.insert(reader.expect_piece().index);
    ck_assert(seen.size() == 41 && *seen.rbegin() == 40);
    reader.expect_end();
    expect_part(mscale_io_describe(reader.get()), "in any order");
}
END_TEST

START_TEST(an_empty_file_ends_at_once)
{
    const ScratchFile file(0);
    const OpenReader reader(file.path(), 4, 4096);
    ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
    reader.expect_end();
}
END_TEST

START_TEST(a_file_that_is_shortened_is_an_error_with_its_place)
{
    for (const std::uint64_t flags : {0U, MSCALE_IO_BUFFERED}) {
        const ScratchFile file(odd_size);
        const OpenReader reader(file.path(), 2, 4096, flags);
        ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
        reader.expect_piece();
        ck_assert_int_eq(::truncate(file.path().c_str(), 10 * 4096 + 100), 0);
        for (int i = 1; i < 10; ++i) ck_assert_uint_eq(reader.expect_piece().index, static_cast<unsigned>(i));
        mscale_io_piece piece;
        for (int i = 0; i < 2; ++i) ck_assert_int_eq(mscale_io_next(reader.get(), &piece), MSCALE_SYSTEM); // no piece after it
        expect_part(mscale_last_error(), file.path() + ": 4096 bytes at 40960 were asked, and the file ends at 41060; it had 164617");
        const mscale_io_extent there = {0, 100};
        ck_assert_int_eq(mscale_io_start(reader.get(), &there, 1), MSCALE_OK);
        reader.expect_piece();
        reader.expect_end();
    }
}
END_TEST

START_TEST(a_file_that_grows_or_is_replaced_is_read_as_it_was_opened)
{
    const ScratchFile file(odd_size);
    const OpenReader reader(file.path(), 2, 4096);
    ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
    std::ofstream(file.path(), std::ios::app) << std::string(10000, 'x');
    ck_assert_int_eq(::rename(file.path().c_str(), (file.path() + ".old").c_str()), 0);
    std::ofstream(file.path()) << "another file";
    reader.expect_whole(odd_size);
}
END_TEST

START_TEST(one_that_is_left_or_begun_anew_in_the_middle_leaves_nothing_behind)
{
    const ScratchFile file(odd_size);
    const auto count = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
    const auto maps = [] {
        std::ifstream lines("/proc/self/maps");
        return std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
    };
    { const OpenReader first(file.path(), 16, 4096); } // what is loaded once
    const auto files = count();
    const auto mappings = maps();
    constexpr int readers = 40;
    for (int i = 0; i < readers; ++i) {
        const OpenReader reader(file.path(), 16, 4096, i % 2 ? MSCALE_IO_ANY_ORDER : 0);
        ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
        for (int j = 0; j < i % 20; ++j) reader.expect_piece();
        if (i % 3 == 0) ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
    }
    ck_assert_int_eq(count(), files);
    // What one left behind would be there as often as there were readers; a sanitizer takes some for itself.
    ck_assert_msg(maps() < mappings + readers / 2, "%ld mappings, %ld before", static_cast<long>(maps()), static_cast<long>(mappings));
}
END_TEST

void read_without_ring(int error)
{
    refuse_call(SYS_io_uring_setup, error);
    read_at_depth(8, 0);
    const ScratchFile file(100);
    const OpenReader reader(file.path(), 8, 4096);
    expect_part(mscale_io_describe(reader.get()), "by preadv and not io_uring (io_uring_setup: ");
    expect_part(mscale_io_describe(reader.get()), "through the page cache (which reads ahead for preadv)");
}

START_TEST(where_io_uring_is_forbidden_it_reads_by_preadv_and_says_so)
{
    read_without_ring(EPERM);
}
END_TEST

START_TEST(on_a_kernel_without_io_uring_it_reads_by_preadv_and_says_so)
{
    read_without_ring(ENOSYS);
}
END_TEST

START_TEST(where_little_memory_may_be_locked_it_reads_without_registered_buffers_and_says_so)
{
    const ScratchFile file(odd_size);
    const rlimit little = {65536, 65536};
    ck_assert_int_eq(::setrlimit(RLIMIT_MEMLOCK, &little), 0);
    if (::geteuid() == 0) ck_assert_int_eq(::seteuid(65534), 0);
    const OpenReader reader(file.path(), 16, 65536);
    ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
    reader.expect_whole(odd_size);
    const std::string described = mscale_io_describe(reader.get());
    if (described.find("by io_uring") != std::string::npos)
        expect_part(described, "buffers not registered: Cannot allocate memory, with a memlock limit of 64 KiB");
    if (::getuid() == 0) ck_assert_int_eq(::seteuid(0), 0);
}
END_TEST

} // namespace

Suite* io_suite()
{
    return make_suite("io", every_byte_comes_in_order_at_depth_1_and_at_64, through_the_page_cache_the_bytes_are_the_same,
                      extents_that_lie_anywhere_and_hold_nothing_are_given_as_asked, in_any_order_each_piece_comes_once,
                      an_empty_file_ends_at_once, a_file_that_is_shortened_is_an_error_with_its_place,
                      a_file_that_grows_or_is_replaced_is_read_as_it_was_opened,
                      one_that_is_left_or_begun_anew_in_the_middle_leaves_nothing_behind,
                      where_io_uring_is_forbidden_it_reads_by_preadv_and_says_so,
                      on_a_kernel_without_io_uring_it_reads_by_preadv_and_says_so,
                      where_little_memory_may_be_locked_it_reads_without_registered_buffers_and_says_so);
}

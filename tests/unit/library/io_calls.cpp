// What a reader is asked wrongly, and what the contract says of it.
#include "mscale/io.h"

#include <cstdlib>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu_set.hpp"
#include "tests/unit/library/open_reader.hpp"
#include "tests/unit/library/suites.hpp"

namespace {

void expect_refused(const std::string& path, const mscale_io_options& options, mscale_status status, const std::string& text)
{
    mscale_io* reader = reinterpret_cast<mscale_io*>(1);
    ck_assert_int_eq(mscale_io_open(path.c_str(), &options, &reader), status);
    ck_assert(reader == nullptr);
    expect_part(mscale_last_error(), text);
}

START_TEST(what_is_no_file_with_a_size_is_refused_and_not_waited_for)
{
    const ScratchFile file(1);
    const mscale_io_options options = MSCALE_IO_OPTIONS_INIT;
    const std::string pipe = file.directory() + "/pipe";
    ck_assert_int_eq(::mkfifo(pipe.c_str(), 0600), 0);
    expect_refused(pipe, options, MSCALE_INVALID, "MSC-S009: " + pipe + " is a pipe");
    expect_refused(file.directory(), options, MSCALE_INVALID, "is a directory");
    expect_refused("/dev/zero", options, MSCALE_INVALID, "/dev/zero is no file with a size");
    expect_refused(file.directory() + "/none", options, MSCALE_SYSTEM, "/none: No such file or directory");
}
END_TEST

START_TEST(wrong_options_are_refused)
{
    const ScratchFile file(1);
    expect_refused(file.path(), {0, nullptr, 0, 0, 0}, MSCALE_INVALID, "MSCALE_IO_OPTIONS_INIT");
    expect_refused(file.path(), {sizeof(mscale_io_options), nullptr, 0, 0, 64}, MSCALE_INVALID, "flags");
    expect_refused(file.path(), {sizeof(mscale_io_options), nullptr, 4097, 0, 0}, MSCALE_INVALID, "at most 4096");
    expect_refused(file.path(), {sizeof(mscale_io_options), nullptr, 1, (1U << 30) + 1, 0}, MSCALE_INVALID, "at most 1 GiB");
    ck_assert_int_eq(mscale_io_open(nullptr, nullptr, nullptr), MSCALE_INVALID);
    ck_assert_int_eq(mscale_io_next(nullptr, nullptr), MSCALE_INVALID);
    ck_assert_int_eq(mscale_io_start(nullptr, nullptr, 0), MSCALE_INVALID);
    ck_assert(mscale_io_size(nullptr) == 0 && std::string(mscale_io_describe(nullptr)).empty());
    mscale_io_close(nullptr);
}
END_TEST

START_TEST(an_extent_that_can_not_be_had_refuses_the_list_and_ends_nothing)
{
    const ScratchFile file(10000);
    const OpenReader reader(file.path(), 2, 5000);
    ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
    const std::vector<mscale_io_extent> beyond = {{0, 1}, {9999, 2}}, longer = {{0, 5001}}, wrapping = {{~0ULL, 2}};
    ck_assert_int_eq(mscale_io_start(reader.get(), beyond.data(), 2), MSCALE_INVALID);
    expect_part(mscale_last_error(), "extent 1: 2 bytes at 9999 of a file of 10000 bytes");
    ck_assert_int_eq(mscale_io_start(reader.get(), longer.data(), 1), MSCALE_INVALID);
    expect_part(mscale_last_error(), "extent 0 has 5001 bytes, and a block has 5000");
    ck_assert_int_eq(mscale_io_start(reader.get(), wrapping.data(), 1), MSCALE_INVALID);
    reader.expect_whole(10000);
}
END_TEST

START_TEST(a_child_of_fork_has_to_open_its_own_and_takes_nothing_from_its_parent)
{
    const ScratchFile file(40 * 4096);
    const OpenReader reader(file.path(), 8, 4096);
    ck_assert_int_eq(mscale_io_start(reader.get(), nullptr, 0), MSCALE_OK);
    if (const pid_t child = ::fork(); child == 0) {
        mscale_io_piece piece;
        const bool refused = mscale_io_next(reader.get(), &piece) == MSCALE_INVALID;
        mscale_io_close(reader.get());
        ::_exit(refused ? 0 : 1);
    } else {
        int status = 0;
        ck_assert(::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    reader.expect_whole(40 * 4096);
}
END_TEST

START_TEST(the_role_gives_depth_cores_and_its_place)
{
    const ScratchFile file(100);
    const std::string cpu = std::to_string(mscale::read_affinity().value().cpus().front());
    const std::string before = to_string(mscale::read_affinity().value());
    for (const char* name : {"LOCAL_RANK", "SLURM_LOCALID"}) ::unsetenv(name);
    ::setenv("MSCALE_ROLES", "loader", 1);
    ::setenv("MSCALE_ROLE_LOADER_CPUS", cpu.c_str(), 1);
    ::setenv("MSCALE_ROLE_LOADER_IO_DEPTH", "5", 1);
    mscale_io_options options = MSCALE_IO_OPTIONS_INIT;
    options.role = "loader";
    mscale_io* reader = nullptr;
    ck_assert_int_eq(mscale_io_open(file.path().c_str(), &options, &reader), MSCALE_OK);
    const std::string described = mscale_io_describe(reader);
    mscale_io_close(reader);
    expect_part(described, "100 bytes, 5 reads of 256 KiB under way, in the asked order");
    if (described.find("by io_uring") != std::string::npos) expect_part(described, "the kernel's workers on CPUs " + cpu);
    expect_text(to_string(mscale::read_affinity().value()), before); // the thread is its caller's
    options.role = "nobody";
    expect_refused(file.path(), options, MSCALE_INVALID, "its roles are: loader");
    ::setenv("MSCALE_ROLE_LOADER_IO_DEPTH", "-1", 1);
    options.role = "loader";
    expect_refused(file.path(), options, MSCALE_INVALID, "io_depth of role 'loader' reads '-1'");
    ::unsetenv("MSCALE_ROLES");
    options.role = "nobody";
    ck_assert_int_eq(mscale_io_open(file.path().c_str(), &options, &reader), MSCALE_OK);
    mscale_io_close(reader);
}
END_TEST

} // namespace

Suite* io_calls_suite()
{
    return make_suite("io calls", what_is_no_file_with_a_size_is_refused_and_not_waited_for, wrong_options_are_refused,
                      an_extent_that_can_not_be_had_refuses_the_list_and_ends_nothing,
                      a_child_of_fork_has_to_open_its_own_and_takes_nothing_from_its_parent, the_role_gives_depth_cores_and_its_place);
}

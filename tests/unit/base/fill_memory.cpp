#include "base/fill_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "tests/unit/base/suites.hpp"

using namespace mscale;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

Fd make_file(std::uint64_t bytes)
{
    Fd file(memfd_create("unit", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ck_assert(file && ftruncate(file.number(), static_cast<off_t>(bytes)) == 0);
    return file;
}

struct stat look_at(const Fd& file)
{
    struct stat status = {};
    ck_assert_int_eq(fstat(file.number(), &status), 0);
    return status;
}

} // namespace

START_TEST(every_page_of_the_range_is_there_and_no_other)
{
    const Fd file = make_file(16 * mib);
    ck_assert(fill_memory(file.number(), 4 * mib, 5 * mib + 4096).has_value());
    ck_assert_uint_eq(static_cast<std::uint64_t>(look_at(file).st_blocks) * 512, 5 * mib + 4096);
    ck_assert_uint_eq(static_cast<std::uint64_t>(look_at(file).st_size), 16 * mib);
}
END_TEST

START_TEST(a_file_that_cannot_take_the_pages_is_an_error)
{
    const Fd file = make_file(mib);
    ck_assert_int_eq(fcntl(file.number(), F_ADD_SEALS, F_SEAL_GROW), 0);
    const auto filled = fill_memory(file.number(), 0, 2 * mib);
    ck_assert(!filled && filled.error().code == Code::snapshot_room);
}
END_TEST

Suite* fill_memory_suite()
{
    return make_suite("fill_memory", every_page_of_the_range_is_there_and_no_other, a_file_that_cannot_take_the_pages_is_an_error);
}

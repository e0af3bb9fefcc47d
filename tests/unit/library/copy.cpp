#include "library/copy.hpp"

#include <random>

#include "recovery/checksum.hpp"
#include "tests/unit/library/suites.hpp"

using namespace mscale;
using namespace mscale::library;

namespace {

std::vector<std::byte> random_bytes(std::size_t size)
{
    std::mt19937_64 random(size);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

/// Copies `data` in parts of `part` bytes; the copy and its checksums must be right.
void expect_copy(const std::vector<std::byte>& data, std::size_t part)
{
    std::vector<std::byte> target(data.size());
    SummingCopy copy(target);
    for (std::size_t at = 0; at < data.size(); at += part)
        copy.append(std::span(data).subspan(at, std::min(part, data.size() - at)));
    ck_assert(target == data);
    ck_assert(copy.room() == 0 && copy.checksums() == recovery::crc32c_chunks(data));
}

START_TEST(the_checksums_are_those_of_each_chunk_however_the_data_come)
{
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, recovery::chunk_bytes - 1, recovery::chunk_bytes,
          recovery::chunk_bytes + 1, 2 * recovery::chunk_bytes + 4095})
        for (const std::size_t part : {std::size_t{4097}, std::size_t{100003}, 3 * recovery::chunk_bytes})
            expect_copy(random_bytes(size), part);
}
END_TEST

START_TEST(gaps_are_zeros_and_count_for_the_checksums)
{
    std::vector<std::byte> target(100, std::byte{0xff});
    SummingCopy copy(target);
    copy.append(random_bytes(3));
    ck_assert(copy.align(64) && copy.position() == 64 && target[63] == std::byte{0});
    ck_assert(copy.checksums() == recovery::crc32c_chunks(std::span(target).first(64)));
    copy.append(random_bytes(1));
    ck_assert(!copy.align(64) && copy.position() == 65);
}
END_TEST

} // namespace

Suite* copy_suite()
{
    return make_suite("copy", the_checksums_are_those_of_each_chunk_however_the_data_come,
                      gaps_are_zeros_and_count_for_the_checksums);
}

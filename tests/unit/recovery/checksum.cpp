#include "recovery/checksum.hpp"

#include <string_view>

#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale::recovery;

START_TEST(the_sums_of_the_rfc_are_found)
{
    const std::string_view digits = "123456789";
    ck_assert(crc32c(std::as_bytes(std::span(digits))) == 0xe3069283);
    std::vector<std::byte> bytes(32); // RFC 3720, B.4
    ck_assert(crc32c(bytes) == 0x8a9136aa);
    bytes.assign(32, std::byte(0xff));
    ck_assert(crc32c(bytes) == 0x62a8ab43);
    for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::byte>(i);
    ck_assert(crc32c(bytes) == 0x46dd794e);
    ck_assert(crc32c({}) == 0);
}
END_TEST

START_TEST(a_sum_goes_on_from_any_place)
{
    Random random(1);
    const auto bytes = random_bytes(random, 1000);
    const std::span<const std::byte> all = bytes;
    for (std::size_t cut = 0; cut <= all.size(); ++cut)
        ck_assert(crc32c(crc32c(all.first(cut)), all.subspan(cut)) == crc32c(all));
}
END_TEST

START_TEST(each_chunk_has_its_sum_and_the_damaged_one_is_found)
{
    std::vector<std::byte> bytes(2 * chunk_bytes + 5);
    const auto sums = crc32c_chunks(bytes);
    ck_assert_uint_eq(sums.size(), 3);
    ck_assert_uint_eq(find_damaged_chunk(bytes, sums), 3);
    for (const std::size_t at : {std::size_t(0), chunk_bytes, 2 * chunk_bytes - 1, 2 * chunk_bytes + 4}) {
        bytes[at] ^= std::byte(1);
        ck_assert_uint_eq(find_damaged_chunk(bytes, sums), at / chunk_bytes);
        bytes[at] ^= std::byte(1);
    }
    ck_assert(crc32c_chunks({}).empty());
}
END_TEST

START_TEST(bytes_that_are_missing_are_damage)
{
    Random random(2);
    const auto bytes = random_bytes(random, chunk_bytes + 5);
    const auto sums = crc32c_chunks(bytes);
    ck_assert_uint_eq(find_damaged_chunk(std::span(bytes).first(chunk_bytes), sums), 1);
    ck_assert_uint_eq(find_damaged_chunk(std::span(bytes).first(10), sums), 0);
}
END_TEST

Suite* checksum_suite()
{
    return make_suite("checksum", the_sums_of_the_rfc_are_found, a_sum_goes_on_from_any_place,
                      each_chunk_has_its_sum_and_the_damaged_one_is_found, bytes_that_are_missing_are_damage);
}

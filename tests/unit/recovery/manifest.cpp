#include "recovery/manifest.hpp"

#include <functional>
#include <limits>

#include "recovery/bytes.hpp"
#include "recovery/checksum.hpp"
#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

/// The encoded manifest with other bytes at `at` and a checksum that fits them: what an attacker would send.
std::string forge_manifest(std::string encoded, std::size_t at, const std::string& bytes)
{
    encoded.replace(at, bytes.size(), bytes);
    encoded.resize(encoded.size() - 4);
    ByteWriter sum;
    sum.put(crc32c(std::as_bytes(std::span(encoded))));
    return encoded + sum.bytes();
}

template <class T> std::string little_endian(T value)
{
    ByteWriter writer;
    writer.put(value);
    return writer.bytes();
}

void expect_refused(const std::function<void(Manifest&)>& change, const std::string& part)
{
    Manifest manifest = sample_manifest();
    change(manifest);
    const auto checked = check_manifest(manifest);
    ck_assert_msg(!checked, "accepted: %s", part.c_str());
    ck_assert(checked.error().code == Code::snapshot_damaged);
    ck_assert_msg(checked.error().text.find(part) != std::string::npos, "'%s' lacks '%s'",
                  checked.error().text.c_str(), part.c_str());
}

} // namespace

START_TEST(any_manifest_reads_back_as_it_was)
{
    Random random(3);
    for (int i = 0; i < 2000; ++i) {
        const Manifest manifest = random_manifest(random);
        const auto read = decode_manifest(encode_manifest(manifest));
        ck_assert_msg(read.has_value(), "%s", read ? "" : read.error().text.c_str());
        ck_assert(*read == manifest);
    }
}
END_TEST

START_TEST(every_flipped_bit_is_refused)
{
    const std::string encoded = encode_manifest(sample_manifest());
    for (std::size_t bit = 0; bit < encoded.size() * 8; ++bit) {
        std::string flipped = encoded;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        ck_assert(!decode_manifest(flipped));
    }
}
END_TEST

START_TEST(every_truncation_and_every_addition_is_refused)
{
    const std::string encoded = encode_manifest(sample_manifest());
    for (std::size_t size = 0; size < encoded.size(); ++size)
        ck_assert(!decode_manifest(encoded.substr(0, size)));
    for (std::size_t size = 16; size < encoded.size(); ++size)
        ck_assert(!decode_manifest(forge_manifest(encoded.substr(0, size), 0, "")));
    ck_assert(!decode_manifest(encoded + "x"));
    ck_assert(!decode_manifest(forge_manifest(encoded + "more", 0, "")));
}
END_TEST

START_TEST(manifest_bytes_stand_where_format_1_puts_them)
{
    Manifest manifest;
    manifest.data_bytes = 3;
    manifest.extents = {{.name = "a", .kind = ExtentKind::shared, .type = DataType::u8, .at = 1, .bytes = 2}};
    manifest.chunks = {5};
    const std::string head("MSM1\1\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0", 20);
    const std::string extent("\1\0a\3\6\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 23);
    const std::string chunks("\1\0\0\0\5\0\0\0", 8);
    ck_assert(encode_manifest(manifest) == forge_manifest(head + extent + chunks + "sum_", 0, ""));
}
END_TEST

START_TEST(a_newer_minor_only_adds_and_a_newer_major_is_refused)
{
    const Manifest manifest = sample_manifest();
    const std::string encoded = encode_manifest(manifest);
    ck_assert(decode_manifest(forge_manifest(encoded + "more", 6, little_endian(std::uint16_t(1)))).value() == manifest);
    const auto newer = decode_manifest(forge_manifest(encoded, 4, little_endian(std::uint16_t(2))));
    ck_assert(!newer && newer.error().code == Code::snapshot_version);
    const auto older = decode_manifest(forge_manifest(encoded, 4, little_endian(std::uint16_t(0))));
    ck_assert(!older && older.error().code == Code::snapshot_damaged);
}
END_TEST

START_TEST(counts_that_the_bytes_cannot_hold_are_refused)
{
    const std::string encoded = encode_manifest(sample_manifest());
    for (const std::uint32_t count : {0u, 3u, 5u, 65536u, 0xffffffffu})
        ck_assert(!decode_manifest(forge_manifest(encoded, 16, little_endian(count))));
    ck_assert(!decode_manifest(forge_manifest(encoded, encoded.size() - 12, little_endian(0xffffffffu))));
    ck_assert(!decode_manifest(forge_manifest(encoded, 20, little_endian(std::uint16_t(0xffff)))));
    ck_assert(!decode_manifest(forge_manifest(encoded, 20 + 5 + 2, little_endian(std::uint16_t(0xffff)))));
}
END_TEST

START_TEST(random_damage_with_a_right_sum_never_breaks_the_reader)
{
    Random random(4);
    for (int i = 0; i < 20000; ++i) {
        const std::string encoded = encode_manifest(sample_manifest());
        const std::string byte(1, static_cast<char>(random()));
        const auto read = decode_manifest(forge_manifest(encoded, pick(random, encoded.size() - 5), byte));
        if (read)
            ck_assert(check_manifest(*read) && decode_manifest(encode_manifest(*read)).value() == *read);
    }
}
END_TEST

START_TEST(what_is_wrong_is_said_with_the_name)
{
    ck_assert(check_manifest(sample_manifest()));
    expect_refused([](Manifest& m) { m.extents[0].name = ""; }, "name is empty");
    expect_refused([](Manifest& m) { m.extents[0].name = std::string(513, 'a'); }, "too long");
    expect_refused([](Manifest& m) { m.extents[0].name = "weight"; }, "'weight': the name stands twice");
    expect_refused([](Manifest& m) { m.extents[0].bytes = 129; }, "'weight': overlaps 'rng'");
    expect_refused([](Manifest& m) { m.extents[3].bytes = 601; },
                   "'scheduler': 601 bytes from 400 pass the 1000");
    expect_refused([](Manifest& m) { m.extents[3].at = most; }, "'scheduler'");
    expect_refused([](Manifest& m) { m.extents[3].bytes = most; }, "'scheduler'");
    expect_refused(
        [](Manifest& m) {
            m.extents[0].name = "\n";
            m.extents[0].at = 950;
        },
        "'\\x0A'");
}
END_TEST

START_TEST(shapes_that_cannot_be_are_refused)
{
    expect_refused([](Manifest& m) { m.extents[1].offset = {5, 0}; }, "axis 0: 4 from 5 pass 8");
    expect_refused([](Manifest& m) { m.extents[1].offset = {most, 0}; }, "axis 0");
    expect_refused([](Manifest& m) { m.extents[1].bytes = 161; }, "161 bytes aren't those");
    expect_refused([](Manifest& m) { m.extents[1].type = DataType::f64; }, "160 bytes aren't those");
    expect_refused([](Manifest& m) { m.extents[1].global = {most, 10}; }, "global shape is too large");
    expect_refused([](Manifest& m) { m.extents[1].offset = {4}; }, "2, 1 and 2 axes");
    expect_refused([](Manifest& m) { m.extents[1].global.push_back(1); }, "2, 2 and 3 axes");
    expect_refused([](Manifest& m) { m.extents[0].global = {1}; }, "0, 0 and 1 axes");
    expect_refused([](Manifest& m) { m.extents[1].kind = ExtentKind::opaque; }, "only a tensor has a shape");
    expect_refused([](Manifest& m) { m.extents[1].kind = static_cast<ExtentKind>(9); }, "unknown kind");
    expect_refused([](Manifest& m) { m.extents[1].type = static_cast<DataType>(200); },
                   "unknown kind or type");
}
END_TEST

START_TEST(a_wrong_number_of_checksums_or_extents_is_refused)
{
    expect_refused([](Manifest& m) { m.chunks.clear(); }, "0 checksums for 1000 bytes");
    expect_refused([](Manifest& m) { m.chunks = {1, 2}; }, "2 checksums");
    expect_refused([](Manifest& m) { m.data_bytes = most; }, "checksums");
    expect_refused([](Manifest& m) { m.extents.resize(65537); }, "65537 extents");
}
END_TEST

Suite* manifest_suite()
{
    return make_suite(
        "manifest", any_manifest_reads_back_as_it_was, every_flipped_bit_is_refused,
        every_truncation_and_every_addition_is_refused, manifest_bytes_stand_where_format_1_puts_them,
        a_newer_minor_only_adds_and_a_newer_major_is_refused, counts_that_the_bytes_cannot_hold_are_refused,
        random_damage_with_a_right_sum_never_breaks_the_reader, what_is_wrong_is_said_with_the_name,
        shapes_that_cannot_be_are_refused, a_wrong_number_of_checksums_or_extents_is_refused);
}

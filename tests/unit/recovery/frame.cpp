#include "recovery/frame.hpp"

#include <cstring>

#include "recovery/bytes.hpp"
#include "recovery/checksum.hpp"
#include "recovery/manifest.hpp"
#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

SessionKey sample_key()
{
    return SessionKey::take("0123456789abcdef0123456789abcdef").value();
}

FrameHeader sample_header(FrameType type)
{
    return {.type = type, .flags = 1, .owner = sample_owner(), .epoch = 5, .sequence = 9, .offset = 4096};
}

/// A frame as somebody with the key would make it, whatever stands in it.
std::string forge(std::string bytes, std::size_t at, const std::string& other)
{
    bytes.replace(at, other.size(), other);
    const SessionKey::Mac mac = sample_key().sign({reinterpret_cast<const std::uint8_t*>(bytes.data()), 64});
    std::memcpy(bytes.data() + 64, mac.data(), mac.size());
    return bytes;
}

template <class T> std::string number(T value)
{
    ByteWriter writer;
    writer.put(value);
    return writer.bytes();
}

std::string refusal(const Result<FrameHeader>& read)
{
    ck_assert(!read && read.error().code == Code::bad_frame);
    return read.error().text;
}

} // namespace

START_TEST(a_frame_of_every_type_reads_back)
{
    Random random(7);
    const auto payload = random_bytes(random, 1000);
    for (unsigned type = 1; type <= static_cast<unsigned>(FrameType::error); ++type) {
        FrameHeader header = sample_header(static_cast<FrameType>(type));
        const std::string bytes = encode_frame(header, payload, sample_key());
        ck_assert_uint_eq(bytes.size(), frame_header_bytes);
        const auto read = decode_frame(bytes, sample_key(), 9).value();
        header.length = 1000;
        header.checksum = read.checksum;
        ck_assert(read == header && check_payload(read, payload));
    }
}
END_TEST

START_TEST(the_sum_of_a_chunk_serves_its_frame)
{
    Random random(18);
    const auto chunk = random_bytes(random, chunk_bytes);
    FrameHeader header = sample_header(FrameType::put);
    const std::string summed = encode_frame(header, chunk, sample_key());
    header.length = chunk_bytes;
    header.checksum = crc32c_chunks(chunk)[0];
    ck_assert(sign_frame(header, sample_key()) == summed);
}
END_TEST

START_TEST(bytes_stand_where_format_1_puts_them)
{
    const std::string bytes = encode_frame(sample_header(FrameType::put), {}, sample_key());
    const std::string wanted("MSF1\1\0\2\1"
                             "\7\0\0\0\xe8\3\0\0\1\0\0\0\4\0\0\0\2\0\0\0\3\0\0\0"
                             "\5\0\0\0\0\0\0\0"
                             "\x09\0\0\0\0\0\0\0"
                             "\0\x10\0\0\0\0\0\0"
                             "\0\0\0\0"
                             "\0\0\0\0",
                             64);
    ck_assert(bytes.substr(0, 64) == wanted);
}
END_TEST

START_TEST(every_flipped_bit_of_a_header_is_refused)
{
    const std::string bytes = encode_frame(sample_header(FrameType::put), {}, sample_key());
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        std::string flipped = bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        ck_assert(!decode_frame(flipped, sample_key(), 9));
    }
}
END_TEST

START_TEST(a_header_of_another_length_is_refused)
{
    const std::string bytes = encode_frame(sample_header(FrameType::put), {}, sample_key());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        ck_assert(!decode_frame(bytes.substr(0, size), sample_key(), 9));
    ck_assert(!decode_frame(bytes + "x", sample_key(), 9));
}
END_TEST

START_TEST(a_wrong_key_direction_or_number_is_refused)
{
    const SessionKey key = sample_key();
    const std::string bytes = encode_frame(sample_header(FrameType::put), {}, key.derive("dial 0"));
    ck_assert(decode_frame(bytes, key.derive("dial 0"), 9));
    for (const auto& read : {decode_frame(bytes, key, 9), decode_frame(bytes, key.derive("accept 0"), 9),
                             decode_frame(bytes, SessionKey::make(), 9)})
        expect_text(refusal(read), "frame: it isn't signed by the other keeper");
    for (const std::uint64_t due : {8U, 10U}) // played again, left out
        ck_assert(refusal(decode_frame(bytes, key.derive("dial 0"), due)).find("number 9 came") !=
                  std::string::npos);
}
END_TEST

START_TEST(a_signed_header_that_cannot_be_is_refused)
{
    const std::string bytes = encode_frame(sample_header(FrameType::put), {}, sample_key());
    const auto read = [&](std::size_t at, const std::string& other) {
        return decode_frame(forge(bytes, at, other), sample_key(), 9);
    };
    ck_assert(read(0, "M"));
    expect_text(refusal(read(4, number(std::uint16_t(2)))),
                "frame: the other keeper speaks format 2, this one 1");
    expect_text(refusal(read(6, number(std::uint8_t(0)))), "frame: unknown type 0");
    expect_text(refusal(read(6, number(std::uint8_t(13)))), "frame: unknown type 13");
    expect_text(refusal(read(56, number(0xffffffffu))), "frame: 4294967295 bytes are too long for type 2");
    ck_assert(read(56, number(std::uint32_t(4 << 20))) && !read(56, number(std::uint32_t((4 << 20) + 1))));
}
END_TEST

START_TEST(only_a_seal_may_be_as_long_as_a_manifest)
{
    ck_assert_uint_eq(payload_limit(FrameType::seal), most_manifest_bytes);
    ck_assert_uint_eq(payload_limit(FrameType::hello), 16384);
    for (unsigned type = 2; type <= static_cast<unsigned>(FrameType::error); ++type)
        ck_assert(static_cast<FrameType>(type) == FrameType::seal ||
                  payload_limit(static_cast<FrameType>(type)) == 4 << 20);
}
END_TEST

START_TEST(a_damaged_payload_is_named)
{
    Random random(8);
    auto payload = random_bytes(random, 100);
    const std::string bytes = encode_frame(sample_header(FrameType::data), payload, sample_key());
    const FrameHeader header = decode_frame(bytes, sample_key(), 9).value();
    ck_assert(!check_payload(header, std::span(payload).first(99)));
    payload[50] ^= std::byte(1);
    expect_text(check_payload(header, payload).error().text,
                "frame: the 100 bytes for epoch 5 of job 7 rank 1 from 4096 on aren't those that were sent");
}
END_TEST

START_TEST(only_a_hello_is_read_before_the_key_is_known)
{
    FrameHeader header = sample_header(FrameType::hello);
    ck_assert(!peek_hello(encode_frame(header, {}, sample_key())));
    header.sequence = 0;
    ck_assert(peek_hello(encode_frame(header, {}, sample_key())));
    header.type = FrameType::put;
    ck_assert(!peek_hello(encode_frame(header, {}, sample_key())));
}
END_TEST

START_TEST(a_key_has_its_length_and_is_gone_when_it_moved)
{
    ck_assert(!SessionKey::take("short") && !SessionKey::take(std::string(33, 'x')) && !SessionKey::take(""));
    SessionKey key = SessionKey::make(), other = SessionKey::make();
    ck_assert(key.expose() != other.expose() && key.expose() != std::string(32, '\0'));
    const std::string secret(key.expose());
    const SessionKey moved = std::move(key);
    ck_assert(moved.expose() == secret && key.expose() == std::string(32, '\0'));
    other = sample_key();
    ck_assert(other.expose() == sample_key().expose());
    std::string copy = secret;
    wipe(copy);
    ck_assert(copy == std::string(32, '\0'));
}
END_TEST

START_TEST(the_storage_of_a_key_is_wiped_when_it_ends)
{
    alignas(SessionKey) unsigned char storage[sizeof(SessionKey)];
    auto* key = new (storage) SessionKey(sample_key());
    ck_assert(std::memcmp(storage, "0123456789abcdef", 16) == 0);
    key->~SessionKey();
    for (const volatile unsigned char& byte : storage) ck_assert(byte == 0);
}
END_TEST

Suite* frame_suite()
{
    return make_suite("frame", a_frame_of_every_type_reads_back, the_sum_of_a_chunk_serves_its_frame,
                      bytes_stand_where_format_1_puts_them, every_flipped_bit_of_a_header_is_refused,
                      a_header_of_another_length_is_refused, a_wrong_key_direction_or_number_is_refused,
                      a_signed_header_that_cannot_be_is_refused, only_a_seal_may_be_as_long_as_a_manifest,
                      a_damaged_payload_is_named, only_a_hello_is_read_before_the_key_is_known,
                      a_key_has_its_length_and_is_gone_when_it_moved,
                      the_storage_of_a_key_is_wiped_when_it_ends);
}

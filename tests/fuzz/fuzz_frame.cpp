// Any bytes as the header of a frame, unsigned and signed by the right key: refused, or within its bounds and the same
// when written again.
#include "recovery/frame.hpp"
#include "tests/fuzz/checked.hpp"
#include "tests/fuzz/property.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr std::size_t signed_bytes = 64;

const SessionKey& fuzz_key()
{
    static const SessionKey key = SessionKey::take("0123456789abcdef0123456789abcdef").value();
    return key;
}

/// The sequence that the bytes themselves claim, so that it stops nothing.
std::uint64_t claimed_sequence(std::string_view bytes)
{
    ByteReader reader(bytes.size() < 48 ? std::string_view() : bytes.substr(40, 8));
    return reader.get<std::uint64_t>();
}

std::string sign(std::string bytes)
{
    bytes.resize(signed_bytes);
    const auto mac = fuzz_key().sign({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    return bytes.append(reinterpret_cast<const char*>(mac.data()), mac.size());
}

void check(const std::string& bytes)
{
    const auto header = decode_frame(bytes, fuzz_key(), claimed_sequence(bytes));
    require(header.has_value() || header.error().code == Code::bad_frame, "a refusal is one of frames");
    if (!header) return;
    require(header->length <= payload_limit(header->type), "no payload is over its limit");
    const std::string payload(header->length, 'x');
    const std::string again = encode_frame(*header, std::as_bytes(std::span(payload)), fuzz_key());
    const auto read = decode_frame(again, fuzz_key(), header->sequence);
    require(read && check_payload(*read, std::as_bytes(std::span(payload))), "what is written reads back");
    require(again.substr(0, 60) == bytes.substr(0, 60), "a header has one form");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    check(bytes);
    check(sign(bytes));
    const auto hello = peek_hello(bytes);
    require(!hello || hello->length <= payload_limit(FrameType::hello), "a hello is short");
    return 0;
}

// Any bytes as a beat, unsigned and signed by the right key: refused, or within its bounds and the same when written again.
#include "daemon/failure/beat.hpp"
#include "tests/fuzz/property.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

constexpr std::size_t mac_bytes = recovery::SessionKey::Mac{}.size();

const recovery::SessionKey& fuzz_key()
{
    static const auto key = recovery::SessionKey::take("0123456789abcdef0123456789abcdef").value();
    return key;
}

std::string sign(std::string bytes)
{
    const auto mac = fuzz_key().sign({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    return bytes.append(reinterpret_cast<const char*>(mac.data()), mac.size());
}

void check(const std::string& bytes)
{
    const auto beat = read_beat(bytes);
    require(beat.has_value() || beat.error().code == Code::bad_frame, "a refusal is one of frames");
    if (!beat) return;
    require(bytes.size() <= most_beat_bytes && !beat->node.empty(), "a beat is bounded and names a node");
    const std::string again = encode_beat(*beat, fuzz_key());
    const auto read = read_beat(again);
    require(read && *read == *beat && is_signed(again, fuzz_key()), "what is written reads back");
    require(again.size() == bytes.size() &&
                again.substr(0, again.size() - mac_bytes) == bytes.substr(0, bytes.size() - mac_bytes),
            "a beat has one form");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    check(bytes);
    check(sign(bytes));
    require(is_signed(sign(bytes), fuzz_key()), "what is signed is signed");
    if (is_signed(bytes, fuzz_key())) check(bytes);
    return 0;
}

// Any bytes as a manifest, with the checksum that they have and with one that fits: refused, or right in every bound and
// the same when written again.
#include "recovery/manifest.hpp"
#include "tests/fuzz/checked.hpp"
#include "tests/fuzz/property.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

void check(const std::string& bytes)
{
    const auto manifest = decode_manifest(bytes);
    if (!manifest) {
        require(!manifest.error().text.empty(), "a refusal says why");
        return;
    }
    require(check_manifest(*manifest).has_value(), "what is read is right");
    const std::string again = encode_manifest(*manifest);
    const auto read = decode_manifest(again);
    require(read.has_value() && *read == *manifest, "what is written reads back as the same");
    const bool same_minor = bytes.substr(0, 8) == again.substr(0, 8);
    require(!same_minor || again == bytes, "a manifest has one form");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    check(bytes);
    check(with_checksum(bytes));
    return 0;
}

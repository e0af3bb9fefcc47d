#include "recovery/session_key.hpp"

#include <algorithm>
#include <cstdlib>

#include <sodium.h>

#include "base/text.hpp"

namespace mscale::recovery {
namespace {

/// Before the first use; without random numbers of the kernel there is nothing safe to go on with.
void prepare_library()
{
    static const int prepared = sodium_init();
    if (prepared < 0) std::abort();
}

} // namespace

SessionKey SessionKey::make()
{
    prepare_library();
    SessionKey key;
    randombytes_buf(key.secret_.data(), key.secret_.size());
    return key;
}

Result<SessionKey> SessionKey::take(std::string_view secret)
{
    if (secret.size() != bytes)
        return failure(Code::bad_frame, format("a session key of {} bytes, not {}", secret.size(), bytes));
    SessionKey key;
    std::ranges::copy(secret, key.secret_.begin());
    return key;
}

SessionKey::SessionKey(SessionKey&& other) noexcept : secret_(other.secret_)
{
    sodium_memzero(other.secret_.data(), bytes);
}

SessionKey& SessionKey::operator=(SessionKey&& other) noexcept
{
    if (this == &other) return *this;
    secret_ = other.secret_;
    sodium_memzero(other.secret_.data(), bytes);
    return *this;
}

SessionKey::~SessionKey()
{
    sodium_memzero(secret_.data(), bytes);
}

SessionKey SessionKey::derive(std::string_view use) const
{
    prepare_library();
    SessionKey key;
    crypto_generichash(key.secret_.data(), bytes, reinterpret_cast<const unsigned char*>(use.data()),
                       use.size(), secret_.data(), bytes);
    return key;
}

SessionKey::Mac SessionKey::sign(std::span<const std::uint8_t> message) const
{
    prepare_library();
    Mac mac{};
    crypto_generichash(mac.data(), mac.size(), message.data(), message.size(), secret_.data(), bytes);
    return mac;
}

bool SessionKey::verify(std::span<const std::uint8_t> message, const Mac& mac) const
{
    const Mac right = sign(message);
    return sodium_memcmp(right.data(), mac.data(), mac.size()) == 0;
}

std::string_view SessionKey::expose() const
{
    return {reinterpret_cast<const char*>(secret_.data()), bytes};
}

void wipe(std::span<char> secret)
{
    sodium_memzero(secret.data(), secret.size());
}

} // namespace mscale::recovery

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.hpp"

namespace mscale::recovery {

/// The secret that two keepers share for one connection.  Wiped when it ends, never copied by accident,
/// printed or logged.
class SessionKey {
public:
    static constexpr std::size_t bytes = 32;
    using Mac = std::array<std::uint8_t, 16>;

    /// A new one from the kernel's random numbers.
    static SessionKey make();
    /// The one that the other side made; bad_frame when `secret` hasn't its length.
    static Result<SessionKey> take(std::string_view secret);

    SessionKey(SessionKey&& other) noexcept;
    SessionKey& operator=(SessionKey&& other) noexcept;
    SessionKey(const SessionKey&) = delete;
    SessionKey& operator=(const SessionKey&) = delete;
    ~SessionKey();

    /// Another key that tells nothing of this one: each stream and each direction has its own, so that a
    /// frame of one is no frame of the other.
    SessionKey derive(std::string_view use) const;
    /// The keyed BLAKE2b of `message`.
    Mac sign(std::span<const std::uint8_t> message) const;
    /// True when `mac` is that of `message`; takes the same time whatever differs.
    bool verify(std::span<const std::uint8_t> message, const Mac& mac) const;
    /// The secret itself, to be sealed into a credential; whoever copies it wipes the copy.
    std::string_view expose() const;

private:
    SessionKey() = default;

    std::array<std::uint8_t, bytes> secret_{};
};

/// Overwrites a secret so that no compiler leaves it out.
void wipe(std::span<char> secret);

} // namespace mscale::recovery

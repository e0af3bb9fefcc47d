#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace mscale::hal {

/// domain:bus:device.function.  Domains may be wider than 16 bits (VMD, GH200).
struct PciAddress {
    std::uint32_t domain = 0;
    std::uint8_t bus = 0, device = 0, function = 0;
    auto operator<=>(const PciAddress&) const = default;
};

/// "0000:1b:00.0" in any case, domain of four to eight digits, outer blanks allowed.
/// `domain_given` (when not null) tells whether the text had a domain: the short form "1b:00.0" is accepted
/// only with it, and the caller must see that it names one device.
Result<PciAddress> parse_pci_address(std::string_view text, bool* domain_given = nullptr);

/// As sysfs writes it: lower case, domain of at least four digits.
std::string to_string(const PciAddress& address);

} // namespace mscale::hal

#include "hal/pci_address.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace mscale::hal {
namespace {

struct Part {
    std::string_view text;
    std::size_t least_digits, most_digits;
    std::uint32_t greatest;
    const char* name;
};

tl::unexpected<Error> refuse(std::string_view text, const std::string& why)
{
    return failure(Code::bad_pci, format("PCI address '{}': {}", printable(text), why));
}

bool is_hex(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

Result<std::uint32_t> parse_part(std::string_view whole, const Part& part)
{
    if (part.text.size() < part.least_digits || part.text.size() > part.most_digits || !is_hex(part.text))
        return refuse(whole, format("'{}' is no {} (hexadecimal)", printable(part.text), part.name));
    std::uint32_t value = 0;
    std::from_chars(part.text.data(), part.text.data() + part.text.size(), value, 16);
    if (value > part.greatest)
        return refuse(whole,
                      format("the {} is at most {:x}, but {} was read", part.name, part.greatest, part.text));
    return value;
}

/// What people paste that isn't an address of this form.
std::string hint_of(std::string_view text)
{
    if (text.starts_with("PCI:"))
        return "this is Xorg's decimal form; write hexadecimal domain:bus:device.function";
    if (std::count(text.begin(), text.end(), '.') > 1) return "a colon stands between bus and device";
    return "domain:bus:device.function is expected, as in 0000:81:00.0";
}

} // namespace

Result<PciAddress> parse_pci_address(std::string_view text, bool* domain_given)
{
    const std::string_view whole = trim(text);
    const std::vector<std::string_view> fields = split(whole, ':');
    const bool has_domain = fields.size() == 3;
    if (fields.size() != 2 && !has_domain) return refuse(whole, hint_of(whole));
    const std::vector<std::string_view> last = split(fields.back(), '.');
    if (last.size() != 2) return refuse(whole, hint_of(whole));
    if (!has_domain && domain_given == nullptr)
        return refuse(whole, "the domain is missing, as in 0000:" + std::string(whole));

    const Part parts[] = {{has_domain ? fields[0] : "0000", 4, 8, 0xffffffff, "domain"},
                          {fields[fields.size() - 2], 2, 2, 0xff, "bus"},
                          {last[0], 2, 2, 0x1f, "device"},
                          {last[1], 1, 1, 7, "function"}};
    std::uint32_t values[4] = {};
    for (std::size_t i = 0; i < 4; ++i) {
        const Result<std::uint32_t> value = parse_part(whole, parts[i]);
        if (!value) return tl::unexpected(value.error());
        values[i] = *value;
    }
    if (domain_given != nullptr) *domain_given = has_domain;
    return PciAddress{values[0], static_cast<std::uint8_t>(values[1]), static_cast<std::uint8_t>(values[2]),
                      static_cast<std::uint8_t>(values[3])};
}

std::string to_string(const PciAddress& address)
{
    return format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device, address.function);
}

} // namespace mscale::hal

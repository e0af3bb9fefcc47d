#include "contract/gpu_slice.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/device.hpp"

namespace mscale::contract {
namespace {

std::uint64_t round_up(std::uint64_t dividend, std::uint64_t divisor)
{
    return (dividend + divisor - 1) / divisor;
}

/// "whole", "1/4" and "25%" as SMs of this GPU, rounded up.
std::optional<std::uint64_t> sms_of_share(std::string_view share, const hal::Gpu& gpu)
{
    if (share == "whole") return gpu.sms;
    if (share.ends_with('%')) {
        const auto percent = parse_number(share.substr(0, share.size() - 1));
        if (!percent || *percent == 0 || *percent > 100) return std::nullopt;
        return round_up(gpu.sms * *percent, 100);
    }
    const auto parts = split(share, '/');
    const auto part = parse_number(parts.front());
    const auto whole = parts.size() == 2 ? parse_number(parts[1]) : std::nullopt;
    if (!part || !whole || *part == 0 || *part > *whole || *whole > 1000) return std::nullopt;
    return round_up(gpu.sms * *part, *whole);
}

} // namespace

unsigned count_chunks(const hal::Gpu& gpu)
{
    return gpu.sm_chunk == 0 ? 0 : gpu.sms / gpu.sm_chunk;
}

std::optional<Slice> cut_slice(const Contract& contract, const hal::Gpu& gpu)
{
    if (!contract.gpu.sm && !contract.gpu.share) return Slice{};
    const auto asked = contract.gpu.sm ? std::optional<std::uint64_t>(*contract.gpu.sm)
                                       : sms_of_share(*contract.gpu.share, gpu);
    if (!asked || *asked > gpu.sms || gpu.sms == 0) return std::nullopt;
    const unsigned all = count_chunks(gpu);
    if (all == 0) return *asked == gpu.sms ? std::optional(Slice{gpu.sms, 0}) : std::nullopt;
    const auto chunks = static_cast<unsigned>(round_up(*asked, gpu.sm_chunk));
    if (chunks > all || *asked == gpu.sms) return Slice{gpu.sms, all};
    return Slice{chunks * gpu.sm_chunk, chunks};
}

std::string describe_sms(const hal::Gpu& gpu)
{
    if (count_chunks(gpu) == 0) return format("{} has {} SMs and can't be cut", describe(gpu), gpu.sms);
    return format("{} has {} SMs, given in {} chunks of {}", describe(gpu), gpu.sms, count_chunks(gpu),
                  gpu.sm_chunk);
}

std::string describe_abilities(const hal::Gpu& gpu)
{
    if (gpu.abilities.empty()) return format("the abilities of {} are unknown", describe(gpu));
    return format("{} has {}", describe(gpu), join(gpu.abilities, ", "));
}

} // namespace mscale::contract

#include "daemon/keeper/piece_packet.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.hpp"

namespace mscale::daemon {

Result<recovery::PieceRequest> piece_request_from_json(const Json& packet)
{
    using recovery::PieceKind;
    constexpr std::array words = {std::pair{"header", PieceKind::header}, std::pair{"manifest", PieceKind::manifest},
                                  std::pair{"data", PieceKind::data}};
    const auto rank = read_member<std::uint32_t>(packet, "rank", "a read");
    const auto epoch = read_member<std::uint64_t>(packet, "epoch", "a read");
    const auto at = read_member<std::uint64_t>(packet, "at", "a read");
    const auto bytes = read_member<std::uint64_t>(packet, "bytes", "a read");
    const std::string word = read_member<std::string>(packet, "kind", "a read").value_or("");
    const auto kind = std::ranges::find(words, word, [](const auto& entry) { return std::string(entry.first); });
    if (!rank || !epoch || !at || !bytes || kind == words.end() || *bytes == 0 || *bytes > recovery::most_piece_bytes)
        return failure(Code::save_order, "a read without rank, epoch, kind, place or size");
    recovery::PieceRequest request;
    request.owner.rank = *rank;
    request.epoch = *epoch;
    request.kind = kind->second;
    request.at = *at;
    request.bytes = *bytes;
    return request;
}

} // namespace mscale::daemon

#include "daemon/spill/request.hpp"

#include <array>

#include "base/json.hpp"
#include "hal/json_reader.hpp"

namespace mscale::daemon {

namespace {

using hal::JsonReader;

constexpr std::array<const char*, 5> act_words = {"write", "settle", "list", "read", "piece"};

Result<SpillRequest::Slot> read_slot(const Json& json, const std::string& what)
{
    SpillRequest::Slot slot;
    JsonReader reader(json, what);
    reader.read("rank", slot.rank);
    reader.read("slot", slot.slot);
    reader.read("data_bytes", slot.data_bytes);
    return reader.end(slot);
}

Json piece_to_json(const SpillRequest::Piece& piece)
{
    return {{"kind", static_cast<unsigned>(piece.kind)}, {"at", piece.at}, {"bytes", piece.bytes}};
}

Result<SpillRequest::Piece> read_piece(const Json& json, const std::string& what)
{
    unsigned kind = 0;
    SpillRequest::Piece piece;
    JsonReader reader(json, what);
    reader.read("kind", kind);
    reader.read("at", piece.at);
    reader.read("bytes", piece.bytes);
    if (kind > static_cast<unsigned>(recovery::PieceKind::header) || kind == static_cast<unsigned>(recovery::PieceKind::coded))
        return failure(Code::json_member, what + ": a file has no such part");
    piece.kind = static_cast<recovery::PieceKind>(kind);
    return reader.end(piece);
}

Result<SpillAct> read_act(const std::string& word)
{
    for (std::size_t i = 0; i < act_words.size(); ++i)
        if (word == act_words[i]) return static_cast<SpillAct>(i);
    return failure(Code::json_member, "the request asks for nothing that can be done");
}

} // namespace

Json to_json(const SpillRequest& request)
{
    Json slots = Json::array();
    for (const auto& slot : request.slots)
        slots.push_back({{"rank", slot.rank}, {"slot", slot.slot}, {"data_bytes", slot.data_bytes}});
    return {{"act", act_words[static_cast<std::size_t>(request.act)]},
            {"uid", request.place.uid},
            {"gid", request.place.gid},
            {"directory", request.place.directory},
            {"since", request.place.since},
            {"record", recovery::to_json(request.record)},
            {"node", request.node},
            {"rate", request.rate},
            {"slots", slots},
            {"piece", piece_to_json(request.piece)}};
}

Result<SpillRequest> spill_request_from_json(const Json& json)
{
    SpillRequest request;
    std::string act;
    JsonReader reader(json, "the request");
    reader.read("act", act);
    reader.read("uid", request.place.uid);
    reader.read("gid", request.place.gid);
    reader.read("directory", request.place.directory);
    reader.read("since", request.place.since);
    reader.read_object("record", request.record, recovery::commit_from_json);
    reader.read("node", request.node);
    reader.read("rate", request.rate);
    reader.read_each("slots", request.slots, read_slot);
    if (json.contains("piece")) reader.read_object("piece", request.piece, read_piece);
    auto read = reader.end(std::move(request));
    const auto known = read_act(act);
    if (read && !known) return tl::unexpected(known.error());
    if (read) read->act = *known;
    return read;
}

} // namespace mscale::daemon

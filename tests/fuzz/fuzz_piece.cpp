// Any bytes as what keepers and programs say to each other of pieces: a group's record in a coded part, a fetch of a piece, a
// program's "read", a rebuild's plan and the answer of a coordinator.  Refused, or within bounds and the same when written again.
#include "base/json.hpp"
#include "daemon/coding/messages.hpp"
#include "daemon/keeper/messages.hpp"
#include "daemon/keeper/piece_packet.hpp"
#include "recovery/coded_part.hpp"
#include "tests/fuzz/checked.hpp"
#include "tests/fuzz/property.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace mscale::recovery;

namespace {

void require_sound(const CodedGroup& group)
{
    require(group.parity > 0 && group.parity < group.size(), "a group can lose some, and not all");
    for (unsigned member = 0; member < group.size(); ++member) {
        require(group.members[member].data_bytes <= SegmentLayout::most_state_bytes, "a member's data have a limit");
        (void)count_coded_bytes(group, member);
    }
}

/// The record as it lies in the data of a coded part.
void check_record(std::string_view bytes)
{
    const std::string record = with_checksum(bytes);
    const auto data = std::as_bytes(std::span(record.data(), record.size()));
    Manifest manifest{record.size(), {}, {}};
    manifest.extents.push_back({"group", ExtentKind::opaque, DataType::bytes, {}, {}, {}, 0, record.size()});
    const auto group = read_coded_group(manifest, data);
    require(group.has_value() || group.error().code == Code::snapshot_damaged, "a refusal is one of damage");
    if (group) require_sound(*group);
    manifest.extents.front().at = ~std::uint64_t{0};
    require(!read_coded_group(manifest, data), "a record beyond the data is none");
}

/// The first byte is the kind.
void check_fetch(std::string_view bytes)
{
    FrameHeader header;
    header.type = FrameType::fetch;
    header.flags = bytes.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes.front());
    const auto request = read_piece_request(header, bytes.substr(bytes.empty() ? 0 : 1));
    require(request.has_value() || request.error().code == Code::bad_frame, "a refusal is one of frames");
    if (!request) return;
    require(asks_for_piece(header) && flag_of(request->kind) == header.flags, "a kind has one flag");
    require(request->bytes > 0 && request->bytes <= most_piece_bytes, "a piece has a limit");
}

template <class Value> void require_stable(const Result<Value>& value, Result<Value> (*read)(const Json&, const std::string&))
{
    if (!value) return;
    const auto again = read(to_json(*value), "again");
    require(again && *again == *value, "what is written reads back");
}

void check_text(const std::string& text)
{
    const auto json = parse_json(text, "the input");
    if (!json) return;
    if (const auto request = piece_request_from_json(*json))
        require(request->bytes > 0 && request->bytes <= most_piece_bytes && request->kind != PieceKind::coded,
                "a program asks for no coded part, and for no more than fits");
    const auto group = coded_group_from_json(*json, "x");
    if (group) require_sound(*group);
    require_stable(group, coded_group_from_json);
    require_stable(rebuild_plan_from_json(*json, "x"), rebuild_plan_from_json);
    require_stable(restore_answer_from_json(*json, "x"), restore_answer_from_json);
    require_stable(restore_state_from_json(*json, "x"), restore_state_from_json);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    check_record(bytes);
    check_fetch(bytes);
    check_text(bytes);
    return 0;
}

// mscale-spill: the only part of mscaled that touches files in users' directories.  It is started by mscaled for one act,
// becomes the job's user before it opens anything, and says on its standard output what became of it.
#include <iostream>
#include <iterator>

#include <unistd.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "daemon/keeper/segment_memory.hpp"
#include "daemon/mscaled/message.hpp"
#include "daemon/spill/identity.hpp"
#include "daemon/spill/request.hpp"
#include "daemon/spill/snapshot_file.hpp"

namespace {

using namespace mscale;
using namespace mscale::daemon;

constexpr int first_descriptor = STDERR_FILENO + 1;
constexpr std::uint64_t page_bytes = 4096;

Result<SpillRequest> read_request()
{
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const auto json = parse_json(text, "the request");
    if (!json) return tl::unexpected(json.error());
    auto request = spill_request_from_json(*json);
    if (!request) return request;
    for (const auto& slot : request->slots)
        if (slot.slot >= recovery::SegmentLayout::slots || slot.data_bytes > recovery::SegmentLayout::most_state_bytes)
            return failure(Code::json_member, format("the request: there is no slot {}", slot.slot));
    if (request->rate == 0) return failure(Code::json_member, "the request: a rate of 0 writes nothing");
    return request;
}

/// The slots' own act, each with its memory.
template <class Act> Result<void> for_each_slot(const SpillRequest& request, Act act)
{
    int descriptor = first_descriptor;
    for (const auto& slot : request.slots) {
        const auto memory = SegmentMemory::adopt(Fd(descriptor++), recovery::lay_out_segment(slot.data_bytes, page_bytes));
        if (!memory) return tl::unexpected(memory.error());
        if (auto done = act(recovery::SpillFile{request.record, slot.rank}, memory->view(), slot.slot); !done) return done;
    }
    return {};
}

Result<Json> write(const SpillRequest& request, const SpillDirectory& directory)
{
    Pace pace(request.rate);
    const auto written = for_each_slot(request, [&](const auto& file, const auto& segment, unsigned slot) {
        return write_snapshot_file(directory, file, segment, slot, request.node, pace);
    });
    return written ? Result<Json>(ok_with()) : tl::unexpected(written.error());
}

Result<Json> read(const SpillRequest& request, const SpillDirectory& directory)
{
    const auto done = for_each_slot(request, [&](const auto& file, const auto& segment, unsigned slot) {
        return read_snapshot_file(directory, file, segment, slot);
    });
    return done ? Result<Json>(ok_with()) : tl::unexpected(done.error());
}

Result<Json> read_piece(const SpillRequest& request, const SpillDirectory& directory)
{
    const auto done = for_each_slot(request, [&](const auto& file, const auto& segment, unsigned slot) -> Result<void> {
        if (request.piece.bytes > segment.layout().data_bytes)
            return failure(Code::json_member, "the request: the piece doesn't fit the slot");
        return read_snapshot_piece(directory, file, request.piece, segment.data(slot).first(request.piece.bytes));
    });
    return done ? Result<Json>(ok_with()) : tl::unexpected(done.error());
}

Result<Json> list(const SpillRequest& request, const SpillDirectory& directory)
{
    const auto names = directory.list();
    if (!names) return tl::unexpected(names.error());
    Json epochs = Json::array();
    for (const auto& epoch : recovery::list_spilled(*names, request.record.job_id))
        epochs.push_back(recovery::to_json(epoch));
    return ok_with({{"epochs", epochs}});
}

Result<Json> act(const SpillRequest& request, const std::string& parent)
{
    const std::uint32_t job_id = request.record.job_id;
    const bool makes = request.act == SpillAct::write;
    auto directory = makes ? SpillDirectory::make(parent, job_id) : SpillDirectory::open(parent, job_id);
    if (!directory) return tl::unexpected(std::move(directory.error()));
    const auto aside = request.place.since > 0 ? directory->put_aside(request.place.since) : false;
    if (!aside) return tl::unexpected(aside.error());
    if (*aside) return act(request, parent); // in the new one, where there is any
    switch (request.act) {
    case SpillAct::write: return write(request, *directory);
    case SpillAct::read: return read(request, *directory);
    case SpillAct::piece: return read_piece(request, *directory);
    case SpillAct::list: return list(request, *directory);
    case SpillAct::settle: break;
    }
    const auto settled = settle_epoch(*directory, request.record, request.node);
    return settled ? Result<Json>(ok_with()) : tl::unexpected(settled.error());
}

Result<Json> serve()
{
    const auto request = read_request();
    if (!request) return tl::unexpected(request.error());
    const auto user = become_user(request->place.uid, request->place.gid);
    if (!user) return tl::unexpected(user.error());
    return act(*request, expand_spill_path(request->place.directory, *user, request->record.job_id));
}

} // namespace

int main()
{
    if (geteuid() != 0) {
        std::cerr << "mscale-spill is started by mscaled\n";
        return 4;
    }
    const auto done = serve();
    std::cout << write_json(done ? *done : error_to_json(done.error())) << std::endl;
    return std::cout ? 0 : 3;
}

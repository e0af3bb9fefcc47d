#include "daemon/failure/beat.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "recovery/bytes.hpp"

namespace mscale::daemon {

namespace {

using recovery::SessionKey;

constexpr std::uint32_t magic = 0x6273636d; // "mscb"
constexpr std::uint16_t version = 2, farewell_flag = 1;
constexpr std::size_t most_name_bytes = 255, mac_bytes = SessionKey::Mac{}.size();
constexpr std::uint64_t most_milliseconds = std::numeric_limits<std::int64_t>::max();

std::span<const std::uint8_t> as_numbers(std::string_view bytes)
{
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

tl::unexpected<Error> no_beat(std::string why)
{
    return failure(Code::bad_frame, std::move(why));
}

NodeProgress read_progress(recovery::ByteReader& reader, std::uint64_t& restored_at)
{
    NodeProgress progress;
    progress.joined = reader.get<std::uint32_t>();
    progress.left = reader.get<std::uint32_t>();
    progress.least_step = reader.get<std::uint64_t>();
    progress.greatest_step = reader.get<std::uint64_t>();
    progress.signs = reader.get<std::uint64_t>();
    restored_at = reader.get<std::uint64_t>();
    progress.restored_at = std::chrono::milliseconds(std::min(restored_at, most_milliseconds));
    progress.run.restarts = reader.get<std::uint32_t>();
    progress.run.step = reader.get<std::uint32_t>();
    return progress;
}

} // namespace

std::string encode_beat(const Beat& beat, const SessionKey& key)
{
    recovery::ByteWriter writer;
    writer.put(magic);
    writer.put(version);
    writer.put(static_cast<std::uint16_t>(beat.farewell ? farewell_flag : 0));
    writer.put(beat.job_id);
    writer.put(beat.run);
    writer.put(beat.sequence);
    writer.put(beat.progress.joined);
    writer.put(beat.progress.left);
    writer.put(beat.progress.least_step);
    writer.put(beat.progress.greatest_step);
    writer.put(beat.progress.signs);
    writer.put(static_cast<std::uint64_t>(beat.progress.restored_at.count()));
    writer.put(beat.progress.run.restarts);
    writer.put(beat.progress.run.step);
    writer.put_text(std::string_view(beat.node).substr(0, most_name_bytes));
    const auto mac = key.sign(as_numbers(writer.bytes()));
    return writer.bytes() + std::string(reinterpret_cast<const char*>(mac.data()), mac.size());
}

Result<Beat> read_beat(std::string_view bytes)
{
    if (bytes.size() < mac_bytes || bytes.size() > most_beat_bytes)
        return no_beat(format("a beat of {} bytes", bytes.size()));
    recovery::ByteReader reader(bytes.substr(0, bytes.size() - mac_bytes));
    if (reader.get<std::uint32_t>() != magic) return no_beat("no beat");
    if (const auto found = reader.get<std::uint16_t>(); found != version)
        return no_beat(format("a beat of version {}, not {}", found, version));
    Beat beat;
    std::uint64_t restored_at = 0;
    const auto flags = reader.get<std::uint16_t>();
    beat.farewell = flags == farewell_flag;
    beat.job_id = reader.get<std::uint32_t>();
    beat.run = reader.get<std::uint32_t>();
    beat.sequence = reader.get<std::uint64_t>();
    beat.progress = read_progress(reader, restored_at);
    beat.node = reader.get_text();
    if (reader.failed() || reader.left() != 0 || flags > farewell_flag || restored_at > most_milliseconds)
        return no_beat("a beat that isn't whole");
    if (beat.node.empty() || beat.node.size() > most_name_bytes) return no_beat("a beat of no node");
    return beat;
}

bool is_signed(std::string_view bytes, const SessionKey& key)
{
    if (bytes.size() < mac_bytes) return false;
    SessionKey::Mac mac{};
    std::ranges::copy(as_numbers(bytes.substr(bytes.size() - mac_bytes)), mac.begin());
    return key.verify(as_numbers(bytes.substr(0, bytes.size() - mac_bytes)), mac);
}

} // namespace mscale::daemon

#include "daemon/failure/job_watch.hpp"

#include <algorithm>
#include <charconv>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/failure/neighbours.hpp"

namespace mscale::daemon {

namespace {

constexpr int looks_a_beat = 4, farewells = 2; // one may be lost

std::string to_hexadecimal(std::string_view bytes)
{
    std::string text;
    for (const char byte : bytes) text += format("{:02x}", static_cast<unsigned char>(byte));
    return text;
}

/// The bytes of a text of hexadecimal digits; fewer where it holds something else.
std::string from_hexadecimal(std::string_view text)
{
    std::string bytes;
    for (; text.size() >= 2; text.remove_prefix(2)) {
        unsigned char byte = 0;
        if (std::from_chars(text.data(), text.data() + 2, byte, 16).ptr != text.data() + 2) break;
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

} // namespace

JobWatch::JobWatch(const Parts& parts, const WatchedJob& job)
    : parts_(parts), job_(job), listeners_(list_listeners(job.nodes, parts.inquest.network.self())),
      watched_(list_watched(job.nodes, parts.inquest.network.self())), key_(recovery::SessionKey::make()),
      hearing_(std::make_shared<Hearing>(job.run, job.timing, watched_, read_clocks(),
                                         parts.inquest.site.apply_deadline)),
      inquest_(std::make_shared<Inquest>(parts.inquest, job, hearing_))
{
}

std::shared_ptr<JobWatch> JobWatch::start(const Parts& parts, const WatchedJob& job)
{
    std::shared_ptr<JobWatch> watch(new JobWatch(parts, job));
    watch->beat();
    watch->look();
    return watch;
}

void JobWatch::end()
{
    if (std::exchange(ended_, true)) return;
    inquest_->end();
    for (int i = 0; i < farewells; ++i) send(true);
}

void JobWatch::beat()
{
    if (ended_) return;
    const Moment now = read_clocks();
    send(false);
    hearing_->own_beat(now);
    ask_for_keys(now);
    parts_.inquest.loop.after(job_.timing.beat, [me = shared_from_this()] { me->beat(); });
}

void JobWatch::look()
{
    if (ended_) return;
    inquest_->look();
    parts_.inquest.loop.after(job_.timing.beat / looks_a_beat, [me = shared_from_this()] { me->look(); });
}

void JobWatch::send(bool farewell)
{
    const std::uint32_t job_id = job_.run.job_id;
    const Beat beat{job_id,
                    job_.run.restarts,
                    ++sequence_,
                    farewell,
                    parts_.inquest.network.self(),
                    parts_.progress(job_id)};
    const std::string bytes = encode_beat(beat, key_);
    for (const std::string& node : listeners_)
        parts_.inquest.network.locate_beats(
            node, [&socket = parts_.socket, bytes](const Result<NodeAddress>& address) {
                if (address) socket.send(*address, bytes);
            });
}

void JobWatch::ask_for_keys(const Moment& now)
{
    for (const std::string& node : hearing_->unproven()) {
        auto& next = next_question_[node];
        if (now.steady < next) continue;
        next = now.steady + job_.timing.detect;
        parts_.inquest.network.call(
            node, "beat_key", {{"job", job_.run.job_id}, {"run", job_.run.restarts}},
            [me = shared_from_this(), node](const Result<Json>& answer) { me->take_key(node, answer); });
    }
}

void JobWatch::take_key(const std::string& node, const Result<Json>& answer)
{
    if (!answer) return; // its prolog may not be done, or its daemon is away: it is asked again
    const auto text = read_member<std::string>(*answer, "key", "a key of " + node);
    auto key = text ? recovery::SessionKey::take(from_hexadecimal(*text)) : tl::unexpected(text.error());
    if (!key) return log_error(format("job {}", job_.run.job_id), key.error());
    hearing_->use_key(node, std::move(*key));
}

std::string JobWatch::tell_key() const
{
    return to_hexadecimal(key_.expose());
}

void JobWatch::take(const Beat& beat, std::string_view bytes)
{
    hearing_->take(beat, bytes, read_clocks());
}

bool JobWatch::is_silent(const std::string& node) const
{
    const bool watches = std::ranges::find(watched_, node) != watched_.end();
    return !watches || hearing_->is_dead(node) || hearing_->is_suspect(node, read_clocks());
}

} // namespace mscale::daemon

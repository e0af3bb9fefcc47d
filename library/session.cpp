#include "library/session.hpp"

#include <algorithm>
#include <thread>

#include "base/text.hpp"
#include "library/packet.hpp"

namespace mscale::library {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_attempts{100};

/// A keeper that is starting answers later; every other refusal is final.
bool may_come_back(const Error& error)
{
    return entry_of(error.code).kind == Kind::busy;
}

} // namespace

Result<Session> Session::join(const JoinRequest& request, const Patience& patience)
{
    Session session;
    session.request_ = request;
    session.patience_ = patience;
    auto joined = session.join_anew();
    if (!joined) return tl::unexpected(std::move(joined.error()));
    return session;
}

Result<void> Session::join_anew()
{
    const auto until = Clock::now() + patience_.connect;
    for (;;) {
        auto joined = join_once();
        if (joined || !may_come_back(joined.error()) || Clock::now() >= until) return joined;
        std::this_thread::sleep_for(between_attempts);
    }
}

Json Session::join_message(bool have) const
{
    Json message = {{"op", "join"},
                    {"rank", request_.rank.rank},
                    {"ranks", request_.rank.ranks},
                    {"state_bytes", request_.state_bytes}};
    if (request_.elastic) message["elastic"] = true;
    if (have) message["have"] = true;
    return message;
}

Result<void> Session::join_once()
{
    auto channel = Channel::connect(request_.path);
    if (!channel) return tl::unexpected(std::move(channel.error()));
    channel_ = std::move(*channel);
    auto answer = ask(join_message(false));
    if (!answer) return tl::unexpected(std::move(answer.error()));
    return accept(*answer, std::move(passed_));
}

Result<void> Session::accept(const Json& answer, Fd&& descriptor)
{
    auto terms = read_terms(answer);
    if (!terms) return tl::unexpected(std::move(terms.error()));
    if (!descriptor) return failure(Code::keeper_lost, "the keeper passed no memory");
    auto memory =
        Memory::map(std::move(descriptor), recovery::lay_out_segment(terms->data_bytes, terms->page_bytes));
    if (!memory) return tl::unexpected(std::move(memory.error()));
    memory_ = std::move(*memory);
    terms_ = std::move(*terms);
    return {};
}

Result<Json> Session::ask(const Json& message)
{
    auto sent = channel_ ? channel_.send(message) : failure(Code::keeper_lost, "the keeper is gone");
    if (sent && !*sent) sent = failure(Code::keeper_lost, "the keeper doesn't read");
    auto answer = sent ? wait_for_answer(patience_.answer) : tl::unexpected(std::move(sent.error()));
    if (!answer) channel_.close();
    return answer;
}

Result<Json> Session::wait_for_answer(milliseconds patience)
{
    const auto until = Clock::now() + patience;
    for (;;) {
        const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
        auto answer = receive_answer(std::clamp(left, milliseconds(0), milliseconds(60000)));
        if (!answer) return tl::unexpected(std::move(answer.error()));
        if (*answer) return std::move(**answer);
        if (Clock::now() >= until)
            return failure(Code::keeper_lost,
                           format("the keeper didn't answer in {} s", patience.count() / 1000));
    }
}

Result<std::optional<Json>> Session::receive_answer(milliseconds wait)
{
    auto packet = channel_.receive(wait);
    if (!packet) return tl::unexpected(std::move(packet.error()));
    if (!*packet) return std::nullopt;
    if ((*packet)->message.contains("event")) {
        events_.push_back(std::move((*packet)->message));
        return std::nullopt;
    }
    passed_ = std::move((*packet)->descriptor);
    return std::move((*packet)->message);
}

Session::Joined Session::pump(Clock::time_point now)
{
    if (!channel_ && !fenced_) reconnect(now);
    if (joining_) return finish_join();
    take_pushed();
    return Joined::before;
}

void Session::take_pushed()
{
    while (channel_) {
        auto packet = channel_.receive(milliseconds(0));
        if (packet && !*packet) return;
        if (!packet)
            channel_.close();
        else if ((*packet)->message.contains("event"))
            events_.push_back(std::move((*packet)->message));
    }
}

void Session::reconnect(Clock::time_point now)
{
    if (now - last_attempt_ < patience_.reconnect) return;
    last_attempt_ = now;
    auto channel = Channel::connect(request_.path);
    if (!channel) return;
    channel_ = std::move(*channel);
    const auto sent = channel_.send(join_message(true));
    joining_ = sent && *sent;
    if (!joining_) channel_.close();
}

Session::Joined Session::finish_join()
{
    const bool first = Clock::now() - last_attempt_ < patience_.glance;
    auto answer = receive_answer(first ? patience_.glance : milliseconds(0));
    if (answer && !*answer) return Joined::before;
    joining_ = false;
    const Joined joined = answer ? accept_again(**answer) : Joined::before;
    if (joined == Joined::before) channel_.close();
    return joined;
}

/// The memory is kept unless the keeper passes another one; the epochs go on as all ranks count them.
Session::Joined Session::accept_again(const Json& answer)
{
    const auto terms = read_terms(answer);
    if (!terms) {
        if (!may_come_back(terms.error())) fenced_ = terms.error();
        return Joined::before;
    }
    if (!passed_ || memory_.is_same(passed_)) return Joined::anew;
    const auto layout = recovery::lay_out_segment(terms->data_bytes, terms->page_bytes);
    auto memory = Memory::map(std::move(passed_), layout);
    if (!memory) return Joined::before;
    memory_ = std::move(*memory);
    return Joined::with_new_memory;
}

std::vector<Json> Session::take_events()
{
    return std::exchange(events_, {});
}

bool Session::tell(const Json& message)
{
    if (!connected()) return false;
    const auto sent = channel_.send(message);
    if (!sent) channel_.close();
    return sent && *sent;
}

void Session::leave()
{
    tell({{"op", "leave"}});
    channel_.close();
}

} // namespace mscale::library

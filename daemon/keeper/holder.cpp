#include "daemon/keeper/holder.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/process.hpp"
#include "base/text.hpp"
#include "daemon/holder/packet.hpp"
#include "daemon/keeper/unit_cgroup.hpp"

namespace mscale::daemon {

namespace {

constexpr timeval answer_patience{2, 0};
constexpr std::chrono::seconds quiet_time{
    10}; // after a failure: the training must not wait for its insurance again and again
constexpr std::chrono::milliseconds start_deadline{2000};

tl::unexpected<Error> lost_holder(const std::string& what, int error_number)
{
    if (error_number == 0) return failure(Code::holder, what + ": it has ended");
    return os_failure(Code::holder, what, error_number);
}

} // namespace

Result<void> Holder::connect()
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_path_.size() >= sizeof address.sun_path)
        return failure(Code::config_value, format("the socket's path {} is too long", socket_path_));
    std::memcpy(address.sun_path, socket_path_.c_str(), socket_path_.size() + 1);
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    ucred peer{};
    socklen_t length = sizeof peer;
    if (!socket ||
        ::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
        return lost_holder("connecting to mscale-holder", errno);
    if (peer.uid != geteuid())
        return failure(Code::not_yours, format("{} belongs to uid {}", socket_path_, peer.uid));
    setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &answer_patience, sizeof answer_patience);
    setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &answer_patience, sizeof answer_patience);
    socket_ = std::move(socket);
    pid_ = peer.pid;
    return {};
}

Result<void> Holder::start() const
{
    const auto started = run_process({program_, socket_path_}, {}, "", start_deadline);
    if (!started) return failure(Code::holder, started.error().text);
    if (started->timed_out) return failure(Code::holder, program_ + " didn't start in time");
    return started->status == 0 ? Result<void>() : os_failure(Code::holder, program_, started->status);
}

Result<std::vector<Holder::Held>> Holder::take_all()
{
    const std::scoped_lock lock(mutex_);
    if (program_.empty() || !connect()) return std::vector<Held>(); // nothing has been held before
    auto all = read_all();
    if (!all) (void)give_up({});
    return all;
}

Result<std::vector<Holder::Held>> Holder::read_all()
{
    std::vector<Held> all;
    HolderRecord question;
    question.word = HolderWord::list;
    if (!send_record(socket_, question)) return lost_holder("asking mscale-holder", errno);
    for (;;) {
        auto held = receive();
        if (!held) return tl::unexpected(std::move(held.error()));
        if (held->record.word == HolderWord::hold || held->record.word == HolderWord::commit)
            all.push_back(std::move(*held));
        else if (auto finished = finish(held->record); !finished)
            return tl::unexpected(std::move(finished.error()));
        else
            return all;
    }
}

Result<Holder::Held> Holder::receive() const
{
    Held held;
    if (!receive_record(socket_, held.record, held.descriptor))
        return lost_holder("mscale-holder's answer", errno);
    if (held.record.version != HolderRecord::current_version)
        return failure(Code::holder, "mscale-holder is of another version",
                       "it ends with the jobs that it holds memory of");
    return held;
}

/// The last answer to a request.  A holder that holds nothing any more ends.
Result<void> Holder::finish(const HolderRecord& answer)
{
    if (answer.word != HolderWord::done)
        return failure(Code::holder, format("mscale-holder refused, holding {}", answer.held));
    if (answer.held == 0) socket_ = Fd();
    if (answer.held == 0) pid_ = 0;
    return {};
}

Result<void> Holder::attempt(const HolderRecord& record, int descriptor)
{
    if (!send_record(socket_, record, descriptor)) return lost_holder("speaking to mscale-holder", errno);
    const auto answer = receive();
    return answer ? finish(answer->record) : tl::unexpected(answer.error());
}

/// To the holder that runs, else to another one, which is started.
Result<void> Holder::connect_or_start()
{
    if (connect()) return {};
    if (auto started = start(); !started) return started;
    if (auto connected = connect(); !connected) return connected;
    leave_unit_cgroup(pid_);
    return {};
}

/// With the holder that is connected, else with another one.  A holder that ends meanwhile, since another job was the last
/// that it held something of, is no fault.
Result<void> Holder::exchange(const HolderRecord& record, int descriptor)
{
    constexpr int holders = 3;
    Result<void> done;
    for (int i = 0; i < holders; ++i) {
        if (!socket_)
            if (auto connected = connect_or_start(); !connected) return connected;
        done = attempt(record, descriptor);
        if (done || !has_ended()) return done;
        (void)give_up({});
    }
    return done;
}

bool Holder::has_ended() const
{
    char nothing = 0;
    return recv(socket_.number(), &nothing, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

Result<void> Holder::hold(const HolderRecord& record, int descriptor)
{
    const std::scoped_lock lock(mutex_);
    if (program_.empty()) return {};
    if (Clock::now() < rest_until_) return give_up(failure(Code::holder, "it didn't answer a moment ago"));
    auto held = exchange(record, descriptor);
    if (held) return held;
    rest_until_ = Clock::now() + quiet_time;
    return give_up(std::move(held));
}

Result<void> Holder::forget(std::uint32_t job_id)
{
    HolderRecord record;
    record.word = HolderWord::forget;
    record.job_id = job_id;
    return let_go(record);
}

Result<void> Holder::release(HolderRecord record)
{
    record.word = HolderWord::release;
    return let_go(record);
}

Result<void> Holder::let_go(const HolderRecord& record)
{
    const std::scoped_lock lock(mutex_);
    if (!socket_) return {}; // none runs, or it has been given nothing by this mscaled
    auto gone = attempt(record, -1);
    return gone ? gone : give_up(std::move(gone));
}

/// A late answer must not be taken for the next one: the connection ends with the first failure.
Result<void> Holder::give_up(Result<void> failed)
{
    socket_ = Fd();
    pid_ = 0;
    incomplete_ = true;
    return failed;
}

bool Holder::is_incomplete()
{
    const std::scoped_lock lock(mutex_);
    if (socket_ && has_ended()) (void)give_up({});
    return std::exchange(incomplete_, false);
}

} // namespace mscale::daemon

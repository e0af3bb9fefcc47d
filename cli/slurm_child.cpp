#include "cli/slurm_child.hpp"

#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::cli {
namespace {

void write_all(int descriptor, const std::string& text)
{
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t written = ::write(descriptor, text.data() + at, text.size() - at);
        if (written <= 0) ::_exit(1);
        at += static_cast<std::size_t>(written);
    }
}

[[noreturn]] void answer_as_child(int descriptor, const std::function<Json()>& work)
{
    const int null =
        ::open("/dev/null", O_WRONLY | O_CLOEXEC); // libslurm prints why it ends; the parent says it better
    if (null >= 0) ::dup2(null, STDERR_FILENO);
    try {
        write_all(descriptor, work().dump());
    } catch (...) {
        ::_exit(1);
    }
    ::_exit(0);
}

} // namespace

Result<SlurmChild> SlurmChild::start(const std::function<Json()>& work)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return os_failure(Code::node_act, "pipe", errno);
    Fd reader(ends[0]);
    Fd writer(ends[1]);
    const pid_t child = ::fork();
    if (child < 0) return os_failure(Code::node_act, "fork", errno);
    if (child == 0) answer_as_child(writer.number(), work);
    return SlurmChild(std::move(reader), child);
}

SlurmChild::SlurmChild(SlurmChild&& other) noexcept
    : reader_(std::move(other.reader_)), child_(std::exchange(other.child_, -1)),
      text_(std::move(other.text_))
{
}

SlurmChild& SlurmChild::operator=(SlurmChild&& other) noexcept
{
    std::swap(reader_, other.reader_);
    std::swap(child_, other.child_);
    std::swap(text_, other.text_);
    return *this;
}

SlurmChild::~SlurmChild()
{
    if (child_ < 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
}

Result<std::optional<Json>> SlurmChild::receive()
{
    char bytes[65536];
    const ssize_t count = ::read(reader_.number(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return std::nullopt;
    if (count > 0) {
        text_.append(bytes, static_cast<std::size_t>(count));
        return std::nullopt;
    }
    if (text_.empty())
        return failure(Code::peer, "Slurm has no configuration here, or slurmctld doesn't answer",
                       "check that scontrol ping works on this host");
    auto answer = parse_json(text_, "Slurm's answer");
    if (!answer) return tl::unexpected(std::move(answer.error()));
    return std::optional<Json>(std::move(*answer));
}

Result<Json> SlurmChild::wait(std::chrono::milliseconds limit)
{
    pollfd ready = {reader_.number(), POLLIN, 0};
    while (::poll(&ready, 1, static_cast<int>(limit.count())) > 0) {
        auto answer = receive();
        if (!answer) return tl::unexpected(std::move(answer.error()));
        if (*answer) return std::move(**answer);
    }
    return failure(Code::peer, format("slurmctld gave no answer within {} s", limit.count() / 1000),
                   "check that scontrol ping works on this host");
}

} // namespace mscale::cli

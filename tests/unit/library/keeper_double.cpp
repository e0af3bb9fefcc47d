#include "tests/unit/library/keeper_double.hpp"

#include <functional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "tests/unit/library/suites.hpp"

namespace mscale::library {
namespace {

using namespace std::chrono_literals;

constexpr Patience short_patience{.connect = 300ms, .answer = 5000ms, .reconnect = 20ms, .glance = 5ms,
                                    .last_save = 100ms, .last_commit = 5000ms};

void run_double(const std::string& socket, const std::string& options, int input, int output)
{
    const char* const build = std::getenv("top_builddir");
    const std::string program = std::string(build ? build : ".") + "/tests/doubles/keeper/keeper";
    std::vector<std::string> words = {program, "--socket", socket};
    for (const std::string_view word : split(options, ' '))
        if (!word.empty()) words.emplace_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
}

} // namespace

KeeperDouble::KeeperDouble(const std::string& options)
{
    char directory[] = "/tmp/mscale-keeper-XXXXXX";
    ck_assert(::mkdtemp(directory) != nullptr);
    directory_ = directory;
    socket_ = directory_ + "/keeper.sock";
    int input[2], output[2];
    ck_assert(::pipe2(input, O_CLOEXEC) == 0 && ::pipe2(output, O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) run_double(socket_, options, input[0], output[1]);
    to_ = Fd(input[1]);
    from_ = Fd(output[0]);
    ::close(input[0]);
    ::close(output[1]);
    expect("double");
}

KeeperDouble::~KeeperDouble()
{
    to_ = Fd();
    ::waitpid(pid_, nullptr, 0);
    ::unlink(socket_.c_str());
    ::rmdir(directory_.c_str());
}

std::string KeeperDouble::read_line()
{
    for (;;) {
        const std::size_t end = text_.find('\n');
        if (end != std::string::npos) {
            const std::string line = text_.substr(0, end);
            text_.erase(0, end + 1);
            return line;
        }
        pollfd ready{from_.number(), POLLIN, 0};
        char part[4096];
        ck_assert_msg(::poll(&ready, 1, 10000) == 1, "the double says nothing");
        const ssize_t size = ::read(from_.number(), part, sizeof part);
        ck_assert_msg(size > 0, "the double is gone");
        text_.append(part, static_cast<std::size_t>(size));
    }
}

Json KeeperDouble::expect(const std::string& member)
{
    for (;;) {
        Json event = events_.empty() ? parse_json(read_line(), "the double's line").value() : events_.front();
        if (!events_.empty()) events_.pop_front();
        if (event.contains(member)) return event;
    }
}

void KeeperDouble::command(const std::string& line)
{
    const std::string text = line + "\n";
    ck_assert(::write(to_.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    for (;;) {
        Json event = parse_json(read_line(), "the double's line").value();
        if (event.value("done", "") == line) return;
        events_.push_back(std::move(event));
    }
}

Result<Client> join(const KeeperDouble& keeper, Rank rank, std::uint64_t state_bytes)
{
    auto session = Session::join({keeper.socket(), rank, state_bytes}, short_patience);
    if (!session) return tl::unexpected(std::move(session.error()));
    return Client(std::move(*session), rank);
}

Client join_well(const KeeperDouble& keeper, Rank rank)
{
    auto client = join(keeper, rank);
    ck_assert_msg(client.has_value(), "%s", client ? "" : to_line(client.error()).c_str());
    return std::move(*client);
}

Result<void> save(Client& client, std::uint64_t step, int value)
{
    if (auto started = client.start_save(step); !started) return started;
    const std::vector<std::byte> state(1000, static_cast<std::byte>(value));
    if (auto put = client.put({.name = "state"}, state); !put) return put;
    return client.complete_save(true);
}

Result<int> read_back(Client& client)
{
    if (auto started = client.start_restart(); !started) return tl::unexpected(std::move(started.error()));
    std::vector<std::byte> state(1000);
    if (auto got = client.get("state", state); !got) return tl::unexpected(std::move(got.error()));
    for (const std::byte byte : state) ck_assert(byte == state.front());
    return static_cast<int>(state.front());
}

void wait_until(const std::function<bool()>& done, const char* what)
{
    for (int i = 0; i < 500; ++i) {
        if (done()) return;
        std::this_thread::sleep_for(10ms);
    }
    ck_abort_msg("never came: %s", what);
}

} // namespace mscale::library

// Copies to partners: bench/ring [MIB] [ROUNDS].  Four keepers in a ring on the loopback, each sends a rank's snapshot to the
// next, all at once.  Each round does the same bytes on as many plain streams first, into memory that was written before, and
// then by the keepers, verified and acknowledged.  Prints one JSON object; exit status 1 when a median ratio misses its limit.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "daemon/keeper/snapshot_server.hpp"
#include "recovery/checksum.hpp"

namespace {

using namespace mscale;
using namespace std::chrono_literals;

constexpr unsigned keepers = 4;
constexpr double bandwidth_limit = 0.8, cpu_limit = 1.25;
constexpr std::size_t chunk = recovery::chunk_bytes;

/// A munge that trusts everybody: only made once for each stream.
const recovery::Introduction trusting{
    [](std::string_view secret) -> Result<std::string> { return "sealed:" + std::string(secret); },
    [](const std::string& credential) -> Result<std::string> { return credential.substr(7); }};

template <class T> T need(Result<T>&& result)
{
    if (result) return std::move(*result);
    std::fprintf(stderr, "ring: %s\n", to_line(result.error()).c_str());
    std::exit(2);
}

struct Port {
    Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    Port()
    {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (bind(socket.number(), pointer(), length) != 0 || listen(socket.number(), 4) != 0 ||
            getsockname(socket.number(), pointer(), &length) != 0)
            std::abort();
    }
    sockaddr* pointer() { return reinterpret_cast<sockaddr*>(&address); }
};

/// A plain stream to the next: what the wire and the kernel give.
struct PlainStream {
    PlainStream()
    {
        Port port;
        near = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (connect(near.number(), port.pointer(), sizeof port.address) != 0) std::abort();
        far = Fd(accept(port.socket.number(), nullptr, nullptr));
    }
    void send_all(std::span<const std::byte> data) const
    {
        for (std::size_t at = 0; at < data.size();) {
            const auto sent = send(near.number(), data.data() + at, std::min(chunk, data.size() - at), MSG_NOSIGNAL);
            if (sent <= 0) std::abort();
            at += static_cast<std::size_t>(sent);
        }
        char answer = 0;
        if (recv(near.number(), &answer, 1, 0) != 1) std::abort();
    }
    void receive_all(std::span<std::byte> place) const
    {
        for (std::size_t at = 0; at < place.size(); at += chunk) {
            const std::size_t due = std::min(chunk, place.size() - at);
            if (recv(far.number(), place.data() + at, due, MSG_WAITALL) != static_cast<ssize_t>(due)) std::abort();
        }
        if (send(far.number(), "", 1, MSG_NOSIGNAL) != 1) std::abort();
    }
    Fd near, far;
};

/// One keeper: what it holds of its rank, the copies that come, its stream to the next.
struct Keeper {
    Keeper(std::uint32_t rank, std::uint64_t bytes)
        : own(need(daemon::SegmentMemory::create("bench", recovery::lay_out_segment(bytes, 4096)))), place(bytes)
    {
        const auto data = own.view().data(0).first(bytes);
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 31 + rank);
        recovery::Manifest manifest{bytes, {}, recovery::crc32c_chunks(data)};
        manifest.extents.push_back(
            {"state", recovery::ExtentKind::opaque, recovery::DataType::bytes, {}, {}, {}, 0, bytes});
        const recovery::Owner owner{7, 0, rank, keepers, {0, 0}};
        recovery::open_slot(own.view(), 0);
        need(recovery::seal_slot(own.view(), 0, {owner, 1, 1, 0, bytes}, manifest).map([] { return true; }));
        sealed = *need(recovery::read_slot(own.view(), 0, owner));
        server.emplace(std::move(port.socket), store, trusting,
                       [](const recovery::Announcement&) { return Result<void>(); }, 60s);
    }
    void connect_to(Keeper& next)
    {
        stream.emplace(need(recovery::FrameStream::connect(next.port.pointer(), sizeof next.port.address, trusting, 5s, 60s)));
    }
    void send_copy(std::uint64_t epoch)
    {
        sealed.header.epoch = epoch;
        const auto sent = recovery::send_snapshot(*stream, sealed, own.view().data(0), own.view().layout().data_bytes);
        need(sent.map([] { return true; }));
    }

    daemon::SegmentMemory own;
    std::vector<std::byte> place; ///< of the plain stream
    recovery::SealedSlot sealed;
    Port port;
    daemon::SegmentStore store;
    std::optional<daemon::SnapshotServer> server;
    std::optional<recovery::FrameStream> stream;
    PlainStream plain;
};

struct Cost {
    double seconds = 0, cpu = 0;
};

double cpu_seconds()
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Cost cost_of(const std::vector<std::function<void()>>& works)
{
    const double cpu = cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (const auto& work : works) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return {took.count(), cpu_seconds() - cpu};
}

Cost send_plainly(std::vector<std::unique_ptr<Keeper>>& ring, std::uint64_t bytes)
{
    std::vector<std::function<void()>> works;
    for (const auto& keeper : ring) {
        works.emplace_back([&keeper, bytes] { keeper->plain.send_all(keeper->own.view().data(0).first(bytes)); });
        works.emplace_back([&keeper] { keeper->plain.receive_all(keeper->place); });
    }
    return cost_of(works);
}

Cost send_copies(std::vector<std::unique_ptr<Keeper>>& ring, std::uint64_t epoch)
{
    std::vector<std::function<void()>> works;
    for (const auto& keeper : ring) works.emplace_back([&keeper, epoch] { keeper->send_copy(epoch); });
    return cost_of(works);
}

double median(std::vector<double> values)
{
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

/// What all rounds told.
struct Samples {
    std::vector<double> plain, copies, bandwidth, plain_cpu, cpu, cpu_ratio;
    void add(const Cost& plainly, const Cost& copied, double gib)
    {
        plain.push_back(gib / plainly.seconds);
        copies.push_back(gib / copied.seconds);
        bandwidth.push_back(plainly.seconds / copied.seconds);
        plain_cpu.push_back(plainly.cpu / gib);
        cpu.push_back(copied.cpu / gib);
        cpu_ratio.push_back(copied.cpu / plainly.cpu);
    }
};

} // namespace

int main(int count, char** words)
{
    const std::uint64_t bytes = std::strtoull(count > 1 ? words[1] : "256", nullptr, 10) << 20;
    const unsigned long rounds = std::strtoul(count > 2 ? words[2] : "9", nullptr, 10);
    set_sink([](Level, const std::string&) {});
    std::vector<std::unique_ptr<Keeper>> ring;
    for (unsigned rank = 0; rank < keepers; ++rank) ring.push_back(std::make_unique<Keeper>(rank, bytes));
    for (unsigned rank = 0; rank < keepers; ++rank) ring[rank]->connect_to(*ring[(rank + 1) % keepers]);
    const double gib = static_cast<double>(keepers * bytes) / (1 << 30);
    Samples samples;
    for (std::uint64_t round = 0; round < rounds + 2; ++round) {
        const Cost plainly = send_plainly(ring, bytes), copied = send_copies(ring, round + 1);
        if (round >= 2) samples.add(plainly, copied, gib); // not the first use of each slot
    }
    const double ratio = median(samples.bandwidth), cpu_ratio = median(samples.cpu_ratio);
    const bool passed = ratio >= bandwidth_limit && cpu_ratio <= cpu_limit;
    const Json result = {{"name", "ring"},
                         {"what", "copies to partners over plain streams of the same round"},
                         {"value", median(samples.copies)},
                         {"unit", "GiB/s"},
                         {"ratio", ratio},
                         {"limit", bandwidth_limit},
                         {"cpu_ratio", cpu_ratio},
                         {"cpu_limit", cpu_limit},
                         {"passed", passed},
                         {"samples", rounds},
                         {"streams", keepers},
                         {"bytes_of_stream", bytes},
                         {"plain_gib_s", median(samples.plain)},
                         {"cpu_s_gib", median(samples.cpu)},
                         {"plain_cpu_s_gib", median(samples.plain_cpu)}};
    std::printf("%s\n", result.dump().c_str());
    ring.clear();
    return passed ? 0 : 1;
}

#pragma once

// Nodes that code snapshots together: real memory and real streams on the loopback, messages that arrive at once.
#include <set>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "daemon/coding/group_coder.hpp"
#include "daemon/keeper/snapshot_server.hpp"
#include "daemon/mscaled/message.hpp"
#include "tests/unit/keeper/snapshots.hpp"

namespace coding_of_test {

using namespace mscale;
using namespace mscale::daemon;
using namespace mscale::recovery;

inline constexpr Incarnation run_of_test{0, 3};
inline constexpr std::chrono::milliseconds stream_limit{10000};

/// A munge that trusts everybody.
inline const Introduction trusting_introduction{
    [](std::string_view secret) -> Result<std::string> { return "sealed:" + std::string(secret); },
    [](const std::string& credential) -> Result<std::string> { return credential.substr(7); }};

inline Owner owner_of(std::uint32_t rank, std::uint32_t ranks, const Incarnation& run = run_of_test)
{
    return {7, 1000, rank, ranks, run};
}

/// One node with one rank of its own.
struct CodingNode {
    std::string name;
    std::uint32_t rank = 0;
    NodeAddress address;
    SegmentStore store;
    std::unique_ptr<SnapshotServer> server;
    std::unique_ptr<Keepers> keepers;
    std::vector<std::uint64_t> coded; ///< epochs of which its rank's part was made
    std::vector<Error> failures;
    std::unique_ptr<GroupCoder> coder; // its thread ends first

    void serve()
    {
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof place;
        Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        ck_assert_int_eq(bind(socket.number(), reinterpret_cast<sockaddr*>(&place), length), 0);
        ck_assert_int_eq(listen(socket.number(), 64), 0);
        ck_assert_int_eq(getsockname(socket.number(), reinterpret_cast<sockaddr*>(&place), &length), 0);
        std::memcpy(&address.address, &place, sizeof place);
        address.length = length;
        server = std::make_unique<SnapshotServer>(
            std::move(socket), store, trusting_introduction, [](const Announcement&) { return Result<void>(); }, stream_limit);
    }
    KeeperAddress keeper() const { return {name, address}; }
};

/// A job whose rank r runs on node nr.
class CodingNodes {
public:
    CodingNodes(unsigned count, const CodingScheme& scheme) : loop_(std::move(*Loop::create())), scheme_(scheme)
    {
        set_sink([](Level, const std::string&) {});
        for (unsigned i = 0; i < count; ++i) {
            CodingNode& node = nodes_["n" + std::to_string(i)];
            node.name = "n" + std::to_string(i);
            node.rank = i;
            node.serve();
        }
        for (auto& [name, node] : nodes_) join(node);
    }

    CodingNode& node(unsigned rank) { return nodes_.at("n" + std::to_string(rank)); }
    unsigned ranks() const { return static_cast<unsigned>(nodes_.size()); }
    GroupCoder::Run run() const { return {7, run_of_test, ranks(), scheme_}; }
    Loop& loop() { return *loop_; }

    /// A rank saves `bytes` of a pattern and its keeper is told.
    std::shared_ptr<HeldSegment> save(unsigned rank, std::uint64_t epoch, std::uint64_t bytes, std::uint64_t room)
    {
        CodingNode& node = this->node(rank);
        const auto own = node.store.provide(owner_of(rank, ranks()), room, SegmentStore::Kind::own).value();
        const unsigned slot = SegmentStore::choose_slot(*own, epoch);
        save_pattern(own->memory.view(), slot, epoch * 100 + rank, bytes, owner_of(rank, ranks()));
        const auto sealed = read_slot(own->memory.view(), slot, owner_of(rank, ranks())).value();
        SlotHeader header = sealed->header; // the pattern tells the ranks apart, the epoch not
        header.epoch = epoch;
        header.step = epoch * 10;
        ck_assert(seal_slot(own->memory.view(), slot, header, sealed->encoded_manifest).has_value());
        SegmentStore::seal(*own, slot, header);
        node.coder->seal(run(), own, header);
        return own;
    }
    /// Runs the loop until `done`, or fails.
    void run_until(const std::function<bool()>& done)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        loop_->post([this, done, end] { watch(done, end); });
        ck_assert(loop_->run().has_value());
        ck_assert(done());
    }
    bool all_coded(std::uint64_t epoch)
    {
        return std::ranges::all_of(nodes_, [epoch](const auto& entry) {
            return std::ranges::find(entry.second.coded, epoch) != entry.second.coded.end();
        });
    }

    std::set<std::string> silent; ///< nodes that answer nothing
    std::map<std::string, std::string> domains; ///< failure domains of nodes

private:
    void watch(const std::function<bool()>& done, std::chrono::steady_clock::time_point end)
    {
        if (done() || std::chrono::steady_clock::now() > end) return loop_->stop();
        loop_->after(std::chrono::milliseconds(2), [this, done, end] { watch(done, end); });
    }

    void join(CodingNode& node)
    {
        std::vector<std::string> names;
        for (const auto& [name, other] : nodes_) names.push_back(name);
        Keepers::Network network{
            [&node] { return node.name; },
            [this](const std::string& to, const std::string& op, const Json& body, const Keepers::Answered& answered) {
                deliver(to, op, body, answered);
            },
            [this](const std::string& name, const auto& located) { located(nodes_.at(name).address); },
            [names] { return names; },
            [this](std::chrono::milliseconds delay, const std::function<void()>& call) { loop_->after(delay, call); },
            [](std::uint32_t, const std::string&) { return false; },
            {},
            [this](const std::string& name) { return domains.contains(name) ? domains.at(name) : std::string(); }};
        node.keepers = std::make_unique<Keepers>(
            std::move(network), [names](std::uint32_t) { return names; },
            [&node](const std::string& op, const Json& body, const Keepers::Answer& answer) { node.coder->answer(op, body, answer); });
        node.coder = std::make_unique<GroupCoder>(
            *loop_, *node.keepers, node.store, trusting_introduction, derive_timing(std::chrono::milliseconds(600)),
            GroupCoder::Hooks{[&node](std::uint32_t, const Incarnation&) { return std::vector{node.rank}; },
                              [](std::uint64_t) { return Result<void>(); },
                              [&node](const auto&, const SlotHeader& shard, const Result<void>& made) {
                                  if (made) return node.coded.push_back(shard.epoch);
                                  node.failures.push_back(made.error());
                              }});
    }

    void deliver(const std::string& to, const std::string& op, const Json& body, const Keepers::Answered& answered)
    {
        if (silent.contains(to)) return answered(failure(Code::peer, "silent"));
        nodes_.at(to).coder->answer(op, body, [answered](const Json& answer) {
            if (auto error = error_of(answer)) return answered(tl::unexpected(std::move(*error)));
            answered(answer);
        });
    }

    std::unique_ptr<Loop> loop_;
    CodingScheme scheme_;
    std::map<std::string, CodingNode> nodes_;
};

} // namespace coding_of_test

#include "recovery/verbs/verbs.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "recovery/bytes.hpp"
#include "recovery/transfer.hpp"
#include "recovery/verbs/connection.hpp"
#include "recovery/verbs/port_address.hpp"
#include "recovery/verbs/verbs_path.hpp"

namespace mscale::recovery {

namespace {

constexpr std::size_t most_addresses = 64;

/// What the side that accepted says: where it waits, for the one that proves `nonce`.
struct Offer {
    std::string nonce;
    std::uint16_t port = 0;
    std::vector<PortAddress> addresses;
};

FrameHeader verbs_header()
{
    FrameHeader header;
    header.type = FrameType::verbs;
    return header;
}

std::string write_terms(const VerbsTerms& terms)
{
    ByteWriter writer;
    writer.put(static_cast<std::uint8_t>(terms.retry_count));
    writer.put(static_cast<std::uint32_t>(terms.window));
    return writer.bytes();
}

Result<VerbsTerms> read_terms(const Frame& frame)
{
    ByteReader reader(frame.payload);
    VerbsTerms terms;
    terms.retry_count = reader.get<std::uint8_t>();
    terms.window = reader.get<std::uint32_t>();
    if (!reader.failed() && reader.left() == 0 && terms.retry_count <= 7 && terms.window > 0) return terms;
    return failure(Code::bad_frame, "a wish for RDMA that isn't one");
}

std::string write_offer(const Offer& offer)
{
    ByteWriter writer;
    writer.put_text(offer.nonce);
    writer.put(offer.port);
    writer.put(static_cast<std::uint8_t>(offer.addresses.size()));
    for (const PortAddress& entry : offer.addresses) {
        writer.put_text(entry.port);
        writer.put_text(entry.address);
    }
    return writer.bytes();
}

Result<Offer> read_offer(const Frame& frame)
{
    ByteReader reader(frame.payload);
    Offer offer;
    offer.nonce = reader.get_text();
    offer.port = reader.get<std::uint16_t>();
    const std::size_t count = reader.get<std::uint8_t>();
    for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
        std::string port(reader.get_text());
        offer.addresses.push_back({std::move(port), std::string(reader.get_text())});
    }
    if (frame.header.type == FrameType::verbs && !reader.failed() && reader.left() == 0) return offer;
    return failure(Code::bad_frame, "an offer of RDMA that isn't one");
}

std::string connecting(const std::string& nonce)
{
    return "verbs connect " + nonce;
}
std::string accepting(const std::string& nonce)
{
    return "verbs accept " + nonce;
}

Proofs prove(const FrameStream& stream, std::string own, std::string other)
{
    return {stream.prove(own), [&stream, other = std::move(other)](const SessionKey::Mac& proof) {
                return stream.proves(other, proof);
            }};
}

using Pair = std::pair<PortAddress, PortAddress>;

/// From which address to which: first those between ports of the same name, which a site cables together.
std::vector<Pair> pair_addresses(const std::vector<PortAddress>& own, const std::vector<PortAddress>& other)
{
    std::vector<Pair> pairs;
    for (const PortAddress& from : own)
        for (const PortAddress& to : other)
            if ((from.address.find(':') == std::string::npos) == (to.address.find(':') == std::string::npos))
                pairs.emplace_back(from, to);
    std::ranges::stable_partition(pairs,
                                  [](const Pair& pair) { return pair.first.port == pair.second.port; });
    return pairs;
}

Result<Connection> dial(const FrameStream& stream, const VerbsTerms& terms, const Offer& offer,
                        Deadline until)
{
    const Proofs proofs = prove(stream, connecting(offer.nonce), accepting(offer.nonce));
    Result<Connection> connection =
        failure(Code::verbs, "no port of this node has an address for the other's");
    for (const auto& [own, other] : pair_addresses(list_port_addresses(terms.ports), offer.addresses)) {
        const auto from = read_socket_address(own.address, 0);
        const auto to = read_socket_address(other.address, offer.port);
        if (!from || !to) continue;
        connection = Connection::dial(*from, *to, terms, proofs, until, stream.descriptor());
        if (connection || connection.error().code != Code::verbs) break;
        connection.error().text +=
            format(" ({} of {} to {} of {})", own.address, own.port, other.address, other.port);
    }
    return connection;
}

/// Where this node waits; Code::verbs when it has no port that anybody could reach.
Result<std::pair<Listener, Offer>> listen_here()
{
    Offer offer{std::string(SessionKey::make().expose()), 0, list_port_addresses()};
    if (offer.addresses.empty()) return failure(Code::verbs, "no RDMA port of the other node has an address");
    offer.addresses.resize(std::min(offer.addresses.size(), most_addresses));
    const bool v6 = std::ranges::any_of(offer.addresses, [](const PortAddress& entry) {
        return entry.address.find(':') != std::string::npos;
    });
    auto listener = Listener::open(v6 ? AF_INET6 : AF_INET);
    if (!listener) return tl::unexpected(std::move(listener.error()));
    offer.port = listener->port();
    return std::pair(std::move(*listener), std::move(offer));
}

} // namespace

Result<void> use_verbs(FrameStream& stream, const VerbsTerms& terms, std::chrono::milliseconds limit)
{
    const Deadline until = std::chrono::steady_clock::now() + limit;
    if (auto sent = stream.send(verbs_header(), write_terms(terms)); !sent) return sent;
    const auto answer = stream.receive();
    if (!answer) return tl::unexpected(answer.error());
    const auto offer = read_offer(*answer);
    if (!offer) return tl::unexpected(offer.error());
    auto connection = dial(stream, terms, *offer, until);
    if (!connection) return tl::unexpected(std::move(connection.error()));
    stream.use(std::make_unique<VerbsPath>(std::move(*connection)));
    return {};
}

Result<void> offer_verbs(FrameStream& stream, const Frame& request, std::chrono::milliseconds limit)
{
    const Deadline until = std::chrono::steady_clock::now() + limit;
    const auto terms = read_terms(request);
    if (!terms) return tl::unexpected(terms.error());
    auto here = listen_here();
    if (!here) return send_error(stream, here.error());
    auto& [listener, offer] = *here;
    if (auto sent = stream.send(verbs_header(), write_offer(offer)); !sent) return sent;
    const Proofs proofs = prove(stream, accepting(offer.nonce), connecting(offer.nonce));
    auto connection = std::move(listener).accept(*terms, proofs, until, stream.descriptor());
    if (connection)
        stream.use(std::make_unique<VerbsPath>(std::move(*connection)));
    else
        log_error("data of snapshots go by TCP", connection.error());
    return {};
}

} // namespace mscale::recovery

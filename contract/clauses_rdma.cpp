#include <algorithm>

#include "base/text.hpp"
#include "contract/clause_row.hpp"

namespace mscale::contract {
namespace {

constexpr std::string_view gid_choices[] = {"auto"};
using BitRate = Kind<read_bit_rate, write_bit_rate>;

Result<void> set_ports(Contract& contract, Role*, std::string_view text)
{
    contract.rdma.near_gpu = text == "near gpu";
    contract.rdma.ports.clear();
    if (contract.rdma.near_gpu) return {};
    std::vector<std::string> ports;
    for (const std::string_view item : split_list(text)) {
        auto port = read_rdma_port(item);
        if (!port) return tl::unexpected(port.error());
        if (std::ranges::find(ports, *port) != ports.end())
            return failure(Code::twice, format("port '{}' stands twice in the list", *port));
        ports.push_back(std::move(*port));
    }
    contract.rdma.ports = std::move(ports);
    return {};
}

std::string write_ports(const Contract& contract, const Role*)
{
    return contract.rdma.near_gpu ? "near gpu" : write_list(contract.rdma.ports);
}

constexpr Clause rdma_rows[] = {
    {"rdma", "port", "DEVICE[:PORT] | [A,B] | near gpu", "mlx5_0:1",
     "The RDMA ports of the node, by exact name; near gpu gives each worker the port next to its GPU.",
     Held::placed, &set_ports, &write_ports},
    make_clause<Pages, &Contract::rdma, &Rdma::pool>(
        Held::placed, {"rdma", "pool", "SIZE*COUNT", "2MiB*2048",
                       "Huge pages of the node for registered buffers, on the NUMA node of the port."}),
    make_clause<Count<1, 65535>, &Contract::rdma, &Rdma::credit_window>(
        Held::placed, {"rdma", "credit_window", "N", "128",
                       "Messages in flight on a connection before the receiver must answer."}),
    make_clause<Count<0, 7>, &Contract::rdma, &Rdma::retry_count>(
        Held::placed, {"rdma", "retry_count", "0 to 7", "3",
                       "How often the adapter sends again; the field has three bits."}),
    make_clause<Count<1, 65535>, &Contract::rdma, &Rdma::queue_pairs>(
        Held::placed, {"rdma", "queue_pairs", "N", "2", "Queue pairs of each worker."}),
    make_clause<BitRate, &Contract::rdma, &Rdma::rate_min_gbps>(
        Held::refused,
        {"rdma", "rate_min", "NGb/s", "200Gb/s", "The least rate at which the port must run."}),
    make_clause<Word<gid_choices>, &Contract::rdma, &Rdma::gid>(
        Held::refused,
        {"rdma", "gid", "auto", "auto", "mscale picks the entry of the GID table that reaches the peers."}),
    make_clause<Count<0, 31>, &Contract::rdma, &Rdma::timeout>(
        Held::refused, {"rdma", "timeout", "0 to 31", "18",
                        "The adapter's time before it sends again: 4.096 us times two to this power."}),
};

} // namespace

std::span<const Clause> rdma_clauses()
{
    return rdma_rows;
}

} // namespace mscale::contract

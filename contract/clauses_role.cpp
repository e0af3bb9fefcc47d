#include "contract/clause_row.hpp"

namespace mscale::contract {
namespace {

constexpr std::string_view frequencies[] = {"performance"};
constexpr std::string_view switches[] = {"on", "off"};
using CoresKind = Kind<read_cores, write_cores>;
using NearKind = Kind<read_near, write_near>;
using DiskKind = Kind<read_disk, write_as_is>;
using GpuKind = Kind<read_gpu, write_gpu>;
using DomainKind = Kind<read_pcie_domain, write_as_is>;

constexpr Clause role_rows[] = {
    make_clause<CoresKind, &Role::cores>(
        Held::enforced,
        {"role", "cores", "N | [CPU-LIST]", "4",
         "Cores of the role alone, taken out of what Slurm grants. A number counts cores (their SMT siblings "
         "included); a list in brackets names logical CPUs as the kernel does."}),
    make_clause<NearKind, &Role::near>(
        Held::enforced,
        {"role", "near", "gpu | nic | disk | numa:N", "gpu",
         "The role's cores and huge pages lie in the NUMA node of the worker's GPU, RDMA port or disk, or in "
         "node N, which must have CPUs."}),
    make_clause<Pages, &Role::hugepages>(Held::enforced,
                                         {"role", "hugepages", "SIZE*COUNT", "2MiB*512",
                                          "Huge pages of each worker's role, on one NUMA node, mounted for "
                                          "the job alone. COUNTxSIZE means the "
                                          "same."}),
    make_clause<DiskKind, &Role::disk>(Held::placed, {"role", "disk", "nvme | any | NAMESPACE", "nvme0n1",
                                                      "The disk that the role reads: the nearest NVMe "
                                                      "namespace, any disk, or one by name or by its link in "
                                                      "/dev/disk/by-id."}),
    make_clause<Count<1, 65535>, &Role::io_depth>(
        Held::placed,
        {"role", "io_depth", "N", "64", "Requests in flight that each of the disk's queues must take."}),
    make_clause<Count<1, 4096>, &Role::disk_queues>(
        Held::placed,
        {"role", "disk_queues", "N", "1", "Hardware queues of the disk whose CPUs the role's cores cover."}),
    make_clause<GpuKind, &Role::gpu>(Held::placed, {"role", "gpu", "INDEX | PCI-ADDRESS", "0000:81:00.0",
                                                    "The GPU of the role, by the index that NVML gives or by "
                                                    "its PCI address; the plan tells the address."}),
    make_clause<DomainKind, &Role::pcie_domain>(Held::placed,
                                                {"role", "pcie_domain", "gpu | DOMAIN:BUS", "0000:81",
                                                 "The root complex below which the role's GPU and disk lie: "
                                                 "that of the worker's GPU, or the one with "
                                                 "this root bus."}),
    make_clause<PlainName, &Role::isa>(
        Held::refused, {"role", "isa", "NAME", "avx512f",
                        "An instruction set that the CPUs must have, as /proc/cpuinfo names it."}),
    make_clause<Word<frequencies>, &Role::frequency>(
        Held::refused,
        {"role", "frequency", "performance", "performance", "The frequency governor of the role's cores."}),
    make_clause<ByteRate, &Role::read_limit>(
        Held::refused,
        {"role", "read_limit", "SIZE/s", "2GiB/s", "What the role may read from its disk in a second."}),
    make_clause<ByteRate, &Role::write_limit>(
        Held::refused,
        {"role", "write_limit", "SIZE/s", "1GiB/s", "What the role may write to its disk in a second."}),
    make_clause<Count<1, 10000>, &Role::io_weight>(
        Held::refused,
        {"role", "io_weight", "N", "500", "The role's weight against other users of its disk, 1 to 10000."}),
    make_clause<Word<switches>, &Role::write_cache>(
        Held::refused,
        {"role", "write_cache", "on | off", "off", "Whether the disk's volatile write cache is on."}),
};

} // namespace

std::span<const Clause> role_clauses()
{
    return role_rows;
}

} // namespace mscale::contract

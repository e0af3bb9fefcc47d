#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.hpp"

/// The kinds of value that clauses take.  Each kind has a reader, which says what is wrong and what was meant, and a
/// writer of the one canonical spelling; read_X(write_X(x)) == x.
namespace mscale::contract {

/// A decimal number from `least` to `greatest`.
Result<std::uint64_t> read_count(std::string_view text, std::uint64_t least, std::uint64_t greatest);

/// Bytes: "20GiB", "2M".  Whole numbers, binary units; never zero, never wraps.
Result<std::uint64_t> read_size(std::string_view text);
/// The size of a huge page; also as the kernel writes it, "2048kB".
Result<std::uint64_t> read_page_size(std::string_view text);
std::string write_size(std::uint64_t bytes);

/// "2MiB*512", also as "512x2MiB".
Result<HugePages> read_huge_pages(std::string_view text);
std::string write_huge_pages(const HugePages& pages);

/// "2GiB/s", in bytes a second.
Result<std::uint64_t> read_byte_rate(std::string_view text);
std::string write_byte_rate(std::uint64_t rate);

/// "200Gb/s", in gigabits a second.
Result<unsigned> read_bit_rate(std::string_view text);
std::string write_bit_rate(unsigned gigabits);

/// "500ms", "2s", "10min", "1h"; a year at most.
Result<std::chrono::milliseconds> read_duration(std::string_view text);
std::string write_duration(std::chrono::milliseconds duration);

/// "4" (cores) or "[2-3,8]", also "2-3+8" (logical CPUs).
Result<Cores> read_cores(std::string_view text);
std::string write_cores(const Cores& cores);

/// "gpu", "nic", "disk" or "numa:N".
Result<Near> read_near(std::string_view text);
std::string write_near(const Near& near);

/// One of `words`, or an error that lists them and names the nearest.
Result<std::string> read_word(std::string_view text, std::span<const std::string_view> words);
/// "yes" or "no".
Result<bool> read_yes_no(std::string_view text);
std::string write_yes_no(bool value);

/// Letters, digits, blanks within, '.', '_' and '-': what models, abilities and ISA extensions are made of.
Result<std::string> read_plain_name(std::string_view text);
/// "fp8" or "[fp8,nvlink]", each once; sorted.
Result<std::vector<std::string>> read_plain_names(std::string_view text);
/// "A" for one, "[A,B]" for more, "" for none.
std::string write_list(std::span<const std::string> items);
/// What stands between the brackets of "[A,B]", or the text itself, split at commas and trimmed.
std::vector<std::string_view> split_list(std::string_view text);

/// An absolute path without "..", of letters, digits and ./_-+@=~, with %u (user) and %j (job).
Result<std::string> read_spill_path(std::string_view text);

/// A whole NVMe namespace ("nvme0n1", also with /dev/), a link below /dev/disk/by-id/, or the words "nvme" and "any".
Result<std::string> read_disk(std::string_view text);
/// "mlx5_0:1"; port 1 when none is given.
Result<std::string> read_rdma_port(std::string_view text);
/// An NVML index or a PCI address, whole or without its domain.
Result<GpuName> read_gpu(std::string_view text);
std::string write_gpu(const GpuName& gpu);
/// "0000:81" (the root bus) or "gpu".
Result<std::string> read_pcie_domain(std::string_view text);

} // namespace mscale::contract

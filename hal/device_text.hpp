#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hal/machine.hpp"
#include "hal/text_box.hpp"

namespace mscale::hal {

/// "8.3 GiB", rounded to a tenth: for people, never read back.
std::string round_bytes(std::uint64_t bytes);

/// The devices whose place is this node (nothing: those of unknown place), a line each; those that share a
/// PCI root stand together behind it:
///
///     0000:15 ┬ GPU 0  0000:1b:00.0 H100 80GB HBM3, 132 SMs
///             └ mlx5_0 0000:18:00.0 IB 400 Gb/s ACTIVE
Lines draw_devices(const Machine& machine, std::optional<unsigned> node);

} // namespace mscale::hal

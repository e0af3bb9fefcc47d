#pragma once

#include <optional>
#include <string>

#include "contract/contract.hpp"
#include "hal/machine.hpp"

namespace mscale::contract {

/// What a worker gets of a GPU's streaming multiprocessors.
struct Slice {
    unsigned sms = 0; ///< 0: the contract doesn't ask for SMs
    unsigned chunks = 0;
};

/// How many chunks the GPU can be cut into; 0 when it can't be cut.
unsigned count_chunks(const hal::Gpu& gpu);

/// The least slice of whole chunks with what the contract asks (`gpu.sm`, else `gpu.share`), or the whole
/// GPU; nothing when the GPU hasn't as many SMs or doesn't say.
std::optional<Slice> cut_slice(const Contract& contract, const hal::Gpu& gpu);

/// "GPU 0 (0000:1b:00.0) has 132 SMs in 16 chunks of 8"
std::string describe_sms(const hal::Gpu& gpu);
/// "GPU 0 (0000:1b:00.0) has bf16, fp8"
std::string describe_abilities(const hal::Gpu& gpu);

} // namespace mscale::contract

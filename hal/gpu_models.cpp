#include "hal/gpu_models.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace mscale::hal {
namespace {

/// What NVIDIA's architecture papers and data sheets say.  `word` is looked for in the driver's name, whole.
struct Model {
    std::string_view word;
    unsigned sms;
    std::string_view compute_capability;
    unsigned gigabytes; ///< 0: sold in several sizes
    bool nvlink, mig;
};

constexpr std::array models = {
    // The longer word first where one model's name begins with another's.
    Model{"B200", 148, "10.0", 180, true, true},
    Model{"GH200", 132, "9.0", 96, true, true},
    Model{"H200 NVL", 132, "9.0", 141, true, true},
    Model{"H200", 132, "9.0", 141, true, true},
    Model{"H100 NVL", 132, "9.0", 94, true, true},
    Model{"H100 PCIe", 114, "9.0", 80, true, true},
    Model{"H100 80GB HBM3", 132, "9.0", 80, true, true},
    Model{"H800", 132, "9.0", 80, true, true},
    Model{"H20", 78, "9.0", 96, true, true},
    Model{"A100-SXM4-40GB", 108, "8.0", 40, true, true},
    Model{"A100-SXM4-80GB", 108, "8.0", 80, true, true},
    Model{"A100 80GB PCIe", 108, "8.0", 80, true, true},
    Model{"A100-PCIE-40GB", 108, "8.0", 40, true, true},
    Model{"A800", 108, "8.0", 0, true, true},
    Model{"A30", 56, "8.0", 24, true, true},
    Model{"A40", 84, "8.6", 48, true, false},
    Model{"A10", 72, "8.6", 24, false, false},
    Model{"RTX A6000", 84, "8.6", 48, true, false},
    Model{"GeForce RTX 3090", 82, "8.6", 24, true, false},
    Model{"L40S", 142, "8.9", 48, false, false},
    Model{"L40", 142, "8.9", 48, false, false},
    Model{"L4", 58, "8.9", 24, false, false},
    Model{"GeForce RTX 4090", 128, "8.9", 24, false, false},
    Model{"GeForce RTX 5090", 170, "12.0", 32, false, false},
    Model{"T4", 40, "7.5", 16, false, false},
    Model{"V100", 80, "7.0", 0, true, false},
    Model{"P100", 56, "6.0", 16, true, false},
};

struct PciName {
    std::uint16_t device;
    std::string_view name;
};

constexpr std::array model_names = {
    PciName{0x1db1, "Tesla V100-SXM2-16GB"},
    PciName{0x1db4, "Tesla V100-PCIE-16GB"},
    PciName{0x1db5, "Tesla V100-SXM2-32GB"},
    PciName{0x1db6, "Tesla V100-PCIE-32GB"},
    PciName{0x1eb8, "Tesla T4"},
    PciName{0x20b0, "NVIDIA A100-SXM4-40GB"},
    PciName{0x20b2, "NVIDIA A100-SXM4-80GB"},
    PciName{0x20b5, "NVIDIA A100 80GB PCIe"},
    PciName{0x20b7, "NVIDIA A30"},
    PciName{0x20f1, "NVIDIA A100-PCIE-40GB"},
    PciName{0x2235, "NVIDIA A40"},
    PciName{0x2236, "NVIDIA A10"},
    PciName{0x2321, "NVIDIA H100 NVL"},
    PciName{0x2330, "NVIDIA H100 80GB HBM3"},
    PciName{0x2331, "NVIDIA H100 PCIe"},
    PciName{0x2335, "NVIDIA H200"},
    PciName{0x233b, "NVIDIA H200 NVL"},
    PciName{0x2342, "NVIDIA GH200 120GB"},
    PciName{0x26b5, "NVIDIA L40"},
    PciName{0x26b9, "NVIDIA L40S"},
    PciName{0x27b8, "NVIDIA L4"},
    PciName{0x2901, "NVIDIA B200"},
};

bool is_letter_or_digit(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// `word` with no letter or digit right before or after it: "A10" isn't in "A100".
bool has_word(std::string_view text, std::string_view word)
{
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool starts = at == 0 || !is_letter_or_digit(text[at - 1]);
        if (starts && (end == text.size() || !is_letter_or_digit(text[end]))) return true;
    }
    return false;
}

const Model* find_model(std::string_view name)
{
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&](const Model& model) { return has_word(name, model.word); });
    return found == models.end() ? nullptr : &*found;
}

/// "8.9" as 89; 0 when it isn't known.
int version_of(std::string_view compute_capability)
{
    const std::size_t dot = compute_capability.find('.');
    if (dot == std::string_view::npos) return 0;
    return std::atoi(std::string(compute_capability.substr(0, dot)).c_str()) * 10 +
           std::atoi(std::string(compute_capability.substr(dot + 1)).c_str());
}

/// The least slice in SMs: MPS static partitions need Ampere; 4 SMs there (A30, L40S), 8 from Hopper on.
unsigned chunk_of(int version)
{
    if (version < 80) return 0;
    return version < 90 ? 4 : 8;
}

/// The number formats of the matrix units, by the generation that brought them.
void add_formats(int version, std::vector<std::string>& abilities)
{
    constexpr std::array formats = {std::pair{60, "fp16"}, std::pair{75, "int8"}, std::pair{80, "bf16"},
                                    std::pair{80, "tf32"}, std::pair{89, "fp8"},  std::pair{100, "fp4"},
                                    std::pair{100, "fp6"}};
    for (const auto& [since, name] : formats)
        if (version >= since) abilities.emplace_back(name);
}

} // namespace

std::string gpu_name_of(std::uint16_t pci_device)
{
    const auto found = std::find_if(model_names.begin(), model_names.end(),
                                    [&](const PciName& entry) { return entry.device == pci_device; });
    return found == model_names.end() ? std::string() : std::string(found->name);
}

unsigned cores_per_sm(std::string_view compute_capability)
{
    const int version = version_of(compute_capability);
    if (version < 60) return 0;
    return version == 60 || (version >= 70 && version <= 80) ? 64 : 128;
}

void complete_gpu(Gpu& gpu)
{
    const Model* model = find_model(gpu.model);
    if (model != nullptr) {
        if (gpu.sms == 0) {
            gpu.sms = model->sms;
            gpu.sm_source = "architecture";
        }
        if (gpu.memory_bytes == 0) gpu.memory_bytes = model->gigabytes * std::uint64_t{1000000000};
        if (gpu.compute_capability.empty()) gpu.compute_capability = model->compute_capability;
        if (model->nvlink) gpu.abilities.emplace_back("nvlink");
        if (model->mig) gpu.abilities.emplace_back("mig");
    }
    const int version = version_of(gpu.compute_capability);
    gpu.sm_chunk = gpu.sms == 0 ? 0 : chunk_of(version);
    add_formats(version, gpu.abilities);
    std::sort(gpu.abilities.begin(), gpu.abilities.end());
    gpu.abilities.erase(std::unique(gpu.abilities.begin(), gpu.abilities.end()), gpu.abilities.end());
}

} // namespace mscale::hal

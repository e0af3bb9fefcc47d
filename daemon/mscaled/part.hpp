#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contract/ledger.hpp"

/// What a job works with on a node: devices that its contract has to itself or relies on, and the slurmstepd of its step.
/// Pure.
namespace mscale::daemon {

enum class PartKind { port, disk, gpu, stepd };

/// "port", "drive", "GPU", "slurmstepd": for people.
std::string_view name_of(PartKind kind);

struct Part {
    PartKind kind = PartKind::port;
    std::string name;   ///< as the plan has it: "mlx5_0:1", "nvme0n1 (S4X)", "0000:1b:00.0"; of a slurmstepd "7.0"
    std::string clause; ///< that needs it: "rdma.port", "role.loader.disk", "gpu"
    bool operator==(const Part&) const = default;
};

/// A part as it is now.
struct PartFinding {
    Part part;
    std::string found; ///< "": as promised; else what is there instead: "DOWN", "absent", "Xid 79"
    bool certain = false; ///< one look is enough: the driver has said so
    bool operator==(const PartFinding&) const = default;
};

/// The newest step of srun that wasn't refused, or null.
const contract::StepRecord* find_newest_step(const contract::LedgerRecord& record);

/// True while a process lives.
using Living = std::function<bool(const ProcessId&)>;

/// The parts that the job works with, each once: the ports of the node's plan, the slurmstepd of the newest step of srun, and the
/// drives and GPUs of the steps of srun that
/// live and of the newest one, else of the batch script.  A step that has ended may have done so for want of a part, so that the
/// newest counts until another is planned here; a node without a step has lost nothing yet: what is there is planned then.
std::vector<Part> list_parts(const contract::LedgerRecord& record, const Living& lives);

/// "nvme0n1 (S4X)" as name and serial number; the serial number is "" where the plan has none.
std::pair<std::string, std::string> split_disk(const std::string& name);

} // namespace mscale::daemon

#include "library/find_keeper.hpp"

namespace mscale::library {

std::optional<KeeperPlace> find_keeper(const Environment& environment)
{
    const auto path = environment("MSCALE_KEEPER");
    if (path && !path->empty()) return KeeperPlace{*path, true, {}};
    if (!environment("SLURM_JOB_ID")) return std::nullopt;
    KeeperPlace keeper{"/run/mscale/keeper.sock", false, {}};
    keeper.patience.connect = std::chrono::milliseconds(0);
    return keeper;
}

bool is_outside(const Error& error, const KeeperPlace& keeper)
{
    return error.code == Code::no_such_job || (error.code == Code::keeper_lost && !keeper.named);
}

} // namespace mscale::library

#include "cli/slurm_answer.hpp"

#include <cstdlib>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/handle.hpp"
#include "base/json.hpp"

namespace mscale::cli {

Json slurm_error()
{
    return {{"error", slurm_strerror(slurm_get_errno())}};
}

Json list_host_names(const char* host_list)
{
    // A pointer type up to 23.02, a structure from 23.11 on: its name is taken from the function that makes it.
    const Handle<decltype(slurm_hostlist_create(nullptr)), slurm_hostlist_destroy> hosts(
        slurm_hostlist_create(host_list != nullptr ? host_list : ""));
    Json names = Json::array();
    while (char* name = hosts ? slurm_hostlist_shift(hosts.pointer()) : nullptr) {
        names.push_back(name);
        std::free(name);
    }
    return names;
}

} // namespace mscale::cli

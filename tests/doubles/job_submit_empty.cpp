// A job_submit plugin that does nothing: what any plugin costs.
#include <cstdint>

#include <slurm/slurm.h>

#define HOOK extern "C" [[gnu::visibility("default")]]

HOOK const char plugin_name[];
HOOK const char plugin_type[];
HOOK const std::uint32_t plugin_version;
const char plugin_name[] = "nothing";
const char plugin_type[] = "job_submit/empty";
const std::uint32_t plugin_version = SLURM_VERSION_NUMBER;

HOOK int job_submit(job_desc_msg_t*, std::uint32_t, char**)
{
    return 0;
}

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
HOOK int job_modify(job_desc_msg_t*, void*, std::uint32_t)
#else
HOOK int job_modify(job_desc_msg_t*, void*, std::uint32_t, char**)
#endif
{
    return 0;
}

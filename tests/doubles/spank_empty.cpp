// A SPANK plugin whose hooks do nothing: what Slurm itself spends on any plugin that has the hooks of ours.
#pragma GCC visibility push(default)
extern "C" {
#include <slurm/spank.h> // its hooks are declared outside its own extern "C"
}
#pragma GCC visibility pop

extern "C" {

extern const char plugin_name[] __attribute__((visibility("default"))) = "empty";
extern const char plugin_type[] __attribute__((visibility("default"))) = "spank";
extern const unsigned int plugin_version __attribute__((visibility("default"))) = SLURM_VERSION_NUMBER;
extern const unsigned int spank_plugin_version __attribute__((visibility("default"))) = 1;

int slurm_spank_init(spank_t, int, char**)
{
    return 0;
}

int slurm_spank_init_post_opt(spank_t, int, char**)
{
    return 0;
}

int slurm_spank_job_prolog(spank_t, int, char**)
{
    return 0;
}

int slurm_spank_task_init_privileged(spank_t, int, char**)
{
    return 0;
}

int slurm_spank_task_init(spank_t, int, char**)
{
    return 0;
}

int slurm_spank_job_epilog(spank_t, int, char**)
{
    return 0;
}

} // extern "C"

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <slurm/slurm.h>

/// What a GRES plugin shares with Slurm's core and the public headers leave out: own declarations of the
/// layouts (as facts, read from the versions named) and of the helpers that slurmd, slurmstepd and slurmctld
/// export.
namespace mscale::gres {

/// One line of gres.conf as slurmd hands it over; the same in 22.05 to 26.05.
struct ConfigurationLine {
    std::uint32_t flags;
    std::uint64_t count;
    std::uint32_t cpu_count;
    char* cpus;
    bitstr_t* cpu_bits;
    char* file;
    char* links;
    char* name;
    char* type_name;
    char* unique_id;
    std::uint32_t plugin_id;
};

/// What a job holds of one GRES on each of its nodes, as slurmctld keeps it.  Read only.
struct JobState {
    std::uint32_t type_id;
    char* type_name;
    std::uint16_t flags;
    std::uint16_t cpus_per_gres;
    std::uint64_t per_job, per_node, per_socket, per_task, memory_per_gres;
    std::uint16_t tasks_per_gres;
    std::uint16_t default_cpus;
    std::uint64_t default_memory;
    std::uint32_t cluster_nodes;
    bitstr_t** selected_bits;
    std::uint64_t* selected_count;
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
    std::uint64_t** selected_per_bit;
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
    bitstr_t** gpu_cores;
    std::uint32_t gpu_core_sets;
#endif
    std::uint64_t total;
    std::uint32_t node_count;
    bitstr_t** bits;
    std::uint64_t* counts;
};

/// What travels from slurmctld to the prolog and epilog of each node.  Slurm's core frees it, so its memory
/// is xmalloc's.
struct PrologState {
    std::uint32_t plugin_id;
    std::uint32_t node_count;
    char* node_list;
    bitstr_t** bits;
    std::uint64_t* counts;
};

/// Slurm's list, opaque, by the name that this version's slurm.h gives it.
using SlurmList = std::remove_pointer_t<decltype(::slurm_list_create(nullptr))>;

extern "C" {
void slurm_error(const char* format, ...);
bitstr_t* slurm_bit_copy(bitstr_t* bits);
char* slurm_bit_fmt_full(bitstr_t* bits);
int slurm_env_array_overwrite(char*** environment, const char* name, const char* value);
void slurm_unsetenvp(char** environment, const char* name);
int slurm_list_for_each(SlurmList* list, int (*visit)(void* item, void* argument), void* argument);
void* slurm_xcalloc(std::size_t count, std::size_t size, bool clear, bool may_fail, const char* file,
                    int line, const char* function);
void slurm_xfree(void** pointer);
}

} // namespace mscale::gres

#pragma once

#include <cstddef>
#include <cstdint>

#include <slurm/slurm.h>

namespace mscale::submit {

/// How the job record begins that job_modify is given (an own declaration of the layout, as a fact).  22.05 to 25.05 begin
/// with the magic number, 25.11 and 26.05 with the public step id.
struct JobRecordHead {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
    slurm_step_id_t id;
#endif
    std::uint32_t magic;
    char* account;
    char* admin_comment;
};
inline constexpr std::uint32_t job_record_magic = 0xf0b7392c;
/// A later Slurm's record isn't read until somebody has looked.
inline constexpr bool knows_job_record = SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 6, 0);

} // namespace mscale::submit

/// What slurmctld exports to its plugins and the public headers leave out; the same in 22.05 to 26.05.
extern "C" {
void* slurm_xcalloc(std::size_t count, std::size_t size, bool clear, bool may_fail, const char* file,
                    int line, const char* function);
void slurm_xfree(void** pointer);
char* slurm_xstrdup(const char* text);
void slurm_error(const char* format, ...) __attribute__((format(printf, 1, 2)));
void slurm_info(const char* format, ...) __attribute__((format(printf, 1, 2)));
void slurm_debug(const char* format, ...) __attribute__((format(printf, 1, 2)));
}

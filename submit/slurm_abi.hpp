#pragma once

#include <cstddef>

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

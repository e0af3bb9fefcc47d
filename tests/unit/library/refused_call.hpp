#pragma once

#include <cstddef>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "tests/unit/check.hpp"

/// From now on the kernel refuses this process the system call with this error, as a container's filter would.
inline void refuse_call(long number, int error)
{
    const auto answer = SECCOMP_RET_ERRNO | static_cast<unsigned>(error);
    sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, answer),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter = {4, rules};
    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

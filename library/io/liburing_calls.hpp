#pragma once

#include <string>

#include <sched.h>

struct io_uring;
struct iovec;
struct io_uring_sqe;

namespace mscale::library {

/// The functions of liburing.so.2, found when a reader is opened: a program in a container may have libmscale alone.
struct LiburingCalls {
    int (*queue_init)(unsigned, io_uring*, unsigned) = nullptr;
    void (*queue_exit)(io_uring*) = nullptr;
    io_uring_sqe* (*get_sqe)(io_uring*) = nullptr;
    int (*submit_and_wait)(io_uring*, unsigned) = nullptr;
    int (*register_buffers)(io_uring*, const iovec*, unsigned) = nullptr;
    int (*register_workers)(io_uring*, std::size_t, const cpu_set_t*) = nullptr; ///< io_uring_register_iowq_aff
    std::string missing; ///< why there are none; "" when there are
};

/// Loaded once, and never unloaded.
const LiburingCalls& liburing_calls();

} // namespace mscale::library

#include "library/io/liburing_calls.hpp"

#include <dlfcn.h>

namespace mscale::library {
namespace {

template <class Call> void find_call(void* library, const char* name, Call& into, std::string& missing)
{
    into = reinterpret_cast<Call>(::dlsym(library, name));
    if (into == nullptr && missing.empty()) missing = std::string("liburing.so.2 lacks ") + name;
}

LiburingCalls load_calls()
{
    LiburingCalls calls;
    void* const library = ::dlopen("liburing.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        calls.missing = "liburing.so.2 isn't found";
        return calls;
    }
    find_call(library, "io_uring_queue_init", calls.queue_init, calls.missing);
    find_call(library, "io_uring_queue_exit", calls.queue_exit, calls.missing);
    find_call(library, "io_uring_get_sqe", calls.get_sqe, calls.missing);
    find_call(library, "io_uring_submit_and_wait", calls.submit_and_wait, calls.missing);
    find_call(library, "io_uring_register_buffers", calls.register_buffers, calls.missing);
    find_call(library, "io_uring_register_iowq_aff", calls.register_workers, calls.missing);
    return calls;
}

} // namespace

const LiburingCalls& liburing_calls()
{
    static const LiburingCalls calls = load_calls();
    return calls;
}

} // namespace mscale::library

// For a build without liburing.
#include "daemon/spill/write_queue.hpp"

namespace mscale::daemon {

std::unique_ptr<WriteQueue> make_ring_queue(int)
{
    return nullptr;
}

} // namespace mscale::daemon

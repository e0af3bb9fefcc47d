// For a build without liburing.
#include "library/io/read_queue.hpp"

namespace mscale::library {

std::unique_ptr<ReadQueue> make_ring_queue(const QueueNeeds&, std::string& why_not)
{
    why_not = "this libmscale was built without liburing";
    return nullptr;
}

} // namespace mscale::library

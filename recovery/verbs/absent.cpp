// For builds without libibverbs and librdmacm.
#include "recovery/transfer.hpp"
#include "recovery/verbs/verbs.hpp"

namespace mscale::recovery {

namespace {

tl::unexpected<Error> absent()
{
    return failure(Code::verbs, "this mscale was built without verbs");
}

} // namespace

Result<void> use_verbs(FrameStream&, const VerbsTerms&, std::chrono::milliseconds)
{
    return absent();
}

Result<void> offer_verbs(FrameStream& stream, const Frame&, std::chrono::milliseconds)
{
    return send_error(stream, absent().value());
}

} // namespace mscale::recovery

#include "submit/credential.hpp"

#include <cstdlib>
#include <memory>

#include <munge.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale::submit {

namespace {

using Context = Handle<munge_ctx_t, munge_ctx_destroy>;

struct FreeText {
    void operator()(char* text) const { std::free(text); }
};

munge_err_t prepare(munge_ctx_t context, const std::string& socket)
{
    munge_err_t status = munge_ctx_set(context, MUNGE_OPT_TTL, MUNGE_TTL_MAXIMUM);
    if (status == EMUNGE_SUCCESS && !socket.empty())
        status = munge_ctx_set(context, MUNGE_OPT_SOCKET, socket.c_str());
    return status;
}

} // namespace

Result<std::string> seal(const std::string& payload, const std::string& socket)
{
    const Context context(munge_ctx_create());
    if (!context) return failure(Code::credential, "munge has no memory for a credential");
    munge_err_t status = prepare(context.pointer(), socket);
    char* text = nullptr;
    if (status == EMUNGE_SUCCESS)
        status = munge_encode(&text, context.pointer(), payload.data(), static_cast<int>(payload.size()));
    const std::unique_ptr<char, FreeText> owner(text);
    if (status == EMUNGE_SUCCESS && text) return std::string(text);
    return failure(Code::credential, format("munge makes no credential: {}", munge_strerror(status)),
                   "start munged on the controller's host and check [munge] socket in mscale.conf");
}

} // namespace mscale::submit

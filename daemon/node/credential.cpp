#include "daemon/node/credential.hpp"

#include <cstdlib>

#include <munge.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale::node {
namespace {

using Context = Handle<munge_ctx_t, munge_ctx_destroy>;

bool proves_its_maker(munge_err_t code)
{
    return code == EMUNGE_SUCCESS || code == EMUNGE_CRED_EXPIRED || code == EMUNGE_CRED_REPLAYED ||
           code == EMUNGE_CRED_REWOUND;
}

} // namespace

Result<Signed> open_credential(const std::string& credential, const std::string& socket)
{
    const Context context(munge_ctx_create());
    if (!context) return failure(Code::node_act, "munge gives no context");
    if (!socket.empty()) munge_ctx_set(context.pointer(), MUNGE_OPT_SOCKET, socket.c_str());
    void* payload = nullptr;
    int length = 0;
    uid_t uid = 0;
    gid_t gid = 0;
    const munge_err_t code =
        munge_decode(credential.c_str(), context.pointer(), &payload, &length, &uid, &gid);
    const Handle<void*, std::free> owned(payload);
    if (proves_its_maker(code) && payload)
        return Signed{uid, std::string(static_cast<const char*>(payload), static_cast<std::size_t>(length))};
    return failure(Code::credential,
                   format("munge doesn't believe the verified text: {}", munge_strerror(code)));
}

} // namespace mscale::node

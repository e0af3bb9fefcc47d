#include "daemon/mscaled/credential.hpp"

#include <cstdlib>

#include <munge.h>

#include "base/handle.hpp"

namespace mscale::daemon {

namespace {

using Context = Handle<munge_ctx_t, munge_ctx_destroy>;

Result<Context> make_context(const std::string& socket)
{
    Context context(munge_ctx_create());
    if (!context) return failure(Code::peer, "munge gave no context");
    if (!socket.empty() &&
        munge_ctx_set(context.pointer(), MUNGE_OPT_SOCKET, socket.c_str()) != EMUNGE_SUCCESS) {
        return failure(Code::peer, "munge's socket " + socket + ": " + munge_ctx_strerror(context.pointer()));
    }
    return context;
}

} // namespace

Result<std::string> Sealer::seal(const std::string& payload, std::optional<uid_t> reader) const
{
    auto context = make_context(socket_);
    if (!context) return tl::unexpected(context.error());
    if (reader) munge_ctx_set(context->pointer(), MUNGE_OPT_UID_RESTRICTION, *reader);
    char* text = nullptr;
    const munge_err_t code =
        munge_encode(&text, context->pointer(), payload.data(), static_cast<int>(payload.size()));
    const Handle<char*, std::free> held(text);
    if (code != EMUNGE_SUCCESS)
        return failure(Code::peer, std::string("munge makes no credential: ") + munge_strerror(code));
    return std::string(text);
}

Result<Proven> Sealer::open(const std::string& credential) const
{
    auto context = make_context(socket_);
    if (!context) return tl::unexpected(context.error());
    void* payload = nullptr;
    int length = 0;
    uid_t uid = 0;
    gid_t gid = 0;
    const munge_err_t code =
        munge_decode(credential.c_str(), context->pointer(), &payload, &length, &uid, &gid);
    const Handle<void*, std::free> held(payload);
    if (code != EMUNGE_SUCCESS) {
        return failure(Code::credential,
                       std::string("a message's credential isn't good: ") + munge_strerror(code),
                       "check that munged runs on both nodes with one key and that their clocks agree");
    }
    return Proven{uid, std::string(static_cast<const char*>(payload), static_cast<std::size_t>(length))};
}

} // namespace mscale::daemon

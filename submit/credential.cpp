#include "submit/credential.hpp"

#include <cstdlib>
#include <memory>
#include <optional>

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

Result<std::string> encode(const std::string& payload, const std::string& socket)
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

} // namespace

Result<std::string> Sealer::make(const std::string& payload, const std::string& socket)
{
    const auto made = std::make_shared<std::optional<Result<std::string>>>();
    const bool has_ended = call_.run([=] { made->emplace(encode(payload, socket)); }, deadline_);
    if (has_ended && *made) return std::move(**made);
    return failure(Code::credential, format("munged made no credential within {} ms", deadline_.count()),
                   "restart munged on the controller's host and submit again");
}

std::string Sealer::find(const std::string& key)
{
    const std::lock_guard lock(mutex_);
    const auto oldest = std::chrono::steady_clock::now() - keep_time;
    const auto found = kept_.find(key);
    return found == kept_.end() || found->second.made < oldest ? "" : found->second.credential;
}

void Sealer::keep(const std::string& key, const std::string& credential)
{
    const std::lock_guard lock(mutex_);
    if (kept_.size() >= most_entries) kept_.clear();
    kept_[key] = {std::chrono::steady_clock::now(), credential};
}

Result<std::string> Sealer::seal(const std::string& payload, const std::string& socket)
{
    if (payload.size() > longest_payload) return make(payload, socket);
    const std::string key = socket + '\n' + payload;
    if (std::string kept = find(key); !kept.empty()) return kept;
    auto credential = make(payload, socket);
    if (credential) keep(key, *credential);
    return credential;
}

} // namespace mscale::submit

#pragma once

#include <string>

#include <sys/types.h>

#include "base/json.hpp"

/// What stands inside the credentials that nodes send each other.  Pure.
///
/// A request names the node it is for and carries a nonce that its answer repeats.  So neither can be used at
/// another place: munged refuses a credential that it has seen, and another node refuses one that isn't
/// addressed to it.
namespace mscale::daemon {

/// The largest message, as a credential.
inline constexpr std::size_t message_limit = 1 << 20;

struct Request {
    std::string to;    ///< node that shall act on it
    std::string nonce; ///< of this request alone
    std::string op;    ///< "report", "ask", "status"
    Json body;
    uid_t uid = 0; ///< who asks, as munge proved; not part of the text
};

std::string to_payload(const Request& request);
/// The request, when it is for `self` and `uid` may ask it: root anything, others `status`.
Result<Request> open_request(const std::string& payload, uid_t uid, const std::string& self);

std::string to_answer(const std::string& nonce, const Json& body);
/// The body of the answer to the request with `nonce`, when root gave it; the answer's own error when it
/// holds one.
Result<Json> open_answer(const std::string& payload, uid_t uid, const std::string& nonce);

/// {"ok":false,"error":{"code","text","cure"}}
Json error_to_json(const Error& error);
/// {"ok":true} with what `json` holds beside it.
Json ok_with(Json json = Json::object());
/// The error that an answer holds, or nothing when it is ok.
std::optional<Error> error_of(const Json& answer);

/// Sixteen random bytes in hexadecimal.
std::string make_nonce();

} // namespace mscale::daemon

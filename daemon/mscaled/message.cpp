#include "daemon/mscaled/message.hpp"

#include <sys/random.h>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

Result<Json> take_body(Json& message, const std::string& what)
{
    const auto found = message.find("body");
    if (found == message.end()) return failure(Code::json_member, what + " has no body");
    return std::move(*found);
}

Result<void> check_asker(uid_t uid, const std::string& op, const std::string& to, const std::string& self)
{
    if (uid != 0 && op != "status")
        return failure(Code::not_yours, format("uid {} may ask for status only", uid));
    if (to != self)
        return failure(Code::peer, format("a message for node {} came to {}", printable(to), self));
    return {};
}

} // namespace

std::string to_payload(const Request& request)
{
    return write_json(
        {{"to", request.to}, {"nonce", request.nonce}, {"op", request.op}, {"body", request.body}});
}

Result<Request> open_request(const std::string& payload, uid_t uid, const std::string& self)
{
    auto json = parse_json(payload, "a message");
    if (!json) return tl::unexpected(json.error());
    auto to = read_member<std::string>(*json, "to", "a message");
    auto nonce = read_member<std::string>(*json, "nonce", "a message");
    auto op = read_member<std::string>(*json, "op", "a message");
    for (const auto* member : {&to, &nonce, &op}) {
        if (!*member) return tl::unexpected(member->error());
    }
    if (auto may = check_asker(uid, *op, *to, self); !may) return tl::unexpected(may.error());
    auto body = take_body(*json, "a message");
    if (!body) return tl::unexpected(body.error());
    return Request{std::move(*to), std::move(*nonce), std::move(*op), std::move(*body), uid};
}

std::string to_answer(const std::string& nonce, const Json& body)
{
    return write_json({{"nonce", nonce}, {"body", body}});
}

Result<Json> open_answer(const std::string& payload, uid_t uid, const std::string& nonce)
{
    if (uid != 0) return failure(Code::credential, format("an answer was given by uid {}, not by root", uid));
    auto json = parse_json(payload, "an answer");
    if (!json) return tl::unexpected(json.error());
    const auto repeated = read_member<std::string>(*json, "nonce", "an answer");
    if (!repeated || *repeated != nonce)
        return failure(Code::credential, "an answer belongs to another question");
    auto body = take_body(*json, "an answer");
    if (!body) return body;
    if (auto error = error_of(*body)) return tl::unexpected(std::move(*error));
    return body;
}

Json error_to_json(const Error& error)
{
    return {{"ok", false},
            {"error", {{"code", entry_of(error.code).id}, {"text", error.text}, {"cure", error.cure}}}};
}

Json ok_with(Json json)
{
    Json answer{{"ok", true}};
    answer.update(json);
    return answer;
}

std::optional<Error> error_of(const Json& answer)
{
    const auto ok = read_member<bool>(answer, "ok", "an answer");
    if (ok && *ok) return std::nullopt;
    const auto error = read_member<Json>(answer, "error", "an answer");
    if (!error) return error.error();
    const auto id = read_member<std::string>(*error, "code", "an answer");
    const auto text = read_member<std::string>(*error, "text", "an answer");
    const auto cure = read_member<std::string>(*error, "cure", "an answer");
    const auto entry = id ? find_code(*id) : std::nullopt;
    return Error{entry ? entry->code : Code::peer, text.value_or("no text"), cure.value_or("")};
}

std::string make_nonce()
{
    unsigned char bytes[16] = {};
    if (getentropy(bytes, sizeof bytes) != 0) return {};
    std::string text;
    for (const unsigned char byte : bytes) text += format("{:02x}", byte);
    return text;
}

} // namespace mscale::daemon

#include "contract/verified.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/mode.hpp"
#include "hal/json_reader.hpp"

namespace mscale::contract {
namespace {

constexpr unsigned payload_version = 1;

} // namespace

std::string to_payload(const Verified& verified)
{
    Json json = {{"mscale_verified", payload_version},
                       {"uid", verified.uid},
                       {"mode", to_string(verified.mode)},
                       {"tasks", verified.tasks},
                       {"contract", verified.canonical}};
    if (verified.notice.warning) json["warning"] = *verified.notice.warning;
    if (verified.notice.grace) json["grace"] = *verified.notice.grace;
    return json.dump();
}

Result<Verified> verified_from_payload(std::string_view payload)
{
    const std::string what = "the verified text";
    const auto json = parse_json(std::string(payload), what);
    if (!json) return failure(Code::credential, json.error().text);
    hal::JsonReader reader(*json, what);
    Verified verified;
    unsigned version = 0;
    std::string mode;
    reader.read("mscale_verified", version);
    reader.read("uid", verified.uid);
    reader.read("mode", mode);
    reader.read("tasks", verified.tasks);
    reader.read("contract", verified.canonical);
    if (json->contains("warning")) reader.read("warning", verified.notice.warning);
    if (json->contains("grace")) reader.read("grace", verified.notice.grace);
    auto whole = reader.end(std::move(verified));
    if (!whole) return failure(Code::credential, whole.error().text);
    const auto known = parse_mode(mode);
    if (version != payload_version || !known)
        return failure(Code::credential,
                       format("{} has version {} and mode '{}'; this mscale knows version {}", what, version,
                              printable(mode), payload_version),
                       "install the same version of mscale on the controller and on the nodes");
    whole->mode = *known;
    return whole;
}

} // namespace mscale::contract

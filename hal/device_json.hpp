#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

// The JSON of devices, a part of machine_json.

Json to_json(const Gpu& gpu);
Json to_json(const Disk& disk);
Json to_json(const RdmaPort& port);
Result<Gpu> read_gpu(const Json& json, const std::string& what);
Result<Disk> read_disk(const Json& json, const std::string& what);
Result<RdmaPort> read_port(const Json& json, const std::string& what);

/// The value, or null for "unknown".
template <class T> Json json_of(const std::optional<T>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

template <class T, class Convert> Json json_list(const std::vector<T>& items, Convert convert)
{
    Json list = Json::array();
    for (const T& item : items) list.push_back(convert(item));
    return list;
}

} // namespace mscale::hal

#include "hal/json_reader.hpp"

#include "base/text.hpp"

namespace mscale::hal {

JsonReader::JsonReader(const Json& object, std::string what) : object_(object), what_(std::move(what))
{
    if (!object_.is_object())
        fault_ =
            failure(Code::json_member, what_ + ": an object is expected, but it is " + object_.type_name())
                .value();
}

void JsonReader::read(const char* key, std::string& into)
{
    const Json* value = member(key);
    if (value == nullptr) return;
    if (value->is_string())
        into = value->get_ref<const std::string&>();
    else
        fail(key, "a string", *value);
}

void JsonReader::read(const char* key, bool& into)
{
    const Json* value = member(key);
    if (value == nullptr) return;
    if (value->is_boolean())
        into = value->get<bool>();
    else
        fail(key, "true or false", *value);
}

void JsonReader::read(const char* key, CpuSet& into)
{
    std::string text;
    read(key, text);
    if (fault_) return;
    const Result<CpuSet> set = parse_cpu_list(text, true);
    if (set)
        into = *set;
    else
        fail(key, "a CPU list", object_[key]);
}

void JsonReader::read(const char* key, PciAddress& into)
{
    std::string text;
    read(key, text);
    if (fault_) return;
    const Result<PciAddress> address = parse_pci_address(text);
    if (address)
        into = *address;
    else
        fail(key, "a PCI address", object_[key]);
}

const Json* JsonReader::member(const char* key)
{
    if (fault_) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    fault_ = failure(Code::json_member, format("{}: member '{}' is missing", what_, key)).value();
    return nullptr;
}

const Json* JsonReader::array_member(const char* key)
{
    const Json* value = member(key);
    if (value == nullptr || value->is_array()) return value;
    fail(key, "a list", *value);
    return nullptr;
}

std::optional<std::uint64_t> JsonReader::unsigned_member(const char* key, std::uint64_t greatest)
{
    const Json* value = member(key);
    if (value == nullptr) return {};
    // A number that was not parsed from text may be of the signed kind.
    const bool is_natural =
        value->is_number_unsigned() || (value->is_number_integer() && value->get<std::int64_t>() >= 0);
    if (is_natural && value->get<std::uint64_t>() <= greatest) return value->get<std::uint64_t>();
    fail(key, format("a whole number from 0 to {}", greatest), *value);
    return {};
}

std::string JsonReader::item_name(const char* key, std::size_t index) const
{
    return format("{}: {}[{}]", what_, key, index);
}

void JsonReader::fail(const char* key, const std::string& expected, const Json& found)
{
    const std::string shown = found.dump(-1, ' ', true, Json::error_handler_t::replace);
    fault_ = failure(Code::json_member, format("{}: member '{}': {} is expected, but {} was read", what_, key,
                                               expected, printable(shown, 60)))
                 .value();
}

} // namespace mscale::hal

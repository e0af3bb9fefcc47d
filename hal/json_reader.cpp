#include "hal/json_reader.hpp"

namespace mscale::hal {
namespace {

constexpr std::size_t most_text = 4 << 10; // of one object's faults
constexpr std::string_view pointer_begin = ": /";
constexpr std::string_view unlisted = "; further faults aren't listed";

} // namespace

JsonReader::JsonReader(const Json& object, std::string what) : object_(object), what_(std::move(what))
{
    if (!object_.is_object())
        add(failure(Code::json_member, format("{}: an object is expected, but it is {}", what_, object_.type_name())).value());
}

void JsonReader::read(const char* key, std::string& into)
{
    if (auto text = string_member(key)) into = std::move(*text);
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
    const auto text = string_member(key);
    if (!text) return;
    if (const Result<CpuSet> set = parse_cpu_list(*text, true))
        into = *set;
    else
        fail(key, "a CPU list", *text);
}

void JsonReader::read(const char* key, PciAddress& into)
{
    const auto text = string_member(key);
    if (!text) return;
    if (const Result<PciAddress> address = parse_pci_address(*text))
        into = *address;
    else
        fail(key, "a PCI address", *text);
}

const Json* JsonReader::member(const char* key)
{
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    add(failure(Code::json_member, place_of(key) + " is missing").value());
    return nullptr;
}

std::optional<std::string> JsonReader::string_member(const char* key)
{
    const Json* value = member(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return value->get<std::string>();
    fail(key, "a string", *value);
    return std::nullopt;
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

std::string JsonReader::place_of(const char* key) const
{
    if (*key == '\0') return what_;
    return format("{}{}{}", what_, what_.find(pointer_begin) == std::string::npos ? pointer_begin : "/", key);
}

bool JsonReader::is_full() const
{
    return fault_ && fault_->text.size() >= most_text;
}

void JsonReader::add(Error fault)
{
    if (!fault_) {
        fault_ = std::move(fault);
    } else if (!is_full()) {
        const std::string name = what_.substr(0, what_.find(pointer_begin)) + ": ";
        fault_->text += "; " + (fault.text.starts_with(name) ? fault.text.substr(name.size()) : fault.text);
    } else if (!fault_->text.ends_with(unlisted)) {
        fault_->text += unlisted;
    }
}

void JsonReader::fail(const char* key, const std::string& expected, const Json& found)
{
    const std::string shown = found.dump(-1, ' ', true, Json::error_handler_t::replace);
    add(failure(Code::json_member,
                format("{}: {} is expected, but {} was read", place_of(key), expected, printable(shown, 60)))
            .value());
}

} // namespace mscale::hal

#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu_set.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "hal/pci_address.hpp"

namespace mscale::hal {

/// Reads the members of one JSON object strictly: every one must be there and of its kind, numbers must fit.
/// All faults are kept, each with its place, so that a reader is a plain list of members; a member with a fault is left as it
/// was.
class JsonReader {
public:
    /// `what` names the object in errors: the text's name, and below it the JSON pointer (RFC 6901): "a.json: /gpus/2".
    JsonReader(const Json& object, std::string what);

    void read(const char* key, std::string& into);
    void read(const char* key, bool& into);
    void read(const char* key, CpuSet& into);
    void read(const char* key, PciAddress& into);

    template <std::unsigned_integral T> void read(const char* key, T& into)
    {
        if (const auto value = unsigned_member(key, std::numeric_limits<T>::max()))
            into = static_cast<T>(*value);
    }

    /// null stands for "unknown".
    template <class T> void read(const char* key, std::optional<T>& into)
    {
        const Json* value = member(key);
        if (value == nullptr || value->is_null()) return;
        T read_value{};
        read(key, read_value);
        into = std::move(read_value);
    }

    template <class T> void read(const char* key, std::vector<T>& into)
    {
        read_each(key, into, [](const Json& item, const std::string& what) {
            const Json wrapped = {{itself, item}};
            JsonReader reader(wrapped, what);
            T value{};
            reader.read(itself, value);
            return reader.end(std::move(value));
        });
    }

    /// A list of objects, each read by `read_one(item, what)`, which gives a Result.
    template <class T, class ReadOne> void read_each(const char* key, std::vector<T>& into, ReadOne read_one)
    {
        const Json* list = array_member(key);
        for (std::size_t i = 0; list != nullptr && !is_full() && i < list->size(); ++i) {
            auto item = read_one((*list)[i], format("{}/{}", place_of(key), i));
            if (item)
                into.push_back(std::move(*item));
            else
                add(std::move(item.error()));
        }
    }

    /// An object within, read by `read_one(object, what)`.
    template <class T, class ReadOne> void read_object(const char* key, T& into, ReadOne read_one)
    {
        const Json* value = member(key);
        if (value == nullptr) return;
        auto read_value = read_one(*value, place_of(key));
        if (read_value)
            into = std::move(*read_value);
        else
            add(std::move(read_value.error()));
    }

    /// The value when every member could be read, else the faults.
    template <class T> Result<T> end(T value) const
    {
        if (fault_) return tl::unexpected(*fault_);
        return value;
    }

private:
    /// The key of a value that isn't in an object: its place is that of the value.
    static constexpr const char* itself = "";

    const Json* member(const char* key);
    std::optional<std::string> string_member(const char* key);
    const Json* array_member(const char* key);
    std::optional<std::uint64_t> unsigned_member(const char* key, std::uint64_t greatest);
    std::string place_of(const char* key) const;
    /// True when so much is wrong already that more would not be read.
    bool is_full() const;
    void add(Error fault);
    void fail(const char* key, const std::string& expected, const Json& found);

    const Json& object_;
    std::string what_;
    std::optional<Error> fault_; ///< its text holds all of them
};

} // namespace mscale::hal

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Little-endian numbers and texts as manifests and frames hold them.  Pure.
namespace mscale::recovery {

/// Appends values to a buffer that it owns.
class ByteWriter {
public:
    template <std::unsigned_integral T> void put(T value)
    {
        for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
    }
    /// Two bytes of length, then the text; the caller has made sure that it is shorter than 64 KiB.
    void put_text(std::string_view text)
    {
        put(static_cast<std::uint16_t>(text.size()));
        bytes_.append(text);
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

/// Reads values one after the other and never past the end: after the first that isn't there all are zero or
/// empty and `failed` is true.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    template <std::unsigned_integral T> T get()
    {
        T value = 0;
        if (!take(sizeof(T))) return value;
        for (std::size_t i = 0; i < sizeof(T); ++i)
            value =
                static_cast<T>(value | static_cast<T>(static_cast<T>(last_byte(sizeof(T) - i)) << (8 * i)));
        return value;
    }
    std::string_view get_text()
    {
        const std::size_t size = get<std::uint16_t>();
        return take(size) ? bytes_.substr(at_ - size, size) : std::string_view();
    }
    std::size_t position() const { return at_; }
    std::size_t left() const { return bytes_.size() - at_; }
    bool failed() const { return failed_; }

private:
    bool take(std::size_t size)
    {
        if (failed_ || size > left())
            failed_ = true;
        else
            at_ += size;
        return !failed_;
    }
    std::uint8_t last_byte(std::size_t back) const { return static_cast<std::uint8_t>(bytes_[at_ - back]); }

    std::string_view bytes_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

} // namespace mscale::recovery

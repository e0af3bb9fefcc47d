#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace mscale {

/// What `format` stands on; fmt's formatting itself is compiled once, in base/format.cpp.
std::string format_arguments(fmt::string_view text, fmt::format_args values);

/// The text with each {} replaced by a value, checked against their types by the compiler.  Syntax: fmt's.
template <class... T> std::string format(fmt::format_string<T...> text, T&&... values)
{
    return format_arguments(text, fmt::make_format_args(values...));
}

/// A place in a text that a person wrote.  Line and column count from 1, column and width in bytes.
struct Place {
    std::string source; ///< a file's name, or "--mscale-contract"
    std::size_t line = 1;
    std::size_t column = 1;
    std::size_t width = 1;
    std::string excerpt; ///< the line itself
};

/// The excerpt with carets under the fault; tabs and control characters are made visible; long lines are cut around it.
///
///     gpu.smm=8
///     ^~~~~~~
std::string mark(const Place& place);

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
/// Views into a text that ends with the statement: refused by the compiler.
template <std::same_as<std::string> T> std::string_view trim(T&& text) = delete;
template <std::same_as<std::string> T> std::vector<std::string_view> split(T&& text, char separator) = delete;

/// ASCII letters in lower case, the rest as it is.
std::string lower_case(std::string_view text);

std::string join(std::span<const std::string> parts, std::string_view separator);

/// A decimal number without sign, blanks or leading junk, that fits; nothing otherwise.  Never wraps.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// The candidate that was most likely meant, by edit distance (a third of the length at most), or nothing.
std::optional<std::string> nearest_spelling(std::string_view read, std::span<const std::string_view> candidates);

/// The text with control characters and non-ASCII bytes written as \xHH, at most `limit` bytes and "…" after it.
std::string printable(std::string_view text, std::size_t limit = 200);

/// "64 MiB", "1.5 GiB": exact where a unit divides the number, else bytes.
std::string format_bytes(std::uint64_t bytes);

} // namespace mscale

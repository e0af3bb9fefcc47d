#pragma once

#include <functional>
#include <optional>
#include <type_traits>

#include "contract/clauses.hpp"
#include "contract/values.hpp"

/// How a row of the clause table is made from the field that it sets and the kind of its value.
///
/// A kind is a struct with `read` (text -> Result<T>) and `write` (T -> text).  A path is one or two member pointers that
/// lead from the Contract, or from the Role, to a std::optional<T>.
namespace mscale::contract {

/// The rows of each section, in canonical order.
std::span<const Clause> contract_clauses();
std::span<const Clause> gpu_clauses();
std::span<const Clause> role_clauses();
std::span<const Clause> rdma_clauses();
std::span<const Clause> ft_clauses();
std::span<const Clause> breach_clauses(); ///< trace and on_breach

template <class Member> struct OwnerOf;
template <class Owner, class Field> struct OwnerOf<Field Owner::*> {
    using type = Owner;
};

/// The object behind a path; `Object` may be const.
template <auto First, auto... Rest, class Object> auto& follow_path(Object& object)
{
    if constexpr (sizeof...(Rest) == 0)
        return std::invoke(First, object);
    else
        return follow_path<Rest...>(std::invoke(First, object));
}

template <auto First> constexpr bool leads_from_role =
    std::is_same_v<typename OwnerOf<decltype(First)>::type, Role>;

template <class Kind, auto First, auto... Rest>
Result<void> set_field(Contract& contract, Role* role, std::string_view text)
{
    auto value = Kind::read(text);
    if (!value) return tl::unexpected(value.error());
    if constexpr (leads_from_role<First>)
        follow_path<First, Rest...>(*role) = std::move(*value);
    else
        follow_path<First, Rest...>(contract) = std::move(*value);
    return {};
}

template <class Kind, auto First, auto... Rest>
std::string write_field(const Contract& contract, const Role* role)
{
    const auto& field = [&]() -> const auto&
    {
        if constexpr (leads_from_role<First>)
            return follow_path<First, Rest...>(*role);
        else
            return follow_path<First, Rest...>(contract);
    }
    ();
    return field ? Kind::write(*field) : "";
}

/// What people read of a clause.
struct ClauseText {
    std::string_view section, key, values, example, meaning;
};

template <class Kind, auto... Path> constexpr Clause make_clause(Held held, const ClauseText& text)
{
    return {text.section,
            text.key,
            text.values,
            text.example,
            text.meaning,
            held,
            &set_field<Kind, Path...>,
            &write_field<Kind, Path...>};
}

/// The kinds that are no more than a reader and a writer of values.hpp.
template <auto Read, auto Write> struct Kind {
    static auto read(std::string_view text) { return Read(text); }
    static std::string write(const auto& value) { return Write(value); }
};
inline std::string write_as_is(const std::string& text)
{
    return text;
}
using PlainName = Kind<read_plain_name, write_as_is>;
using Size = Kind<read_size, write_size>;
using Pages = Kind<read_huge_pages, write_huge_pages>;
using ByteRate = Kind<read_byte_rate, write_byte_rate>;
using Duration = Kind<read_duration, write_duration>;

/// A number of a range.
template <std::uint64_t Least, std::uint64_t Greatest, class T = unsigned> struct Count {
    static Result<T> read(std::string_view text)
    {
        const auto number = read_count(text, Least, Greatest);
        if (!number) return tl::unexpected(number.error());
        return static_cast<T>(*number);
    }
    static std::string write(T number) { return std::to_string(number); }
};

/// One word of a list.
template <const auto& Words> struct Word {
    static Result<std::string> read(std::string_view text) { return read_word(text, Words); }
    static std::string write(const std::string& word) { return word; }
};

} // namespace mscale::contract

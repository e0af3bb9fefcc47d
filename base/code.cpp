#include "base/code.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace mscale {
namespace {

constexpr std::array table = {
#define MSCALE_CODE(name, id, kind, cause, check, cure)                                                      \
    CodeEntry{Code::name, id, Kind::kind, cause, check, cure},
#include "base/codes.def"
#undef MSCALE_CODE
};

bool same_letters(std::string_view a, std::string_view b)
{
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::ranges::equal(a, b, {}, lower, lower);
}

} // namespace

std::span<const CodeEntry> code_table()
{
    return table;
}

const CodeEntry& entry_of(Code code)
{
    return table.at(static_cast<std::size_t>(code));
}

std::optional<CodeEntry> find_code(std::string_view id)
{
    const auto row =
        std::ranges::find_if(table, [&](const CodeEntry& entry) { return same_letters(entry.id, id); });
    if (row == table.end()) return std::nullopt;
    return *row;
}

int exit_status(Kind kind)
{
    switch (kind) {
    case Kind::refused: return 1;
    case Kind::invalid: return 2;
    case Kind::system: return 3;
    case Kind::denied: return 4;
    case Kind::busy: return 75; // EX_TEMPFAIL, sysexits.h
    }
    return 3;
}

} // namespace mscale

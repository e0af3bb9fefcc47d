#include "base/ini.hpp"

#include <algorithm>
#include <mutex>

#include <ini.h>

#include "base/ini_gate.hpp"

namespace mscale {
namespace {

/// Debian's libinih reads these at each call; its own defaults cut a line after 197 bytes in silence and join
/// lines.
void configure_inih()
{
    static std::once_flag once;
    std::call_once(once, [] {
        ini_use_stack = false;
        ini_allow_realloc = true;
        ini_max_line = 1 << 20;
        ini_allow_multiline = false;
    });
}

struct Reading {
    const std::vector<KeyLine>& expected; ///< what the gate let through, in order
    Ini& ini;
    std::size_t next = 0;
    bool agrees = true; ///< libinih saw the same keys as the gate
};

int take_entry(void* user, const char* section, const char* name, const char* value)
{
    auto& reading = *static_cast<Reading*>(user);
    if (!reading.agrees || reading.next == reading.expected.size()) return reading.agrees = false;
    const KeyLine& line = reading.expected[reading.next++];
    reading.agrees = line.section == section &&
                     line.key_place.excerpt.substr(line.key_place.column - 1, line.key_place.width) == name;
    IniEntry entry{section, name, value ? value : "", line.key_place, line.value_place};
    entry.value_place.width = std::max<std::size_t>(entry.value.size(), 1);
    reading.ini.entries.push_back(std::move(entry));
    return 1;
}

} // namespace

Ini parse_ini(std::string_view text, std::string_view source, std::size_t limit)
{
    Gated gated = gate_ini(text, source, limit);
    Ini ini{{}, std::move(gated.faults)};
    Reading reading{gated.keys, ini};
    configure_inih();
    const int rc = ini_parse_string(gated.text.c_str(), take_entry, &reading);
    if (rc == 0 && reading.agrees && reading.next == gated.keys.size()) return ini;
    const Place place{std::string(source), static_cast<std::size_t>(std::max(rc, 1)), 1, 1, ""};
    ini.faults.push_back({failure(Code::text_syntax, "libinih can't read the text").value(), place});
    return ini;
}

std::string to_text(const Faults& faults)
{
    std::string text;
    for (const auto& [error, place] : faults)
        text += format("{}:{}:{}: {}: {}\n{}\n{}\n", place.source, place.line, place.column,
                       entry_of(error.code).id, error.text, mark(place), error.cure);
    return text;
}

} // namespace mscale

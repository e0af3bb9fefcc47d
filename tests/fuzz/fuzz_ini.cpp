// Any bytes as an INI file: either faults, or entries that written down again read back as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ini.hpp"
#include "contract/site.hpp"
#include "tests/fuzz/property.hpp"

using namespace mscale;

namespace {

std::string write_entries(const Ini& ini)
{
    std::string text, section;
    for (const IniEntry& entry : ini.entries) {
        if (entry.section != section) text += "[" + entry.section + "]\n";
        section = entry.section;
        text +=
            entry.key + "=" + entry.value + "\n"; // with a blank before it a value of ";x" would be a comment
    }
    return text;
}

bool are_same(const Ini& a, const Ini& b)
{
    if (a.entries.size() != b.entries.size()) return false;
    for (std::size_t i = 0; i < a.entries.size(); ++i) {
        const IniEntry &left = a.entries[i], &right = b.entries[i];
        if (left.section != right.section || left.key != right.key || left.value != right.value) return false;
    }
    return true;
}

void check_whole(const Ini& ini)
{
    for (const IniEntry& entry : ini.entries) {
        require(!entry.section.empty() && !entry.key.empty(), "an entry has a section and a key");
        for (const std::string* part : {&entry.section, &entry.key, &entry.value})
            require(part->find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos,
                    "an entry lies in one line");
    }
    const std::string text = write_entries(ini);
    const Ini again = parse_ini(text, "again", 1 << 20);
    require(again.faults.empty() && are_same(ini, again), "what was read reads back as the same",
            text + to_text(again.faults));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Ini ini = parse_ini(text, "fuzz.ini");
    if (ini.faults.empty())
        check_whole(ini);
    else
        require(!to_text(ini.faults).empty(), "faults can be shown");
    const auto parsed = contract::parse_site(text, "mscale.conf");
    require(ini.faults.empty() || !parsed.faults.empty(), "a damaged mscale.conf has faults");
    return 0;
}

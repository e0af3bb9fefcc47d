#include "spank/slurm_conf.hpp"

#include <strings.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace mscale::spank {
namespace {

bool is_key(std::string_view word, std::string_view key)
{
    return word.size() == key.size() && ::strncasecmp(word.data(), key.data(), key.size()) == 0;
}

} // namespace

std::optional<std::chrono::milliseconds> read_prolog_timeout(const std::string& path)
{
    const auto text = read_file(path);
    if (!text) return std::nullopt;
    std::optional<std::chrono::milliseconds> timeout;
    for (auto line : split(*text, '\n')) {
        line = trim(line.substr(0, line.find('#')));
        const auto equals = line.find('=');
        if (equals == line.npos || !is_key(trim(line.substr(0, equals)), "PrologEpilogTimeout")) continue;
        const auto seconds = parse_number(trim(line.substr(equals + 1)));
        if (seconds && *seconds > 0 && *seconds < 65534) timeout = std::chrono::seconds(*seconds);
    }
    return timeout;
}

} // namespace mscale::spank

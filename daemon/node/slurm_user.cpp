#include "daemon/node/slurm_user.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <vector>

#include <pwd.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace mscale::node {
namespace {

constexpr std::string_view default_path = "/etc/slurm/slurm.conf";
constexpr std::size_t size_limit = 64 << 20;
constexpr int include_depth = 8;

bool starts_with_word(std::string_view line, std::string_view word)
{
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return line.size() > word.size() &&
           std::ranges::equal(line.substr(0, word.size()), word, {}, lower, lower);
}

/// The line's rest after "SlurmUser =" or "Include ", without comment; "" when it is another line.
std::string_view value_after(std::string_view line, std::string_view word)
{
    line = trim(line.substr(0, line.find('#')));
    if (!starts_with_word(line, word)) return {};
    const std::string_view rest = trim(line.substr(word.size()));
    return rest.starts_with('=') ? trim(rest.substr(1)) : rest;
}

std::string beside(const std::string& path, std::string_view included)
{
    if (included.starts_with('/')) return std::string(included);
    return path.substr(0, path.rfind('/') + 1) + std::string(included);
}

std::optional<std::string> search(const std::string& path, int depth)
{
    const auto text = read_file(path, size_limit);
    if (!text || depth > include_depth) return std::nullopt;
    if (auto user = find_slurm_user(*text)) return user;
    for (const std::string_view line : split(*text, '\n')) {
        const std::string_view included = value_after(line, "Include");
        if (included.empty()) continue;
        if (auto user = search(beside(path, included), depth + 1)) return user;
    }
    return std::nullopt;
}

Result<uid_t> uid_of(const std::string& name)
{
    const std::size_t bracket = name.find('('); // "slurm(64030)", as scontrol prints it
    const std::string plain = name.substr(0, bracket);
    if (const auto number = parse_number(plain)) return static_cast<uid_t>(*number);
    std::array<char, 16384> space;
    passwd entry = {};
    passwd* found = nullptr;
    ::getpwnam_r(plain.c_str(), &entry, space.data(), space.size(), &found);
    if (found) return entry.pw_uid;
    return failure(Code::config_value, format("SlurmUser {} isn't known on this node", printable(name)));
}

} // namespace

std::optional<std::string> find_slurm_user(std::string_view text)
{
    for (const std::string_view line : split(text, '\n'))
        if (const std::string_view user = value_after(line, "SlurmUser"); !user.empty())
            return std::string(user);
    return std::nullopt;
}

Result<uid_t> read_slurm_user()
{
    const char* named = std::getenv("SLURM_CONF");
    const auto user = search(named && *named ? named : std::string(default_path), 0);
    return user ? uid_of(*user) : Result<uid_t>(0);
}

} // namespace mscale::node

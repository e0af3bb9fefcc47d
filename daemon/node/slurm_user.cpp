#include "daemon/node/slurm_user.hpp"

#include <array>
#include <cstdlib>

#include <pwd.h>

#include "base/slurm_conf.hpp"
#include "base/text.hpp"

namespace mscale::node {
namespace {

constexpr std::string_view default_path = "/etc/slurm/slurm.conf";

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

Result<uid_t> read_slurm_user()
{
    const char* named = std::getenv("SLURM_CONF");
    const auto users = read_slurm_conf(named && *named ? named : std::string(default_path), "SlurmUser");
    return users.empty() ? Result<uid_t>(0) : uid_of(users.back());
}

} // namespace mscale::node

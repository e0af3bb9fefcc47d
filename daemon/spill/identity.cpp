#include "daemon/spill/identity.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr int most_groups = 65536; // NGROUPS_MAX of Linux

struct User {
    std::string name;
    std::vector<gid_t> groups;
};

Result<User> find_user(uid_t uid, gid_t gid)
{
    std::vector<char> room(64 << 10);
    passwd entry{};
    passwd* found = nullptr;
    if (const int error = getpwuid_r(uid, &entry, room.data(), room.size(), &found); error != 0)
        return os_failure(Code::spill, format("looking up uid {}", uid), error);
    if (!found) return failure(Code::spill, format("no user has uid {} on this node", uid));
    User user{entry.pw_name, std::vector<gid_t>(64)};
    int count = static_cast<int>(user.groups.size());
    if (getgrouplist(entry.pw_name, gid, user.groups.data(), &count) < 0) {
        user.groups.resize(static_cast<std::size_t>(std::clamp(count, 1, most_groups)));
        count = static_cast<int>(user.groups.size());
        if (getgrouplist(entry.pw_name, gid, user.groups.data(), &count) < 0)
            return failure(Code::spill, format("the groups of {} can't be read", user.name));
    }
    user.groups.resize(static_cast<std::size_t>(count));
    return user;
}

bool has_capabilities()
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> sets{};
    if (syscall(SYS_capget, &header, sets.data()) != 0) return true;
    return std::ranges::any_of(sets, [](const auto& set) { return set.effective != 0 || set.permitted != 0; });
}

bool is_only(uid_t uid, gid_t gid)
{
    uid_t real = 0, effective = 0, saved = 0;
    gid_t real_group = 0, effective_group = 0, saved_group = 0;
    if (getresuid(&real, &effective, &saved) != 0 || getresgid(&real_group, &effective_group, &saved_group) != 0)
        return false;
    return real == uid && effective == uid && saved == uid && real_group == gid && effective_group == gid &&
           saved_group == gid;
}

/// mscaled is spared when memory runs out; a process of the user's isn't.
void give_up_protection()
{
    const Fd score(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    if (score) (void)!write(score.number(), "0", 1);
}

bool finds_way_back()
{
    return setresuid(0, 0, 0) == 0 || seteuid(0) == 0 || setresgid(0, 0, 0) == 0 || has_capabilities();
}

} // namespace

Result<std::string> become_user(std::uint32_t uid, std::uint32_t gid)
{
    if (uid == 0 || gid == 0) return failure(Code::spill, "files of root's jobs aren't written: nothing would be given up");
    give_up_protection();
    const auto user = find_user(uid, gid);
    if (!user) return tl::unexpected(user.error());
    if (setgroups(user->groups.size(), user->groups.data()) != 0 || setresgid(gid, gid, gid) != 0 ||
        setresuid(uid, uid, uid) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return os_failure(Code::spill, format("becoming uid {}", uid), errno);
    if (!is_only(uid, gid) || finds_way_back())
        return failure(Code::spill, format("the process is not only uid {} after it became that", uid));
    umask(0077);
    return user->name;
}

} // namespace mscale::daemon

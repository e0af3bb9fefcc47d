#include "daemon/spill/identity.hpp"

#include <cerrno>

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "tests/unit/spill/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

constexpr std::uint32_t nobody = 65534;

bool is_root() { return geteuid() == 0; } // these tests change who they are, each in a process of its own

} // namespace

START_TEST(the_process_becomes_the_user_and_finds_no_way_back)
{
    if (!is_root()) return;
    const gid_t too_many[] = {0, 4, 6};
    ck_assert_int_eq(setgroups(3, too_many), 0);
    const auto user = become_user(nobody, nobody);
    ck_assert_msg(user.has_value(), "%s", user ? "" : user.error().text.c_str());
    expect_text(*user, "nobody");
    gid_t groups[8] = {};
    ck_assert_int_eq(getgroups(8, groups), 1);
    ck_assert_uint_eq(groups[0], nobody);
    ck_assert_int_ne(setuid(0), 0);
    ck_assert_int_ne(setgid(0), 0);
    ck_assert_int_eq(open("/etc/shadow", O_RDONLY), -1);
    ck_assert_int_eq(errno, EACCES);
}
END_TEST

START_TEST(what_it_makes_is_nobody_elses_to_read)
{
    if (!is_root()) return;
    ck_assert(become_user(nobody, nobody).has_value());
    ck_assert_uint_eq(umask(0), 0077);
}
END_TEST

START_TEST(root_and_a_user_that_isnt_there_are_refused)
{
    if (!is_root()) return;
    ck_assert(!become_user(0, 0));
    ck_assert(!become_user(nobody, 0));
    const auto unknown = become_user(3999999, 3999999);
    ck_assert(!unknown);
    expect_part(unknown.error().text, "no user has uid 3999999");
    ck_assert_uint_eq(geteuid(), 0);
}
END_TEST

Suite* identity_suite()
{
    return make_suite("identity", the_process_becomes_the_user_and_finds_no_way_back, what_it_makes_is_nobody_elses_to_read,
                      root_and_a_user_that_isnt_there_are_refused);
}

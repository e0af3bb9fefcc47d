#include "daemon/spill/directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/spill/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

mode_t mode_of(const std::string& path)
{
    struct stat found = {};
    ck_assert_int_eq(stat(path.c_str(), &found), 0);
    return found.st_mode & 07777;
}

void write_text(const SpillDirectory& directory, const std::string& name)
{
    const auto file = directory.create_file(name);
    ck_assert(file.has_value());
}

} // namespace

START_TEST(user_and_job_stand_in_the_path)
{
    expect_text(expand_spill_path("/scratch/%u/%j", "alice", 7), "/scratch/alice/7");
    expect_text(expand_spill_path("/a%", "alice", 7), "/a%");
    expect_text(expand_spill_path("/%x/%%u", "alice", 7), "/%x/%alice");
}
END_TEST

START_TEST(what_is_missing_is_made_for_the_user_alone)
{
    const Scratch scratch;
    umask(0);
    const auto made = SpillDirectory::make(scratch.path + "/alice/7", 7);
    ck_assert_msg(made.has_value(), "%s", made ? "" : made.error().text.c_str());
    expect_text(made->path(), scratch.path + "/alice/7/mscale-7");
    ck_assert_uint_eq(mode_of(scratch.path + "/alice/7/mscale-7"), 0700);
    write_text(*made, "a");
    ck_assert_uint_eq(mode_of(scratch.path + "/alice/7/mscale-7/a"), 0600);
    ck_assert(made->has("a") && !made->has("b"));
}
END_TEST

START_TEST(nothing_is_made_by_looking)
{
    const Scratch scratch;
    const auto looked = SpillDirectory::open(scratch.path, 7);
    ck_assert(!looked && looked.error().code == Code::no_snapshot);
    ck_assert_int_ne(access((scratch.path + "/mscale-7").c_str(), F_OK), 0);
}
END_TEST

START_TEST(a_symbolic_link_in_the_last_two_steps_is_refused)
{
    const Scratch scratch, victim;
    ck_assert_int_eq(symlink(victim.path.c_str(), (scratch.path + "/mscale-7").c_str()), 0);
    ck_assert_int_eq(symlink(victim.path.c_str(), (scratch.path + "/link").c_str()), 0);
    for (const auto& made : {SpillDirectory::make(scratch.path, 7), SpillDirectory::make(scratch.path + "/link", 7)}) {
        ck_assert(!made);
        expect_part(made.error().text, "is a symbolic link");
    }
    ck_assert_int_ne(access((victim.path + "/mscale-7").c_str(), F_OK), 0);
}
END_TEST

START_TEST(a_link_above_leads_on_when_it_is_roots_or_the_users_own)
{
    const Scratch scratch, target;
    const std::string link = scratch.path + "/scratch";
    ck_assert_int_eq(symlink(target.path.c_str(), link.c_str()), 0);
    ck_assert(SpillDirectory::make(link + "/alice", 7).has_value());
    if (geteuid() != 0) return;
    ck_assert_int_eq(lchown(link.c_str(), 65534, 65534), 0);
    const auto led = SpillDirectory::make(link + "/alice", 8);
    ck_assert(!led);
    expect_part(led.error().text, "of another user");
}
END_TEST

START_TEST(the_directory_of_another_user_is_foreign)
{
    if (geteuid() != 0) return;
    const Scratch scratch;
    ck_assert(SpillDirectory::make(scratch.path, 7).has_value());
    ck_assert_int_eq(chown((scratch.path + "/mscale-7").c_str(), 65534, 65534), 0);
    const auto looked = SpillDirectory::open(scratch.path, 7);
    ck_assert(!looked && looked.error().code == Code::snapshot_foreign);
    expect_part(looked.error().text, "belongs to uid 65534");
}
END_TEST

START_TEST(a_directory_that_others_may_write_to_is_refused)
{
    const Scratch scratch;
    ck_assert(SpillDirectory::make(scratch.path, 7).has_value());
    ck_assert_int_eq(chmod((scratch.path + "/mscale-7").c_str(), 0770), 0);
    ck_assert(!SpillDirectory::make(scratch.path, 7).has_value());
}
END_TEST

START_TEST(files_of_an_older_job_of_the_same_number_are_put_aside_and_its_own_are_not)
{
    const Scratch scratch;
    const auto made = SpillDirectory::make(scratch.path, 7);
    ck_assert(!made->put_aside(2000000000).value()); // nothing is in it
    write_text(*made, "a");
    const struct timespec old[] = {{1000000, 0}, {1000000, 0}};
    ck_assert_int_eq(utimensat(AT_FDCWD, (made->path() + "/a").c_str(), old, 0), 0);
    ck_assert(!made->put_aside(1000200).value()); // as far as clocks may differ
    ck_assert(made->put_aside(1000301).value());
    ck_assert_int_eq(access((scratch.path + "/mscale-7.until-1000000/a").c_str(), F_OK), 0);
    ck_assert_int_ne(access(made->path().c_str(), F_OK), 0);
}
END_TEST

START_TEST(a_link_in_the_place_of_a_file_is_neither_read_nor_written_through)
{
    const Scratch scratch, victim;
    const auto made = SpillDirectory::make(scratch.path, 7);
    const std::string target = victim.path + "/precious", directory = scratch.path + "/mscale-7/";
    ck_assert_int_ge(open(target.c_str(), O_CREAT | O_WRONLY, 0600), 0);
    ck_assert_int_eq(truncate(target.c_str(), 5), 0);
    ck_assert_int_eq(symlink(target.c_str(), (directory + "a").c_str()), 0);
    ck_assert(!made->open_file("a"));
    write_text(*made, "a");
    struct stat found = {};
    ck_assert(stat(target.c_str(), &found) == 0 && found.st_size == 5);
    ck_assert(lstat((directory + "a").c_str(), &found) == 0 && S_ISREG(found.st_mode));
    ck_assert_int_eq(mkfifo((directory + "fifo").c_str(), 0600), 0);
    ck_assert(!made->open_file("fifo"));
}
END_TEST

Suite* directory_suite()
{
    return make_suite("directory", user_and_job_stand_in_the_path, what_is_missing_is_made_for_the_user_alone,
                      nothing_is_made_by_looking, a_symbolic_link_in_the_last_two_steps_is_refused,
                      a_link_above_leads_on_when_it_is_roots_or_the_users_own, the_directory_of_another_user_is_foreign,
                      a_directory_that_others_may_write_to_is_refused,
                      files_of_an_older_job_of_the_same_number_are_put_aside_and_its_own_are_not,
                      a_link_in_the_place_of_a_file_is_neither_read_nor_written_through);
}

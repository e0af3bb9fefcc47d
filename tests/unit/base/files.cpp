#include "base/files.hpp"

#include <filesystem>

#include <sys/stat.h>

#include "tests/unit/base/suites.hpp"

using namespace mscale;
namespace fs = std::filesystem;

namespace {

/// A directory that goes with the test.
class Scratch {
public:
    Scratch()
    {
        std::string name = (fs::temp_directory_path() / "mscale-base.XXXXXX").native();
        ck_assert_ptr_nonnull(mkdtemp(name.data()));
        path_ = name;
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { fs::remove_all(path_); }

    std::string path(const std::string& below = "") const { return path_ + below; }
    void write(const std::string& below, std::string_view text) const
    {
        ck_assert(make_directories(fs::path(path(below)).parent_path().native(), 0755).has_value());
        ck_assert(replace_file(path(below), text, 0644).has_value());
    }
    void link(const std::string& target, const std::string& below) const
    {
        fs::create_symlink(target, path(below));
    }

private:
    std::string path_;
};

mode_t mode_of(const std::string& path)
{
    struct stat found = {};
    ck_assert_int_eq(::stat(path.c_str(), &found), 0);
    return found.st_mode & 07777;
}

} // namespace

START_TEST(links_of_a_copied_tree_stay_below_its_root)
{
    const Scratch tree;
    tree.write("/etc/hostname", "copied\n");
    tree.write("/sys/real/value", "7\n");
    tree.link("/etc", "/sys/absolute");
    tree.link("../../../../../../etc", "/sys/climbing");
    tree.link("real", "/sys/relative");
    const Root root(tree.path("/"));
    expect_text(*root.read_line("/sys/absolute/hostname"), "copied");
    expect_text(*root.read_line("/sys/climbing/hostname"), "copied");
    ck_assert_int_eq(root.read_number("/sys/relative/value").value(), 7);
    expect_text(*root.resolve("/sys/absolute/hostname"), "/etc/hostname");
    expect_text(root.locate("/sys/relative/value"), tree.path("/sys/real/value"));
}
END_TEST

START_TEST(a_ring_of_links_is_an_error)
{
    const Scratch tree;
    tree.link("b", "/a");
    tree.link("a", "/b");
    ck_assert(!Root(tree.path()).resolve("/a"));
    ck_assert(!Root(tree.path()).exists("/a"));
    ck_assert(Root(tree.path()).exists("/"));
}
END_TEST

START_TEST(a_file_over_the_limit_is_refused_and_never_cut)
{
    const Scratch tree;
    tree.write("/f", "12345");
    expect_text(*Root(tree.path()).read("/f", 5), "12345");
    const auto over = Root(tree.path()).read("/f", 4);
    ck_assert(!over && over.error().text.find("larger than 4 bytes") != std::string::npos);
}
END_TEST

START_TEST(numbers_in_files_are_whole_numbers)
{
    const Scratch tree;
    tree.write("/ten", "10\n");
    tree.write("/hex", "0x1f\n");
    tree.write("/minus", "-1\n");
    tree.write("/junk", "10 apples\n");
    tree.write("/huge", "99999999999999999999\n");
    tree.write("/empty", "");
    const Root root(tree.path());
    ck_assert_int_eq(root.read_number("/ten").value(), 10);
    ck_assert_int_eq(root.read_number("/hex").value(), 31);
    ck_assert_int_eq(root.read_number("/minus").value(), -1);
    for (const char* path : {"/junk", "/huge", "/empty", "/absent"})
        ck_assert_msg(!root.read_number(path), "%s", path);
}
END_TEST

START_TEST(names_are_listed_as_people_count)
{
    const Scratch tree;
    for (const char* name : {"/d/nvme10", "/d/nvme2", "/d/nvme1n10", "/d/nvme1n9", "/d/a"})
        tree.write(name, "");
    const auto names = Root(tree.path()).list("/d").value();
    ck_assert(names == (std::vector<std::string>{"a", "nvme1n9", "nvme1n10", "nvme2", "nvme10"}));
    ck_assert(!Root(tree.path()).list("/absent"));
}
END_TEST

START_TEST(a_file_is_replaced_whole_with_its_mode)
{
    const Scratch tree;
    tree.write("/f", "a long old text");
    ck_assert(replace_file(tree.path("/f"), "new", 0600).has_value());
    ck_assert_uint_eq(mode_of(tree.path("/f")), 0600);
    expect_text(*read_file(tree.path("/f")), "new");
    ck_assert_uint_eq(Root(tree.path()).list("/")->size(), 1);
    ck_assert(!replace_file(tree.path("/absent/f"), "new", 0600));
}
END_TEST

START_TEST(lines_are_appended_but_never_through_a_link)
{
    const Scratch tree;
    ck_assert(append_line(tree.path("/log"), "one", 0600).has_value());
    ck_assert(append_line(tree.path("/log"), "two", 0600).has_value());
    expect_text(*read_file(tree.path("/log")), "one\ntwo\n");
    tree.link("log", "/link");
    ck_assert(!append_line(tree.path("/link"), "three", 0600));
}
END_TEST

START_TEST(directories_are_made_with_their_parents)
{
    const Scratch tree;
    ck_assert(make_directories(tree.path("/a/b/c"), 0700).has_value());
    ck_assert(make_directories(tree.path("/a/b/c/"), 0700).has_value());
    umask(077);
    ck_assert(make_directories(tree.path("/d/e"), 0700).has_value());
    ck_assert_uint_eq(mode_of(tree.path("/d")), 0755);
    ck_assert_uint_eq(mode_of(tree.path("/d/e")), 0700);
    tree.write("/file", "");
    ck_assert(!make_directories(tree.path("/file/d"), 0700));
}
END_TEST

START_TEST(a_control_file_must_exist)
{
    const Scratch tree;
    ck_assert(!write_control(tree.path("/absent"), "1"));
    tree.write("/there", "");
    ck_assert(write_control(tree.path("/there"), "1").has_value());
    expect_text(*read_file(tree.path("/there")), "1");
}
END_TEST

Suite* files_suite()
{
    return make_suite("files", links_of_a_copied_tree_stay_below_its_root, a_ring_of_links_is_an_error,
                      a_file_over_the_limit_is_refused_and_never_cut, numbers_in_files_are_whole_numbers,
                      names_are_listed_as_people_count, a_file_is_replaced_whole_with_its_mode,
                      lines_are_appended_but_never_through_a_link, directories_are_made_with_their_parents,
                      a_control_file_must_exist);
}

#include "submit/policy_files.hpp"

#include <filesystem>

#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "hal/inventory.hpp"
#include "tests/unit/submit/suites.hpp"

using namespace mscale;
using namespace mscale::submit;
using contract::Mode;

namespace {

int lines_logged = 0;

/// A site's files in a directory of their own.
class Files {
public:
    Files()
    {
        char name[] = "/tmp/mscale-policy-XXXXXX";
        directory = mkdtemp(name);
        std::filesystem::create_directory(directory + "/inventory");
        lines_logged = 0;
        set_sink([](Level, const std::string&) { ++lines_logged; });
    }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    ~Files() { std::filesystem::remove_all(directory); }

    void write_site(const std::string& mode)
    {
        write("mscale.conf", "[site]\nmode = " + mode + "\n[paths]\ninventory = " + directory +
                                 "/inventory\nprofiles = " + directory + "\n");
    }
    void write_class(const std::string& text) { write("inventory/large.json", text); }
    void write(const std::string& name, const std::string& text)
    {
        ck_assert(replace_file(directory + "/" + name, text, 0644).has_value());
    }
    std::string configuration() const { return directory + "/mscale.conf"; }

    std::string directory;
};

std::string class_text()
{
    return to_json(hal::MachineClass{"large", {"a1"}, make_machine(4), 1}).dump();
}

} // namespace

START_TEST(a_new_mode_is_in_force_without_a_restart)
{
    Files files;
    files.write_site("observe");
    PolicyFiles kept(files.configuration());
    ck_assert(kept.current()->site->mode == Mode::observe);
    files.write_site("enforce");
    ck_assert(kept.current()->site->mode == Mode::enforce);
}
END_TEST

START_TEST(nothing_is_read_again_while_no_file_changes)
{
    Files files;
    files.write_site("enforce");
    PolicyFiles kept(files.configuration());
    const auto first = kept.current();
    ck_assert_ptr_eq(kept.current().get(), first.get());
    files.write("new-profile.ini", "[gpu]\nsm = 8\n");
    ck_assert_ptr_ne(kept.current().get(), first.get());
}
END_TEST

START_TEST(a_damaged_empty_or_lost_file_leaves_the_old_policy_and_is_logged_once)
{
    Files files;
    files.write_site("enforce");
    PolicyFiles kept(files.configuration());
    kept.current();
    for (const char* text : {"[site]\nmode = maybe\n", ""}) {
        lines_logged = 0;
        files.write("mscale.conf", text);
        ck_assert(kept.current()->site->mode == Mode::enforce);
        kept.current();
        ck_assert_int_eq(lines_logged, 1);
    }
    std::filesystem::remove(files.configuration());
    ck_assert(kept.current()->site->mode == Mode::enforce);
}
END_TEST

START_TEST(a_damaged_inventory_leaves_the_old_one)
{
    Files files;
    files.write_site("enforce");
    files.write_class(class_text());
    PolicyFiles kept(files.configuration());
    ck_assert_uint_eq(kept.current()->inventory->classes.size(), 1);
    files.write_class("{");
    ck_assert_uint_eq(kept.current()->inventory->classes.size(), 1);
}
END_TEST

START_TEST(an_inventory_that_never_could_be_read_says_why)
{
    Files files;
    files.write_site("enforce");
    files.write_class("{");
    PolicyFiles kept(files.configuration());
    ck_assert(!kept.current()->inventory);
    expect_part(kept.current()->inventory_fault, "large.json");
    files.write_class(class_text());
    ck_assert(kept.current()->inventory != nullptr);
    expect_text(kept.current()->inventory_fault, "");
}
END_TEST

Suite* files_suite()
{
    return make_suite("files", a_new_mode_is_in_force_without_a_restart,
                      nothing_is_read_again_while_no_file_changes,
                      a_damaged_empty_or_lost_file_leaves_the_old_policy_and_is_logged_once,
                      a_damaged_inventory_leaves_the_old_one, an_inventory_that_never_could_be_read_says_why);
}

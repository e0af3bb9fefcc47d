#include "submit/policy_files.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "hal/inventory.hpp"
#include "submit/helper_thread.hpp"
#include "tests/unit/submit/suites.hpp"

using namespace mscale;
using namespace mscale::submit;
using contract::Mode;

namespace {

constexpr std::chrono::seconds long_time{30};
std::atomic<int> lines_logged = 0;

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
    PolicyFiles kept(files.configuration(), long_time);
    ck_assert(kept.current()->site->mode == Mode::observe);
    files.write_site("enforce");
    ck_assert(kept.current()->site->mode == Mode::enforce);
}
END_TEST

START_TEST(nothing_is_read_again_while_no_file_changes)
{
    Files files;
    files.write_site("enforce");
    PolicyFiles kept(files.configuration(), long_time);
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
    PolicyFiles kept(files.configuration(), long_time);
    kept.current();
    for (const char* text : {"[site]\nmode = maybe\n", ""}) {
        lines_logged = 0;
        files.write("mscale.conf", text);
        ck_assert(kept.current()->site->mode == Mode::enforce);
        kept.current();
        ck_assert_int_eq(lines_logged.load(), 1);
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
    PolicyFiles kept(files.configuration(), long_time);
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
    PolicyFiles kept(files.configuration(), long_time);
    ck_assert(!kept.current()->inventory);
    expect_part(kept.current()->inventory_fault, "large.json");
    files.write_class(class_text());
    ck_assert(kept.current()->inventory != nullptr);
    expect_text(kept.current()->inventory_fault, "");
}
END_TEST

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

START_TEST(files_that_hang_leave_the_old_policy_and_nobody_waits_for_them)
{
    Files files;
    files.write_site("enforce");
    files.write_class(class_text());
    std::promise<void> gate;
    std::atomic<int> reads = 0;
    PolicyFiles kept(files.configuration(), std::chrono::milliseconds(20), [&](const std::string& directory) {
        if (++reads > 1) gate.get_future().wait();
        return hal::read_inventory(directory);
    });
    kept.load();
    const auto before = kept.current();
    files.write("inventory/small.json", class_text());
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) ck_assert_ptr_eq(kept.current().get(), before.get());
    ck_assert_msg(seconds_since(begin) < 1, "%f s", seconds_since(begin));
    ck_assert(!kept.end(std::chrono::milliseconds(10)));
    gate.set_value();
    ck_assert(kept.end(long_time));
    ck_assert_uint_eq(kept.kept()->inventory->classes.size(), 2);
}
END_TEST

START_TEST(a_change_is_seen_though_no_job_asks)
{
    Files files;
    files.write_site("observe");
    PolicyFiles kept(files.configuration(), long_time);
    kept.current();
    files.write_site("enforce");
    for (int i = 0; i < 100 && kept.kept()->site->mode != Mode::enforce; ++i) usleep(50'000);
    ck_assert(kept.kept()->site->mode == Mode::enforce);
}
END_TEST

START_TEST(a_profile_is_read_with_the_policy_and_not_when_a_job_names_it)
{
    Files files;
    files.write_site("enforce");
    files.write("light.ini", "[role.loader]\ncores = 1\n");
    PolicyFiles kept(files.configuration(), long_time);
    const auto policy = kept.current();
    std::filesystem::remove(files.directory + "/light.ini");
    const auto read = policy->rulings->read("light", *policy->profiles);
    expect_text(read->canonical, "role.loader.cores=1");
    ck_assert(!kept.current()->rulings->read("light", *kept.current()->profiles)->parsed.ok());
}
END_TEST

START_TEST(the_thread_takes_no_signal_and_ends)
{
    Files files;
    files.write_site("enforce");
    PolicyFiles kept(files.configuration(), long_time);
    kept.current();
    int blocked = 0, threads = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream status(task.path() / "status");
        const std::string text{std::istreambuf_iterator<char>(status), {}};
        const std::string mask = text.substr(text.find("SigBlk:") + 8, 16);
        blocked += mask.starts_with("fffffffe7") || mask.starts_with("ffffffffff") ? 1 : 0;
        ++threads;
    }
    ck_assert_int_eq(threads, 2);
    ck_assert_int_eq(blocked, 1);
    ck_assert(kept.end(long_time));
    ck_assert(kept.current()->site->mode == Mode::enforce);
}
END_TEST

START_TEST(a_forked_child_follows_the_files_by_itself)
{
    Files files;
    files.write_site("observe");
    PolicyFiles kept(files.configuration(), long_time);
    kept.current();
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        files.write_site("enforce");
        _exit(kept.current()->site->mode == Mode::enforce ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(a_call_that_hangs_is_waited_for_once)
{
    TimedCall call;
    const auto gate = std::make_shared<std::promise<void>>();
    const std::shared_future<void> open = gate->get_future().share();
    ck_assert(call.run([] {}, long_time));
    ck_assert(!call.run([open] { open.wait(); }, std::chrono::milliseconds(20)));
    const auto begin = std::chrono::steady_clock::now();
    ck_assert(!call.run([] {}, long_time));
    ck_assert(seconds_since(begin) < 5);
    gate->set_value();
    for (int i = 0; i < 100 && !call.run([] {}, long_time); ++i) usleep(50'000);
    ck_assert(call.run([] { throw std::runtime_error("lost"); }, long_time));
}
END_TEST

Suite* files_suite()
{
    return make_suite(
        "files", a_new_mode_is_in_force_without_a_restart, nothing_is_read_again_while_no_file_changes,
        a_damaged_empty_or_lost_file_leaves_the_old_policy_and_is_logged_once,
        a_damaged_inventory_leaves_the_old_one, an_inventory_that_never_could_be_read_says_why,
        files_that_hang_leave_the_old_policy_and_nobody_waits_for_them, a_change_is_seen_though_no_job_asks,
        a_profile_is_read_with_the_policy_and_not_when_a_job_names_it, the_thread_takes_no_signal_and_ends,
        a_forked_child_follows_the_files_by_itself, a_call_that_hangs_is_waited_for_once);
}

#include "daemon/mscaled/site_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/log.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> site_lines;

void keep_site_line(Level, const std::string& line)
{
    site_lines.push_back(line);
}

/// A mscale.conf of its own directory.
struct File {
    std::string directory = "/tmp/mscale-unit-XXXXXX", path;
    File()
    {
        ck_assert_ptr_nonnull(mkdtemp(directory.data()));
        path = directory + "/mscale.conf";
        set_sink(keep_site_line);
        site_lines.clear();
    }
    ~File() { std::filesystem::remove_all(directory); }
    /// Another file in its place, as editors do it: the clock may not have moved on.
    void write(const std::string& text) const
    {
        std::ofstream(path + ".new") << text;
        std::filesystem::rename(path + ".new", path);
    }
    contract::Site read() const { return contract::read_site(path).value(); }
};

} // namespace

START_TEST(a_changed_file_is_in_force_and_an_unchanged_one_is_no_news)
{
    const File file;
    file.write("[site]\nmode = observe\n");
    SiteFile site(file.path, file.read());
    ck_assert(!site.read_again(false) && !site.read_again(true));
    file.write("[site]\nmode = off\n[daemon]\nwatch_interval = 5s\n");
    const auto next = site.read_again(false);
    ck_assert(next && next->mode == contract::Mode::off && next->watch_interval == 5s);
    ck_assert(!site.read_again(false));
    ck_assert(site_lines.empty());
}
END_TEST

START_TEST(a_file_with_a_fault_changes_nothing_and_is_named_once)
{
    const File file;
    file.write("[site]\nmode = observe\n");
    SiteFile site(file.path, file.read());
    file.write("[site]\nmode = perhaps\n");
    ck_assert(!site.read_again(false) && !site.read_again(false));
    ck_assert_uint_eq(site_lines.size(), 1);
    file.write("[site]\nmode = enforce\n");
    const auto next = site.read_again(false);
    ck_assert(next && next->mode == contract::Mode::enforce);
}
END_TEST

START_TEST(what_only_a_restart_changes_stays_and_is_named)
{
    const File file;
    file.write("[site]\nmode = observe\n");
    SiteFile site(file.path, file.read());
    file.write("[site]\nmode = off\n[daemon]\nport = 7000\n");
    const auto next = site.read_again(true);
    ck_assert(next && next->mode == contract::Mode::off);
    ck_assert_uint_eq(next->port, 6821);
    ck_assert(site_lines.size() == 1 && site_lines.front().find("restarted") != std::string::npos);
}
END_TEST

Suite* site_file_suite()
{
    return make_suite("site_file", a_changed_file_is_in_force_and_an_unchanged_one_is_no_news,
                      a_file_with_a_fault_changes_nothing_and_is_named_once,
                      what_only_a_restart_changes_stays_and_is_named);
}

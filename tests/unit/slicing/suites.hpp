#pragma once

#include <filesystem>

#include "base/files.hpp"
#include "tests/unit/check.hpp"

Suite* hugepages_suite();
Suite* ledger_suite();
Suite* leftovers_suite();
Suite* routes_suite();

/// A directory that goes with the test.
class Scratch {
public:
    Scratch()
    {
        path_ = (std::filesystem::temp_directory_path() / "mscale-slicing.XXXXXX").native();
        ck_assert_ptr_nonnull(mkdtemp(path_.data()));
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { std::filesystem::remove_all(path_); }

    std::string path(const std::string& below = "") const { return path_ + below; }
    void write(const std::string& below, std::string_view text) const
    {
        const std::filesystem::path whole(path(below));
        ck_assert(mscale::make_directories(whole.parent_path().native(), 0755).has_value());
        ck_assert(mscale::replace_file(whole.native(), text, 0644).has_value());
    }

private:
    std::string path_;
};

/// A suite with one case that holds all its tests.
template <class... Tests> Suite* make_suite(const char* name, Tests... tests)
{
    Suite* suite = suite_create(name);
    TCase* tests_of_suite = tcase_create(name);
    (tcase_add_test(tests_of_suite, tests), ...);
    suite_add_tcase(suite, tests_of_suite);
    return suite;
}

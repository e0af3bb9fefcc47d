// The option given more than once, and the file that a client reads.
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/unit/contract/texts.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

/// A directory of its own that ends with the test.
class Scratch {
public:
    Scratch() { ck_assert(::mkdtemp(name_.data()) != nullptr); }
    ~Scratch() { std::filesystem::remove_all(name_); }
    std::string write(const std::string& file, const std::string& text) const
    {
        std::ofstream(path(file)) << text;
        return "@" + path(file);
    }
    std::string path(const std::string& file) const { return name_ + "/" + file; }

private:
    std::string name_ = "/tmp/mscale-options-XXXXXX";
};

const GivenProfiles option_profiles(GivenProfiles::Texts{{"heavy", "[gpu]\nsm = 24\n[role.loader]\ncores = 4\n"}});

Parsed given(const std::vector<std::string>& texts)
{
    return parse_options(texts, option_profiles);
}

} // namespace

START_TEST(a_later_option_replaces_the_earlier_one_and_names_what_was_dropped)
{
    const Parsed parsed = given({"heavy", "gpu.sm=8"});
    expect_text(to_canonical(parsed.contract), "gpu.sm=8");
    ck_assert(parsed.notes.back().find("dropped: role.loader.cores=4") != std::string::npos);
}
END_TEST

START_TEST(a_plus_amends_clause_by_clause)
{
    expect_text(to_canonical(given({"heavy", "+gpu.sm=8", "+ft.every=5"}).contract),
                "gpu.sm=8,role.loader.cores=4,ft.every=5");
    expect_text(to_canonical(given({"heavy", "+gpu.share=1/4"}).contract),
                "gpu.share=1/4,role.loader.cores=4");
    expect_text(to_canonical(given({"role.a.cores=2", "+heavy"}).contract),
                "gpu.sm=24,role.a.cores=2,role.loader.cores=4");
}
END_TEST

START_TEST(what_an_amendment_lacks_may_stand_in_the_earlier_option)
{
    expect_text(to_canonical(given({"gpu.sm=8", "+gpu.sm_mode=soft"}).contract), "gpu.sm=8,gpu.sm_mode=soft");
    ck_assert(given({"gpu.model=h100", "+gpu.sm_mode=soft"}).faults.at(0).error.code == Code::lone_clause);
}
END_TEST

START_TEST(a_plus_with_nothing_before_it_is_a_fault)
{
    ck_assert(given({"+gpu.sm=8"}).faults.at(0).error.code == Code::text_syntax);
    ck_assert(given({}).faults.at(0).error.code == Code::empty_contract);
}
END_TEST

START_TEST(an_amendment_that_contradicts_the_earlier_option_is_a_fault)
{
    ck_assert(given({"role.a.cores=[0-3]", "+contract.workers=2"}).faults.at(0).error.code == Code::conflict);
}
END_TEST

START_TEST(a_file_is_read_and_its_faults_name_it)
{
    const Scratch scratch;
    const std::string right = scratch.write("a.ini", "[contract]\nprofile = heavy\n[gpu]\nsm = 8\n");
    expect_text(to_canonical(given({right}).contract), "gpu.sm=8,role.loader.cores=4");
    expect_text(to_canonical(given({"gpu.model=h100", "+" + right}).contract),
                "gpu.model=h100,gpu.sm=8,role.loader.cores=4");
    const Parsed wrong = given({scratch.write("b.ini", "[gpu]\nsn = 8\n")});
    expect_text(wrong.faults.at(0).place.source, scratch.path("b.ini"));
    ck_assert(wrong.faults[0].place.line == 2);
}
END_TEST

START_TEST(only_a_regular_file_of_64_kib_is_read)
{
    const Scratch scratch;
    ck_assert_int_eq(::mkfifo(scratch.path("fifo").c_str(), 0600), 0);
    for (const std::string& wrong : {"@" + scratch.path("absent"), "@" + scratch.path("fifo"),
                                     "@" + scratch.path(""), std::string("@/dev/zero"), std::string("@")})
        ck_assert_msg(read_contract_file(wrong).error().code == Code::contract_file, "%s", wrong.c_str());
    ck_assert(read_contract_file(scratch.write("full", std::string(contract_limit, 'x'))).has_value());
    ck_assert(read_contract_file(scratch.write("more", std::string(contract_limit + 1, 'x'))).error().code ==
              Code::too_large);
}
END_TEST

Suite* options_suite()
{
    return make_suite("options", a_later_option_replaces_the_earlier_one_and_names_what_was_dropped,
                      a_plus_amends_clause_by_clause,
                      what_an_amendment_lacks_may_stand_in_the_earlier_option, a_plus_with_nothing_before_it_is_a_fault,
                      an_amendment_that_contradicts_the_earlier_option_is_a_fault,
                      a_file_is_read_and_its_faults_name_it, only_a_regular_file_of_64_kib_is_read);
}

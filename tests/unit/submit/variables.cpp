#include "submit/job_variables.hpp"

#include <cstring>

#include "tests/unit/submit/suites.hpp"

using namespace mscale::submit;

namespace {

/// An array as Slurm would hold it; what is left in it is freed here.
class Array {
public:
    explicit Array(const std::vector<const char*>& entries)
        : count_(static_cast<std::uint32_t>(entries.size()))
    {
        for (const char* entry : entries) entries_.push_back(entry ? strdup(entry) : nullptr);
    }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array()
    {
        for (char* entry : entries_) std::free(entry);
    }
    Variables variables()
    {
        return {entries_.data(), &count_, [](char* entry) { std::free(entry); }};
    }
    std::string text() const
    {
        std::string text;
        for (std::uint32_t i = 0; i < count_; ++i)
            text += std::string(entries_[i] ? entries_[i] : "(null)") + " ";
        return text;
    }

private:
    std::vector<char*> entries_;
    std::uint32_t count_;
};

std::string strip_text(Array& array)
{
    char* contract = strip(array.variables(), is_reserved);
    const std::string text = contract ? contract : "(none)";
    std::free(contract);
    return text;
}

} // namespace

START_TEST(every_name_of_ours_is_stripped_and_the_others_keep_their_order)
{
    Array array(
        {"A=1", "MSCALE_VERIFIED=forged", "B=2", "MSCALE", "_SLURM_SPANK_OPTION_mscale_contract=x", "C=3"});
    expect_text(strip_text(array), "(none)");
    expect_text(array.text(), "A=1 B=2 C=3 ");
}
END_TEST

START_TEST(a_name_that_would_reach_the_prolog_as_ours_is_stripped)
{
    Array array({"SPANK_MSCALE_VERIFIED=forged", "SPANK_SPANK_MSCALE_CONTRACT=x", "SPANK_A=1",
                 "SPANK__SLURM_SPANK_OPTION_mscale_contract=x"});
    expect_text(strip_text(array), "(none)");
    expect_text(array.text(), "SPANK_A=1 ");
    ck_assert(is_reserved_copy("SLURM_SPANK_SPANK_MSCALE_VERIFIED=x"));
    ck_assert(is_reserved_copy("SLURM_SPANK_MSCALE_CONTRACT=x"));
    ck_assert(!is_reserved_copy("SLURM_SPANK_SPANK_A=x") && !is_reserved_copy("MSCALE_OTHER=x"));
}
END_TEST

START_TEST(the_first_contract_is_handed_over_and_a_second_one_is_dropped)
{
    Array array({"MSCALE_CONTRACT=one", "MSCALE_CONTRACT=two", "A=1"});
    expect_text(strip_text(array), "MSCALE_CONTRACT=one");
    expect_text(array.text(), "A=1 ");
}
END_TEST

START_TEST(an_absent_array_and_null_entries_do_no_harm)
{
    std::uint32_t count = 3;
    ck_assert_ptr_null(strip({nullptr, &count, nullptr}, is_reserved));
    ck_assert(!has_value({nullptr, nullptr, nullptr}, "MSCALE_CONTRACT"));
    expect_text(find_oversize({nullptr, &count, nullptr}), "");
    Array array({nullptr, "A=1"});
    expect_text(strip_text(array), "(none)");
    expect_text(array.text(), "(null) A=1 ");
}
END_TEST

START_TEST(an_empty_value_is_no_contract)
{
    Array empty({"MSCALE_CONTRACT="}), longer({"MSCALE_CONTRACTS=a"}), given({"A=1", "MSCALE_CONTRACT=a"});
    ck_assert(!has_value(empty.variables(), "MSCALE_CONTRACT"));
    ck_assert(!has_value(longer.variables(), "MSCALE_CONTRACT"));
    ck_assert(has_value(given.variables(), "MSCALE_CONTRACT"));
}
END_TEST

START_TEST(an_entry_at_the_limit_passes_and_one_above_is_named)
{
    const std::string at_limit = "A=" + std::string(entry_limit - 2, 'x'), above = "LONG=" + at_limit;
    Array passing({at_limit.c_str()}), failing({above.c_str()});
    expect_text(find_oversize(passing.variables()), "");
    expect_part(find_oversize(failing.variables()), "variable LONG has 65541 bytes and the limit is 65536");
}
END_TEST

START_TEST(the_total_is_bounded)
{
    const std::string entry = "A=" + std::string(60000, 'x');
    Array failing(std::vector<const char*>(5, entry.c_str())),
        passing(std::vector<const char*>(4, entry.c_str()));
    expect_part(find_oversize(failing.variables()), "300010 bytes together and the limit is 262144");
    expect_text(find_oversize(passing.variables()), "");
}
END_TEST

Suite* variables_suite()
{
    return make_suite("variables", every_name_of_ours_is_stripped_and_the_others_keep_their_order,
                      a_name_that_would_reach_the_prolog_as_ours_is_stripped,
                      the_first_contract_is_handed_over_and_a_second_one_is_dropped,
                      an_absent_array_and_null_entries_do_no_harm, an_empty_value_is_no_contract,
                      an_entry_at_the_limit_passes_and_one_above_is_named, the_total_is_bounded);
}

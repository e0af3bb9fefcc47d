#include "hal/pci_address.hpp"

#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;

START_TEST(each_pci_address_of_the_cases_is_read_or_refused)
{
    for (const std::vector<std::string>& row : read_table("pci_ids.tsv")) {
        bool domain_given = false;
        const Result<hal::PciAddress> address = hal::parse_pci_address(row[0], &domain_given);
        const std::string& wanted = row.at(1);
        if (wanted.starts_with("ERR:")) {
            ck_assert_msg(!address, "'%s' was accepted", row[0].c_str());
            ck_assert(address.error().code == Code::bad_pci);
            continue;
        }
        const bool is_short = wanted.starts_with("UNIQUE:");
        ck_assert_msg(address.has_value(), "'%s' was refused", row[0].c_str());
        expect_text(to_string(*address), is_short ? wanted.substr(7) : wanted);
        ck_assert_int_eq(domain_given, !is_short);
    }
}
END_TEST

START_TEST(an_address_without_domain_needs_a_caller_who_looks)
{
    ck_assert(!hal::parse_pci_address("1b:00.0"));
}
END_TEST

START_TEST(domains_wider_than_16_bits_keep_all_their_digits)
{
    expect_text(to_string(*hal::parse_pci_address("10000:01:00.0")), "10000:01:00.0");
}
END_TEST

START_TEST(other_notations_are_recognised_in_the_refusal)
{
    expect_part(hal::parse_pci_address("PCI:27:0:0").error().text, "hexadecimal");
    expect_part(hal::parse_pci_address("0000:1b.00.0").error().text, "colon");
    expect_part(hal::parse_pci_address("0000:1b:20.0").error().text, "at most 1f");
}
END_TEST

Suite* pci_address_suite()
{
    return make_suite("pci_address", each_pci_address_of_the_cases_is_read_or_refused,
                      an_address_without_domain_needs_a_caller_who_looks,
                      domains_wider_than_16_bits_keep_all_their_digits,
                      other_notations_are_recognised_in_the_refusal);
}

#include "contract/site.hpp"

#include "tests/unit/contract/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

START_TEST(an_empty_file_gives_the_defaults_of_the_manual)
{
    const SiteParsed parsed = parse_site("", "mscale.conf");
    ck_assert(parsed.faults.empty());
    ck_assert(parsed.site.mode == Mode::observe && parsed.site.grow && parsed.site.port == 6821);
    expect_text(parsed.site.state, "/run/mscale");
}
END_TEST

START_TEST(every_default_of_the_table_is_the_default_in_force)
{
    const SiteParsed defaults = parse_site("", "");
    std::string text, section;
    for (const SiteKey& key : site_keys()) {
        if (key.fallback.empty()) continue;
        if (key.section != section) text += "[" + std::string(section = key.section) + "]\n";
        text += std::string(key.key) + " = " + std::string(key.fallback) + "\n";
    }
    const SiteParsed parsed = parse_site(text, "mscale.conf");
    ck_assert_msg(parsed.faults.empty(), "%s", to_text(parsed.faults).c_str());
    ck_assert(parsed.site == defaults.site);
}
END_TEST

START_TEST(a_partition_can_have_a_mode_of_its_own)
{
    const SiteParsed parsed = parse_site("[site]\nmode = enforce\n[partition.debug]\nmode = off\n", "x");
    ck_assert(mode_of(parsed.site, "debug") == Mode::off && mode_of(parsed.site, "gpu") == Mode::enforce);
}
END_TEST

START_TEST(an_unknown_key_is_a_fault_with_its_line_and_the_nearest_spelling)
{
    const SiteParsed parsed = parse_site("[hugepages]\n\ngrwo = no\n", "mscale.conf");
    ck_assert_uint_eq(parsed.faults.size(), 1);
    ck_assert(parsed.faults[0].error.code == Code::config_key && parsed.faults[0].place.line == 3);
    expect_text(parsed.faults[0].error.cure, "did you mean 'grow'?");
}
END_TEST

START_TEST(every_wrong_value_is_told_at_once)
{
    const SiteParsed parsed = parse_site("[site]\nmode = enforced\n[daemon]\nport = 70000\nwatch_interval = 5\n"
                                         "[paths]\nstate = run/mscale\ninventory = /etc/../x\n",
                                         "x");
    ck_assert_uint_eq(parsed.faults.size(), 5);
    for (const Fault& fault : parsed.faults) ck_assert(fault.error.code == Code::config_value);
}
END_TEST

START_TEST(times_take_their_unit)
{
    const SiteParsed parsed = parse_site("[daemon]\nwatch_interval = 500ms\nreconcile_interval = 2min\n", "x");
    ck_assert(parsed.site.watch_interval.count() == 500 && parsed.site.reconcile_interval.count() == 120000);
}
END_TEST

START_TEST(an_inventory_is_believed_for_a_number_of_days)
{
    constexpr std::int64_t day = 86400;
    const auto read = [](const std::string& value) {
        return parse_site("[policy]\ninventory_age = " + value + "\n", "x");
    };
    ck_assert(!find_excess_age(read("30d").site, day, 31 * day));
    ck_assert_int_eq(find_excess_age(read("30d").site, day, 32 * day).value_or(0), 31);
    ck_assert(!find_excess_age(read("any").site, 0, 1'000'000 * day));
    for (const char* wrong : {"30", "0d", "-1d", "d", "never", "99999d"})
        ck_assert(!read(wrong).faults.empty());
}
END_TEST

START_TEST(failure_domains_are_a_word_or_lists_of_nodes)
{
    const auto read = [](const std::string& value) { return parse_site("[recovery]\ndomains = " + value + "\n", "x"); };
    for (const char* right : {"switch", "node", "rack1=n[1-16],m2 rack_2=n17", "A-1=x"}) {
        ck_assert(read(right).faults.empty());
        ck_assert(read(right).site.domains == right);
    }
    for (const char* wrong : {"rack", "=n1", "rack1=", "ra;ck=n1", "rack1=n1 switch"}) ck_assert(!read(wrong).faults.empty());
}
END_TEST

START_TEST(settings_say_where_they_come_from)
{
    const auto settings = list_settings("[hugepages]\ngrow = no\n[partition.gpu]\nmode = off\n", "m.conf");
    bool has_grow = false, has_default = false, has_partition = false;
    for (const SiteSetting& setting : settings) {
        has_grow |= setting.name == "hugepages.grow" && setting.value == "no" && setting.origin == "m.conf:2";
        has_default |= setting.name == "daemon.port" && setting.value == "6821" && setting.origin == "default";
        has_partition |= setting.name == "partition.gpu.mode" && setting.value == "off";
    }
    ck_assert(has_grow && has_default && has_partition);
}
END_TEST

START_TEST(a_named_file_that_is_missing_is_an_error)
{
    const auto absent = read_site("/nonexistent/mscale.conf");
    ck_assert(!absent && absent.error().code == Code::config_file);
}
END_TEST

Suite* site_suite()
{
    return make_suite(
        "site", an_empty_file_gives_the_defaults_of_the_manual,
        every_default_of_the_table_is_the_default_in_force, a_partition_can_have_a_mode_of_its_own,
        an_unknown_key_is_a_fault_with_its_line_and_the_nearest_spelling, every_wrong_value_is_told_at_once,
        times_take_their_unit, an_inventory_is_believed_for_a_number_of_days,
        failure_domains_are_a_word_or_lists_of_nodes, settings_say_where_they_come_from, a_named_file_that_is_missing_is_an_error);
}

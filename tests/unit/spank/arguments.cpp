#include "spank/arguments.hpp"

#include "tests/unit/spank/suites.hpp"

using mscale::spank::Arguments;

static Arguments parse(std::vector<std::string> words)
{
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    return mscale::spank::parse_arguments(static_cast<int>(pointers.size()), pointers.data());
}

START_TEST(config_and_log_are_read)
{
    const auto arguments = parse({"config=/etc/site/mscale.conf", "log=debug"});
    expect_text(arguments.config, "/etc/site/mscale.conf");
    ck_assert(arguments.level == mscale::Level::debug);
    ck_assert(arguments.faults.empty());
}
END_TEST

START_TEST(nothing_given_means_the_defaults)
{
    const auto arguments = parse({});
    ck_assert(arguments.config.empty() && arguments.faults.empty());
    ck_assert(arguments.level == mscale::Level::info);
}
END_TEST

START_TEST(each_unknown_word_is_a_fault_of_its_own)
{
    const auto arguments = parse({"conf=/x", "config=relative", "log=loud", "log=error"});
    ck_assert_uint_eq(arguments.faults.size(), 3);
    ck_assert(arguments.faults[0].find("'conf=/x'") != std::string::npos);
    ck_assert(arguments.level == mscale::Level::error);
}
END_TEST

Suite* arguments_suite()
{
    Suite* suite = suite_create("arguments");
    TCase* words = tcase_create("words");
    tcase_add_test(words, config_and_log_are_read);
    tcase_add_test(words, nothing_given_means_the_defaults);
    tcase_add_test(words, each_unknown_word_is_a_fault_of_its_own);
    suite_add_tcase(suite, words);
    return suite;
}

// What is shipped beside the code says the same as the code: profiles, the manual of the language, the completion.
#include <cstdlib>

#include "contract/clauses.hpp"
#include "contract/site.hpp"
#include "tests/unit/contract/texts.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

std::string source_directory()
{
    const char* srcdir = std::getenv("srcdir");
    return srcdir ? srcdir : ".";
}

const ProfileDirectory& shipped_profiles()
{
    static const ProfileDirectory profiles(source_directory() + "/etc/profiles");
    return profiles;
}

Contract shipped(const std::string& name)
{
    const Parsed parsed = parse_contract(name, name, shipped_profiles());
    ck_assert_msg(parsed.ok(), "%s", to_text(parsed.faults).c_str());
    return parsed.contract;
}

std::string listed_name(const Clause& clause)
{
    return clause.section == "role" ? format("role.NAME.{}", clause.key)
                                    : format("{}.{}", clause.section, clause.key);
}

std::string_view held_word(Held held)
{
    constexpr std::string_view words[] = {"enforced", "placed", "not yet enforceable", "stated"};
    return words[static_cast<std::size_t>(held)];
}

} // namespace

START_TEST(the_three_profiles_are_what_the_site_gets)
{
    const std::vector<std::string> wanted = {"mlvm-heavy", "mlvm-hybrid", "mlvm-light"};
    ck_assert(shipped_profiles().names() == wanted);
    const Role light = shipped("mlvm-light").roles.at("image_loader"),
               heavy = shipped("mlvm-heavy").roles.at("image_loader");
    ck_assert(light.cores == Cores(2U) && light.disk_queues == 1 && light.io_depth == 128);
    ck_assert(heavy.cores == Cores(4U) && heavy.pcie_domain == "gpu");
    ck_assert(shipped("mlvm-heavy").rdma.queue_pairs == 2 &&
              shipped("mlvm-heavy").gpu.sm == 3 * *shipped("mlvm-light").gpu.sm);
    ck_assert(shipped("mlvm-hybrid").rdma.pool->page_bytes == 1ULL << 30);
}
END_TEST

START_TEST(no_profile_names_a_thing_of_one_machine)
{
    for (const std::string& name : shipped_profiles().names()) {
        const Contract contract = shipped(name);
        ck_assert(contract.rdma.ports.empty());
        for (const auto& [role_name, role] : contract.roles)
            ck_assert(!role.gpu && !std::holds_alternative<CpuSet>(*role.cores) &&
                      role.near != (Near{Near::To::numa, 0}));
    }
}
END_TEST

START_TEST(every_profile_can_be_submitted)
{
    for (const std::string& name : shipped_profiles().names()) {
        const std::string text = to_canonical(shipped(name));
        for (const std::string_view clause : split(text, ','))
            ck_assert(find_clause(clause.substr(0, clause.find('=')))->held != Held::refused);
    }
}
END_TEST

START_TEST(a_profile_outside_the_directory_is_never_looked_up)
{
    for (const char* name : {"../profiles/mlvm-light", "mlvm-light.ini", "/etc/passwd", "MLVM-light", "."})
        ck_assert(shipped_profiles().read(name).error().code == Code::unknown_profile);
    expect_text(shipped_profiles().read("mlvm-ligth").error().cure, "did you mean 'mlvm-light'?");
}
END_TEST

START_TEST(every_clause_stands_in_the_manual_as_in_the_table)
{
    const std::string manual = source_file("man/mscale-contract.7");
    for (const Clause& clause : clause_table()) {
        const std::string entry = format(".It Li {} = {}\n", listed_name(clause), clause.values);
        const std::size_t at = manual.find(entry);
        ck_assert_msg(at != std::string::npos, "the manual lacks: %s", entry.c_str());
        const std::string text = manual.substr(at, manual.find("\n.It", at + 1) - at);
        ck_assert_msg(text.find(format(".Em {} .", held_word(clause.held))) != std::string::npos,
                      "%s isn't '%s' in the manual", listed_name(clause).c_str(),
                      std::string(held_word(clause.held)).c_str());
    }
}
END_TEST

START_TEST(the_manual_has_no_clause_that_the_table_lacks)
{
    const std::string manual = source_file("man/mscale-contract.7");
    for (const std::string_view line : split(manual, '\n')) {
        if (!line.starts_with(".It Li ") || line.find(" = ") == std::string_view::npos) continue;
        const std::string_view name = line.substr(7, line.find(" = ") - 7);
        ck_assert_msg(find_clause(name) != nullptr, "the manual has %s", std::string(name).c_str());
    }
}
END_TEST

START_TEST(every_key_of_the_site_stands_in_its_manual_and_in_the_example)
{
    const std::string manual = source_file("man/mscale.conf.5"), example = source_file("etc/mscale.conf");
    for (const SiteKey& key : site_keys()) {
        ck_assert_msg(manual.find(format(".It Li {} = ", key.key)) != std::string::npos,
                      "the manual lacks %s", std::string(key.key).c_str());
        const bool depends_on_installation = key.fallback.empty() || key.section == "paths";
        const std::string line = format("\n; {} = {}", key.key, depends_on_installation ? "" : key.fallback);
        ck_assert_msg(example.find(line) != std::string::npos, "the example lacks%s", line.c_str());
    }
}
END_TEST

START_TEST(the_example_is_a_right_file_with_and_without_its_comments)
{
    std::string keys;
    const std::string example = source_file("etc/mscale.conf");
    for (std::string_view line : split(example, '\n')) {
        const bool is_key =
            line.starts_with("; ") && (line.find(" = ") != std::string_view::npos || line[2] == '[');
        keys += format("{}\n", is_key ? line.substr(2) : line);
    }
    for (const std::string& text : {example, keys}) {
        const SiteParsed parsed = parse_site(text, "mscale.conf");
        ck_assert_msg(parsed.faults.empty(), "%s", to_text(parsed.faults).c_str());
    }
    ck_assert(parse_site(example, "").site == parse_site("", "").site);
}
END_TEST

START_TEST(the_completion_offers_every_clause)
{
    const std::string completion = source_file("etc/completion/mscale");
    for (const Clause& clause : clause_table())
        ck_assert_msg(completion.find(format(" {}=", listed_name(clause))) != std::string::npos,
                      "the completion lacks %s", listed_name(clause).c_str());
}
END_TEST

Suite* shipped_suite()
{
    return make_suite("shipped", the_three_profiles_are_what_the_site_gets,
                      no_profile_names_a_thing_of_one_machine, every_profile_can_be_submitted,
                      a_profile_outside_the_directory_is_never_looked_up,
                      every_clause_stands_in_the_manual_as_in_the_table,
                      the_manual_has_no_clause_that_the_table_lacks,
                      every_key_of_the_site_stands_in_its_manual_and_in_the_example,
                      the_example_is_a_right_file_with_and_without_its_comments,
                      the_completion_offers_every_clause);
}

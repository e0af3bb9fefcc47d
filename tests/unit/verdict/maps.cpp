#include <cctype>
#include <set>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

// cases_map.tsv and faults_map.tsv say which test shows a case or a fault; here, that each is shown by a test that exists.
using namespace mscale;
using namespace mscale::contract;

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows read_map(const char* name)
{
    Rows rows;
    const std::string text = read_file(fixture(name)).value();
    for (const std::string_view line : split(text, '\n')) {
        if (line.empty() || line.front() == '#') continue;
        const auto parts = split(line, '\t');
        ck_assert_msg(parts.size() == 3, "%s", std::string(line).c_str());
        rows.emplace_back(parts.begin(), parts.end());
    }
    return rows;
}

bool is_name(char letter)
{
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

/// How often a name stands in a source as a word of its own.
int count_words(std::string_view source, std::string_view name)
{
    int count = 0;
    for (auto at = source.find(name); at != std::string_view::npos; at = source.find(name, at + 1)) {
        const auto end = at + name.size();
        if (!is_name(at ? source[at - 1] : ' ') && !is_name(end < source.size() ? source[end] : ' ')) ++count;
    }
    return count;
}

/// A test of bats has this name whole, one of Python is a method; one of Check is written and stands in its suite.
bool has_test(const std::string& file, const std::string& source, const std::string& name)
{
    if (file.ends_with(".bats")) return source.find(format("\n@test \"{}\" {{", name)) != std::string::npos;
    if (file.ends_with(".py")) return source.find(format("    def {}(self", name)) != std::string::npos;
    const bool is_written = source.find(format("\nSTART_TEST({})\n", name)) != std::string::npos;
    return is_written && count_words(source, name) > 1;
}

void expect_shown(const Rows& rows, std::set<std::string> wanted)
{
    for (const auto& row : rows) {
        const auto source = read_file(fixture("../../") + row[1]);
        ck_assert_msg(source.has_value(), "%s: %s isn't there", row[0].c_str(), row[1].c_str());
        ck_assert_msg(has_test(row[1], *source, row[2]), "%s: %s has no test '%s'", row[0].c_str(),
                      row[1].c_str(), row[2].c_str());
        wanted.erase(row[0]);
    }
    ck_assert_msg(wanted.empty(), "no test covers %s", wanted.empty() ? "" : wanted.begin()->c_str());
}

/// The cases of groups A to D, less those that belong to slices.
std::set<std::string> wanted_cases()
{
    std::set<std::string> wanted;
    const std::string text = read_file(fixture("cases/cases.jsonl")).value();
    for (const std::string_view line : split(text, '\n')) {
        if (line.empty()) continue;
        const std::string id = parse_json(std::string(line), "cases.jsonl").value()["id"];
        if (id[0] >= 'A' && id[0] <= 'D') wanted.insert(id);
    }
    for (const char* slices : {"B12", "B15", "B17", "B18"}) wanted.erase(slices);
    return wanted;
}

} // namespace

START_TEST(every_case_of_the_groups_a_to_d_has_a_test_that_exists)
{
    const std::set<std::string> wanted = wanted_cases();
    ck_assert_uint_ge(wanted.size(), 30);
    expect_shown(read_map("cases_map.tsv"), wanted);
}
END_TEST

START_TEST(every_fault_that_recovery_must_survive_has_a_test_that_exists)
{
    expect_shown(read_map("faults_map.tsv"),
                 {"all-copies-lost", "all-nodes-killed", "batch-host-killed", "byte-flipped",
                  "byte-flipped-in-coded-part", "byte-flipped-in-file", "byte-flipped-on-the-wire", "drive-lost",
                  "fenced-writer", "file-modes", "gpu-lost", "hang", "held-job", "holder-killed", "keeper-killed",
                  "keeper-killed-at-each-point", "memory-limit", "newer-format", "no-snapshots-kept", "node-killed",
                  "node-killed-at-each-point", "orphans", "other-rank-count", "partition", "port-lost", "preemption",
                  "random-faults", "rank-killed", "rank-killed-in-save", "requeue-in-save", "restart-loop",
                  "spill-fails", "stepd-killed", "stepd-killed-at-each-point", "surplus-spare", "time-limit",
                  "torn-save", "torn-transfer", "two-nodes-at-once", "two-nodes-killed-in-turn", "two-uids"});
}
END_TEST

Suite* maps_suite()
{
    return make_suite("maps", every_case_of_the_groups_a_to_d_has_a_test_that_exists,
                      every_fault_that_recovery_must_survive_has_a_test_that_exists);
}

#include "daemon/keeper/messages.hpp"

#include "base/json.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

START_TEST(what_keepers_say_reads_back_as_it_was)
{
    const Prepared prepared{7, {1, 3}, 4, 2, 12, 1200};
    ck_assert(prepared_from_json(to_json(prepared), "x") == prepared);
    const Skipped skipped{prepared, {10, 11}};
    ck_assert(skipped_from_json(to_json(skipped), "x") == skipped);
    const RestoreState state{7, {1, 3}, 4, {{0, 12}, {1, 0}}, {{0, 12}}, {{1, 12, "n2", recovery::Tier::spill, "a flipped byte"}}, {11}};
    ck_assert(restore_state_from_json(to_json(state), "x") == state);
    const RestoreAnswer answer{
        true, false, true, recovery::CommitRecord{7, {0, 1}, 2, 12, 1200}, {RankSources{{"n1"}, {}}, RankSources{{"n2", "n3"}, {"n1"}}}, {1}};
    ck_assert(restore_answer_from_json(to_json(answer), "x") == answer);
    const RestoreAnswer nothing{true, true, false, {}, {}, {}};
    ck_assert(restore_answer_from_json(to_json(nothing), "x") == nothing);
    const Holdings holdings{{{7, {0, 1}, 2, 12, 1200}},
                            {{1, {0, 1}, 12, 1200, "n2", recovery::Tier::memory}},
                            {"n4"}};
    const recovery::CodedGroup group{1, {{0, 100, 50}, {1, 200, 60}}};
    const Holdings coded{{}, {{1, {0, 1}, 12, 1200, "n2", recovery::Tier::coded, group}}, {}};
    ck_assert(holdings_from_json(to_json(coded), "n2") == coded);
    RestoreAnswer rebuilt = answer;
    rebuilt.sources[1].rebuild = recovery::RebuildPlan{group, {"n1", ""}, {"n1", "n2"}};
    ck_assert(restore_answer_from_json(to_json(rebuilt), "x") == rebuilt);
    RestoreState lost_part = state;
    lost_part.failed[0].tier = recovery::Tier::coded;
    ck_assert(restore_state_from_json(to_json(lost_part), "x") == lost_part);
    ck_assert(holdings_from_json(to_json(holdings), "n2") == holdings);
}
END_TEST

START_TEST(what_is_missing_or_too_large_is_an_error)
{
    Json json = to_json(Prepared{7, {1, 3}, 4, 2, 12, 1200});
    json["rank"] = std::uint64_t{1} << 40;
    ck_assert(!prepared_from_json(json, "x"));
    json.erase("rank");
    ck_assert(!prepared_from_json(json, "x"));
    ck_assert(!skipped_from_json(to_json(Prepared{7, {1, 3}, 4, 2, 12, 1200}), "x"));
    ck_assert(!prepared_from_json(Json::array(), "x") && !holdings_from_json(Json("no"), "n1"));
}
END_TEST

Suite* messages_suite()
{
    return make_suite("messages", what_keepers_say_reads_back_as_it_was,
                      what_is_missing_or_too_large_is_an_error);
}

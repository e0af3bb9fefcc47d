#include "library/terms.hpp"

#include "base/json.hpp"
#include "tests/unit/library/suites.hpp"

using namespace mscale;
using namespace mscale::library;

namespace {

Json good_answer()
{
    return {{"ok", true},
            {"data_bytes", 4096},
            {"page_bytes", 4096},
            {"job", 7},
            {"uid", 1000},
            {"restarts", 1},
            {"step_id", 2},
            {"next_epoch", 5},
            {"every_steps", 10},
            {"every_ms", nullptr},
            {"restore", {{"slot", 1}, {"epoch", 4}, {"step", 40}}}};
}

START_TEST(an_answer_is_read_whole)
{
    const Terms terms = read_terms(good_answer()).value();
    ck_assert(terms.data_bytes == 4096 && terms.job_id == 7 && terms.uid == 1000 && terms.next_epoch == 5);
    ck_assert(terms.incarnation == (recovery::Incarnation{1, 2}) && terms.every_steps == 10u &&
              !terms.every_time);
    ck_assert(terms.restore == (RestorePoint{1, 4, 40}) && terms.restore_job == 7 && terms.ops.empty());
}
END_TEST

START_TEST(what_a_newer_keeper_adds_is_read_or_passed_over)
{
    Json answer = good_answer();
    answer["restore"]["job"] = 3;
    answer["ops"] = {"restored", "unheard of"};
    answer["more"] = Json::array({1});
    const Terms terms = read_terms(answer).value();
    ck_assert(terms.restore_job == 3 && terms.ops.contains("restored"));
}
END_TEST

START_TEST(an_answer_that_lacks_something_or_is_out_of_range_is_no_keepers)
{
    const Json good = good_answer();
    for (const auto& [key, value] : good.items()) {
        if (key == "every_steps" || key == "every_ms" || key == "restore") continue;
        Json answer = good_answer();
        answer.erase(key);
        ck_assert_msg(read_terms(answer).error().code == Code::keeper_lost, "without %s", key.c_str());
        answer[key] = "text";
        ck_assert_msg(read_terms(answer).error().code == Code::keeper_lost, "%s a text", key.c_str());
    }
    const std::pair<const char*, const char*> wrong[] = {
        {"page_bytes", "0"},
        {"next_epoch", "0"},
        {"every_steps", "0"},
        {"data_bytes", "1152921504606846976"},
        {"restore", "3"},
        {"restore", R"("text")"},
        {"restore", R"({"slot": 0, "epoch": 4, "step": 1, "writers": {"ranks": 0, "restarts": 0, "step_id": 0}})"},
        {"restore", R"({"slot": 0, "epoch": 4, "step": 1, "writers": {"ranks": 1048577, "restarts": 0, "step_id": 0}})"},
        {"restore", R"({"slot": 0, "epoch": 4, "step": 1, "writers": {"ranks": 2}})"},
        {"restore", R"({"slot": 2, "epoch": 4, "step": 1})"}};
    for (const auto& [key, value] : wrong) {
        Json answer = good_answer();
        answer[key] = parse_json(value, "value").value();
        ck_assert_msg(read_terms(answer).error().code == Code::keeper_lost, "%s %s", key, value);
    }
}
END_TEST

START_TEST(a_refusal_keeps_the_keepers_code_and_words)
{
    const Json no = {{"ok", false}, {"error", {{"code", "MSC-R004"}, {"text", "2 > 1"}, {"cure", "less"}}}};
    const Error error = read_terms(no).error();
    ck_assert(error.code == Code::snapshot_room && error.text == "2 > 1" && error.cure == "less");
    ck_assert(read_terms({{"ok", false}}).error().code == Code::keeper_lost);
    ck_assert(read_terms({{"ok", false}, {"error", {{"code", "MSC-Z999"}}}}).error().code ==
              Code::keeper_lost);
}
END_TEST

} // namespace

Suite* terms_suite()
{
    return make_suite("terms", an_answer_is_read_whole, what_a_newer_keeper_adds_is_read_or_passed_over,
                      an_answer_that_lacks_something_or_is_out_of_range_is_no_keepers,
                      a_refusal_keeps_the_keepers_code_and_words);
}

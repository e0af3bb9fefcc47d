#include "recovery/timeline.hpp"

#include "base/json.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;
using namespace std::chrono_literals;

namespace {

Timeline sample()
{
    return {.job_id = 7,
            .lost = "node n3",
            .lost_at = "2026-11-29 21:00:00",
            .step = 120,
            .spans = {{Phase::detect, 0ms, 400ms, "n1 and ctl missed three beats"},
                      {Phase::fence, 400ms, 900ms, "step 0"},
                      {Phase::launch, 900ms, 1400ms, "step 1 on n1, n2, n4"},
                      {Phase::fetch, 900ms, 1600ms, "256 MiB from n2"},
                      {Phase::restore, 1600ms, 1700ms, ""},
                      {Phase::first_step, 1700ms, 2000ms, "step 121"}}};
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

START_TEST(the_total_reaches_from_the_loss_to_the_last_end)
{
    ck_assert(total_of(sample()) == 2000ms && total_of({}) == 0ms);
    Timeline open = sample();
    open.spans.resize(4);
    ck_assert(total_of(open) == 1600ms);
}
END_TEST

START_TEST(the_text_has_a_line_for_each_phase)
{
    const std::string text = to_text(sample());
    ck_assert(text.starts_with(
        "job 7: node n3 lost at 2026-11-29 21:00:00, went on with step 121 after 2000 ms\n"));
    ck_assert(holds(text, "  detect         400 ms  |########                                 | n1 and ctl "
                          "missed three beats\n"));
    ck_assert(holds(
        text, "  fetch          700 ms  |                  ##############         | 256 MiB from n2\n"));
    ck_assert(text.ends_with("  total         2000 ms\n"));
}
END_TEST

START_TEST(a_timeline_reads_back_from_json)
{
    const Json json = to_json(sample());
    ck_assert(json["total_ms"] == 2000 && json["spans"][5]["phase"] == "first step");
    ck_assert(timeline_from_json(json, "x").value() == sample());
}
END_TEST

START_TEST(wrong_json_is_refused)
{
    for (const char* key : {"job", "lost", "lost_at", "step", "spans"}) {
        Json json = to_json(sample());
        json.erase(key);
        ck_assert(timeline_from_json(json, "x").error().code == Code::json_member);
    }
    Json json = to_json(sample());
    json["spans"][0]["phase"] = "lunch";
    expect_text(timeline_from_json(json, "x").error().text, "x: there is no phase 'lunch'");
    json = to_json(sample());
    json["spans"][1]["end_ms"] = 399;
    ck_assert(!timeline_from_json(json, "x") && !timeline_from_json(Json(5), "x"));
}
END_TEST

START_TEST(the_drawing_has_a_bar_for_each_phase)
{
    const std::string svg = to_svg(sample());
    ck_assert(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && svg.ends_with("</svg>\n"));
    ck_assert(holds(svg, "<rect x=\"370\" y=\"127\" width=\"210\" height=\"20\""));
    ck_assert(holds(svg, ">first step</text>") && holds(svg, "2000 ms</text>"));
}
END_TEST

START_TEST(nothing_in_a_name_becomes_a_part_of_the_drawing)
{
    Timeline timeline = sample();
    timeline.lost = "<script>&\"\x1b";
    timeline.spans[0].what = "</title>";
    const std::string svg = to_svg(timeline);
    ck_assert(holds(svg, "&lt;script&gt;&amp;&quot;\\x1B") && holds(svg, "<title>&lt;/title&gt;</title>"));
    ck_assert(!holds(to_text(timeline), "\x1b"));
}
END_TEST

START_TEST(a_timeline_without_time_or_phases_can_be_shown)
{
    ck_assert(holds(to_text({}), "total") && holds(to_svg({}), "</svg>"));
    Timeline instant;
    instant.spans = {{Phase::detect, 0ms, 0ms, ""}};
    ck_assert(holds(to_text(instant), "detect") && holds(to_svg(instant), "width=\"1\""));
}
END_TEST

Suite* timeline_suite()
{
    return make_suite(
        "timeline", the_total_reaches_from_the_loss_to_the_last_end, the_text_has_a_line_for_each_phase,
        a_timeline_reads_back_from_json, wrong_json_is_refused, the_drawing_has_a_bar_for_each_phase,
        nothing_in_a_name_becomes_a_part_of_the_drawing, a_timeline_without_time_or_phases_can_be_shown);
}

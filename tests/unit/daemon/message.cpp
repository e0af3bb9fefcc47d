#include "daemon/mscaled/message.hpp"

#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {
const Request request{"n2", "0123", "report", {{"job", 12}}, 0};
}

START_TEST(a_request_reaches_the_node_it_is_for)
{
    const auto opened = open_request(to_payload(request), 0, "n2");
    ck_assert(opened.has_value());
    expect_text(opened->op, "report");
    expect_text(opened->nonce, "0123");
    ck_assert_uint_eq(opened->body["job"].get<unsigned>(), 12);
}
END_TEST

START_TEST(a_request_for_another_node_is_refused)
{
    ck_assert(!open_request(to_payload(request), 0, "n3"));
}
END_TEST

START_TEST(users_may_ask_for_status_and_for_nothing_else)
{
    Request asked = request;
    for (const char* op : {"report", "ask", "other"}) {
        asked.op = op;
        ck_assert(!open_request(to_payload(asked), 1000, "n2"));
    }
    asked.op = "status";
    const auto opened = open_request(to_payload(asked), 1000, "n2");
    ck_assert(opened.has_value() && opened->uid == 1000);
}
END_TEST

START_TEST(who_may_not_ask_is_refused_before_the_body_is_looked_at)
{
    const std::string bare = R"({"to":"n2","nonce":"","op":"report"})";
    ck_assert(open_request(bare, 1000, "n2").error().code == Code::not_yours);
    ck_assert(open_request(bare, 0, "n3").error().code == Code::peer);
    ck_assert(open_request(bare, 0, "n2").error().code == Code::json_member);
    const std::string deep = R"({"to":"n2","nonce":"","op":"status","body":)" + std::string(100000, '[');
    ck_assert(!open_request(deep + std::string(100000, ']') + "}", 1000, "n2"));
}
END_TEST

START_TEST(text_that_is_no_request_is_an_error)
{
    for (const char* text :
         {"", "[]", "{", "7", R"({"to":"n2"})", R"({"to":1,"nonce":"","op":"status","body":{}})"}) {
        ck_assert_msg(!open_request(text, 0, "n2"), "accepted: %s", text);
    }
}
END_TEST

START_TEST(an_answer_counts_only_from_root_and_for_its_own_question)
{
    const std::string answer = to_answer("0123", ok_with({{"job", 12}}));
    ck_assert(open_answer(answer, 0, "0123").has_value());
    ck_assert(!open_answer(answer, 1000, "0123"));
    ck_assert(!open_answer(answer, 0, "4567"));
}
END_TEST

START_TEST(an_error_crosses_the_channel_whole)
{
    const Error error{Code::no_such_job, "no job 12", "look elsewhere"};
    const auto opened = open_answer(to_answer("0123", error_to_json(error)), 0, "0123");
    ck_assert(!opened && opened.error().code == Code::no_such_job);
    expect_text(opened.error().text, "no job 12");
    expect_text(opened.error().cure, "look elsewhere");
}
END_TEST

START_TEST(no_two_requests_share_a_nonce)
{
    ck_assert_uint_eq(make_nonce().size(), 32);
    ck_assert(make_nonce() != make_nonce());
}
END_TEST

Suite* message_suite()
{
    return make_suite("message", a_request_reaches_the_node_it_is_for, a_request_for_another_node_is_refused,
                      users_may_ask_for_status_and_for_nothing_else,
                      who_may_not_ask_is_refused_before_the_body_is_looked_at,
                      text_that_is_no_request_is_an_error,
                      an_answer_counts_only_from_root_and_for_its_own_question,
                      an_error_crosses_the_channel_whole, no_two_requests_share_a_nonce);
}

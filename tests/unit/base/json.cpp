#include "base/json.hpp"

#include "tests/unit/base/suites.hpp"

using namespace mscale;

START_TEST(a_broken_text_is_an_error_that_names_it)
{
    const auto json = parse_json("{\"a\": }", "inventory/a.json");
    ck_assert(!json && json.error().code == Code::json_syntax);
    ck_assert(json.error().text.starts_with("inventory/a.json: "));
    ck_assert(!parse_json("", "x") && !parse_json("{} {}", "x"));
}
END_TEST

START_TEST(members_keep_their_order)
{
    expect_text(parse_json(R"({"z":1,"a":2})", "x")->dump(), R"({"z":1,"a":2})");
}
END_TEST

START_TEST(a_member_of_another_kind_is_an_error_that_names_it)
{
    const Json json = parse_json(R"({"a":"text"})", "x").value();
    ck_assert(read_member<std::string>(json, "a", "x").value() == "text");
    const auto wrong = read_member<int>(json, "a", "x"), missing = read_member<int>(json, "b", "x");
    ck_assert(!wrong && wrong.error().code == Code::json_member);
    ck_assert(!missing && missing.error().text.starts_with("x: member 'b': "));
    ck_assert(!read_member<int>(Json(5), "a", "x"));
}
END_TEST

START_TEST(a_number_that_does_not_fit_is_an_error_and_never_cut)
{
    const Json json = parse_json(R"({"big":4294967297,"less":-1,"half":1.5,"most":4294967295,"huge":1e30})", "x").value();
    ck_assert(read_member<std::uint32_t>(json, "most", "x").value() == 4294967295U);
    ck_assert(read_member<std::int64_t>(json, "big", "x").value() == 4294967297);
    ck_assert(read_member<int>(json, "less", "x").value() == -1);
    for (const char* key : {"big", "less", "half", "huge"}) {
        const auto number = read_member<std::uint32_t>(json, key, "x");
        ck_assert(!number && number.error().code == Code::json_member);
        ck_assert(number.error().text.ends_with(" is no whole number in range"));
    }
    ck_assert(!read_member<int>(json, "most", "x"));
}
END_TEST

START_TEST(an_error_holds_no_byte_that_json_could_not_carry)
{
    const auto json = parse_json("\"\xff", "the request");
    ck_assert(!json);
    for (const char byte : json.error().text) ck_assert(static_cast<unsigned char>(byte) < 0x80);
    expect_text(write_json({{"text", "a\xffz"}}), "{\"text\":\"a\xef\xbf\xbdz\"}");
}
END_TEST

START_TEST(a_text_that_is_too_deep_is_an_error_and_brackets_in_texts_are_none)
{
    const std::string deep(100000, '['), closed(100000, ']');
    for (const std::string& text : {deep, deep + closed, std::string("{\"a\":") + deep}) {
        const auto json = parse_json(text, "x");
        ck_assert(!json && json.error().code == Code::json_syntax);
    }
    const std::string quoted = "[\"" + deep + "\\\"" + deep + "\"]";
    ck_assert(parse_json(quoted, "x").has_value());
    const std::string wide =
        "[" + std::string(json_depth_limit - 1, '[') + std::string(json_depth_limit - 1, ']') + ",[]]";
    ck_assert(parse_json(wide, "x").has_value());
}
END_TEST

Suite* json_suite()
{
    return make_suite("json", a_broken_text_is_an_error_that_names_it, members_keep_their_order,
                      a_member_of_another_kind_is_an_error_that_names_it,
                      a_number_that_does_not_fit_is_an_error_and_never_cut,
                      an_error_holds_no_byte_that_json_could_not_carry,
                      a_text_that_is_too_deep_is_an_error_and_brackets_in_texts_are_none);
}

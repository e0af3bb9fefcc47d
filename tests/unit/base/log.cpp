#include "base/log.hpp"

#include <vector>

#include "tests/unit/base/suites.hpp"

using namespace mscale;

namespace {

std::vector<std::string> lines;

void keep(Level, const std::string& line)
{
    lines.push_back(line);
}

} // namespace

START_TEST(lines_below_the_level_are_dropped)
{
    set_sink(keep);
    log_line(Level::debug, "small");
    log_line(Level::info, "middle");
    set_level(Level::error);
    log_line(Level::info, "middle again");
    log_line(Level::error, "great");
    ck_assert(lines == (std::vector<std::string>{"middle", "great"}));
}
END_TEST

START_TEST(an_error_is_logged_with_its_context)
{
    set_sink(keep);
    log_error("job 7", failure(Code::ledger, "no space", "make space").value());
    expect_text(lines.back(), "job 7: MSC-S001: no space; make space");
}
END_TEST

Suite* log_suite()
{
    return make_suite("log", lines_below_the_level_are_dropped, an_error_is_logged_with_its_context);
}

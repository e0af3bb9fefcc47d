#include "daemon/mscaled/worker.hpp"

#include <future>
#include <stdexcept>

#include "base/log.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> lines;

void keep(Level, const std::string& line)
{
    lines.push_back(line);
}

[[noreturn]] void fail_once_more()
{
    throw std::runtime_error("broken");
}

} // namespace

START_TEST(a_call_that_throws_is_logged_once_and_the_loop_goes_on)
{
    set_sink(keep);
    const auto loop = std::move(*Loop::create());
    int repeated = 0;
    loop->post(fail_once_more);
    loop->post([&] { loop->after(0ms, fail_once_more); });
    loop->every(1ms, [&] {
        if (++repeated == 3) loop->stop();
        fail_once_more();
    });
    ck_assert(loop->run().has_value());
    ck_assert_int_eq(repeated, 3);
    ck_assert_uint_eq(lines.size(), 1);
}
END_TEST

START_TEST(work_that_throws_gives_a_failure)
{
    const auto loop = std::move(*Loop::create());
    Worker worker(*loop);
    Result<int> given = 0;
    worker.run<Result<int>>([]() -> Result<int> { throw std::runtime_error("no memory"); },
                            [&](Result<int> result) {
                                given = std::move(result);
                                loop->stop();
                            });
    ck_assert(loop->run().has_value());
    ck_assert(!given && given.error().code == Code::node_act);
    ck_assert(given.error().text.ends_with("no memory"));
}
END_TEST

START_TEST(a_full_queue_refuses_at_once_and_what_waits_in_it_still_runs)
{
    const auto loop = std::move(*Loop::create());
    Worker worker(*loop, 1);
    std::promise<void> begun, release;
    std::vector<int> done;
    std::vector<Code> refused;
    const auto take = [&](const Result<int>& result) {
        if (!result) {
            refused.push_back(result.error().code);
            return release.set_value();
        }
        done.push_back(*result);
        if (done.size() == 2) loop->stop();
    };
    worker.run<Result<int>>(
        [&]() -> Result<int> {
            begun.set_value();
            release.get_future().wait();
            return 1;
        },
        take);
    begun.get_future().wait();
    worker.run<Result<int>>([]() -> Result<int> { return 2; }, take);
    worker.run<Result<int>>([]() -> Result<int> { return 3; }, take);
    ck_assert(loop->run().has_value());
    ck_assert(done == (std::vector{1, 2}));
    ck_assert(refused == std::vector{Code::overloaded});
}
END_TEST

Suite* loop_suite()
{
    return make_suite("loop", a_call_that_throws_is_logged_once_and_the_loop_goes_on,
                      work_that_throws_gives_a_failure,
                      a_full_queue_refuses_at_once_and_what_waits_in_it_still_runs);
}

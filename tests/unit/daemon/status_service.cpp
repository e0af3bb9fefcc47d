#include "daemon/mscaled/status_service.hpp"

#include <cstdlib>
#include <filesystem>
#include <future>

#include "base/json.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

/// The service with a thread of questions that is busy for ever, as when slurmctld is slow.  Never destroyed: that
/// would wait for the thread, while the process of a test just ends.
struct BusyService {
    std::string directory = "/tmp/mscale-unit-XXXXXX";
    contract::Site site;
    std::unique_ptr<Loop> loop = std::move(*Loop::create());
    std::promise<void> release;
    Worker slurm{*loop}, questions{*loop};
    AddressBook addresses{slurm, 1};
    Cluster cluster{*loop, slurm, addresses, "n1"};
    std::unique_ptr<Peers> peers;
    std::unique_ptr<Jobs> jobs;
    std::unique_ptr<StateWriter> states;
    std::unique_ptr<StatusService> service;
    std::vector<std::string> answers;

    BusyService()
    {
        ck_assert_ptr_nonnull(mkdtemp(directory.data()));
        site.state = directory;
        peers = std::make_unique<Peers>(*loop, Peers::Workers{slurm, slurm}, Sealer(""),
                                        std::move(*listen_local(directory + "/socket")), nullptr, nullptr);
        jobs = std::make_unique<Jobs>(site);
        states = std::make_unique<StateWriter>(*loop, site, cluster, *peers, slurm, StateWriter::Recorder{},
                                               [](std::uint32_t) { return false; });
        service = std::make_unique<StatusService>(site, *jobs, *states, cluster, *peers, questions,
                                                  [](std::uint32_t) { return Json(); });
        std::promise<void> begun;
        questions.run<Result<int>>(
            [&]() -> Result<int> {
                begun.set_value();
                release.get_future().wait();
                return 0;
            },
            [](const Result<int>&) {});
        begun.get_future().wait();
        std::filesystem::remove_all(directory);
    }
    void ask(uid_t uid)
    {
        service->answer(999, uid, [this](const Json& json) { answers.push_back(json["error"]["code"]); });
    }
};

} // namespace

START_TEST(one_user_has_a_few_open_questions_and_one_more_is_busy)
{
    auto* busy = new BusyService;
    for (int i = 0; i < 4; ++i) busy->ask(1000);
    ck_assert(busy->answers.empty());
    busy->ask(1000);
    ck_assert(busy->answers == std::vector<std::string>{"MSC-N008"});
    busy->ask(1001);
    ck_assert_uint_eq(busy->answers.size(), 1);
}
END_TEST

START_TEST(many_users_together_leave_root_its_questions)
{
    auto* busy = new BusyService;
    for (uid_t uid = 1000; uid < 1032; ++uid) busy->ask(uid);
    ck_assert(busy->answers.empty());
    busy->ask(2000);
    ck_assert_uint_eq(busy->answers.size(), 1);
    busy->ask(0);
    ck_assert_uint_eq(busy->answers.size(), 1);
}
END_TEST

Suite* status_service_suite()
{
    return make_suite("status_service", one_user_has_a_few_open_questions_and_one_more_is_busy,
                      many_users_together_leave_root_its_questions);
}

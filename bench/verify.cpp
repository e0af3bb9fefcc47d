#include <algorithm>
#include <cstdio>
#include <vector>

#include <time.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"
#include "contract/verdict.hpp"
#include "hal/probe.hpp"

// Parse + verify of a contract with every subject in it, on a machine's tree or file: bench/verify
// ROOT-OR-FILE. Prints one JSON object; exit status 1 when the 99th percentile passes the limit of the issue.
namespace {

using namespace mscale;

constexpr int samples = 5000;
constexpr double limit_ms = 1.0;
constexpr const char* text =
    "contract.workers=8,gpu.model=h100,gpu.sm=32,gpu.memory=20GiB,role.image_loader.cores=4,role.image_"
    "loader.near=gpu,"
    "role.image_loader.hugepages=2MiB*64,role.image_loader.disk=nvme,role.image_loader.io_depth=64,"
    "role.patch_embed.cores=2,role.patch_embed.near=gpu,rdma.port=near "
    "gpu,rdma.pool=2MiB*128,rdma.retry_count=3,"
    "ft.every=128,on_breach.action=fail";

struct NoProfiles final : contract::Profiles {
    Result<std::string> read(std::string_view) const override
    {
        return failure(Code::unknown_profile, "none here");
    }
    std::vector<std::string> names() const override { return {}; }
};

/// Milliseconds of a clock: this thread's own work, or the time on the wall with what others did to it.
double read_clock(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Times {
    std::vector<double> work, wall;
};

/// Adds one parse and verdict; false when there was nothing to judge.
bool measure(const contract::Question& question, Times& times)
{
    const double wall = read_clock(CLOCK_MONOTONIC), work = read_clock(CLOCK_THREAD_CPUTIME_ID);
    const contract::Parsed parsed = contract::parse_contract(text, "bench", NoProfiles());
    const contract::Verdict verdict = contract::verify(parsed.contract, question);
    times.work.push_back(read_clock(CLOCK_THREAD_CPUTIME_ID) - work);
    times.wall.push_back(read_clock(CLOCK_MONOTONIC) - wall);
    return parsed.ok() && verdict.plan.workers.size() == 8;
}

double quantile(std::vector<double>& values, std::size_t percent)
{
    std::ranges::sort(values);
    return values[values.size() * percent / 100];
}

Result<hal::Machine> read_machine(const std::string& path)
{
    if (path.ends_with(".json") || path.ends_with(".xml")) return hal::read_machine_file(path);
    return hal::probe_machine({Root(path), ""});
}

#ifdef __OPTIMIZE__
constexpr bool optimized = true;
#else
constexpr bool optimized = false;
#endif

/// Work is judged, so that a busy machine doesn't fail the bench; the wall's time stands beside it.
int report(Times times)
{
    const double p99 = quantile(times.work, 99);
    const bool passed = p99 <= limit_ms;
    const Json result = {{"name", "parse and verify, 99th percentile of CPU time"},
                         {"value", p99},
                         {"unit", "ms"},
                         {"limit", limit_ms},
                         {"ratio", p99 / limit_ms},
                         {"passed", passed},
                         {"samples", times.work.size()},
                         {"median", quantile(times.work, 50)},
                         {"wall_p99", quantile(times.wall, 99)},
                         {"wall_median", quantile(times.wall, 50)},
                         {"optimized", optimized}};
    std::puts(result.dump().c_str());
    return passed ? 0 : 1;
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 2) {
        std::fputs("usage: bench/verify ROOT | FILE.json\n", stderr);
        return 2;
    }
    const auto machine = read_machine(arguments[1]);
    if (!machine) {
        std::fputs((to_line(machine.error()) + "\n").c_str(), stderr);
        return 3;
    }
    const contract::Site site;
    const contract::Question question{*machine, site, {}};
    Times times;
    for (int i = 0; i < samples; ++i) {
        if (measure(question, times)) continue;
        std::fputs("bench/verify: the contract isn't judged on this machine\n", stderr);
        return 3;
    }
    return report(std::move(times));
}

#include "daemon/charge/charge.hpp"

#include <filesystem>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "daemon/charge/job_cgroup.hpp"
#include "daemon/keeper/segment_store.hpp"
#include "tests/unit/keeper/snapshots.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t one_mib = 1 << 20;

/// A copied /sys/fs/cgroup.
struct CgroupTree {
    CgroupTree() { ck_assert_ptr_nonnull(mkdtemp(directory.data())); }
    ~CgroupTree() { fs::remove_all(directory); }
    /// A file below /sys/fs/cgroup, with its directories.
    void put(const std::string& path, const std::string& text) const
    {
        const std::string whole = directory + "/sys/fs/cgroup/" + path;
        ck_assert(make_directories(whole.substr(0, whole.rfind('/')), 0755) && replace_file(whole, text, 0644));
    }
    Root root() const { return Root(directory); }

    std::string directory = "/tmp/mscale-cgroup-XXXXXX";
};

/// The controllers of this machine, where this process may make cgroups.
struct MachineCgroup {
    explicit MachineCgroup(std::uint64_t limit)
    {
        const bool unified = fs::exists("/sys/fs/cgroup/cgroup.controllers");
        const std::string top = unified ? "/sys/fs/cgroup/system.slice/mscale-unit_slurmstepd.scope"
                                        : "/sys/fs/cgroup/memory/slurm_mscale-unit";
        cgroup = {unified ? top + "/job_4242" : top + "/uid_9/job_4242", unified};
        std::error_code fault;
        fs::create_directories(cgroup.directory, fault);
        made = !fault && (!unified || enable_memory(top));
        made = made && write_control(cgroup.directory + (unified ? "/memory.max" : "/memory.limit_in_bytes"),
                                     std::to_string(limit));
    }
    ~MachineCgroup()
    {
        rmdir((cgroup.directory + "/mscale").c_str());
        for (std::string at = cgroup.directory; at.find("mscale-unit") != std::string::npos; at.resize(at.rfind('/')))
            rmdir(at.c_str());
    }
    bool enable_memory(const std::string& scope) const
    {
        for (const std::string& at : {std::string("/sys/fs/cgroup"), std::string("/sys/fs/cgroup/system.slice"), scope,
                                      cgroup.directory})
            if (!write_control(at + "/cgroup.subtree_control", "+memory")) return false;
        return true;
    }

    JobCgroup cgroup;
    bool made = false;
};

constexpr recovery::Owner charged_owner{4242, 9, 0, 1, {0, 0}};

struct UnitCharge : Charge {
    UnitCharge() : Charge(fs::absolute("mscale-charge")) { set_node("mscale-unit"); }
};

} // namespace

START_TEST(the_cgroup_of_a_job_is_found_by_slurms_names_alone)
{
    const CgroupTree tree;
    const JobOfNode job{"n1", 7, 1001};
    ck_assert(!find_job_cgroup(job, tree.root()));
    tree.put("memory/slurm/uid_1001/job_7/memory.usage_in_bytes", "0\n");
    ck_assert(find_job_cgroup(job, tree.root()) == JobCgroup({"/sys/fs/cgroup/memory/slurm/uid_1001/job_7", false}));
    ck_assert(!find_job_cgroup({"n1", 7, 1002}, tree.root()) && !find_job_cgroup({"n1", 8, 1001}, tree.root()));
    tree.put("memory/slurm_n1/uid_1001/job_7/memory.usage_in_bytes", "0\n");
    ck_assert(find_job_cgroup(job, tree.root())->directory == "/sys/fs/cgroup/memory/slurm_n1/uid_1001/job_7");
    tree.put("system.slice/slurmstepd.scope/job_7/memory.current", "0\n");
    ck_assert(find_job_cgroup(job, tree.root()) ==
              JobCgroup({"/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7", true}));
}
END_TEST

START_TEST(a_cgroup_without_the_memory_controller_or_of_another_owner_is_none)
{
    const CgroupTree tree;
    const std::string scope = "system.slice/slurmstepd.scope/";
    tree.put(scope + "job_7/cgroup.procs", "");
    ck_assert(!find_job_cgroup({"n1", 7, 1001}, tree.root()));
    tree.put(scope + "job_7/memory.current", "0\n");
    ck_assert(find_job_cgroup({"n1", 7, 1001}, tree.root()));
    if (chown((tree.directory + "/sys/fs/cgroup/" + scope + "job_7").c_str(), 65534, 65534) == 0 && geteuid() == 0)
        ck_assert(!find_job_cgroup({"n1", 7, 1001}, tree.root()));
}
END_TEST

START_TEST(the_narrowest_limit_counts_and_what_can_be_dropped_is_not_used)
{
    const CgroupTree tree;
    const std::string scope = "system.slice/slurmstepd.scope/";
    const JobCgroup cgroup{"/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7", true};
    tree.put(scope + "job_7/memory.max", "max\n");
    ck_assert(!read_job_memory(cgroup, tree.root()));
    tree.put(scope + "job_7/memory.max", "1000\n");
    tree.put(scope + "job_7/memory.current", "700\n");
    tree.put(scope + "job_7/memory.stat", "anon 400\ninactive_file 100\nactive_file 50\nshmem 150\n");
    ck_assert_uint_eq(read_job_memory(cgroup, tree.root())->used_bytes, 550);
    ck_assert_uint_eq(read_job_memory(cgroup, tree.root())->room(), 450);
    tree.put(scope + "memory.max", "5000\n");
    tree.put(scope + "memory.current", "4900\n");
    ck_assert_uint_eq(read_job_memory(cgroup, tree.root())->room(), 100);
    tree.put(scope + "job_7/memory.high", "560\n");
    ck_assert_uint_eq(read_job_memory(cgroup, tree.root())->room(), 10);
}
END_TEST

START_TEST(the_greatest_number_of_v1_is_no_limit)
{
    const CgroupTree tree;
    const JobCgroup cgroup{"/sys/fs/cgroup/memory/slurm/uid_9/job_7", false};
    tree.put("memory/slurm/uid_9/job_7/memory.limit_in_bytes", "9223372036854771712\n");
    ck_assert(!read_job_memory(cgroup, tree.root()));
    tree.put("memory/slurm/uid_9/job_7/memory.limit_in_bytes", "1000\n");
    tree.put("memory/slurm/uid_9/job_7/memory.usage_in_bytes", "900\n");
    tree.put("memory/slurm/uid_9/job_7/memory.stat", "active_file 9\ntotal_inactive_file 200\ntotal_active_file 100\n");
    ck_assert_uint_eq(read_job_memory(cgroup, tree.root())->room(), 400);
}
END_TEST

START_TEST(a_job_without_a_cgroup_pays_nothing_and_has_its_memory)
{
    UnitCharge charge;
    const int memory = memfd_create("unit", MFD_CLOEXEC);
    ck_assert(charge.reserve({4243, 9, 0, 1, {0, 0}}, memory, one_mib).has_value() && !charge.charged_of(4243, 9));
    struct stat found = {};
    ck_assert(fstat(memory, &found) == 0 && found.st_size == one_mib && found.st_blocks > 0);
    close(memory);
}
END_TEST

// Where this machine lets root make cgroups; the cluster tests and the guest prove it with Slurm's.
START_TEST(the_kernel_charges_a_segment_to_the_job_until_it_is_freed)
{
    const MachineCgroup machine(64 * one_mib);
    if (!machine.made) return;
    UnitCharge charge;
    {
        SegmentStore store({}, [&](const recovery::Owner& owner, int descriptor, std::uint64_t bytes) {
            return charge.reserve(owner, descriptor, bytes);
        });
        const auto held = store.provide(charged_owner, 8 * one_mib, SegmentStore::Kind::own);
        ck_assert(held.has_value());
        const std::uint64_t bytes = (*held)->memory.view().layout().total_bytes;
        const std::uint64_t charged = charge.charged_of(4242, 9).value();
        ck_assert_msg(charged >= bytes && charged < bytes + one_mib, "%lu of %lu", charged, bytes);
        ck_assert_uint_eq(charge.limit_of(4242, 9)->limit_bytes, 64 * one_mib);
    }
    ck_assert_uint_lt(charge.charged_of(4242, 9).value(), one_mib);
    charge.leave(4242, std::nullopt);
    ck_assert(!fs::exists(machine.cgroup.directory));
}
END_TEST

START_TEST(what_the_jobs_limit_does_not_allow_is_refused_before_the_kernel_kills)
{
    const MachineCgroup machine(64 * one_mib);
    if (!machine.made) return;
    UnitCharge charge;
    const int memory = memfd_create("unit", MFD_CLOEXEC);
    const auto reserved = charge.reserve(charged_owner, memory, 80 * one_mib);
    close(memory);
    ck_assert(!reserved && reserved.error().code == Code::snapshot_room);
    const std::string& text = reserved.error().text;
    for (const char* part : {"80 MiB for snapshots", "memory of 64 MiB", "are used", "met after 32 MiB"})
        ck_assert_msg(text.find(part) != std::string::npos, "%s", text.c_str());
    ck_assert(reserved.error().cure == recovery::more_job_memory);
}
END_TEST

Suite* charge_suite()
{
    return make_suite("charge", the_cgroup_of_a_job_is_found_by_slurms_names_alone,
                      a_cgroup_without_the_memory_controller_or_of_another_owner_is_none,
                      the_narrowest_limit_counts_and_what_can_be_dropped_is_not_used, the_greatest_number_of_v1_is_no_limit,
                      a_job_without_a_cgroup_pays_nothing_and_has_its_memory,
                      the_kernel_charges_a_segment_to_the_job_until_it_is_freed,
                      what_the_jobs_limit_does_not_allow_is_refused_before_the_kernel_kills);
}

#include <chrono>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "submit/credential.hpp"
#include "submit/job_description.hpp"
#include "submit/slurm_abi.hpp"
#include "tests/unit/submit/suites.hpp"

using namespace mscale;
using namespace mscale::submit;

// slurmctld's allocator, for what is linked here.
extern "C" {
void* slurm_xcalloc(std::size_t count, std::size_t size, bool, bool, const char*, int, const char*)
{
    return std::calloc(count, size);
}
void slurm_xfree(void** pointer)
{
    std::free(*pointer);
    *pointer = nullptr;
}
char* slurm_xstrdup(const char* text)
{
    return strdup(text);
}
}

namespace {

/// A job's description as a client begins it: nothing is asked.
job_desc_msg_t make_description()
{
    job_desc_msg_t job;
    slurm_init_job_desc_msg(&job);
    return job;
}

/// Thousands of names for each of its few bytes.
std::string endless_list()
{
    std::string list;
    for (int i = 0; i < 9000; ++i) list += "a[0-65535],";
    return list + "z";
}

double seconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

START_TEST(a_spread_is_written_as_sbatch_writes_it)
{
    job_desc_msg_t job = make_description();
    job.environment = static_cast<char**>(std::calloc(2, sizeof(char*)));
    job.environment[0] = strdup("A=1");
    job.env_size = 1;
    Decision decision;
    decision.min_nodes = 2;
    decision.tasks_per_node = 3;
    write_decision(job, decision, "");
    ck_assert_uint_eq(job.min_nodes, 2);
    ck_assert_uint_eq(job.ntasks_per_node, 3);
    ck_assert_uint_eq(job.env_size, 2);
    ck_assert_str_eq(job.environment[1], "SLURM_NTASKS_PER_NODE=3");
    for (char** entry = job.environment; *entry; ++entry) std::free(*entry);
    std::free(job.environment);
}
END_TEST

START_TEST(only_what_a_contract_depends_on_touches_it)
{
    job_desc_msg_t job = make_description();
    ck_assert(!touches_contract(job));
    job.time_limit = 7;
    job.priority = 3;
    ck_assert(!touches_contract(job));
    char gres[] = "gres:";
    job.tres_per_node = gres;
    ck_assert(touches_contract(job));
    job = make_description();
    job.min_nodes = 1;
    ck_assert(touches_contract(job));
    job = make_description();
    job.requeue = 0;
    ck_assert(touches_contract(job));
}
END_TEST

START_TEST(a_list_of_very_many_nodes_is_refused_and_never_expanded)
{
    std::string list = endless_list();
    job_desc_msg_t job = make_description();
    job.exc_nodes = list.data();
    expect_part(find_node_list_fault(job), "--exclude=a[0-65535]");
    ck_assert(touches_contract(job));
    const auto change = read_change(job);
    ck_assert(!change && change.error().code == Code::node_list);
    job.req_nodes = std::exchange(job.exc_nodes, nullptr);
    expect_part(find_node_list_fault(job), "--nodelist=a[0-65535]");
    ck_assert(read_request(job).required_nodes.empty());
}
END_TEST

START_TEST(a_name_that_is_given_often_is_looked_at_once)
{
    char nodes[] = "n2,n[1-2],n1", partitions[] = "main,main, small,main";
    job_desc_msg_t job = make_description();
    job.exc_nodes = nodes;
    job.partition = partitions;
    ck_assert(read_request(job).excluded_nodes == std::vector<std::string>({"n1", "n2"}));
    ck_assert(read_request(job).partitions == std::vector<std::string>({"main", "small"}));
    ck_assert(read_change(job)->excluded_nodes == std::vector<std::string>({"n1", "n2"}));
}
END_TEST

START_TEST(a_munged_that_hangs_is_waited_for_once_and_named)
{
    char directory[] = "/tmp/mscale-munge-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(directory));
    const std::string path = std::string(directory) + "/socket";
    const Fd silent(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    ck_assert_int_eq(::bind(silent.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ck_assert_int_eq(::listen(silent.number(), 8), 0);
    Sealer sealer(std::chrono::milliseconds(200));
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) {
        const auto sealed = sealer.seal("text", path);
        ck_assert(!sealed && sealed.error().code == Code::credential);
        expect_text(sealed.error().text, "munged made no credential within 200 ms");
        expect_part(sealed.error().cure, "restart munged");
    }
    ck_assert_msg(seconds_since(begin) < 1, "%f s", seconds_since(begin));
    ::unlink(path.c_str());
    ::rmdir(directory);
}
END_TEST

int main()
{
    return run_suites(make_suite("slurm", a_spread_is_written_as_sbatch_writes_it,
                                 only_what_a_contract_depends_on_touches_it,
                                 a_list_of_very_many_nodes_is_refused_and_never_expanded,
                                 a_name_that_is_given_often_is_looked_at_once,
                                 a_munged_that_hangs_is_waited_for_once_and_named));
}

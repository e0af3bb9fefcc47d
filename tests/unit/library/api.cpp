// The C boundary, through libmscale.so itself.
#include "mscale/mscale.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/library/keeper_double.hpp"
#include "tests/unit/library/suites.hpp"

using mscale::library::KeeperDouble;

namespace {

void clear_environment()
{
    for (const char* name : {"MSCALE_KEEPER", "SLURM_JOB_ID", "RANK", "WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                             "SLURM_PROCID", "SLURM_NTASKS"})
        ::unsetenv(name);
}

void become_rank(const KeeperDouble& keeper)
{
    clear_environment();
    ::setenv("MSCALE_KEEPER", keeper.socket().c_str(), 1);
    ::setenv("SLURM_PROCID", "0", 1);
    ::setenv("SLURM_NTASKS", "1", 1);
}

/// A step's state in a tensor and a note.
void put_state(float value)
{
    const float weight[2] = {value, value};
    const std::uint64_t shape[1] = {2}, offset[1] = {0};
    const mscale_tensor tensor = {MSCALE_F32, 1, shape, offset, shape};
    ck_assert_int_eq(mscale_put("weight", weight, sizeof weight, MSCALE_TENSOR, &tensor), MSCALE_OK);
    ck_assert_int_eq(mscale_put("note", "hi", 2, MSCALE_OPAQUE, nullptr), MSCALE_OK);
}

START_TEST(outside_of_a_job_every_call_is_harmless)
{
    clear_environment();
    std::uint64_t step = 7;
    ck_assert_int_eq(mscale_init(nullptr), MSCALE_OUTSIDE);
    ck_assert_int_eq(mscale_rank(), 0);
    ck_assert_int_eq(mscale_ranks(), 1);
    ck_assert_int_eq(mscale_have_restart(&step), MSCALE_OUTSIDE);
    ck_assert_int_eq(mscale_start_save(1), MSCALE_OUTSIDE);
    ck_assert_int_eq(mscale_put("a", nullptr, 5, MSCALE_OPAQUE, nullptr), MSCALE_OUTSIDE);
    ck_assert_int_eq(mscale_need_save(1) + mscale_should_exit(), 0);
    ck_assert_int_eq(mscale_progress(1), MSCALE_OUTSIDE);
    ck_assert_int_eq(mscale_finalize(), MSCALE_OUTSIDE);
    expect_part(mscale_last_error(), "[ft]");
}
END_TEST

START_TEST(ranks_that_disagree_end_the_start_with_both_named)
{
    clear_environment();
    ::setenv("MSCALE_KEEPER", std::string(200, 'x').c_str(), 1);
    ::setenv("RANK", "0", 1);
    ::setenv("WORLD_SIZE", "2", 1);
    ::setenv("SLURM_PROCID", "1", 1);
    ::setenv("SLURM_NTASKS", "2", 1);
    ck_assert_int_eq(mscale_init(nullptr), MSCALE_INVALID);
    expect_part(mscale_last_error(), "MSC-R009: RANK=0, but SLURM_PROCID=1");
}
END_TEST

START_TEST(a_program_that_fails_by_itself_tells_its_exit_code)
{
    KeeperDouble keeper("--ops ended");
    become_rank(keeper);
    const pid_t program = ::fork();
    if (program == 0) std::exit(mscale_init(nullptr) == MSCALE_OK ? 3 : 4);
    for (auto told = keeper.expect("told"); told["told"]["op"] != "ended"; told = keeper.expect("told")) {}
    int status = 0;
    ck_assert(::waitpid(program, &status, 0) == program && WEXITSTATUS(status) == 3);
}
END_TEST

START_TEST(a_job_without_a_contract_is_outside)
{
    KeeperDouble keeper;
    become_rank(keeper);
    keeper.command("refuse MSC-N006");
    ck_assert_int_eq(mscale_init(nullptr), MSCALE_OUTSIDE);
}
END_TEST

START_TEST(a_round_of_save_kill_and_restore_by_the_c_calls)
{
    KeeperDouble keeper("--every 5");
    become_rank(keeper);
    if (const pid_t child = ::fork(); child == 0) {
        ck_assert_int_eq(mscale_start_save(5), MSCALE_INVALID);
        ck_assert_int_eq(mscale_init(nullptr), MSCALE_OK);
        ck_assert_int_eq(mscale_init(nullptr), MSCALE_INVALID);
        ck_assert_int_eq(mscale_need_save(5), 1);
        ck_assert_int_eq(mscale_start_save(5), MSCALE_OK);
        put_state(1.5F);
        ck_assert_int_eq(mscale_put("bad", "x", 1, MSCALE_TENSOR, nullptr), MSCALE_INVALID);
        ck_assert_int_eq(mscale_complete_save(1), MSCALE_OK);
        ::raise(SIGKILL);
    } else {
        int status = 0;
        ::waitpid(child, &status, 0);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    ck_assert(keeper.expect("committed")["step"] == 5);
    std::uint64_t step = 0;
    float weight[2] = {0, 0};
    const char* name = nullptr;
    std::size_t bytes = 0;
    mscale_kind kind = MSCALE_OPAQUE;
    ck_assert_int_eq(mscale_init(nullptr), MSCALE_OK);
    ck_assert_int_eq(mscale_have_restart(&step), MSCALE_OK);
    ck_assert_uint_eq(step, 5);
    ck_assert_int_eq(mscale_start_restart(), MSCALE_OK);
    ck_assert_uint_eq(mscale_count(), 2);
    ck_assert_int_eq(mscale_describe(0, &name, &bytes, &kind), MSCALE_OK);
    ck_assert(std::strcmp(name, "weight") == 0 && bytes == sizeof weight && kind == MSCALE_TENSOR);
    ck_assert_int_eq(mscale_describe(2, &name, &bytes, &kind), MSCALE_INVALID);
    ck_assert_int_eq(mscale_get("weight", weight, sizeof weight), MSCALE_OK);
    ck_assert(weight[0] == 1.5F && weight[1] == 1.5F);
    ck_assert_int_eq(mscale_complete_restart(1), MSCALE_OK);
    ck_assert_int_eq(mscale_have_restart(&step), MSCALE_NO_RESTART);
    ck_assert_int_eq(mscale_committed(&step), MSCALE_OK);
    ck_assert_uint_eq(step, 5);
    ck_assert_int_eq(mscale_finalize(), MSCALE_OK);
    ck_assert_int_eq(mscale_start_save(6), MSCALE_INVALID);
}
END_TEST

START_TEST(a_snapshot_that_can_not_be_used_and_has_no_older_one_refuses_the_start)
{
    KeeperDouble keeper;
    become_rank(keeper);
    if (const pid_t child = ::fork(); child == 0) {
        ck_assert_int_eq(mscale_init(nullptr), MSCALE_OK);
        ck_assert_int_eq(mscale_start_save(1), MSCALE_OK);
        put_state(1);
        ck_assert_int_eq(mscale_complete_save(1), MSCALE_OK);
        ::_exit(0);
    }
    keeper.expect("committed");
    std::uint64_t step = 0;
    ck_assert_int_eq(mscale_init(nullptr), MSCALE_OK);
    ck_assert_int_eq(mscale_have_restart(&step), MSCALE_OK);
    ck_assert_int_eq(mscale_complete_restart(0), MSCALE_REFUSED);
    ck_assert_int_eq(mscale_have_restart(&step), MSCALE_REFUSED);
    expect_part(mscale_last_error(), "MSC-R005");
    ck_assert_int_eq(mscale_finalize(), MSCALE_OK);
}
END_TEST

/// How many memories without a name this process has open.
unsigned count_memories()
{
    unsigned memories = 0;
    std::error_code fault;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        memories += std::filesystem::read_symlink(entry.path(), fault).string().starts_with("/memfd:") ? 1 : 0;
    return memories;
}

START_TEST(a_child_of_fork_does_not_keep_the_memory)
{
    const unsigned before = count_memories();
    KeeperDouble keeper;
    become_rank(keeper);
    ck_assert_int_eq(mscale_init(nullptr), MSCALE_OK);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(count_memories() == before ? 0 : 1);
    int status = 0;
    ck_assert(::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_eq(mscale_finalize(), MSCALE_OK);
}
END_TEST

START_TEST(a_child_of_fork_is_outside_and_does_not_keep_the_connection)
{
    KeeperDouble keeper;
    become_rank(keeper);
    ck_assert_int_eq(mscale_init(nullptr), MSCALE_OK);
    int wait[2];
    ck_assert(::pipe(wait) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        char byte;
        const bool outside = mscale_start_save(1) == MSCALE_OUTSIDE && mscale_finalize() == MSCALE_OUTSIDE;
        ::close(wait[1]);
        (void)!::read(wait[0], &byte, 1);
        ::_exit(outside ? 0 : 1);
    }
    ck_assert_int_eq(mscale_start_save(1), MSCALE_OK);
    put_state(2);
    ck_assert_int_eq(mscale_complete_save(1), MSCALE_OK);
    keeper.expect("committed");
    ck_assert_int_eq(mscale_finalize(), MSCALE_OK);
    ck_assert(keeper.expect("gone")["gone"] == 0); // though the child lives
    int status = 0;
    ::close(wait[0]);
    ::close(wait[1]);
    ck_assert(::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

START_TEST(the_calls_are_those_of_the_shared_library)
{
    ck_assert(::dlsym(RTLD_DEFAULT, "mscale_init") != nullptr);
    Dl_info info;
    ck_assert(::dladdr(reinterpret_cast<void*>(&mscale_init), &info) != 0);
    expect_part(info.dli_fname, "libmscale.so.0");
}
END_TEST

START_TEST(each_call_has_the_version_in_which_it_came)
{
    for (const char* name : {"mscale_init", "mscale_put", "mscale_get_part", "mscale_should_exit", "mscale_last_error"})
        ck_assert_msg(::dlvsym(RTLD_DEFAULT, name, "MSCALE_0") != nullptr, "%s isn't in MSCALE_0", name);
    for (const char* name : {"mscale_role_enter", "mscale_role_leave", "mscale_io_open", "mscale_io_start", "mscale_io_next", "mscale_io_size",
                             "mscale_io_describe", "mscale_io_close"})
        ck_assert_msg(::dlvsym(RTLD_DEFAULT, name, "MSCALE_1") != nullptr, "%s isn't in MSCALE_1", name);
}
END_TEST

} // namespace

Suite* api_suite()
{
    return make_suite("api", outside_of_a_job_every_call_is_harmless,
                      ranks_that_disagree_end_the_start_with_both_named, a_program_that_fails_by_itself_tells_its_exit_code,
                      a_job_without_a_contract_is_outside,
                      a_round_of_save_kill_and_restore_by_the_c_calls,
                      a_snapshot_that_can_not_be_used_and_has_no_older_one_refuses_the_start,
                      a_child_of_fork_does_not_keep_the_memory, a_child_of_fork_is_outside_and_does_not_keep_the_connection,
                      the_calls_are_those_of_the_shared_library, each_call_has_the_version_in_which_it_came);
}

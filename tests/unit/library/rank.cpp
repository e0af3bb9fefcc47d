#include "library/rank.hpp"

#include <map>

#include "tests/unit/library/suites.hpp"

using namespace mscale;
using namespace mscale::library;

namespace {

using Variables = std::map<std::string, std::string>;

Result<Rank> find(const Variables& variables, std::optional<std::uint32_t> rank = {},
                  std::optional<std::uint32_t> ranks = {})
{
    return find_rank(rank, ranks, [&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
}

void expect_rank(const Variables& variables, std::uint32_t rank, std::uint32_t ranks)
{
    const auto found = find(variables);
    ck_assert_msg(found.has_value(), "%s", found ? "" : found.error().text.c_str());
    ck_assert_uint_eq(found->rank, rank);
    ck_assert_uint_eq(found->ranks, ranks);
}

void expect_disagreement(const Result<Rank>& found, const std::string& one, const std::string& other)
{
    ck_assert(!found && found.error().code == Code::rank_unclear);
    expect_part(found.error().text, one);
    expect_part(found.error().text, other);
}

START_TEST(ranks_are_begun_anew_by_one_program_only)
{
    const auto check = [](const Variables& variables) {
        return check_restarts([&](const char* name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        });
    };
    ck_assert(check({{"TORCHELASTIC_MAX_RESTARTS", "3"}}) && check({{"MSCALE_RUN", "1"}}));
    ck_assert(check({{"MSCALE_RUN", "1"}, {"TORCHELASTIC_MAX_RESTARTS", "0"}}));
    const auto both = check({{"MSCALE_RUN", "1"}, {"TORCHELASTIC_MAX_RESTARTS", "3"}});
    ck_assert(!both && both.error().code == Code::rank_unclear);
    expect_part(both.error().text, "up to 3 times");
}
END_TEST

START_TEST(each_source_alone_is_enough)
{
    expect_rank({{"RANK", "3"}, {"WORLD_SIZE", "8"}}, 3, 8);
    expect_rank({{"PMIX_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, 2, 4);
    expect_rank({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}, 1, 2);
    expect_rank({{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"}}, 5, 6);
    ck_assert(find({}, 1, 2).value() == (Rank{1, 2}));
}
END_TEST

START_TEST(a_rank_without_a_size_takes_the_size_of_the_next_source)
{
    expect_rank({{"PMIX_RANK", "2"}, {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}}, 2, 4);
    ck_assert(find({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}}, 1).value() == (Rank{1, 4}));
}
END_TEST

START_TEST(the_tasks_of_the_step_count_and_not_those_of_the_job)
{
    expect_rank({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "8"}, {"SLURM_STEP_NUM_TASKS", "2"}}, 1, 2);
}
END_TEST

START_TEST(two_sources_that_disagree_are_an_error_that_names_both)
{
    const Variables slurm = {{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}};
    Variables both = slurm;
    both.insert({{"RANK", "0"}, {"WORLD_SIZE", "4"}});
    expect_disagreement(find(both), "RANK=0", "SLURM_PROCID=1");
    both["WORLD_SIZE"] = "3";
    both["RANK"] = "1";
    expect_disagreement(find(both), "WORLD_SIZE=3", "SLURM_NTASKS=4");
    expect_disagreement(find(slurm, 2), "rank of mscale_init=2", "SLURM_PROCID=1");
}
END_TEST

START_TEST(a_launcher_with_several_ranks_in_each_task_is_no_disagreement)
{
    expect_rank({{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}, 3, 4);
    expect_rank({{"RANK", "1"},
                 {"WORLD_SIZE", "2"},
                 {"TORCHELASTIC_RUN_ID", "x"},
                 {"SLURM_PROCID", "0"},
                 {"SLURM_NTASKS", "2"}},
                1, 2);
}
END_TEST

START_TEST(what_is_no_number_or_out_of_range_or_missing_is_an_error)
{
    expect_disagreement(find({{"RANK", "-1"}, {"WORLD_SIZE", "4"}}), "RANK='-1'", "no number");
    expect_disagreement(find({{"SLURM_PROCID", "4"}, {"SLURM_NTASKS", "4"}}), "SLURM_PROCID=4",
                        "SLURM_NTASKS=4");
    expect_disagreement(find({}), "nothing says", "which rank");
    expect_disagreement(find({{"PMIX_RANK", "1"}}), "PMIX_RANK=1", "how many");
}
END_TEST

START_TEST(rank_alone_is_a_name_that_others_use_and_says_nothing)
{
    expect_rank({{"RANK", "colonel"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}, 0, 1);
}
END_TEST

} // namespace

Suite* rank_suite()
{
    return make_suite("rank", ranks_are_begun_anew_by_one_program_only, each_source_alone_is_enough,
                      a_rank_without_a_size_takes_the_size_of_the_next_source,
                      the_tasks_of_the_step_count_and_not_those_of_the_job,
                      two_sources_that_disagree_are_an_error_that_names_both,
                      a_launcher_with_several_ranks_in_each_task_is_no_disagreement,
                      what_is_no_number_or_out_of_range_or_missing_is_an_error,
                      rank_alone_is_a_name_that_others_use_and_says_nothing);
}

#include "daemon/mscaled/post.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

void close_accounting(void* connection)
{
    slurmdb_connection_close(&connection);
}
using Accounting = Handle<void*, close_accounting>;
using SlurmList = Handle<List, slurm_list_destroy>;
using Configuration = Handle<slurm_conf_t*, slurm_free_ctl_conf>;

slurm_selected_step_t select_job(std::uint32_t job_id)
{
    slurm_selected_step_t selected{};
    selected.step_id.job_id = job_id;
    selected.step_id.step_id = NO_VAL;
    selected.step_id.step_het_comp = NO_VAL;
    selected.array_task_id = NO_VAL;
    selected.het_job_offset = NO_VAL;
    return selected;
}

tl::unexpected<Error> accounting_failure(const char* what)
{
    return failure(Code::node_act, format("{}: {}", what, slurm_strerror(slurm_get_errno())));
}

Result<void> modify(void* connection, std::uint32_t job_id, std::string text, char* cluster)
{
    slurm_selected_step_t selected = select_job(job_id);
    const SlurmList steps(slurm_list_create(nullptr));
    const SlurmList clusters(slurm_list_create(nullptr));
    slurm_list_append(steps.pointer(), &selected);
    slurm_list_append(clusters.pointer(), cluster);
    slurmdb_job_cond_t condition{};
    condition.flags = JOBCOND_FLAG_NO_DEFAULT_USAGE;
    condition.db_flags = SLURMDB_JOB_FLAG_NOTSET; // without both flags slurmdbd finds no job
    condition.step_list = steps.pointer();
    condition.cluster_list = clusters.pointer();
    slurmdb_job_rec_t change{};
    change.admin_comment = text.data();
    change.derived_ec = NO_VAL;
    const SlurmList changed(slurmdb_job_modify(connection, &condition, &change));
    if (!changed) return accounting_failure("changing the job's AdminComment in the accounting");
    return {};
}

} // namespace

Result<void> record_in_accounting(std::uint32_t job_id, const std::string& text)
{
    Configuration configuration;
    if (slurm_load_ctl_conf(0, configuration.out()) != SLURM_SUCCESS)
        return accounting_failure("asking slurmctld");
    std::uint16_t flags = 0;
    const Accounting connection(slurmdb_connection_get(&flags));
    if (!connection) return accounting_failure("connecting to slurmdbd");
    auto changed = modify(connection.pointer(), job_id, text, configuration.pointer()->cluster_name);
    if (slurmdb_connection_commit(connection.pointer(), changed.has_value()) != SLURM_SUCCESS && changed) {
        return accounting_failure("committing to slurmdbd");
    }
    return changed;
}

} // namespace mscale::daemon

// Submits COUNT held jobs of eight nodes with a contract and prints how long each RPC took, in microseconds.
//     submit_rpc PARTITION CONTRACT COUNT
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <unistd.h>

namespace {

long submit(char* partition, char* contract)
{
    char script[] = "#!/bin/sh\n", name[] = "bench", directory[] = "/tmp", output[] = "/dev/null",
         path[] = "PATH=/usr/bin:/bin";
    char* environment[] = {path, nullptr};
    char* variables[] = {contract, nullptr};
    job_desc_msg_t job;
    slurm_init_job_desc_msg(&job);
    job.name = name;
    job.user_id = ::getuid();
    job.group_id = ::getgid();
    job.work_dir = directory;
    job.std_out = output;
    job.script = script;
    job.environment = environment;
    job.env_size = 1;
    job.min_nodes = 8;
    job.priority = 0;
    job.partition = partition;
    job.spank_job_env = variables;
    job.spank_job_env_size = 1;
    submit_response_msg_t* response = nullptr;
    const auto begin = std::chrono::steady_clock::now();
    const int status = slurm_submit_batch_job(&job, &response);
    const auto end = std::chrono::steady_clock::now();
    slurm_free_submit_response_response_msg(response);
    if (status != SLURM_SUCCESS) return -1;
    return static_cast<long>(std::chrono::duration_cast<std::chrono::microseconds>(end - begin).count());
}

} // namespace

int main(int count, char** words)
{
    if (count != 4) return 2;
    slurm_init(nullptr);
    std::string contract = std::string("MSCALE_CONTRACT=") + words[2];
    for (long i = std::atol(words[3]); i > 0; --i) {
        const long time = submit(words[1], contract.data());
        if (time < 0) return 1;
        std::printf("%ld\n", time);
    }
    return 0;
}

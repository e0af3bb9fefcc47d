// A user's own client of libslurm, without any plugin: submits a job of one node with the job-control variables that it is
// given, real or forged, and with variables of the job's own environment.  Prints the job's number, or Slurm's error with
// status 1.
//     api_client [env:NAME=VALUE | NAME=VALUE]... [-- LINE OF THE SCRIPT]
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <unistd.h>

int main(int count, char** words)
{
    slurm_init(nullptr);
    std::string script = "#!/bin/bash\necho the script ran\n";
    char path[] = "PATH=/usr/bin:/bin";
    std::vector<char*> variables, environment = {path};
    int word = 1;
    for (; word < count && std::strcmp(words[word], "--") != 0; ++word) {
        const bool is_own = std::strncmp(words[word], "env:", 4) == 0;
        (is_own ? environment : variables).push_back(words[word] + (is_own ? 4 : 0));
    }
    if (word + 1 < count) script += words[word + 1] + std::string("\n");

    char name[] = "api_client", output[] = "%j.txt";
    char directory[4096];
    if (!::getcwd(directory, sizeof directory)) return 2;

    job_desc_msg_t job;
    slurm_init_job_desc_msg(&job);
    job.name = name;
    job.user_id = ::getuid();
    job.group_id = ::getgid();
    job.work_dir = directory;
    job.std_out = output;
    job.script = script.data();
    job.environment = environment.data();
    job.env_size = static_cast<std::uint32_t>(environment.size());
    job.min_nodes = 1;
    job.spank_job_env = variables.data();
    job.spank_job_env_size = static_cast<std::uint32_t>(variables.size());

    submit_response_msg_t* response = nullptr;
    if (slurm_submit_batch_job(&job, &response) != SLURM_SUCCESS) {
        std::fprintf(stderr, "%s\n", slurm_strerror(slurm_get_errno()));
        return 1;
    }
    std::printf("%u\n", response->job_id);
    return 0;
}

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>

#include <syslog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <slurm/slurm.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/daemon.hpp"

namespace {

using namespace mscale;

struct Arguments {
    daemon::Options options;
    bool foreground = false;
    std::uint32_t released_job = 0; // not 0: be the child that writes a job's end to the accounting
};

void write_syslog(Level level, const std::string& line)
{
    syslog(level == Level::error ? LOG_ERR : level == Level::info ? LOG_INFO : LOG_DEBUG, "%s", line.c_str());
}

void write_stderr(Level, const std::string& line)
{
    std::fprintf(stderr, "mscaled: %s\n", line.c_str());
}

void add_options(CLI::App& app, Arguments& arguments)
{
    app.add_option("--config", arguments.options.config, "mscale.conf to read")->capture_default_str();
    app.add_flag("--foreground", arguments.foreground,
                 "stay in the foreground and log to stderr instead of syslog");
    app.add_option("--node", arguments.options.node, "this node's name in Slurm, where it isn't the host's");
    app.add_option("--record-released", arguments.released_job, "")->group("");
    app.footer("Examples:\n  mscaled --config /etc/mscale/mscale.conf\n  mscaled --config "
               "/etc/mscale/mscale.conf --foreground");
}

std::string read_own_path()
{
    char path[4096] = {};
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

Result<void> record_released(std::uint32_t job_id)
{
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    return daemon::record_in_accounting(job_id, text);
}

Result<void> serve(const Arguments& arguments)
{
    auto site = contract::read_site(arguments.options.config);
    if (!site) return tl::unexpected(site.error());
    if (!arguments.foreground && ::daemon(0, 0) != 0)
        return os_failure(Code::node_act, "going to the background", errno);
    if (!arguments.foreground) set_sink(write_syslog);
    slurm_init(nullptr);
    auto made = daemon::Daemon::create(std::move(*site), arguments.options);
    if (!made) return tl::unexpected(made.error());
    const auto ended = (*made)->run();
    // A thread may wait for slurmctld for a minute, and nothing is left to save: all that is known stands in
    // the ledgers.
    if (ended) std::_Exit(0);
    return ended;
}

Result<void> run(const Arguments& arguments)
{
    if (geteuid() != 0)
        return failure(Code::not_yours, "mscaled must be run by root", "start it by systemctl start mscaled");
    if (arguments.released_job == 0) return serve(arguments);
    slurm_init(nullptr);
    return record_released(arguments.released_job);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN); // libmunge writes to munged's socket without MSG_NOSIGNAL
    openlog("mscaled", LOG_PID, LOG_DAEMON);
    set_sink(write_stderr);
    Arguments arguments;
    CLI::App app("mscaled keeps the contracts of this node's jobs: it posts their state, watches what they "
                 "were promised and\n"
                 "gives back what they left.");
    add_options(app, arguments);
    try {
        app.parse(argc, argv);
        arguments.options.program = read_own_path();
        const auto ended = run(arguments);
        if (ended) return 0;
        log_error("mscaled ends", ended.error());
        return exit_status(entry_of(ended.error().code).kind);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : exit_status(Kind::invalid);
    } catch (const std::exception& e) {
        log_line(Level::error, std::string("mscaled ends: ") + e.what());
        return exit_status(Kind::system);
    }
}

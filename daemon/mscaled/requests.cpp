#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/daemon.hpp"

// What the daemon does for those who ask: local commands, and the daemons of other nodes.
namespace mscale::daemon {

namespace {

Json refuse(Code code, std::string text)
{
    return error_to_json(failure(code, std::move(text)).value());
}

Json unknown_op(const std::string& op)
{
    return refuse(Code::usage, format("there is no request '{}'", printable(op, 40)));
}

RunService::Wish read_wish(const Json& request)
{
    return {read_member<std::uint32_t>(request, "end", "the request").value_or(0),
            read_member<bool>(request, "end_ranks", "the request").value_or(false)};
}

} // namespace

void Daemon::handle_local(const Asker& asker, const Json& request, const LocalSocket::Answer& answer)
{
    const std::string op = read_member<std::string>(request, "op", "the request").value_or("");
    const auto job_id = read_member<std::uint32_t>(request, "job", "the request");
    if (op == "status" && job_id) return status_.answer(*job_id, asker.uid, answer);
    if (op == "status") return answer(status_.list(asker.uid));
    if (op == "run" && job_id && !jobs_.find(*job_id)) return run_relay_.ask(asker, *job_id, request, answer);
    if (op == "run" && job_id) return answer(run_.answer(asker, *job_id, read_wish(request)));
    if (op == "snapshot") return keeper_.answer_snapshots(asker, request, answer);
    if (op == "domains") return answer(list_domains());
    if (op == "register") return answer(register_role(asker, request));
    answer(unknown_op(op));
}

/// How many nodes each failure domain has that isn't a node alone.
Json Daemon::list_domains() const
{
    Json domains = Json::object();
    const std::vector<std::string> nodes = cluster_.nodes();
    for (const std::string& node : nodes)
        if (const std::string domain = cluster_.domain_of(node); !domain.empty())
            domains[domain] = domains.value(domain, 0U) + 1;
    return ok_with({{"nodes", nodes.size()}, {"domains", domains}});
}

Json Daemon::register_role(const Asker& asker, const Json& request)
{
    const auto role = read_member<std::string>(request, "role", "the request");
    const auto pid = read_member<pid_t>(request, "pid", "the request");
    if (!role) return error_to_json(role.error());
    if (!pid) return error_to_json(pid.error());
    const auto job = find_own_job(
        asker, *pid, {[this] { return jobs_.places(); }, [this](uid_t uid) { refresh_user(uid); }});
    if (!job) return error_to_json(job.error());
    apply(jobs_.refresh(*job));
    const auto made = make_role_record(asker, *pid, *role, jobs_.places());
    if (!made) return error_to_json(made.error());
    const auto& [job_id, record] = *made;
    const std::string path = format("{}/{}.tasks", jobs_.directory(), job_id);
    if (auto written = append_line(path, contract::to_line(record), 0600); !written)
        return error_to_json(written.error());
    apply(jobs_.refresh(job_id));
    return ok_with({{"job", job_id}, {"cpus", to_string(record.cpus)}});
}

void Daemon::handle_peer(const Request& request, const Peers::Answer& answer)
{
    if (Keeper::knows(request.op)) return keeper_.answer(request.op, request.body, answer);
    if (Failure::knows(request.op)) return failure_.answer(request.op, request.body, answer);
    if (request.op == "report") return answer(take_report(request.body));
    if (request.op == "ask") return answer(give_report(request.body));
    if (request.op != "status" && request.op != "run") return answer(unknown_op(request.op));
    const auto job_id = read_member<std::uint32_t>(request.body, "job", "the request");
    if (!job_id) return answer(error_to_json(job_id.error()));
    const uid_t asker =
        request.uid == 0 ? read_member<uid_t>(request.body, "uid", "the request").value_or(0) : request.uid;
    if (request.op == "run") return answer(run_.answer({asker, 0}, *job_id, read_wish(request.body)));
    answer(status_.answer_part(*job_id, asker));
}

Json Daemon::take_report(const Json& body)
{
    auto report = report_from_json(body, "a report");
    if (!report) return error_to_json(report.error());
    states_.report(std::move(*report));
    return ok_with();
}

Json Daemon::give_report(const Json& body)
{
    const auto job_id = read_member<std::uint32_t>(body, "job", "the request");
    if (!job_id) return error_to_json(job_id.error());
    const LocalJob* job = jobs_.find(*job_id);
    if (!job) {
        again_.on_missing(*job_id);
        return refuse(Code::no_such_job, format("job {} holds no ledger on {}", *job_id, cluster_.self()));
    }
    return ok_with({{"report", to_json(make_report_of(*job))}});
}

} // namespace mscale::daemon

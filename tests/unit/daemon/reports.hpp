#pragma once

#include "daemon/mscaled/contract_state.hpp"
#include "tests/unit/daemon/suites.hpp"

/// What three nodes report of job 12, and what is judged of it.
namespace mscale::daemon {

constexpr std::chrono::milliseconds deadline{30000};
inline const ContractState::Instant start{};

inline Report report_of(const std::string& node, contract::Stage stage = contract::Stage::applied)
{
    Report report;
    report.job_id = 12;
    report.uid = 1000;
    report.started = 100;
    report.node = node;
    report.nodes = {"n1", "n2", "n3"};
    report.stage = stage;
    return report;
}

inline ContractState whole_job()
{
    ContractState state(12, start);
    for (const char* node : {"n1", "n2", "n3"}) state.add(report_of(node), start);
    return state;
}

inline std::string judged(const ContractState& state, ContractState::Instant now = start)
{
    return contract::to_string(state.judge(now, deadline).comment);
}

} // namespace mscale::daemon

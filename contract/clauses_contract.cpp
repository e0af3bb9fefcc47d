#include "contract/clause_row.hpp"

namespace mscale::contract {
namespace {

constexpr std::string_view scopes[] = {"worker", "node"};
constexpr std::string_view levels[] = {"off", "summary", "full"};
constexpr std::string_view actions[] = {"fail", "requeue", "warn"};
using YesNo = Kind<read_yes_no, write_yes_no>;

struct Scope {
    static Result<bool> read(std::string_view text)
    {
        const auto word = read_word(text, scopes);
        if (!word) return tl::unexpected(word.error());
        return *word == "node";
    }
    static std::string write(bool per_node) { return per_node ? "node" : "worker"; }
};

struct Action {
    static Result<OnBreach> read(std::string_view text)
    {
        const auto word = read_word(text, actions);
        if (!word) return tl::unexpected(word.error());
        return *word == "fail" ? OnBreach::fail : *word == "requeue" ? OnBreach::requeue : OnBreach::warn;
    }
    static std::string write(OnBreach action)
    {
        return std::string(actions[static_cast<std::size_t>(action)]);
    }
};

Result<void> set_workers(Contract& contract, Role*, std::string_view text)
{
    contract.workers.reset();
    if (text == "tasks") return {};
    const auto count = read_count(text, 1, CpuSet::limit);
    if (!count) return tl::unexpected(count.error());
    contract.workers = static_cast<unsigned>(*count);
    return {};
}

std::string write_workers(const Contract& contract, const Role*)
{
    return contract.workers ? std::to_string(*contract.workers) : "";
}

/// The parser puts the profile's clauses in; the canonical form holds them, not the name.
std::string write_nothing(const Contract&, const Role*)
{
    return "";
}

constexpr Clause contract_rows[] = {
    {"contract", "profile", "NAME", "mlvm-light",
     "The contract starts from the clauses of this profile of the site; clauses beside it override them. "
     "Inline, the name "
     "alone stands first.",
     Held::stated, &set_field<PlainName, &Contract::profile>, &write_nothing},
    {"contract", "workers", "tasks | N", "8",
     "Workers on each node: one for each task of Slurm (tasks, the default), or N that one task per node "
     "starts, as "
     "torchrun, accelerate and deepspeed do.",
     Held::stated, &set_workers, &write_workers},
    make_clause<Scope, &Contract::per_node>(
        Held::stated,
        {"contract", "per", "worker | node", "node",
         "Whether absolute CPU sets of roles hold for each worker (the default) or once for the node, whose "
         "workers then share them."}),
    make_clause<YesNo, &Contract::strict>(Held::stated,
                                          {"contract", "strict", "yes | no", "yes",
                                           "With yes (the default) a place that the machine doesn't tell "
                                           "satisfies no relation and the contract "
                                           "is refused; with no it is a warning."}),
};

constexpr Clause last_rows[] = {
    make_clause<Word<levels>, &Contract::trace_level>(
        Held::refused, {"trace", "level", "off | summary | full", "summary",
                        "How much of the job's time is recorded: GPU launches, copies, waits for input."}),
    make_clause<Action, &Contract::on_breach>(Held::stated,
                                              {"on_breach", "action", "fail | requeue | warn", "fail",
                                               "What follows when the machine stops being as promised: the "
                                               "job fails (the default), is requeued, or "
                                               "goes on with the state breached."}),
};

} // namespace

std::span<const Clause> contract_clauses()
{
    return contract_rows;
}

std::span<const Clause> breach_clauses()
{
    return last_rows;
}

} // namespace mscale::contract

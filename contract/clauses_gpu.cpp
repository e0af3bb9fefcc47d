#include "base/text.hpp"
#include "contract/clause_row.hpp"

namespace mscale::contract {
namespace {

constexpr std::string_view sm_modes[] = {"exclusive", "soft"};
constexpr std::string_view memory_modes[] = {"hard", "process"};
constexpr std::string_view fault_domains[] = {"shared", "private"};

struct Share {
    static Result<std::string> read(std::string_view text)
    {
        if (text == "whole") return std::string(text);
        if (text.starts_with("1/"))
            if (const auto parts = read_count(text.substr(2), 2, 128)) return format("1/{}", *parts);
        if (text.ends_with('%'))
            if (const auto percent = read_count(text.substr(0, text.size() - 1), 1, 99))
                return format("{}%", *percent);
        return failure(Code::bad_word, format("'{}' is no share of a GPU", printable(text)),
                       "write whole, 1/N with N from 2 to 128, or a percentage from 1% to 99%");
    }
    static std::string write(const std::string& share) { return share; }
};

Result<void> set_needs(Contract& contract, Role*, std::string_view text)
{
    auto names = read_plain_names(text);
    if (!names) return tl::unexpected(names.error());
    contract.gpu.needs = std::move(*names);
    return {};
}

std::string write_needs(const Contract& contract, const Role*)
{
    return write_list(contract.gpu.needs);
}

constexpr Clause gpu_rows[] = {
    make_clause<PlainName, &Contract::gpu, &GpuClause::model>(
        Held::placed, {"gpu", "model", "NAME", "h100",
                       "The GPU's model, a part of the name that NVML gives, in either case."}),
    make_clause<Count<1, 65535>, &Contract::gpu, &GpuClause::sm>(
        Held::placed, {"gpu", "sm", "N", "32",
                       "Streaming multiprocessors of each worker, rounded up to what the GPU can give in "
                       "slices; the verdict "
                       "tells the number granted."}),
    make_clause<Word<sm_modes>, &Contract::gpu, &GpuClause::sm_mode>(
        Held::placed,
        {"gpu", "sm_mode", "exclusive | soft", "exclusive",
         "exclusive (the default): nobody else runs on these SMs, never downgraded; soft: a ceiling that may "
         "overlap with others."}),
    make_clause<Size, &Contract::gpu, &GpuClause::memory>(
        Held::placed, {"gpu", "memory", "SIZE", "20GiB", "GPU memory of each worker."}),
    make_clause<Word<memory_modes>, &Contract::gpu, &GpuClause::memory_mode>(
        Held::placed,
        {"gpu", "memory_mode", "hard | process", "hard",
         "hard: the job can't pass the limit, whatever it starts; process: a limit for each process."}),
    make_clause<Word<fault_domains>, &Contract::gpu, &GpuClause::fault_domain>(
        Held::placed,
        {"gpu", "fault_domain", "shared | private", "shared",
         "Whether another job's fault on the same GPU may reach this one; private needs a MIG instance or a "
         "whole GPU."}),
    make_clause<Share, &Contract::gpu, &GpuClause::share>(
        Held::refused, {"gpu", "share", "whole | 1/N | N%", "1/4",
                        "The easy spelling of gpu.sm: a part of the GPU. Not beside gpu.sm."}),
    {"gpu", "needs", "NAME | [NAME,NAME]", "[fp8,nvlink]", "Abilities that the GPU must have.", Held::refused,
     &set_needs, &write_needs},
};

} // namespace

std::span<const Clause> gpu_clauses()
{
    return gpu_rows;
}

} // namespace mscale::contract

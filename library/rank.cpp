#include "library/rank.hpp"

#include <cstdlib>
#include <vector>

#include "base/text.hpp"

namespace mscale::library {
namespace {

/// One answer to "who am I", with the names that it is known by.
struct Source {
    std::string rank_name, ranks_name;
    std::optional<std::uint32_t> rank, ranks;
};

Result<std::optional<std::uint32_t>> read_number(const Environment& environment, const char* name)
{
    const auto text = environment(name);
    if (!text || text->empty()) return std::nullopt;
    const auto number = parse_number(*text);
    if (!number || *number > INT32_MAX)
        return failure(Code::rank_unclear, format("{}='{}' is no number of a rank", name, printable(*text)));
    return static_cast<std::uint32_t>(*number);
}

Result<Source> read_source(const Environment& environment, const char* rank, const char* ranks)
{
    auto first = read_number(environment, rank);
    if (!first) return tl::unexpected(std::move(first.error()));
    auto second = read_number(environment, ranks);
    if (!second) return tl::unexpected(std::move(second.error()));
    return Source{rank, ranks, *first, *second};
}

/// The environment's sources, most trusted first; a source without a rank is none.
Result<std::vector<Source>> read_sources(const Environment& environment)
{
    const char* slurm_ranks = environment("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
    const char* const names[][2] = {{"RANK", "WORLD_SIZE"},
                                    {"PMIX_RANK", "OMPI_COMM_WORLD_SIZE"},
                                    {"PMI_RANK", "PMI_SIZE"},
                                    {"SLURM_PROCID", slurm_ranks}};
    std::vector<Source> sources;
    for (const auto& [rank, ranks] : names) {
        if (std::string_view(rank) == "RANK" && !environment(ranks)) continue; // others use that name too
        auto source = read_source(environment, rank, ranks);
        if (!source) return tl::unexpected(std::move(source.error()));
        if (source->rank) sources.push_back(std::move(*source));
    }
    return sources;
}

/// True when `outer` describes the task in which a launcher started the ranks of `inner`.
bool is_launcher(const Source& outer, const Source& inner, const Environment& environment)
{
    if (outer.rank_name != "SLURM_PROCID" || !outer.ranks || !inner.ranks || *outer.ranks == 0) return false;
    if (*inner.ranks % *outer.ranks != 0) return false;
    return *inner.ranks != *outer.ranks || environment("TORCHELASTIC_RUN_ID").has_value();
}

tl::unexpected<Error> disagreement(const std::string& name, std::uint32_t value, const std::string& other,
                                   std::uint32_t other_value)
{
    return failure(Code::rank_unclear, format("{}={}, but {}={}", name, value, other, other_value));
}

Result<void> merge(Source& into, const Source& from)
{
    if (into.rank && from.rank && *into.rank != *from.rank)
        return disagreement(into.rank_name, *into.rank, from.rank_name, *from.rank);
    if (into.ranks && from.ranks && *into.ranks != *from.ranks)
        return disagreement(into.ranks_name, *into.ranks, from.ranks_name, *from.ranks);
    if (!into.rank && from.rank) {
        into.rank = from.rank;
        into.rank_name = from.rank_name;
    }
    if (!into.ranks && from.ranks) {
        into.ranks = from.ranks;
        into.ranks_name = from.ranks_name;
    }
    return {};
}

Result<Rank> complete(const Source& source)
{
    if (!source.rank || !source.ranks)
        return failure(Code::rank_unclear, source.rank
                                               ? format("{}={}, but nothing says how many ranks there are",
                                                        source.rank_name, *source.rank)
                                               : std::string("nothing says which rank this is"));
    if (*source.rank >= *source.ranks)
        return failure(Code::rank_unclear, format("{}={} is no rank of {}={}", source.rank_name, *source.rank,
                                                  source.ranks_name, *source.ranks));
    return Rank{*source.rank, *source.ranks};
}

} // namespace

std::optional<std::string> read_environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
}

Result<Rank> find_rank(std::optional<std::uint32_t> rank, std::optional<std::uint32_t> ranks,
                       const Environment& environment)
{
    Source found{"rank of mscale_init", "ranks of mscale_init", rank, ranks};
    const auto sources = read_sources(environment);
    if (!sources) return tl::unexpected(sources.error());
    for (const Source& source : *sources) {
        if (is_launcher(source, found, environment)) continue;
        if (auto merged = merge(found, source); !merged) return tl::unexpected(std::move(merged.error()));
    }
    return complete(found);
}

Result<void> check_restarts(const Environment& environment)
{
    const std::string restarts = environment("TORCHELASTIC_MAX_RESTARTS").value_or("0");
    if (!environment("MSCALE_RUN") || restarts == "0") return {};
    return failure(Code::rank_unclear,
                   format("torchrun begins its workers anew up to {} times (TORCHELASTIC_MAX_RESTARTS), and so does mscale run",
                          printable(restarts)),
                   "leave --max-restarts of torchrun out, or give it as 0");
}

} // namespace mscale::library

#include "submit/job_variables.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale::submit {

namespace {

constexpr std::string_view request_entry = "MSCALE_CONTRACT=";

bool begins_with_any(std::string_view entry, std::initializer_list<std::string_view> names)
{
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return entry.starts_with(name); });
}

/// slurmctld puts "SPANK_" before each name but those that begin with it already, so both spellings reach the prolog as
/// one.
std::string_view strip_spank_prefixes(std::string_view entry)
{
    constexpr std::string_view prefix = "SPANK_";
    while (entry.starts_with(prefix)) entry.remove_prefix(prefix.size());
    return entry;
}

std::string_view view_of(const char* entry)
{
    return entry ? std::string_view(entry) : std::string_view();
}

} // namespace

bool is_reserved(std::string_view entry)
{
    return begins_with_any(strip_spank_prefixes(entry),
                           {"MSCALE", "_SLURM_SPANK_OPTION_mscale", "SLURM_SPANK_OPTION_mscale"});
}

bool is_reserved_copy(std::string_view entry)
{
    constexpr std::string_view copied = "SLURM_SPANK_";
    if (entry.starts_with(copied)) return is_reserved(entry.substr(copied.size()));
    return entry.starts_with(request_entry);
}

char* strip(const Variables& variables, bool (*is_ours)(std::string_view)) noexcept
{
    if (!variables.entries || !variables.count) return nullptr;
    char* contract = nullptr;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < *variables.count; ++i) {
        char* const entry = variables.entries[i];
        if (!entry || !is_ours(entry)) {
            variables.entries[kept++] = entry;
        } else if (!contract && view_of(entry).starts_with(request_entry)) {
            contract = entry;
        } else {
            variables.release(entry);
        }
    }
    for (std::uint32_t i = kept; i < *variables.count; ++i) variables.entries[i] = nullptr;
    *variables.count = kept;
    return contract;
}

bool has_value(const Variables& variables, std::string_view name) noexcept
{
    if (!variables.entries || !variables.count) return false;
    return std::any_of(variables.entries, variables.entries + *variables.count, [&](const char* entry) {
        const std::string_view text = view_of(entry);
        return text.size() > name.size() + 1 && text.starts_with(name) && text[name.size()] == '=';
    });
}

std::string find_oversize(const Variables& variables)
{
    if (!variables.entries || !variables.count) return "";
    std::size_t total = 0;
    for (std::uint32_t i = 0; i < *variables.count; ++i) {
        const std::string_view entry = view_of(variables.entries[i]);
        if (entry.size() > entry_limit)
            return format("the job-control variable {} has {} bytes and the limit is {}",
                          printable(entry.substr(0, entry.find('=')), 60), entry.size(), entry_limit);
        total += entry.size();
    }
    if (total <= total_limit) return "";
    return format("the job-control variables have {} bytes together and the limit is {}", total, total_limit);
}

} // namespace mscale::submit

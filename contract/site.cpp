#include "contract/site.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/files.hpp"
#include "base/text.hpp"
#include "contract/mode.hpp"
#include "contract/site_keys.hpp"

namespace mscale::contract {
namespace {

constexpr std::string_view partition_prefix = "partition.";
constexpr std::string_view default_path = MSCALE_SYSCONFDIR "/mscale.conf";

Fault unknown_key(const IniEntry& entry)
{
    std::vector<std::string_view> known;
    for (const SiteRule& rule : site_rules())
        if (rule.key.section == entry.section) known.push_back(rule.key.key);
    const auto meant = nearest_spelling(entry.key, known);
    Error error{
        Code::config_key,
        format("there is no key '{}' in section [{}]", printable(entry.key), printable(entry.section)),
        meant ? format("did you mean '{}'?", *meant) : std::string(entry_of(Code::config_key).cure)};
    return {std::move(error), entry.key_place};
}

Result<void> set_partition_mode(Site& site, const IniEntry& entry)
{
    const auto mode = parse_mode(entry.value);
    if (!mode)
        return failure(Code::config_value,
                       format("'{}' is none of: off, observe, enforce", printable(entry.value)));
    site.partition_modes[entry.section.substr(partition_prefix.size())] = *mode;
    return {};
}

void take_entry(SiteParsed& parsed, const IniEntry& entry)
{
    Result<void> taken;
    if (entry.section.starts_with(partition_prefix) && entry.key == "mode") {
        taken = set_partition_mode(parsed.site, entry);
    } else {
        const auto rule = std::ranges::find_if(site_rules(), [&](const SiteRule& row) {
            return row.key.section == entry.section && row.key.key == entry.key;
        });
        if (rule == site_rules().end()) {
            parsed.faults.push_back(unknown_key(entry));
            return;
        }
        taken = rule->set(parsed.site, entry.value);
    }
    if (!taken) parsed.faults.push_back({taken.error(), entry.value_place});
}

std::string tell_faults(const Faults& faults, const std::string& file, bool by_environment)
{
    return format("{}{} has {} fault{}: {}", file, by_environment ? " (MSCALE_CONF names it)" : "", faults.size(),
                  faults.size() == 1 ? "" : "s", to_text(faults));
}

Site default_site()
{
    Site site;
    site.inventory = MSCALE_SYSCONFDIR "/inventory";
    site.profiles = MSCALE_SYSCONFDIR "/profiles";
    site.node_program = MSCALE_SBINDIR "/mscale-node";
    return site;
}

} // namespace

std::optional<std::int64_t> find_excess_age(const Site& site, std::int64_t written, std::int64_t now)
{
    constexpr std::int64_t day = 86400;
    const std::int64_t age = (now - written) / day;
    if (site.inventory_days == 0 || age <= site.inventory_days) return std::nullopt;
    return age;
}

SiteParsed parse_site(std::string_view text, std::string_view source)
{
    Ini ini = parse_ini(text, source);
    SiteParsed parsed{default_site(), std::move(ini.faults)};
    for (const IniEntry& entry : ini.entries) take_entry(parsed, entry);
    return parsed;
}

std::string site_path(const std::string& path)
{
    if (!path.empty()) return path;
    const char* const named = std::getenv("MSCALE_CONF");
    return named != nullptr && *named != '\0' ? named : std::string(default_path);
}

Result<Site> read_site(const std::string& path)
{
    const std::string file = site_path(path);
    if (file == default_path && !Root().exists(file)) return default_site();
    const bool by_environment = path.empty() && file != default_path;
    const auto text = read_file(file);
    if (!text)
        return restate(Code::config_file, text.error(), (by_environment ? "MSCALE_CONF: " : "") + text.error().text,
                       by_environment ? "let MSCALE_CONF name a file that you can read, or unset it" : "make the file readable");
    SiteParsed parsed = parse_site(*text, file);
    if (parsed.faults.empty()) return std::move(parsed.site);
    return failure(Code::config_file, tell_faults(parsed.faults, file, by_environment),
                   by_environment ? "mend the lines above, or unset MSCALE_CONF" : "");
}

std::vector<SiteSetting> list_settings(std::string_view text, std::string_view source)
{
    const Ini ini = parse_ini(text, source);
    const auto origin = [](const IniEntry& entry) { return format("{}:{}", entry.key_place.source, entry.key_place.line); };
    std::vector<SiteSetting> settings;
    for (const SiteRule& rule : site_rules()) {
        SiteSetting setting{format("{}.{}", rule.key.section, rule.key.key), std::string(rule.key.fallback), "default"};
        for (const IniEntry& entry : ini.entries)
            if (entry.section == rule.key.section && entry.key == rule.key.key)
                setting.value = entry.value, setting.origin = origin(entry);
        settings.push_back(std::move(setting));
    }
    for (const IniEntry& entry : ini.entries)
        if (entry.section.starts_with(partition_prefix))
            settings.push_back({format("{}.{}", entry.section, entry.key), entry.value, origin(entry)});
    return settings;
}

} // namespace mscale::contract

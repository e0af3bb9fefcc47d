#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"
#include "contract/parse.hpp"

namespace mscale::contract {
namespace {

bool is_profile_name(std::string_view name)
{
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, fits);
}

tl::unexpected<Error> refuse(std::string_view name, const std::vector<std::string>& known)
{
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    const auto nearest = nearest_spelling(name, candidates);
    const std::string list = known.empty() ? "the site has none" : "the site has " + join(known, ", ");
    return failure(Code::unknown_profile, format("there is no profile '{}'; {}", printable(name), list),
                   nearest ? format("did you mean '{}'?", *nearest) : "");
}

} // namespace

Result<std::string> ProfileDirectory::read(std::string_view name) const
{
    const auto known = names();
    if (!is_profile_name(name) || std::ranges::find(known, name) == known.end()) return refuse(name, known);
    return read_file(format("{}/{}.ini", directory_, name), contract_limit);
}

std::vector<std::string> ProfileDirectory::names() const
{
    constexpr std::string_view suffix = ".ini";
    std::vector<std::string> found;
    const auto files = Root(directory_).list("/");
    if (!files) return found;
    for (const std::string& file : *files) {
        const std::string_view name =
            std::string_view(file).substr(0, file.size() - std::min(file.size(), suffix.size()));
        if (file.ends_with(suffix) && is_profile_name(name)) found.emplace_back(name);
    }
    return found;
}

LoadedProfiles::LoadedProfiles(const Profiles& source)
{
    for (const std::string& name : source.names()) texts_.emplace(name, source.read(name));
}

Result<std::string> LoadedProfiles::read(std::string_view name) const
{
    const auto found = texts_.find(name);
    return found == texts_.end() ? refuse(name, names()) : found->second;
}

std::vector<std::string> LoadedProfiles::names() const
{
    std::vector<std::string> names;
    for (const auto& [name, text] : texts_) names.push_back(name);
    return names;
}

} // namespace mscale::contract

#include "base/slurm_conf.hpp"

#include <algorithm>

#include <strings.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace mscale {
namespace {

constexpr std::size_t size_limit = 64 << 20;
constexpr int include_depth = 8;
constexpr std::string_view blanks = " \t\r";

bool is_name(std::string_view word, std::string_view name)
{
    return word.size() == name.size() && ::strncasecmp(word.data(), name.data(), name.size()) == 0;
}

std::string_view skip_blanks(std::string_view text)
{
    return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

/// Cuts what stands before one of `ends`, or all, off `text`.
std::string_view cut_until(std::string_view& text, std::string_view ends)
{
    const std::string_view word = text.substr(0, text.find_first_of(ends));
    text.remove_prefix(word.size());
    return word;
}

/// What follows "=": bare or in quotes.
std::string_view cut_value(std::string_view& text)
{
    text = skip_blanks(text);
    if (!text.starts_with('"')) return cut_until(text, blanks);
    text.remove_prefix(1);
    const std::string_view value = cut_until(text, "\"");
    if (!text.empty()) text.remove_prefix(1);
    return value;
}

class Search {
public:
    explicit Search(std::string_view key) : key_(key) {}

    void read(const std::string& path, int depth)
    {
        const auto text = read_file(path, size_limit);
        if (!text || depth > include_depth) return;
        std::string whole;
        for (const std::string_view piece : split(*text, '\n')) {
            const std::string_view line = trim(piece.substr(0, piece.find('#')));
            whole += line.substr(0, line.size() - (line.ends_with('\\') ? 1 : 0));
            if (line.ends_with('\\')) continue;
            read_line(path, whole, depth);
            whole.clear();
        }
        read_line(path, whole, depth);
    }

    std::vector<std::string> take() { return std::move(values_); }

private:
    void read_line(const std::string& path, std::string_view line, int depth)
    {
        std::string_view rest = skip_blanks(line);
        std::string_view after = rest;
        if (is_name(cut_until(after, blanks), "Include")) return read(locate(path, trim(after)), depth + 1);
        while (!rest.empty()) {
            const std::string_view name = cut_until(rest, " \t\r=");
            rest = skip_blanks(rest);
            if (!rest.starts_with('=')) {
                if (name.empty()) return;
                continue;
            }
            rest.remove_prefix(1);
            const std::string_view value = cut_value(rest);
            if (is_name(name, "ClusterName")) cluster_ = value;
            if (is_name(name, key_)) values_.emplace_back(value);
            rest = skip_blanks(rest);
        }
    }

    /// A relative name is beside the file that names it.
    std::string locate(const std::string& path, std::string_view included) const
    {
        std::string name(included);
        if (const auto at = name.find("%c"); at != std::string::npos) name.replace(at, 2, cluster_);
        return name.starts_with('/') ? name : path.substr(0, path.rfind('/') + 1) + name;
    }

    std::string_view key_;
    std::string cluster_;
    std::vector<std::string> values_;
};

} // namespace

std::vector<std::string> read_slurm_conf(const std::string& path, std::string_view key)
{
    Search search(key);
    search.read(path, 0);
    return search.take();
}

} // namespace mscale

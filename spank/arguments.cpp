#include "spank/arguments.hpp"

#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace mscale::spank {
namespace {

std::optional<Level> parse_level(std::string_view word)
{
    if (word == "error") return Level::error;
    if (word == "info") return Level::info;
    if (word == "debug") return Level::debug;
    return std::nullopt;
}

/// False when the word is none of ours.
bool take_word(Arguments& arguments, std::string_view word)
{
    if (word.starts_with("config=/")) {
        arguments.config = word.substr(sizeof "config=" - 1);
        return true;
    }
    if (!word.starts_with("log=")) return false;
    const auto level = parse_level(word.substr(sizeof "log=" - 1));
    if (level) arguments.level = *level;
    return level.has_value();
}

} // namespace

Arguments parse_arguments(int count, char** words)
{
    Arguments arguments;
    for (int i = 0; i < count; ++i) {
        if (take_word(arguments, words[i])) continue;
        arguments.faults.push_back("'" + printable(words[i]) +
                                   "' in plugstack.conf: mscale takes config=/PATH and "
                                   "log=error|info|debug only");
    }
    return arguments;
}

} // namespace mscale::spank

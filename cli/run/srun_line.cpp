#include "cli/run/srun_line.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace mscale::cli {
namespace {

constexpr std::uint64_t greatest_own = 1000000; // restarts, or seconds

/// srun's short options that take a value (srun(1)); the others may stand in one word: -lN2.
constexpr std::string_view with_value = "ABCDGJLMNSTWcdeimnopqrtwx";

/// One option of a line, in the spelling of its long name where it has one that matters here.
struct Option {
    std::string name;
    std::optional<std::string> value;
};

/// An option that would undo what mscale run is for.
struct Refused {
    const char* name;
    const char* reason;
};
constexpr std::array<Refused, 7> refused = {{
    {"nodelist", "mscale run chooses the nodes"},
    {"nodefile", "mscale run chooses the nodes"},
    {"exclude", "mscale run chooses the nodes; -N says how many"},
    {"relative", "mscale run chooses the nodes; -N says how many"},
    {"no-kill", "a step that goes on with a dead rank ends as if nothing had happened"},
    {"kill-on-bad-exit",
     "a step is always ended when one of its ranks fails, so that all go on from one snapshot"},
    {"jobid", "mscale run works in the job that it runs in"},
}};

std::string long_name(char letter)
{
    switch (letter) {
    case 'n': return "ntasks";
    case 'N': return "nodes";
    case 'w': return "nodelist";
    case 'x': return "exclude";
    case 'r': return "relative";
    case 'k': return "no-kill";
    case 'K': return "kill-on-bad-exit";
    default: return {letter};
    }
}

/// The options of the words, as srun reads them; a value that stands in the next word is taken from there.
class OptionReader {
public:
    explicit OptionReader(const std::vector<std::string>& words) : words_(words) {}

    std::vector<Option> read()
    {
        while (at_ < words_.size()) {
            const std::string& word = words_[at_++];
            if (word.starts_with("--"))
                read_long(word.substr(2));
            else if (word.starts_with("-"))
                read_short(word.substr(1));
        }
        return options_;
    }

private:
    // Which long options take a value isn't known here: a next word without a dash is taken for one.  A command can't be
    // mistaken for it, since that stands after "--".
    void read_long(const std::string& text)
    {
        const std::size_t equals = text.find('=');
        Option option{text.substr(0, equals), {}};
        if (equals != std::string::npos)
            option.value = text.substr(equals + 1);
        else
            option.value = next_value();
        options_.push_back(std::move(option));
    }

    void read_short(const std::string& letters)
    {
        for (std::size_t i = 0; i < letters.size(); ++i) {
            Option option{long_name(letters[i]), {}};
            const bool takes = with_value.find(letters[i]) != std::string_view::npos;
            const std::string rest = letters.substr(i + 1);
            const bool may_take = letters[i] == 'K' && !rest.empty();
            if (may_take) option.value = rest;
            if (takes) option.value = rest.empty() ? next_word() : rest;
            options_.push_back(std::move(option));
            if (takes || may_take) return;
        }
    }

    std::optional<std::string> next_word()
    {
        return at_ < words_.size() ? std::optional(words_[at_++]) : std::nullopt;
    }

    std::optional<std::string> next_value()
    {
        return at_ < words_.size() && !words_[at_].starts_with("-") ? next_word() : std::nullopt;
    }

    const std::vector<std::string>& words_;
    std::size_t at_ = 0;
    std::vector<Option> options_;
};

Result<unsigned> read_count(const Option& option, unsigned greatest)
{
    const auto number = parse_number(option.value.value_or(""));
    if (number && *number > 0 && *number <= greatest) return static_cast<unsigned>(*number);
    return failure(
        Code::usage,
        format("--{} {}: one number is expected", option.name, printable(option.value.value_or(""))),
        format("give it from 1 to {}; mscale run keeps the number of nodes and tasks over a loss", greatest));
}

Result<void> take_option(RunLine& line, const Option& option)
{
    constexpr unsigned most_nodes = 65536, most_tasks = 1U << 20;
    const bool is_as_ours = option.name == "kill-on-bad-exit" && option.value.value_or("1") == "1";
    for (const Refused& row : refused)
        if (option.name == row.name && !is_as_ours)
            return failure(Code::usage, format("srun's --{} can't be given: {}", option.name, row.reason),
                           "leave it out");
    const bool is_nodes = option.name == "nodes", is_tasks = option.name == "ntasks";
    if (!is_nodes && !is_tasks && option.name != "ntasks-per-node") return {};
    const auto count = read_count(option, is_nodes ? most_nodes : most_tasks);
    if (!count) return tl::unexpected(count.error());
    (is_nodes ? line.nodes : is_tasks ? line.tasks : line.per_node) = *count;
    return {};
}

Result<void> set_own(RunLine& line, const std::string& name, const std::string& value)
{
    if (name == "--timeline") {
        if (!value.ends_with(".json") && !value.ends_with(".svg"))
            return failure(Code::usage,
                           format("--timeline {}: the name must end in .json or .svg", printable(value)));
        line.timeline = value;
        return {};
    }
    if (name == "--verdict") {
        if (value.empty()) return failure(Code::usage, "--verdict: the name of a file is expected");
        line.verdict = value;
        return {};
    }
    const auto number = parse_number(value);
    if (!number || *number > greatest_own)
        return failure(Code::usage, format("{} {}: a number is expected", name, printable(value)),
                       format("give one from 0 to {}", greatest_own));
    if (name == "--hang-limit")
        line.hang_limit = std::chrono::seconds(*number);
    else
        line.max_restarts = static_cast<unsigned>(*number);
    return {};
}

/// Takes the word at `at` when it is one of our options, and leaves `at` at its last word.
Result<bool> take_own(RunLine& line, const std::vector<std::string>& words, std::size_t& at)
{
    for (const std::string name : {"--max-restarts", "--hang-limit", "--timeline", "--verdict"}) {
        const std::string& word = words[at];
        std::string value;
        if (word == name && at + 1 < words.size())
            value = words[++at];
        else if (word.starts_with(name + "="))
            value = word.substr(name.size() + 1);
        else if (word != name)
            continue;
        if (auto set = set_own(line, name, value); !set) return tl::unexpected(std::move(set.error()));
        return true;
    }
    return false;
}

std::optional<unsigned> number_of(const Environment& environment, const char* name)
{
    const auto number = parse_number(environment(name).value_or(""));
    return number && *number > 0 && *number <= 1U << 20 ? std::optional(static_cast<unsigned>(*number))
                                                        : std::nullopt;
}

tl::unexpected<Error> no_command()
{
    return failure(Code::usage, "no command is given: it stands after --",
                   "mscale run [srun options] -- COMMAND");
}

} // namespace

Result<RunLine> read_run_line(const std::vector<std::string>& words)
{
    RunLine line;
    const auto dashes = std::ranges::find(words, "--");
    const std::vector<std::string> before(words.begin(), dashes);
    for (std::size_t at = 0; at < before.size(); ++at) {
        const auto own = take_own(line, before, at);
        if (!own) return tl::unexpected(own.error());
        if (!*own) line.options.push_back(before[at]);
    }
    if (dashes == words.end() || dashes + 1 == words.end()) return no_command();
    line.command.assign(dashes + 1, words.end());
    for (const Option& option : OptionReader(line.options).read())
        if (auto taken = take_option(line, option); !taken) return tl::unexpected(std::move(taken.error()));
    return line;
}

unsigned count_tasks(const RunLine& line, unsigned nodes, const Environment& environment)
{
    if (line.tasks) return *line.tasks;
    if (line.per_node) return *line.per_node * nodes;
    if (const auto tasks = number_of(environment, "SLURM_NTASKS")) return *tasks;
    return number_of(environment, "SLURM_NTASKS_PER_NODE").value_or(1) * nodes;
}

std::vector<std::string> srun_arguments(const RunLine& line, const std::vector<std::string>& nodes,
                                        unsigned tasks, bool overlap)
{
    std::vector<std::string> words = {"srun"};
    words.insert(words.end(), line.options.begin(), line.options.end());
    if (overlap) words.emplace_back("--overlap");
    for (const std::string& word :
         {std::string("-N"), std::to_string(nodes.size()), std::string("-n"), std::to_string(tasks),
          std::string("-w"), join(nodes, ","), std::string("--kill-on-bad-exit=1"), std::string("--")})
        words.push_back(word);
    words.insert(words.end(), line.command.begin(), line.command.end());
    return words;
}

std::vector<std::string> srun_arguments(const RunLine& line)
{
    std::vector<std::string> words = {"srun"};
    words.insert(words.end(), line.options.begin(), line.options.end());
    words.emplace_back("--");
    words.insert(words.end(), line.command.begin(), line.command.end());
    return words;
}

} // namespace mscale::cli

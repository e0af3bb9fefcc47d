#include "daemon/keeper/exit_word.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "hal/json_reader.hpp"
#include "recovery/commit.hpp"

namespace mscale::daemon {

Json to_json(const ExitWord& word)
{
    return {{"job", word.job_id},        {"restarts", word.run.restarts}, {"step_id", word.run.step},
            {"signal", word.signal},     {"ranks", word.ranks},           {"rank", word.rank},
            {"step", word.step}};
}

Result<ExitWord> exit_word_from_json(const Json& json)
{
    ExitWord word;
    hal::JsonReader reader(json, "a word on a job's end");
    reader.read("job", word.job_id);
    reader.read("restarts", word.run.restarts);
    reader.read("step_id", word.run.step);
    reader.read("signal", word.signal);
    reader.read("ranks", word.ranks);
    reader.read("rank", word.rank);
    reader.read("step", word.step);
    auto read = reader.end(word);
    if (read && (word.ranks > recovery::most_ranks || (word.ranks > 0 && word.rank >= word.ranks)))
        return failure(Code::json_member, format("a word on a job's end: rank {} of {}", word.rank, word.ranks));
    return read;
}

} // namespace mscale::daemon

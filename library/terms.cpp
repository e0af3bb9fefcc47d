#include "library/terms.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "recovery/commit.hpp"

namespace mscale::library {
namespace {

constexpr const char* what = "the keeper's answer";

/// The error that the keeper names, with its own words.
Error read_error(const Json& answer)
{
    const auto error = answer.value("error", Json::object());
    const CodeEntry code = find_code(error.value("code", "")).value_or(entry_of(Code::keeper_lost));
    return {code.code, error.value("text", std::string(code.cause)),
            error.value("cure", std::string(code.cure))};
}

template <class T> std::optional<T> read_optional(const Json& answer, const char* key)
{
    const auto found = answer.find(key);
    if (found == answer.end() || found->is_null()) return std::nullopt;
    return found->get<T>();
}

std::optional<RestorePoint> get_restore(const Json& answer)
{
    const auto found = read_optional<Json>(answer, "restore");
    if (!found) return std::nullopt;
    RestorePoint point{found->at("slot").get<unsigned>(), found->at("epoch").get<std::uint64_t>(),
                       found->at("step").get<std::uint64_t>()};
    if (const auto writers = read_optional<Json>(*found, "writers"))
        point.writers = RestorePoint::Writers{writers->at("ranks"), {writers->at("restarts"), writers->at("step_id")}};
    return point;
}

Terms get_terms(const Json& answer)
{
    Terms terms;
    terms.data_bytes = answer.at("data_bytes");
    terms.page_bytes = answer.at("page_bytes");
    terms.job_id = answer.at("job");
    terms.uid = answer.at("uid");
    terms.incarnation = {answer.at("restarts"), answer.at("step_id")};
    terms.next_epoch = answer.at("next_epoch");
    terms.every_steps = read_optional<std::uint64_t>(answer, "every_steps");
    if (const auto time = read_optional<std::uint64_t>(answer, "every_ms"))
        terms.every_time = std::chrono::milliseconds(*time);
    terms.restore = get_restore(answer);
    terms.restore_job = terms.restore ? answer.at("restore").value("job", terms.job_id) : terms.job_id;
    terms.ops = answer.value("ops", std::set<std::string>());
    return terms;
}

Result<void> check_restore(const std::optional<RestorePoint>& restore)
{
    if (restore && restore->writers && (restore->writers->ranks == 0 || restore->writers->ranks > recovery::most_ranks))
        return failure(Code::keeper_lost, format("{}: {} ranks can't have written it", what, restore->writers->ranks));
    if (!restore || restore->slot < recovery::SegmentLayout::slots) return {};
    return failure(Code::keeper_lost, format("{}: there is no slot {}", what, restore->slot));
}

Result<void> check_terms(const Terms& terms)
{
    constexpr std::uint64_t greatest = recovery::SegmentLayout::most_state_bytes;
    if (terms.page_bytes == 0 || terms.page_bytes > greatest || terms.data_bytes > greatest ||
        terms.next_epoch == 0 || terms.every_steps == std::uint64_t{0})
        return failure(Code::keeper_lost, format("{}: a number is out of its range", what));
    return check_restore(terms.restore);
}

/// Runs `read` on an answer that says yes.
template <class Read> auto read_answer(const Json& answer, Read read) -> Result<decltype(read(answer))>
{
    try {
        if (!answer.at("ok").get<bool>()) return tl::unexpected(read_error(answer));
        return read(answer);
    } catch (const Json::exception& e) {
        return failure(Code::keeper_lost, format("{} can't be understood: {}", what, e.what()));
    }
}

} // namespace

Result<void> read_done(const Json& answer)
{
    const auto done = read_answer(answer, [](const Json&) { return true; });
    return done ? Result<void>() : tl::unexpected(done.error());
}

Result<Terms> read_terms(const Json& answer)
{
    auto terms = read_answer(answer, get_terms);
    if (!terms) return terms;
    if (auto checked = check_terms(*terms); !checked) return tl::unexpected(std::move(checked.error()));
    return terms;
}

Result<std::optional<RestorePoint>> read_restore(const Json& answer)
{
    auto restore = read_answer(answer, get_restore);
    if (!restore) return restore;
    if (auto checked = check_restore(*restore); !checked) return tl::unexpected(std::move(checked.error()));
    return restore;
}

} // namespace mscale::library

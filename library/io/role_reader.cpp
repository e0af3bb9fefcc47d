#include "library/io/role_reader.hpp"

#include <charconv>

#include "base/text.hpp"
#include "library/role.hpp"

namespace mscale::library {
namespace {

constexpr unsigned usual_depth = 32, most_depth = 4096;
constexpr std::uint32_t usual_block = 256U << 10, most_block = 1U << 30;

Result<unsigned> read_depth(const std::string& role, const contract::ReadVariable& variable)
{
    const std::string text = contract::read_role_variable(role, "IO_DEPTH", variable);
    if (text.empty()) return usual_depth;
    unsigned depth = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth);
    if (error == std::errc() && end == text.data() + text.size() && depth > 0) return std::min(depth, most_depth);
    return failure(Code::role_place, format("the io_depth of role '{}' reads '{}'", printable(role), printable(text, 20)),
                   "leave the variables that begin with MSCALE_ROLE as the job has them");
}

Result<ReaderOptions> choose_options(const ReaderWishes& wishes)
{
    if (wishes.depth > most_depth)
        return failure(Code::reader_call, format("a depth of {}", wishes.depth), format("ask for at most {}", most_depth));
    if (wishes.block > most_block)
        return failure(Code::reader_call, format("a block of {} bytes", wishes.block), "ask for at most 1 GiB");
    return ReaderOptions{wishes.depth ? wishes.depth : usual_depth, wishes.block ? wishes.block : usual_block, wishes.direct,
                         wishes.in_order, {}};
}

/// In the role's place, so that the buffers lie on its NUMA node.
Result<std::unique_ptr<Reader>> open_in_place(const std::string& path, const ReaderOptions& options, const std::string& role,
                                              const contract::ReadVariable& variable)
{
    if (auto entered = enter_role(role, variable); !entered) return tl::unexpected(std::move(entered.error()));
    auto reader = Reader::open(path, options);
    if (auto left = leave_role(); !left) return tl::unexpected(std::move(left.error()));
    return reader;
}

} // namespace

Result<std::unique_ptr<Reader>> open_for_role(const std::string& path, const ReaderWishes& wishes,
                                              const contract::ReadVariable& variable)
{
    auto options = choose_options(wishes);
    if (!options) return tl::unexpected(std::move(options.error()));
    if (wishes.role.empty() || !contract::has_roles(variable)) return Reader::open(path, *options);
    const auto place = contract::find_role_place(wishes.role, variable);
    if (!place) return tl::unexpected(place.error());
    const auto depth = read_depth(wishes.role, variable);
    if (!depth) return tl::unexpected(depth.error());
    if (wishes.depth == 0) options->depth = *depth;
    options->workers = place->cpus;
    return open_in_place(path, *options, wishes.role, variable);
}

} // namespace mscale::library

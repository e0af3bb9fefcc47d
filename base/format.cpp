// Header only, so that a plugin in slurmctld brings no library of formatting with it.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include "base/text.hpp"

namespace mscale {

std::string format_arguments(fmt::string_view text, fmt::format_args values)
{
    return fmt::vformat(text, values);
}

} // namespace mscale

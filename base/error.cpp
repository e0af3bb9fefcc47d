#include "base/error.hpp"

#include <system_error>

#include "base/text.hpp"

namespace mscale {

tl::unexpected<Error> failure(Code code, std::string text, std::string cure)
{
    if (cure.empty()) cure = entry_of(code).cure;
    return tl::unexpected<Error>({code, std::move(text), std::move(cure)});
}

tl::unexpected<Error> os_failure(Code code, std::string text, int error_number)
{
    return failure(code, format("{}: {}", text, std::generic_category().message(error_number)));
}

std::string to_line(const Error& error)
{
    return format("{}: {}; {}", entry_of(error.code).id, error.text, error.cure);
}

} // namespace mscale

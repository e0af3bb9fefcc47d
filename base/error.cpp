#include "base/error.hpp"

#include <cerrno>
#include <system_error>

#include "base/text.hpp"

namespace mscale {

tl::unexpected<Error> failure(Code code, std::string text, std::string cure)
{
    if (cure.empty()) cure = entry_of(code).cure;
    return tl::unexpected<Error>({code, std::move(text), std::move(cure)});
}

tl::unexpected<Error> os_failure(Code code, std::string text, int error_number, std::string cure)
{
    auto failed = failure(code, format("{}: {}", text, std::generic_category().message(error_number)), std::move(cure));
    failed.value().denied = error_number == EACCES || error_number == EPERM;
    return failed;
}

tl::unexpected<Error> restate(Code code, const Error& cause, std::string text, std::string cure)
{
    auto failed = failure(code, std::move(text), std::move(cure));
    failed.value().denied = cause.denied;
    return failed;
}

int exit_status(const Error& error)
{
    return exit_status(error.denied ? Kind::denied : entry_of(error.code).kind);
}

std::string to_line(const Error& error)
{
    return format("{}: {}; {}", entry_of(error.code).id, error.text, error.cure);
}

} // namespace mscale

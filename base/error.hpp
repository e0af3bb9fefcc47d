#pragma once

#include <string>

#include <tl/expected.hpp>

#include "base/code.hpp"

namespace mscale {

/// What went wrong, for the caller (`code`) and for people (`text`).
///
/// `text` says what was read and what is true; what to do about it is `cure`, which starts as the cure of the code
/// table and is replaced where the place that fails knows better. An Error is logged once, at the edge of the program.
struct [[nodiscard]] Error {
    Code code;
    std::string text;
    std::string cure;
    bool denied = false; ///< the system says that the caller may not (EACCES, EPERM), whatever the code is of
};

/// The value, or the one reason why there is none.
template <class T> using Result = tl::expected<T, Error>;

/// An Error ready to be returned from a function with any Result.  The cure is the code's own unless given.
tl::unexpected<Error> failure(Code code, std::string text, std::string cure = {});

/// As `failure`, for a system call that failed: appends the text of `error_number` to `text` ("open /x: No such file").
tl::unexpected<Error> os_failure(Code code, std::string text, int error_number, std::string cure = {});

/// The same failure told by its caller, with another code: `text` and `cure` are the caller's, the rest is the cause's.
tl::unexpected<Error> restate(Code code, const Error& cause, std::string text, std::string cure = {});

/// What a command exits with for this error (DESIGN §3): 4 when the caller isn't permitted, else by the kind of the code.
int exit_status(const Error& error);

/// One line for a log or a terminal: "MSC-P003: text; cure".
std::string to_line(const Error& error);

} // namespace mscale

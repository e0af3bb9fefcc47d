#pragma once

#include <string>

#include <sys/types.h>

#include "base/error.hpp"

namespace mscale::node {

/// Who made a text, as munge proves it.
struct Signed {
    uid_t uid = 0;
    std::string payload;
};

/// Opens a munge credential.  One that is old or was opened before still proves its maker: jobs wait for
/// days, and each node opens it.  `socket` is munged's, "" its default.  Code::credential when it proves
/// nothing.
Result<Signed> open_credential(const std::string& credential, const std::string& socket);

} // namespace mscale::node

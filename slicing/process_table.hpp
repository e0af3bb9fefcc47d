#pragma once

#include <vector>

#include <sys/types.h>

#include "base/files.hpp"
#include "base/process.hpp"

namespace mscale::slicing {

/// A process as /proc shows it at one moment.
struct ProcessEntry {
    ProcessId id;
    pid_t parent = 0, group = 0, session = 0;
    uid_t uid = 0; ///< effective
    bool operator==(const ProcessEntry&) const = default;
};

/// All living processes below `root`; those that end while being read are left out.
std::vector<ProcessEntry> read_processes(const Root& root);

} // namespace mscale::slicing

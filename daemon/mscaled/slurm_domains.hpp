#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace mscale::daemon {

/// The failure domain of each node that is known to share one.
using DomainTable = std::map<std::string, std::string, std::less<>>;

/// [recovery] domains of the site, where it is a list: "rack1=n[1-16] rack2=n17".
DomainTable read_domain_list(std::string_view list);

/// What `scontrol show topology` would print: the leaf switch, or block, of each node.  A node of several has none.
DomainTable read_topology(std::string_view text);

/// The domains by [recovery] domains.  Waits for slurmctld where it is `switch`: only for a Worker.
Result<DomainTable> load_domains(const std::string& setting);

} // namespace mscale::daemon

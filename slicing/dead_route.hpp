#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

/// Routes of this network namespace's main table that make one host unreachable at once.  Those of mscale are known by their
/// protocol number; no other route is ever changed.
namespace mscale::slicing {

/// `address` is an IPv4 or IPv6 address as inet_pton reads it.  That mscale's route is there already is fine; an error when
/// somebody else has a route to the very host.
Result<void> add_dead_route(const std::string& address);
/// That there is none is fine.
Result<void> remove_dead_route(const std::string& address);
/// The addresses of mscale's routes.
Result<std::vector<std::string>> list_dead_routes();

} // namespace mscale::slicing

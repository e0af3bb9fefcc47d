#pragma once

#include <functional>
#include <string>

#include "contract/contract.hpp"
#include "contract/site.hpp"
#include "daemon/mscaled/part.hpp"
#include "hal/machine.hpp"

namespace mscale::daemon {

/// What satisfies the clause of a part that is lost, by the verdict on the rest of the machine, for the steps that lost it;
/// "" when nothing does.  Pure.
std::string find_other(const contract::LedgerRecord& record, const contract::Contract& contract, const Part& lost,
                       hal::Machine machine, const contract::Site& site);

/// The same on this machine as it is now, which is read: only for a Worker.
std::string seek_other(const contract::LedgerRecord& record, const Part& lost, const contract::Site& site);

} // namespace mscale::daemon

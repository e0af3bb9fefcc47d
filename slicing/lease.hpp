#pragma once

#include "base/files.hpp"
#include "contract/ledger.hpp"
#include "contract/site.hpp"
#include "slicing/ledger.hpp"

namespace mscale::slicing {

/// Sets the node up for `record.plan`: each act is written to the ledger before it is done, so that a crash
/// at any point can be undone from it.  What can't be had is undone at once and comes back as refusals in the
/// record (stage refused), which is not an error.  An error is the node's own fault.
Result<contract::LedgerRecord> apply(const Ledger& ledger, contract::LedgerRecord record,
                                     const contract::Site& site);

/// Kills what the job left running, undoes every act of the record, newest first, and what else lies in the
/// job's directory of mounts or is claimed for it (a record may be lost), and removes the record when nothing
/// is left.  A record that can't be read is named in the log and removed.  Twice is harmless; an error names
/// what is left and the record stays, stage releasing.
Result<void> release(const Ledger& ledger, const contract::Site& site);

} // namespace mscale::slicing

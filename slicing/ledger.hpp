#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/handle.hpp"
#include "contract/ledger.hpp"

namespace mscale::slicing {

/// The one writer of a job's record: holds JOBID.lock (flock) while it lives, so apply, step, release and
/// reconcile of one job never run at once.  Survives nothing: a crash releases the lock, the record stays.
class Ledger {
public:
    /// Opens (making the directory, 0700) and waits for the lock until the deadline (Code::deadline).
    static Result<Ledger> open(const std::string& directory, std::uint32_t job_id,
                               std::chrono::milliseconds deadline);

    /// What stands in the file, or no_such_job.
    Result<contract::LedgerRecord> read() const;
    /// Durable when it returns: temporary file, fsync, rename.  A record that couldn't be read again (larger
    /// than contract::ledger_limit) is an error, and what was there stays.
    Result<void> write(const contract::LedgerRecord& record) const;
    /// Removes record and tasks: nothing is held any more.
    Result<void> remove() const;

    const std::string& directory() const { return directory_; }
    std::uint32_t job_id() const { return job_id_; }

private:
    Ledger(std::string directory, std::uint32_t job_id, Fd lock);
    std::string directory_;
    std::uint32_t job_id_;
    Fd lock_;
};

} // namespace mscale::slicing

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace mscale::daemon {

/// "/scratch/%u/%j" for a user and a job.
std::string expand_spill_path(const std::string& text, const std::string& user, std::uint32_t job_id);

/// DIRECTORY/mscale-JOBID of a job, opened with the rights of this process.  It and its parent may be no symbolic links,
/// nor may anything above be one that isn't root's or the user's own: nobody else can lead the user's files elsewhere.
class SpillDirectory {
public:
    /// Makes what is missing, 0700.
    static Result<SpillDirectory> make(const std::string& parent, std::uint32_t job_id);
    /// `no_snapshot` when it isn't there; snapshot_foreign when it belongs to another user.
    static Result<SpillDirectory> open(const std::string& parent, std::uint32_t job_id);

    const std::string& path() const { return path_; }
    Result<std::vector<std::string>> list() const;
    bool has(const std::string& name) const;

    /// The file of the user's own, for reading; snapshot_damaged when it is anything else.
    Result<Fd> open_file(const std::string& name) const;
    /// A new file, 0600, for writing whole pages past the page cache where the file system can.  One of that name is replaced.
    Result<Fd> create_file(const std::string& name) const;
    /// Puts what was written, and is on the disk, in its place.
    Result<void> rename_file(const std::string& from, const std::string& to) const;
    Result<void> remove(const std::string& name) const;
    /// Renames the directory, whose path is free then, when it holds snapshots and all are of before `since` (seconds since
    /// 1970) by more than clocks differ: they are another job's.  True when it did.
    Result<bool> put_aside(std::uint64_t since) const;
    /// Returns when the names are on the disk.
    Result<void> sync() const;

private:
    static Result<SpillDirectory> walk(const std::string& parent, std::uint32_t job_id, bool makes);
    Result<void> check_owner() const;

    Fd parent_, directory_;
    std::string path_;
};

} // namespace mscale::daemon

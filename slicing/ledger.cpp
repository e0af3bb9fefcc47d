#include "slicing/ledger.hpp"

#include <unistd.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "slicing/file_lock.hpp"

namespace mscale::slicing {
namespace {

tl::unexpected<Error> as_ledger_error(const Error& error)
{
    return failure(Code::ledger, error.text);
}

Result<void> remove_file(const std::string& path)
{
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return os_failure(Code::ledger, "remove " + path, errno);
}

} // namespace

Ledger::Ledger(std::string directory, std::uint32_t job_id, Fd lock)
    : directory_(std::move(directory)), job_id_(job_id), lock_(std::move(lock))
{
}

Result<Ledger> Ledger::open(const std::string& directory, std::uint32_t job_id,
                            std::chrono::milliseconds deadline)
{
    if (const auto made = make_directories(directory, 0700); !made) return as_ledger_error(made.error());
    auto lock = lock_file(format("{}/{}.lock", directory, job_id), Clock::now() + deadline);
    if (!lock) return tl::unexpected(lock.error());
    return Ledger(directory, job_id, std::move(*lock));
}

Result<contract::LedgerRecord> Ledger::read() const
{
    return contract::read_ledger(directory_, job_id_);
}

Result<void> Ledger::write(const contract::LedgerRecord& record) const
{
    const std::string text = to_json(record).dump(1) + "\n";
    if (text.size() > contract::ledger_limit)
        return failure(Code::ledger, format("the record of job {} would have {} bytes, {} can be read",
                                            job_id_, text.size(), contract::ledger_limit));
    const auto written = replace_file(format("{}/{}.json", directory_, job_id_), text, 0600);
    if (!written) return as_ledger_error(written.error());
    return {};
}

Result<void> Ledger::remove() const
{
    const auto names = Root().list(directory_);
    if (!names) return as_ledger_error(names.error());
    const std::string record = format("{}.json", job_id_), lock = format("{}.lock", job_id_);
    for (const std::string& name : *names) { // a killed writer leaves a temporary file too
        if (!name.starts_with(format("{}.", job_id_)) || name == record || name == lock) continue;
        if (const auto removed = remove_file(directory_ + "/" + name); !removed) return removed;
    }
    // The record goes last but the lock: while it is there, reconcile comes back to what a crash left.
    if (const auto removed = remove_file(directory_ + "/" + record); !removed) return removed;
    return remove_file(directory_ + "/" + lock);
}

} // namespace mscale::slicing

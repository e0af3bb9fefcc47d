#pragma once

#include <functional>
#include <memory>
#include <string>

#include <sys/types.h>

#include "base/json_forward.hpp"
#include "daemon/mscaled/listener.hpp"

namespace mscale::daemon {

/// Who is at the other end of the local socket, as the kernel says (SO_PEERCRED).
struct Asker {
    uid_t uid = 0;
    pid_t pid = 0;
};

/// Site.state/mscaled.sock: one line of JSON each way.
///
///   {"op":"status"} {"op":"status","job":N}     the jobs of this node, or one job wherever it runs (status.hpp)
///   {"op":"register","role":R,"pid":P}          P, a process of the asker and of a job, plays role R
///   {"op":"run","job":N,"end":SIGNAL}           what `mscale run` must know of its job (run_service.hpp)
///   {"op":"snapshot","do":W,"job":N}            what is held of it here, or of all jobs (keeper.hpp)
///
/// Every answer has "ok"; when it is false, "error" holds code, text and cure.
class LocalSocket {
public:
    using Answer = std::function<void(Json)>;
    using Handle = std::function<void(const Asker&, const Json&, Answer)>;

    LocalSocket(Loop& loop, Fd socket, Handle handle);

private:
    void serve(Fd socket, Seat seat);
    void answer(const std::shared_ptr<class Connection>& connection, const Asker& asker,
                const std::string& line);

    Loop& loop_;
    Handle handle_;
    Listener listener_;
};

} // namespace mscale::daemon

#include "library/status.hpp"

namespace mscale::library {
namespace {

mscale_status status_of(Kind kind)
{
    switch (kind) {
    case Kind::invalid: return MSCALE_INVALID;
    case Kind::refused:
    case Kind::denied: return MSCALE_REFUSED;
    case Kind::busy: return MSCALE_BUSY;
    case Kind::system: break;
    }
    return MSCALE_SYSTEM;
}

} // namespace

mscale_status to_status(const Error& error)
{
    switch (error.code) {
    case Code::keeper_lost:
    case Code::degraded: return MSCALE_DEGRADED;
    case Code::snapshot_damaged:
    case Code::snapshot_version: return MSCALE_REFUSED;
    default: return status_of(entry_of(error.code).kind);
    }
}

mscale_status to_join_status(const Error& error)
{
    const mscale_status status = to_status(error);
    return status == MSCALE_DEGRADED || status == MSCALE_BUSY ? MSCALE_REFUSED : status;
}

} // namespace mscale::library

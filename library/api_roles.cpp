// The map of mscale.h's roles.  No exception leaves.
#include "library/boundary.hpp"
#include "library/role.hpp"

using namespace mscale;
using namespace mscale::library;

mscale_status mscale_role_enter(const char* role)
{
    return guard([&] {
        const auto entered = enter_role(role ? role : "");
        if (!entered && !contract::has_roles()) return answer(entered.error(), MSCALE_OUTSIDE);
        return answer(entered);
    });
}

mscale_status mscale_role_leave(void)
{
    return guard([] { return answer(leave_role()); });
}

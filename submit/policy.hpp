#pragma once

#include <memory>
#include <optional>
#include <string>

#include "contract/parse.hpp"
#include "contract/site.hpp"
#include "hal/inventory.hpp"
#include "submit/rulings.hpp"

namespace mscale::submit {

/// What the administrator laid down, as of one moment; the files may have changed since.
struct Policy {
    std::optional<contract::Site> site;              ///< empty: mscale.conf could never be read
    std::string site_fault;                          ///< why, for the user
    std::shared_ptr<const hal::Inventory> inventory; ///< null: it could never be read
    std::string inventory_fault;
    std::shared_ptr<const contract::Profiles> profiles = std::make_shared<const contract::LoadedProfiles>();
    /// What was judged under exactly this policy: it ends with it, so nothing outlives a change of a file.
    std::shared_ptr<Rulings> rulings = std::make_shared<Rulings>();
};

} // namespace mscale::submit

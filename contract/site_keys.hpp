#pragma once

#include <span>
#include <string_view>

#include "contract/site.hpp"

namespace mscale::contract {

/// One key of mscale.conf and how its value is taken.
struct SiteRule {
    SiteKey key;
    /// Sets the field, or says what is wrong with the value.
    Result<void> (*set)(Site& site, std::string_view value);
};

/// All keys but those of [partition.NAME], in the order of the manual.
std::span<const SiteRule> site_rules();

} // namespace mscale::contract

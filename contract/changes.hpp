#pragma once

#include <vector>

#include "contract/offers.hpp"

namespace mscale::contract {

/// What could cure a refusal, nearest first: what the machine offers in the place of what was asked; less of a clause that
/// takes what the refused one lacks; last, to drop the clause or such a rival of it.
std::vector<Change> changes_for(const Contract& contract, const Question& question, const Refusal& refusal,
                                const Effects& effect);

} // namespace mscale::contract

#pragma once

#include "contract/role_place.hpp"
#include "library/io/reader.hpp"

namespace mscale::library {

/// What a program asks of a reader; 0 stands for what the contract or the library chooses.
struct ReaderWishes {
    std::string role;
    std::uint32_t depth = 0, block = 0;
    bool direct = true, in_order = true;
};

/// A reader as the role's clause says: of its depth, its buffers made in the role's place.  Outside of a job whose contract has
/// roles the role says nothing.
Result<std::unique_ptr<Reader>> open_for_role(const std::string& path, const ReaderWishes& wishes,
                                              const contract::ReadVariable& variable = contract::read_variable);

} // namespace mscale::library

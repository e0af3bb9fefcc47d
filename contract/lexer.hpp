#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ini.hpp"
#include "contract/source_text.hpp"

namespace mscale::contract {

/// A clause as it stands in a text, before anybody knows what it means.
struct Piece {
    std::string name;  ///< "gpu.sm", "role.image_loader.cores"
    std::string value; ///< trimmed, not empty
    Spot name_spot, value_spot;
    bool is_ini = false; ///< a key below a heading: the name's spot is that of the key
};

/// Adds a fault with its place.  After a hundred only one more is added, which says that further ones aren't listed.
void add_fault(Faults& faults, const SourceText& source, const Spot& spot, Error error);

/// A text taken apart, and the damage found on the way.
struct Pieces {
    std::vector<Piece> pieces;
    Faults faults;
};

/// "PROFILE,section.key=value,…": the leading name becomes the piece contract.profile.  Separators are commas and line ends
/// outside brackets.
Pieces lex_inline(const SourceText& source);

/// An INI text, by parse_ini.
Pieces lex_ini(const SourceText& source);

} // namespace mscale::contract

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace mscale::contract {

/// A stretch of a line; line and column count from 1, column and width in bytes.
struct Spot {
    std::size_t line = 1, column = 1, width = 1;
};

/// A text with a name, whose spots become places only where a fault needs one: a contract may be one line of 64 KiB.
class SourceText {
public:
    /// A byte order mark is left out.  `text` must outlive this.
    SourceText(std::string_view text, std::string_view name);

    std::string_view text() const { return text_; }
    const std::string& name() const { return name_; }
    Spot spot_at(std::size_t offset, std::size_t width) const;
    Place place_of(const Spot& spot) const;
    /// The heading "[…]" that holds for this line, or the line itself.
    Spot heading_above(const Spot& spot) const;

private:
    std::string_view text_;
    std::string name_;
    std::vector<std::size_t> line_begins_;
    std::string_view line(std::size_t number) const;
};

} // namespace mscale::contract

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mscale::hal {

using Lines = std::vector<std::string>;

/// The columns that a UTF-8 text of narrow characters takes on a terminal.
std::size_t display_width(std::string_view text);

/// The text in exactly `width` columns: padded with blanks, or cut with "…".
std::string fit(std::string_view text, std::size_t width);

/// A box `width` columns wide with its title in the upper edge, and a rule between the sections; empty ones
/// are left out.
Lines draw_box(std::string_view title, const std::vector<Lines>& sections, std::size_t width);

/// Boxes of one width side by side, `per_row` in a row, those of a row made equally high.
Lines arrange_boxes(std::vector<Lines> boxes, std::size_t per_row);

/// The text broken at blanks into lines of at most `width` columns; all but the first begin with `indent`
/// blanks.
Lines wrap(std::string_view text, std::size_t width, std::size_t indent);

} // namespace mscale::hal

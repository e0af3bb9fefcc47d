#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/ini.hpp"
#include "base/json_forward.hpp"

namespace mscale::cli {

/// Writes `text` to stdout, with a line end after it.
void print(std::string_view text);
/// The JSON on stdout, indented by two.
void print_json(const Json& json);
/// The error on stderr after "mscale: ", its cure below; returns its exit status.
int report(const Error& error);
/// {"code", "text", "cure"}, for the commands that print JSON also when they fail.
Json error_json(const Error& error);
/// Every fault on stderr, with carets; returns the exit status of a contract with faults, or of a file
/// that the caller may not read.
int report(const Faults& faults);
/// "mscale: note" on stderr.
void remark(std::string_view note);

/// The columns to draw in: the terminal's width, else $COLUMNS, else 100; 60 at least.
unsigned output_columns();

/// One row of a table of two columns, the second wrapped at the terminal's width.
std::string table_row(std::string_view name, std::string_view text, std::size_t indent);

} // namespace mscale::cli

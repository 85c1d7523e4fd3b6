// Rows of a table from a file that a package brings.
#pragma once

#include <string_view>
#include <vector>

#include "pipeline/table/definition.h"

namespace ferry::table {

inline constexpr size_t kMaxRowsFileBytes = size_t{16} << 20;

// A file that ends with .csv has the columns' names in its first line, fields in quotes where they
// need them, and null for an empty field; every other one has a JSON object a line. Empty lines
// count, but say nothing. Errors name the file and the line: kMalformed, kInvalidArgument (a row
// that the table does not take), kAlreadyExists (a key for the second time), kLimitExceeded.
Result<std::vector<Json>> ReadRows(const Definition& definition, std::string_view file,
                                   std::string_view text);

}  // namespace ferry::table

// Where a value stands in the text of a JSON document: the parser keeps no places.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::fleetsim {

struct Place {
  size_t line = 1;
  size_t column = 1;  // in bytes, from 1
};

// Of the value that `path` leads to (names of members, numbers of elements), or with `key` of the
// name of its last member. `text` was parsed; of a path that leads nowhere, the deepest value on
// it.
Place PlaceOf(std::string_view text, const std::vector<std::string>& path, bool key);

}  // namespace ferry::fleetsim

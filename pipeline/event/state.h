// What parts of the pipeline keep between two starts: byte strings under byte strings. A part
// writes what changed since it was asked last, so that a commit costs what happened, not what is
// held; the pairs of all parts commit together with the rows that came of the same events.
#pragma once

#include <string_view>

namespace ferry::event {

class StateWriter {
 public:
  virtual ~StateWriter() = default;
  // `key` and `value` are bytes, copied before the call returns.
  virtual void Put(std::string_view key, std::string_view value) = 0;
  virtual void Delete(std::string_view key) = 0;
};

}  // namespace ferry::event

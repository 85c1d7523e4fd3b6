// Where a piece may be cut without changing its ids: between two characters that stand next to each
// other in no token. Models whose tokens only join, or add up, never cross such a place.
#pragma once

#include <string_view>
#include <vector>

#include "device-runtime/llm/tokenizer/pipeline/vocabulary.h"

namespace ferry::llm {

// Immutable; any thread.
class Cutter {
 public:
  Cutter() = default;
  // Over the kMatched tokens. `keep_unknown`: neighbours that are both no tokens stay together.
  Cutter(const Vocabulary& vocabulary, bool keep_unknown);

  // Bytes of the first part of `piece` (valid UTF-8, not empty): up to a kSpaceMark where that can
  // be, in a long one up to any such place; all of it where there is none.
  size_t FirstPart(std::string_view piece, const Vocabulary& vocabulary) const;

 private:
  bool MayCut(std::string_view piece, size_t at, const Vocabulary& vocabulary) const;

  // By a hash of both characters; one that no token has may share a bit with one that has: then it
  // is not cut.
  std::vector<uint64_t> neighbours_;
  bool keep_unknown_ = false;
};

}  // namespace ferry::llm

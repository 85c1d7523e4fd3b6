// Which region of a new file comes from where in the base, and by what numbers. Private to
// common/package.
#pragma once

#include <vector>

#include "common/package/delta/format.h"
#include "common/package/delta/offsets.h"

namespace ferry::package::delta {

// Cuts the new file into chunks. `base` and `target` are borrowed.
class Planner {
 public:
  Planner(ByteView base, ByteView target) : base_(base), target_(target), index_(base) {}

  // The segments of the next at most kMaxChunkBytes from `at`; together they are as long as the
  // chunk is.
  std::vector<Segment> Plan(size_t at);

 private:
  // A block's ways and their estimated bits.
  static constexpr size_t kOffsets = 6;
  static constexpr size_t kWays = 4;  // literal, and numbers of 1, 2 and 4 bytes
  struct Choice {
    int64_t offset = 0;
    unsigned width = 0;  // 0: literal
    double bits = 0;
  };
  std::vector<int64_t> Candidates(size_t region);
  std::vector<Choice> ChoicesOf(size_t at, size_t length, const std::vector<int64_t>& offsets);
  Choice Copied(size_t at, size_t length, int64_t offset, unsigned width) const;
  static std::vector<uint8_t> CheapestWays(const std::vector<std::vector<Choice>>& blocks);
  void NoteUsed(const std::vector<Choice>& choices);
  bool Lies(size_t at, size_t length, int64_t offset) const;
  void Split(const Choice& choice, size_t at, size_t length, std::vector<Segment>& out) const;

  ByteView base_;
  ByteView target_;
  BaseIndex index_;
  std::vector<int64_t> recent_;  // offsets that were used, the last first
};

// Appends `segment`, whose mode is any of its width, to `out`: with the mode that does best on a
// part of it, cut where the length of rows changes.
void ChooseMode(ByteView base, ByteView target, size_t at, Segment segment,
                std::vector<Segment>& out);

}  // namespace ferry::package::delta

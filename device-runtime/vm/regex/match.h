// The matcher: backtracking over a program, its own stack on the isolate's heap, steps charged.
#pragma once

#include <cstdint>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm::regex {

// The text searched. Offsets are bytes; `wide` text is UTF-8 with characters beyond ASCII.
struct Subject {
  std::string_view text;  // up to endpos
  bool wide = false;
};

enum class Anchor : uint8_t { kSearch, kMatch, kFull };
enum class Outcome : uint8_t { kFound, kNone, kFailed };

// One program on one text. Marks are byte offsets, -1 for groups that took no part.
class Matcher {
 public:
  // `program` and the text must stay where they are.
  Matcher(Vm& vm, const uint32_t* program, const Subject& subject);
  ~Matcher();
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  // ---- match_run.cc ----
  // The first match at or after byte `from`. `nonempty`: not an empty one at `from` itself.
  // kFailed: a limit is passed.
  Outcome Run(size_t from, Anchor anchor, bool nonempty);
  int64_t mark(uint32_t i) const { return registers_[i]; }
  uint32_t last_group() const { return static_cast<uint32_t>(registers_[2 * (groups_ + 1)]); }
  uint32_t groups() const { return groups_; }

 private:
  struct Entry {
    uint32_t kind, a, b, c;
  };
  enum Kind : uint32_t { kAlternative, kRestore, kGreedy, kLazy };

  bool Push(uint32_t kind, uint32_t a, uint32_t b, uint32_t c = 0) {
    if (size_ == capacity_ && !Grow()) return false;
    stack_[size_++] = {kind, a, b, c};
    return true;
  }

  // ---- match.cc ----
  bool Grow();
  bool Set(uint32_t reg, int32_t value) {
    if (!Push(kRestore, reg, static_cast<uint32_t>(registers_[reg]))) return false;
    registers_[reg] = value;
    return true;
  }
  bool Charge();
  void Undo(size_t bottom);
  // Keeps what undoes registers, drops what would try again.
  void Commit(size_t bottom);

  // ---- match_run.cc ----
  // From the instruction on, up to kMatch; *at is then where it ends.
  Outcome Go(uint32_t pc, size_t* at, bool top);
  // One instruction; *matched: whether to go on. False: a limit is passed.
  bool Step(uint32_t* pc, size_t* at, bool* matched);

  // ---- match.cc ----
  // Back to the last choice above `bottom`: the place to go on from; false: there is none.
  bool Back(size_t bottom, uint32_t* pc, size_t* at);
  bool Loop(uint32_t* pc, size_t at);
  bool Repeat(uint32_t* pc, size_t* at, bool* matched);
  // Up to `most` characters that the instruction takes; *at goes behind them, *least_at behind the
  // first `least`.
  uint32_t Many(uint32_t pc, uint32_t least, uint32_t most, size_t* at, size_t* least_at) const;

  // ---- match_run.cc ----
  void FindPrefix();
  // The next place from which a match may begin; the end of the text: none.
  size_t Candidate(size_t place) const;
  bool Look(uint32_t* pc, size_t at, bool* matched);
  bool Atomic(uint32_t* pc, size_t* at, bool* matched);

  // ---- match.cc ----
  bool Reference(uint32_t group, uint32_t flags, size_t* at) const;
  bool Place(uint32_t what, size_t at) const;
  bool Word(size_t at, bool before, bool unicode) const;
  // One instruction that takes one character.
  bool One(uint32_t pc, size_t* at) const;
  uint32_t Read(size_t* at) const;
  uint32_t ReadBack(size_t* at) const;

  Vm& vm_;
  const uint32_t* program_;
  const std::string_view text_;
  const bool wide_;
  const uint32_t groups_;
  int32_t* registers_ = nullptr;
  Entry* stack_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
  uint32_t work_ = 0;
  Anchor anchor_ = Anchor::kSearch;
  size_t start_ = 0;
  bool nonempty_ = false;
  // What every match begins with.
  char prefix_[16];
  uint32_t prefix_size_ = 0;
};

}  // namespace ferry::vm::regex

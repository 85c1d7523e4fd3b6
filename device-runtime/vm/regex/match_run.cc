// The loop of the matcher, and where it begins.
#include <algorithm>
#include <cstring>

#include "device-runtime/vm/regex/match.h"
#include "device-runtime/vm/regex/program.h"

namespace ferry::vm::regex {

// A look-around: its own match, of which only the groups stay.
bool Matcher::Look(uint32_t* pc, size_t at, bool* matched) {
  const uint32_t* code = program_ + *pc;
  const uint32_t behind = code[1];
  const bool negated = code[2] != 0;
  const size_t bottom = size_;
  *matched = negated;
  bool room = true;
  if (behind > 0) {
    uint32_t back = behind - 1;
    if (!wide_) {
      room = at >= back;
      if (room) at -= back;
    } else {
      for (; back > 0 && at > 0; --back) ReadBack(&at);
      room = back == 0;
      work_ += behind;
    }
  }
  if (room) {
    const Outcome outcome = Go(*pc + 4, &at, false);
    if (outcome == Outcome::kFailed) return false;
    *matched = (outcome == Outcome::kFound) != negated;
    if (outcome == Outcome::kFound) {
      if (negated) {
        Undo(bottom);
      } else {
        Commit(bottom);
      }
    }
  }
  *pc = code[3];
  return true;
}

bool Matcher::Atomic(uint32_t* pc, size_t* at, bool* matched) {
  const size_t bottom = size_;
  const uint32_t end = program_[*pc + 1];
  const Outcome outcome = Go(*pc + 2, at, false);
  if (outcome == Outcome::kFailed) return false;
  *matched = outcome == Outcome::kFound;
  if (*matched) Commit(bottom);
  *pc = end;
  return true;
}

bool Matcher::Step(uint32_t* pc, size_t* at, bool* matched) {
  const uint32_t* code = program_ + *pc;
  switch (static_cast<Op>(code[0])) {
    case Op::kJump:
      *pc = code[1];
      return true;
    case Op::kSplit:
      *pc += 2;
      return Push(kAlternative, code[1], static_cast<uint32_t>(*at));
    case Op::kSave: {
      const uint32_t reg = code[1], last = 2 * (groups_ + 1);
      *pc += 2;
      return Set(reg, static_cast<int32_t>(*at)) &&
             ((reg & 1) == 0 || Set(last, static_cast<int32_t>(reg / 2)));
    }
    case Op::kAt:
      *matched = Place(code[1], *at);
      *pc += 2;
      return true;
    case Op::kReference:
      *matched = Reference(code[1], code[2], at);
      if (*matched)
        work_ += static_cast<uint32_t>(registers_[2 * code[1] + 1] - registers_[2 * code[1]]) / 16;
      *pc += 3;
      return true;
    case Op::kCondition:
      *pc = registers_[2 * code[1] + 1] >= 0 ? *pc + 3 : code[2];
      return true;
    case Op::kLook:
      return Look(pc, *at, matched);
    case Op::kAtomic:
      return Atomic(pc, at, matched);
    case Op::kOne:
      return Repeat(pc, at, matched);
    case Op::kLoopBegin:
      *pc += 2;
      return Set(code[1], 0) && Set(code[1] + 1, -1);
    case Op::kLoop:
      return Loop(pc, *at);
    case Op::kTurn:
      *pc += 2;
      return Set(code[1], registers_[code[1]] + 1) && Set(code[1] + 1, static_cast<int32_t>(*at));
    case Op::kLiteral:
      *matched = One(*pc, at);
      *pc += 2;
      return true;
    case Op::kLiteralFold:
      *matched = One(*pc, at);
      *pc += 3;
      return true;
    case Op::kSet:
      *matched = One(*pc, at);
      *pc += 3 + code[2];
      return true;
    case Op::kAny:
    case Op::kAnyAll:
      *matched = One(*pc, at);
      ++*pc;
      return true;
    default:
      *matched = false;
      return true;
  }
}

Outcome Matcher::Go(uint32_t pc, size_t* at, bool top) {
  const size_t bottom = size_;
  size_t place = *at;
  for (;;) {
    if (++work_ >= 1024 && !Charge()) return Outcome::kFailed;
    bool matched = true;
    const auto op = static_cast<Op>(program_[pc]);
    if (op == Op::kLiteral) {
      matched = One(pc, &place);
      pc += 2;
    } else if (op == Op::kSet) {
      matched = One(pc, &place);
      pc += 3 + program_[pc + 2];
    } else if (op == Op::kSplit) {
      if (!Push(kAlternative, program_[pc + 1], static_cast<uint32_t>(place)))
        return Outcome::kFailed;
      pc += 2;
    } else if (op == Op::kJump) {
      pc = program_[pc + 1];
    } else if (op == Op::kMatch) {
      const bool whole = !top || anchor_ != Anchor::kFull || place == text_.size();
      if (whole && !(top && nonempty_ && place == start_)) {
        *at = place;
        return Outcome::kFound;
      }
      matched = false;
    } else if (!Step(&pc, &place, &matched)) {
      return Outcome::kFailed;
    }
    if (!matched && !Back(bottom, &pc, &place)) return Outcome::kNone;
  }
}

void Matcher::FindPrefix() {
  uint32_t pc = kCode;
  while (prefix_size_ < sizeof prefix_) {
    const auto op = static_cast<Op>(program_[pc]);
    if (op == Op::kLiteral && (program_[pc + 1] < 128 || !wide_)) {
      if (program_[pc + 1] > 255) break;  // not in this text
      prefix_[prefix_size_++] = static_cast<char>(program_[pc + 1]);
    } else if (op != Op::kSave) {
      break;
    }
    pc += 2;
  }
}

size_t Matcher::Candidate(size_t place) const {
  const char* const from = text_.data() + place;
  const size_t left = text_.size() - place;
  if (prefix_size_ > 0) {
    const void* found = prefix_size_ == 1 ? std::memchr(from, prefix_[0], left)
                                          : memmem(from, left, prefix_, prefix_size_);
    return found == nullptr ? text_.size()
                            : static_cast<size_t>(static_cast<const char*>(found) - text_.data());
  }
  const uint32_t* const first = program_ + kFirstBytes;
  for (; place < text_.size(); ++place) {
    const auto byte = static_cast<unsigned char>(text_[place]);
    if ((first[byte / 32] >> (byte % 32) & 1) != 0) break;
  }
  return place;
}

Outcome Matcher::Run(size_t from, Anchor anchor, bool nonempty) {
  if (registers_ == nullptr) return Outcome::kFailed;
  anchor_ = anchor;
  const uint32_t least = program_[kWidthLeast];
  // An attempt that fails leaves the registers as it found them.
  size_ = 0;
  std::fill(registers_, registers_ + program_[kRegisters], -1);
  registers_[2 * (groups_ + 1)] = 0;
  for (size_t place = from; place <= text_.size();) {
    if (anchor == Anchor::kSearch && program_[kHasFirst] != 0) {
      const size_t before = place;
      place = Candidate(place);
      work_ += static_cast<uint32_t>((place - before) / 8);
      if (place == text_.size()) break;
    }
    if (text_.size() - place < least) break;
    start_ = place;
    nonempty_ = nonempty && place == from;
    size_t end = place;
    const Outcome outcome = Go(kCode, &end, true);
    if (outcome == Outcome::kFound) {
      registers_[0] = static_cast<int32_t>(place);
      registers_[1] = static_cast<int32_t>(end);
    }
    if (outcome != Outcome::kNone || anchor != Anchor::kSearch) {
      return outcome == Outcome::kFailed || Charge() ? outcome : Outcome::kFailed;
    }
    if (place == text_.size()) break;
    Read(&place);
  }
  return Charge() ? Outcome::kNone : Outcome::kFailed;
}

}  // namespace ferry::vm::regex

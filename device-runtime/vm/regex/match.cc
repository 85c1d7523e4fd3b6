#include "device-runtime/vm/regex/match.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/vm/regex/program.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm::regex {
namespace {

constexpr uint32_t kWorkPerCharge = 1024;  // instructions
constexpr uint32_t kWorkPerStep = 4;
constexpr uint32_t kNoLimit = kUnlimited;

}  // namespace

Matcher::Matcher(Vm& vm, const uint32_t* program, const Subject& subject)
    : vm_(vm),
      program_(program),
      text_(subject.text),
      wide_(subject.wide),
      groups_(program[kGroups]) {
  registers_ = static_cast<int32_t*>(vm.heap.NewBuffer(program[kRegisters] * sizeof(int32_t)));
  if (registers_ == nullptr) vm.OutOfMemory();
  FindPrefix();
}

Matcher::~Matcher() {
  vm_.heap.FreeBuffer(registers_, program_[kRegisters] * sizeof(int32_t));
  vm_.heap.FreeBuffer(stack_, capacity_ * sizeof(Entry));
}

bool Matcher::Grow() {
  const size_t capacity = std::max<size_t>(64, capacity_ * 2);
  auto* stack = static_cast<Entry*>(vm_.heap.NewBuffer(capacity * sizeof(Entry)));
  if (stack == nullptr) {
    vm_.OutOfMemory();
    return false;
  }
  if (size_ > 0) std::memcpy(stack, stack_, size_ * sizeof(Entry));
  vm_.heap.FreeBuffer(stack_, capacity_ * sizeof(Entry));
  stack_ = stack;
  capacity_ = capacity;
  return true;
}

bool Matcher::Charge() {
  const uint32_t work = work_;
  work_ = 0;
  return vm_.ChargeSteps(work / kWorkPerStep);
}

uint32_t Matcher::Read(size_t* at) const {
  const auto c = static_cast<unsigned char>(text_[*at]);
  if (!wide_ || c < 0x80) {
    ++*at;
    return c;
  }
  return Utf8Next(text_, at);
}

uint32_t Matcher::ReadBack(size_t* at) const {
  --*at;
  if (wide_)
    while ((static_cast<unsigned char>(text_[*at]) & 0xC0) == 0x80) --*at;
  size_t next = *at;
  return Read(&next);
}

bool Matcher::Word(size_t at, bool before, bool unicode) const {
  if (before ? at == 0 : at >= text_.size()) return false;
  return IsWord(before ? ReadBack(&at) : Read(&at), unicode);
}

bool Matcher::Place(uint32_t what, size_t at) const {
  const bool many = (what >> 8 & kMultiLine) != 0, unicode = (what >> 8 & kUnicode) != 0;
  switch (static_cast<regex::At>(what & 0xFF)) {
    case regex::At::kBeginString:
      return at == 0;
    case regex::At::kBegin:
      return at == 0 || (many && text_[at - 1] == '\n');
    case regex::At::kEndString:
      return at == text_.size();
    case regex::At::kEnd:
      if (at == text_.size() || (many && text_[at] == '\n')) return true;
      return at + 1 == text_.size() && text_[at] == '\n';
    case regex::At::kBoundary:
      return !text_.empty() && Word(at, true, unicode) != Word(at, false, unicode);
    case regex::At::kNotBoundary:
      return !text_.empty() && Word(at, true, unicode) == Word(at, false, unicode);
  }
  return false;
}

bool Matcher::One(uint32_t pc, size_t* at) const {
  if (*at >= text_.size()) return false;
  const uint32_t c = Read(at);
  switch (static_cast<Op>(program_[pc])) {
    case Op::kLiteral:
      return c == program_[pc + 1];
    case Op::kLiteralFold:
      return FoldKey(c, program_[pc + 2] != 0) == program_[pc + 1];
    case Op::kAny:
      return c != '\n';
    case Op::kSet:
      return SetHas(program_ + program_[pc + 1], c);
    default:  // kAnyAll
      return true;
  }
}

bool Matcher::Reference(uint32_t group, uint32_t flags, size_t* at) const {
  const int32_t start = registers_[2 * group], end = registers_[2 * group + 1];
  if (start < 0 || end < start) return false;
  const std::string_view what =
      text_.substr(static_cast<size_t>(start), static_cast<size_t>(end - start));
  if ((flags & kIgnoreCase) == 0) {
    if (text_.substr(*at, what.size()) != what) return false;
    *at += what.size();
    return true;
  }
  const bool unicode = (flags & kUnicode) != 0;
  size_t i = static_cast<size_t>(start), j = *at;
  while (i < static_cast<size_t>(end)) {
    if (j >= text_.size()) return false;
    const uint32_t x = Read(&i), y = Read(&j);
    if (FoldKey(x, unicode) != FoldKey(y, unicode)) return false;
  }
  *at = j;
  return true;
}

void Matcher::Undo(size_t bottom) {
  while (size_ > bottom) {
    const Entry& entry = stack_[--size_];
    if (entry.kind == kRestore) registers_[entry.a] = static_cast<int32_t>(entry.b);
  }
}

void Matcher::Commit(size_t bottom) {
  size_t kept = bottom;
  for (size_t i = bottom; i < size_; ++i)
    if (stack_[i].kind == kRestore) stack_[kept++] = stack_[i];
  size_ = kept;
}

bool Matcher::Back(size_t bottom, uint32_t* pc, size_t* at) {
  while (size_ > bottom) {
    Entry& entry = stack_[size_ - 1];
    ++work_;
    switch (entry.kind) {
      case kRestore:
        registers_[entry.a] = static_cast<int32_t>(entry.b);
        --size_;
        continue;
      case kAlternative:
        *pc = entry.a;
        *at = entry.b;
        --size_;
        return true;
      case kGreedy: {  // a: the repeat, b: where it stands, c: its least place
        size_t place = entry.b;
        const uint32_t next = program_[entry.a + 4];
        ReadBack(&place);
        // What follows is often one character: skip the places that lack it.
        if (static_cast<Op>(program_[next]) == Op::kLiteral && program_[next + 1] < 128) {
          const char wanted = static_cast<char>(program_[next + 1]);
          while (place > entry.c && text_[place] != wanted) {
            ReadBack(&place);
            ++work_;
          }
        }
        *pc = next;
        *at = place;
        entry.b = static_cast<uint32_t>(place);
        if (place <= entry.c) --size_;
        return true;
      }
      default: {  // kLazy: a: the repeat, b: where it stands, c: how many more
        size_t place = entry.b;
        if (entry.c == 0 || !One(entry.a + 5, &place)) {
          --size_;
          continue;
        }
        *pc = program_[entry.a + 4];
        *at = place;
        entry.b = static_cast<uint32_t>(place);
        if (entry.c != kNoLimit) --entry.c;
        return true;
      }
    }
  }
  return false;
}

uint32_t Matcher::Many(uint32_t pc, uint32_t least, uint32_t most, size_t* at,
                       size_t* least_at) const {
  const auto op = static_cast<Op>(program_[pc]);
  const bool quick = op == Op::kLiteral || op == Op::kAny || op == Op::kSet;
  const char* const text = text_.data();
  const size_t size = text_.size();
  uint32_t count = 0;
  size_t place = *at;
  const auto run = [&](auto takes) {
    while (count < most && place < size) {
      const auto c = static_cast<unsigned char>(text[place]);
      if (quick && c < 128) {
        if (!takes(c)) break;
        ++place;
      } else if (!One(pc, &place)) {
        break;
      }
      *at = place;
      if (++count == least) *least_at = place;
    }
  };
  if (op == Op::kSet) {
    const uint32_t* const bits = program_ + program_[pc + 1] + kSetBits;
    run([bits](unsigned char c) { return (bits[c / 32] >> (c % 32) & 1) != 0; });
  } else if (op == Op::kAny && !wide_) {
    const void* line = size > place ? std::memchr(text + place, '\n', size - place) : nullptr;
    const size_t room = line == nullptr
                            ? size - place
                            : static_cast<size_t>(static_cast<const char*>(line) - text) - place;
    count = static_cast<uint32_t>(std::min<size_t>(most, room));
    if (least != 0 && count >= least) *least_at = place + least;
    *at = place + count;
  } else if (op == Op::kAny) {
    run([](unsigned char c) { return c != '\n'; });
  } else {
    const uint32_t literal = program_[pc + 1];
    run([literal](unsigned char c) { return c == literal; });
  }
  return count;
}

// kOne: one instruction, many times.
bool Matcher::Repeat(uint32_t* pc, size_t* at, bool* matched) {
  const uint32_t* code = program_ + *pc;
  const uint32_t least = code[1], most = code[2], one = *pc + 5;
  const auto mode = static_cast<Mode>(code[3]);
  size_t place = *at, least_place = *at;
  uint32_t count = 0;
  const uint32_t wanted = mode == Mode::kLazy ? least : most;
  *matched = true;
  if (least == 0) least_place = place;
  if (static_cast<Op>(program_[one]) == Op::kAnyAll && !wide_ && wanted == kNoLimit) {
    count = static_cast<uint32_t>(text_.size() - place);
    least_place = std::min(place + least, text_.size());
    place = text_.size();
  } else {
    count = Many(one, least, wanted, &place, &least_place);
  }
  work_ += count / 2;
  if (count < least) {
    *matched = false;
    return true;
  }
  const auto from = static_cast<uint32_t>(*pc);
  if (mode == Mode::kGreedy && place > least_place) {
    if (!Push(kGreedy, from, static_cast<uint32_t>(place), static_cast<uint32_t>(least_place)))
      return false;
  } else if (mode == Mode::kLazy && most > least) {
    if (!Push(kLazy, from, static_cast<uint32_t>(place),
              most == kNoLimit ? kNoLimit : most - least))
      return false;
  }
  *at = place;
  *pc = code[4];
  return true;
}

// kLoop: another turn of the body, which begins behind kTurn, or on.
bool Matcher::Loop(uint32_t* pc, size_t at) {
  const uint32_t* code = program_ + *pc;
  const uint32_t counter = code[1], least = code[2], most = code[3], exit = code[5];
  const auto count = static_cast<uint32_t>(registers_[counter]);
  const bool moved = registers_[counter + 1] != static_cast<int32_t>(at);
  const uint32_t turn = *pc + 6;
  *pc = turn;
  if (count < least) {  // turns that must be may be empty
    *pc = turn + 2;
    return Set(counter, static_cast<int32_t>(count + 1));
  }
  const bool may = moved && count < most, lazy = static_cast<Mode>(code[4]) == Mode::kLazy;
  if (!may || lazy) *pc = exit;
  return !may || Push(kAlternative, lazy ? turn : exit, static_cast<uint32_t>(at));
}

}  // namespace ferry::vm::regex

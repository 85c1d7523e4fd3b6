#include <algorithm>

#include "device-runtime/vm/regex/program.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm::regex {

uint32_t EmitSet(const CharSet& set, uint32_t flags, bool bytes, std::vector<uint32_t>* program);

namespace {

class Compiler {
 public:
  Compiler(const Tree& tree, bool bytes, std::vector<uint32_t>* program, Problem* problem)
      : tree_(tree), bytes_(bytes), out_(*program), problem_(*problem) {}
  bool Run();

 private:
  uint32_t Here() const { return static_cast<uint32_t>(out_.size()); }
  void Put(Op op, std::initializer_list<uint32_t> operands = {}) {
    out_.push_back(static_cast<uint32_t>(op));
    out_.insert(out_.end(), operands);
  }
  bool Unicode(const Node& node) const { return !bytes_ && (node.flags & kAscii) == 0; }
  bool Emit(uint32_t index);
  bool EmitAll(const Node& node);
  bool Branch(const Node& node);
  bool Repeat(const Node& node);
  bool Look(const Node& node);
  bool Condition(const Node& node);
  bool IsOne(uint32_t index) const;
  void One(const Node& node);
  void FirstBytes();
  bool AddFirst(uint32_t index, bool* empty);

  const Tree& tree_;
  const bool bytes_;
  std::vector<uint32_t>& out_;
  Problem& problem_;
  uint32_t registers_ = 0;
  uint32_t first_[8] = {};
};

// A node that matches exactly one character.
bool Compiler::IsOne(uint32_t index) const {
  const Node& node = tree_.nodes[index];
  if (node.kind == NodeKind::kSequence && node.children.size() == 1) return IsOne(node.children[0]);
  return node.kind == NodeKind::kLiteral || node.kind == NodeKind::kAny ||
         node.kind == NodeKind::kSet;
}

void Compiler::One(const Node& node) {
  if (node.kind == NodeKind::kSequence) return One(tree_.nodes[node.children[0]]);
  if (node.kind == NodeKind::kAny) {
    Put((node.flags & kDotAll) != 0 ? Op::kAnyAll : Op::kAny);
  } else if (node.kind == NodeKind::kLiteral) {
    const uint32_t key = FoldKey(node.a, Unicode(node));
    if ((node.flags & kIgnoreCase) == 0) {
      Put(Op::kLiteral, {node.a});
    } else {
      Put(Op::kLiteralFold, {key, Unicode(node) ? uint32_t{kUnicode} : 0u});
    }
  } else {
    Put(Op::kSet, {Here() + 3, 0});
    const uint32_t place = Here();
    EmitSet(tree_.sets[node.a], node.flags, bytes_, &out_);
    out_[place - 1] = Here() - place;
  }
}

bool Compiler::EmitAll(const Node& node) {
  for (uint32_t child : node.children)
    if (!Emit(child)) return false;
  return true;
}

bool Compiler::Branch(const Node& node) {
  std::vector<uint32_t> ends;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const bool last = i + 1 == node.children.size();
    const uint32_t split = Here();
    if (!last) Put(Op::kSplit, {0});
    if (!Emit(node.children[i])) return false;
    if (last) break;
    ends.push_back(Here() + 1);
    Put(Op::kJump, {0});
    out_[split + 1] = Here();
  }
  for (uint32_t end : ends) out_[end] = Here();
  return true;
}

bool Compiler::Repeat(const Node& node) {
  const uint32_t child = node.children[0];
  const auto mode = static_cast<uint32_t>(node.mode);
  if (IsOne(child)) {
    const uint32_t one = Here();
    Put(Op::kOne, {node.a, node.b, mode, 0});
    One(tree_.nodes[child]);
    out_[one + 4] = Here();
    return true;
  }
  const bool atomic = node.mode == Mode::kPossessive;
  const uint32_t outer = Here();
  if (atomic) Put(Op::kAtomic, {0});
  const uint32_t counter = registers_;
  registers_ += 2;  // count, and where the last turn began
  Put(Op::kLoopBegin, {counter});
  const uint32_t loop = Here();
  Put(Op::kLoop, {counter, node.a, node.b, atomic ? 0u : mode, 0});
  Put(Op::kTurn, {counter});
  // Each turn of a possessive loop is final, too.
  const uint32_t inner = Here();
  if (atomic) Put(Op::kAtomic, {0});
  if (!Emit(child)) return false;
  if (atomic) {
    Put(Op::kMatch);
    out_[inner + 1] = Here();
  }
  Put(Op::kJump, {loop});
  out_[loop + 5] = Here();
  if (atomic) {
    Put(Op::kMatch);
    out_[outer + 1] = Here();
  }
  return true;
}

bool Compiler::Look(const Node& node) {
  uint32_t width = 0;
  if (node.a != 0) {
    const Width w = WidthOf(tree_, node.children[0]);
    if (w.least != w.most) {
      problem_ = {Problem::kError, "look-behind requires fixed-width pattern", -1};
      return false;
    }
    width = static_cast<uint32_t>(std::min<uint64_t>(w.least, kUnlimited - 1)) + 1;
  }
  const uint32_t look = Here();
  Put(Op::kLook, {width, node.b, 0});
  if (!Emit(node.children[0])) return false;
  Put(Op::kMatch);
  out_[look + 3] = Here();
  return true;
}

bool Compiler::Condition(const Node& node) {
  const uint32_t condition = Here();
  Put(Op::kCondition, {node.a, 0});
  if (!Emit(node.children[0])) return false;
  if (node.children.size() < 2) {
    out_[condition + 2] = Here();
    return true;
  }
  const uint32_t jump = Here();
  Put(Op::kJump, {0});
  out_[condition + 2] = Here();
  if (!Emit(node.children[1])) return false;
  out_[jump + 1] = Here();
  return true;
}

bool Compiler::Emit(uint32_t index) {
  const Node& node = tree_.nodes[index];
  if (out_.size() > kMaxProgramWords) {
    problem_ = {Problem::kOverflow, "regular expression code size limit exceeded", -1};
    return false;
  }
  switch (node.kind) {
    case NodeKind::kEmpty:
      return true;
    case NodeKind::kFail:
      Put(Op::kFail);
      return true;
    case NodeKind::kLiteral:
    case NodeKind::kAny:
    case NodeKind::kSet:
      One(node);
      return true;
    case NodeKind::kAt:
      Put(Op::kAt, {node.a | (node.flags & kMultiLine) << 8 |
                    (Unicode(node) ? uint32_t{kUnicode} << 8 : 0u)});
      return true;
    case NodeKind::kSequence:
      return EmitAll(node);
    case NodeKind::kBranch:
      return Branch(node);
    case NodeKind::kGroup:
      Put(Op::kSave, {2 * node.a});
      if (!EmitAll(node)) return false;
      Put(Op::kSave, {2 * node.a + 1});
      return true;
    case NodeKind::kRepeat:
      return Repeat(node);
    case NodeKind::kLook:
      return Look(node);
    case NodeKind::kAtomic: {
      const uint32_t atomic = Here();
      Put(Op::kAtomic, {0});
      if (!EmitAll(node)) return false;
      Put(Op::kMatch);
      out_[atomic + 1] = Here();
      return true;
    }
    case NodeKind::kCondition:
      return Condition(node);
    case NodeKind::kReference:
      Put(Op::kReference,
          {node.a, (node.flags & kIgnoreCase) | (Unicode(node) ? uint32_t{kUnicode} : 0u)});
      return true;
  }
  return true;
}

// Adds the bytes that matches of the node may begin with; false: any. *empty: it may match nothing.
bool Compiler::AddFirst(uint32_t index, bool* empty) {
  const Node& node = tree_.nodes[index];
  const auto add = [&](uint32_t byte) { first_[byte / 32] |= 1u << (byte % 32); };
  *empty = false;
  switch (node.kind) {
    case NodeKind::kLiteral:
      if ((node.flags & kIgnoreCase) != 0) {
        if (!bytes_ && node.a >= 128) return false;
        if (!bytes_ && Unicode(node))
          for (uint32_t byte = 0xC2; byte < 0xF5; ++byte) add(byte);  // signs that fold to letters
        add(node.a);
        if (node.a < 128 && (node.a | 32) >= 'a' && (node.a | 32) <= 'z') add(node.a ^ 32);
      } else if (bytes_ || node.a < 128) {
        add(node.a);
      } else {
        for (uint32_t byte = 0xC2; byte < 0xF5; ++byte)
          if ((byte < 0xE0) == (node.a < 0x800) && (byte < 0xF0) == (node.a < 0x10000)) add(byte);
      }
      return true;
    case NodeKind::kSet: {
      std::vector<uint32_t> words;
      const uint32_t place = EmitSet(tree_.sets[node.a], node.flags, bytes_, &words);
      for (uint32_t c = 0; c < (bytes_ ? 256u : 128u); ++c)
        if (SetHas(words.data() + place, c)) add(c);
      if (!bytes_)
        for (uint32_t byte = 0xC2; byte < 0xF5; ++byte) add(byte);
      return true;
    }
    case NodeKind::kSequence:
    case NodeKind::kGroup:
    case NodeKind::kAtomic:
      *empty = true;
      for (size_t i = 0; i < node.children.size() && *empty; ++i)
        if (!AddFirst(node.children[i], empty)) return false;
      return true;
    case NodeKind::kBranch: {
      bool any = false;
      for (uint32_t child : node.children) {
        bool one;
        if (!AddFirst(child, &one)) return false;
        any = any || one;
      }
      *empty = any;
      return true;
    }
    case NodeKind::kRepeat:
      if (node.b == 0) return false;
      if (!AddFirst(node.children[0], empty)) return false;
      *empty = *empty || node.a == 0;
      return true;
    case NodeKind::kAt:
    case NodeKind::kLook:
    case NodeKind::kEmpty:
      *empty = true;
      return true;
    default:
      return false;
  }
}

void Compiler::FirstBytes() {
  bool empty = false;
  if (!AddFirst(tree_.root, &empty) || empty) return;
  std::copy(std::begin(first_), std::end(first_), out_.begin() + kFirstBytes);
  out_[kHasFirst] = 1;
}

bool Compiler::Run() {
  out_.assign(kCode, 0);
  out_[kGroups] = tree_.groups;
  // Marks of the groups (the whole match too), then the number of the group closed last.
  registers_ = 2 * (tree_.groups + 1) + 1;
  if (!Emit(tree_.root)) return false;
  Put(Op::kMatch);
  out_[kRegisters] = registers_;
  out_[kWidthLeast] =
      static_cast<uint32_t>(std::min<uint64_t>(WidthOf(tree_, tree_.root).least, kUnlimited));
  FirstBytes();
  return true;
}

}  // namespace

bool Compile(const Tree& tree, bool bytes, std::vector<uint32_t>* program, Problem* problem) {
  return Compiler(tree, bytes, program, problem).Run();
}

}  // namespace ferry::vm::regex

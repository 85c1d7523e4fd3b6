#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/regex/parser.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm::regex {

std::string Shown(uint32_t c, bool bytes) {
  std::string out;
  if (c == kEnd) return out;
  (void)bytes;
  AppendUtf8(c, &out);
  return out;
}

uint32_t Parser::Add(NodeKind kind, uint32_t a, uint32_t b) {
  Node node;
  node.kind = kind;
  node.flags = flags_;
  node.a = a;
  node.b = b;
  tree_.nodes.push_back(std::move(node));
  return static_cast<uint32_t>(tree_.nodes.size() - 1);
}

uint32_t Parser::Wrong(std::string message, int64_t place) {
  if (ok()) problem_ = {Problem::kError, std::move(message), place};
  return 0;
}

bool Parser::Run() {
  Add(NodeKind::kEmpty);  // node 0: what failed functions give
  tree_.root = Alternatives(true);
  if (ok() && in.Peek() == ')') Wrong("unbalanced parenthesis", in.place());
  for (const auto& [group, place] : conditions_)
    if (ok() && group > tree_.groups)
      Wrong("invalid group reference " + std::to_string(group), place);
  tree_.flags = flags_;
  return ok();
}

uint32_t Parser::Alternatives(bool first) {
  if (++nesting_ > kMaxNesting) {
    if (ok()) problem_ = {Problem::kRecursion, "maximum recursion depth exceeded", -1};
    return 0;
  }
  std::vector<uint32_t> branches;
  do {
    branches.push_back(Sequence(first && branches.empty()));
  } while (ok() && in.Take('|'));
  --nesting_;
  if (branches.size() == 1 || !ok()) return branches[0];
  const uint32_t branch = Add(NodeKind::kBranch);
  tree_.nodes[branch].children = std::move(branches);
  return branch;
}

// What verbose patterns leave out; true when `c` was part of it.
bool Parser::SkipVerbose(uint32_t c) {
  if ((flags_ & kVerbose) == 0) return false;
  if (c < 128 && IsSpace(c) && !(c >= 0x1C && c <= 0x1F)) return true;
  if (c != '#') return false;
  for (uint32_t next = in.Next(); next != kEnd && next != '\n';) next = in.Next();
  return true;
}

uint32_t Parser::Sequence(bool first) {
  std::vector<uint32_t> items;
  while (ok()) {
    const uint32_t c = in.Peek();
    if (c == kEnd || c == '|' || c == ')') break;
    const int64_t start = in.place();
    in.Next();
    if (SkipVerbose(c)) continue;
    switch (c) {
      case '\\': {
        Escape escape;
        if (!EscapeIn(false, &escape)) return 0;
        if (escape.kind == Escape::kReference) {
          items.push_back(Add(NodeKind::kReference, escape.value));
        } else if (escape.kind == Escape::kAt) {
          items.push_back(Add(NodeKind::kAt, escape.value));
        } else if (escape.kind == Escape::kCategory) {
          CharSet set;
          set.categories = static_cast<uint8_t>(escape.value);
          tree_.sets.push_back(std::move(set));
          items.push_back(Add(NodeKind::kSet, static_cast<uint32_t>(tree_.sets.size() - 1)));
        } else {
          items.push_back(Add(NodeKind::kLiteral, escape.value));
        }
        break;
      }
      case '[':
        items.push_back(Set());
        break;
      case '.':
        items.push_back(Add(NodeKind::kAny));
        break;
      case '^':
        items.push_back(Add(NodeKind::kAt, static_cast<uint32_t>(At::kBegin)));
        break;
      case '$':
        items.push_back(Add(NodeKind::kAt, static_cast<uint32_t>(At::kEnd)));
        break;
      case '(': {
        bool none = false;
        const uint32_t group = Group(first && items.empty(), &none);
        if (!none) items.push_back(group);
        break;
      }
      case '?':
      case '*':
      case '+':
      case '{':
        if (!Repeats(c, &items, start)) return 0;
        break;
      default:
        items.push_back(Add(NodeKind::kLiteral, c));
    }
  }
  if (items.size() == 1) return items[0];
  const uint32_t sequence = Add(NodeKind::kSequence);
  tree_.nodes[sequence].children = std::move(items);
  return sequence;
}

// After '{': the bounds, or *literal when it is a plain brace.
bool Parser::Braces(uint32_t* least, uint32_t* most, bool* literal, int64_t start) {
  const size_t offset = in.offset();
  const int64_t place = in.place();
  *literal = true;
  if (in.Peek() == '}') return true;
  const auto number = [&](uint32_t* out) {
    uint64_t value = 0;
    bool any = false;
    while (IsAsciiDigit(in.Peek())) {
      any = true;
      value = std::min<uint64_t>(value * 10 + (in.Next() - '0'), uint64_t{1} << 40);
    }
    if (any) *out = static_cast<uint32_t>(std::min<uint64_t>(value, kUnlimited));
    return !any || value < kUnlimited;
  };
  *least = 0;
  *most = kUnlimited;
  const size_t before = in.offset();
  bool fits = number(least);
  const bool any = in.offset() != before;
  if (in.Take(',')) {
    fits = number(most) && fits;
  } else if (any) {
    *most = *least;
  }
  if (!in.Take('}')) {
    in.Seek(offset, place);
    return true;
  }
  *literal = false;
  if (!fits) {
    if (ok()) problem_ = {Problem::kOverflow, "the repetition number is too large", -1};
    return false;
  }
  if (*most < *least) Wrong("min repeat greater than max repeat", start + 1);
  return ok();
}

bool Parser::Repeats(uint32_t c, std::vector<uint32_t>* items, int64_t start) {
  uint32_t least = c == '+' ? 1 : 0, most = c == '?' ? 1 : kUnlimited;
  bool literal = false;
  if (c == '{' && !Braces(&least, &most, &literal, start)) return false;
  if (literal) {
    items->push_back(Add(NodeKind::kLiteral, '{'));
    return true;
  }
  if (items->empty() || tree_.nodes[items->back()].kind == NodeKind::kAt) {
    Wrong("nothing to repeat", start);
    return false;
  }
  if (tree_.nodes[items->back()].kind == NodeKind::kRepeat) {
    Wrong("multiple repeat", start);
    return false;
  }
  const uint32_t repeat = Add(NodeKind::kRepeat, least, most);
  tree_.nodes[repeat].children = {items->back()};
  if (in.Take('?')) {
    tree_.nodes[repeat].mode = Mode::kLazy;
  } else if (in.Take('+')) {
    tree_.nodes[repeat].mode = Mode::kPossessive;
  }
  items->back() = repeat;
  return true;
}

Tree Parse(std::string_view pattern, bool bytes, uint32_t flags, Problem* problem) {
  Tree tree;
  // A lone backslash at the end is found before anything else.
  size_t slashes = 0;
  while (slashes < pattern.size() && pattern[pattern.size() - 1 - slashes] == '\\') ++slashes;
  if (slashes % 2 == 1) {
    const size_t place = bytes ? pattern.size() : CodePoints(pattern);
    *problem = {Problem::kError, "bad escape (end of pattern)", static_cast<int64_t>(place) - 1};
    return tree;
  }
  Parser(pattern, bytes, flags, &tree, problem).Run();
  return tree;
}

Width WidthOf(const Tree& tree, uint32_t index) {
  constexpr uint64_t kMost = kUnlimited;
  const Node& node = tree.nodes[index];
  switch (node.kind) {
    case NodeKind::kLiteral:
    case NodeKind::kAny:
    case NodeKind::kSet:
      return {1, 1};
    case NodeKind::kBranch:
    case NodeKind::kCondition: {
      Width out{UINT64_MAX, 0};
      for (uint32_t child : node.children) {
        const Width w = WidthOf(tree, child);
        out = {std::min(out.least, w.least), std::max(out.most, w.most)};
      }
      if (node.kind == NodeKind::kCondition && node.children.size() < 2) out.least = 0;
      return out;
    }
    case NodeKind::kGroup:
      if (node.a < tree.widths.size() && tree.widths[node.a].most != UINT64_MAX)
        return tree.widths[node.a];
      [[fallthrough]];
    case NodeKind::kSequence:
    case NodeKind::kAtomic: {
      Width out{0, 0};
      for (uint32_t child : node.children) {
        const Width w = WidthOf(tree, child);
        out = {std::min(out.least + w.least, kMost), std::min(out.most + w.most, kMost)};
      }
      return out;
    }
    case NodeKind::kRepeat: {
      const Width w = WidthOf(tree, node.children[0]);
      return {std::min(w.least * node.a, kMost), std::min(w.most * node.b, kMost)};
    }
    case NodeKind::kReference:
      return node.a < tree.widths.size() ? tree.widths[node.a] : Width{0, kMost};
    default:
      return {0, 0};
  }
}

}  // namespace ferry::vm::regex

// Parentheses.
#include <algorithm>

#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/regex/parser.h"
#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm::regex {
namespace {

uint32_t FlagOf(uint32_t letter) {
  switch (letter) {
    case 'i':
      return kIgnoreCase;
    case 'L':
      return kLocale;
    case 'm':
      return kMultiLine;
    case 's':
      return kDotAll;
    case 'x':
      return kVerbose;
    case 'a':
      return kAscii;
    case 'u':
      return kUnicode;
    default:
      return 0;
  }
}
constexpr uint32_t kTypes = kAscii | kLocale | kUnicode;

std::string Quoted(std::string_view name) {
  std::string out;
  AppendQuoted(name, false, &out);
  return out;
}

bool IsName(std::string_view name) {
  bool first = true;
  for (size_t at = 0; at < name.size(); first = false) {
    const uint32_t c = Utf8Next(name, &at);
    if (first ? !IsIdentifierStart(c) : !IsIdentifierPart(c)) return false;
  }
  return !first;
}

bool IsLetterLike(uint32_t c) {
  return c != kEnd && IsAlpha(c);
}

}  // namespace

uint32_t Parser::GroupOf(std::string_view name) const {
  for (const auto& [known, group] : tree_.names)
    if (known == name) return group;
  return 0;
}

bool Parser::IsOpen(uint32_t group) const {
  return std::find(open_.begin(), open_.end(), group) != open_.end();
}

// A reference inside a look-behind: only to groups that are whole before it.
uint32_t Parser::Reference(uint32_t group, int64_t before) {
  if (behind_groups_ == kEnd) return 0;
  if (IsOpen(group)) return WrongAt("cannot refer to an open group", before);
  if (group > behind_groups_)
    return WrongAt("cannot refer to group defined in the same lookbehind subpattern", before);
  return 0;
}

// The text up to `terminator`, which is skipped.
bool Parser::Name(uint32_t terminator, const char* missing, std::string* name) {
  const size_t from = in.offset();
  const int64_t start = in.place();
  for (;;) {
    const size_t end = in.offset();
    const uint32_t c = in.Next();
    if (c == terminator) {
      *name = std::string(in.Since(from)).substr(0, end - from);
      if (name->empty()) Wrong(std::string("missing ") + missing, start);
      return ok();
    }
    if (c != kEnd) continue;
    if (end == from) {
      Wrong(std::string("missing ") + missing, in.place());
    } else {
      Wrong(std::string("missing ") + static_cast<char>(terminator) + ", unterminated name", start);
    }
    return false;
  }
}

bool Parser::CheckName(const std::string& name, int64_t before) {
  if (IsName(name)) return true;
  WrongAt("bad character in group name " + Quoted(name),
          static_cast<int64_t>(CodePoints(name)) + before);
  return false;
}

// What follows "(...", up to the closing parenthesis.
uint32_t Parser::Body(int64_t start) {
  const uint32_t body = Alternatives(false);
  if (ok() && !in.Take(')')) return Wrong("missing ), unterminated subpattern", start);
  return body;
}

uint32_t Parser::Capture(const std::string* name, int64_t start) {
  const uint32_t group = ++tree_.groups;
  if (name != nullptr) {
    const uint32_t known = GroupOf(*name);
    if (known != 0)
      return WrongAt("redefinition of group name " + Quoted(*name) + " as group " +
                         std::to_string(group) + "; was group " + std::to_string(known),
                     static_cast<int64_t>(CodePoints(*name)) + 1);
    tree_.names.emplace_back(*name, group);
  }
  open_.push_back(group);
  const uint32_t saved = flags_;
  const uint32_t body = Body(start);
  flags_ = saved;
  open_.pop_back();
  const uint32_t node = Add(NodeKind::kGroup, group);
  tree_.nodes[node].children = {body};
  if (tree_.widths.size() <= group) tree_.widths.resize(group + 1, {0, UINT64_MAX});
  tree_.widths[group] = WidthOf(tree_, node);
  return node;
}

uint32_t Parser::Group(bool first, bool* none) {
  const int64_t start = in.place() - 1;
  if (!in.Take('?')) return Capture(nullptr, start);
  return Extension(first, none, start);
}

uint32_t Parser::Named(int64_t start) {
  std::string name;
  if (in.Take('<')) {
    if (!Name('>', "group name", &name) || !CheckName(name, 1)) return 0;
    return Capture(&name, start);
  }
  if (in.Take('=')) {
    if (!Name(')', "group name", &name) || !CheckName(name, 1)) return 0;
    const int64_t before = static_cast<int64_t>(CodePoints(name)) + 1;
    const uint32_t group = GroupOf(name);
    if (group == 0) return WrongAt("unknown group name " + Quoted(name), before);
    if (IsOpen(group)) return WrongAt("cannot refer to an open group", before);
    Reference(group, 0);
    return Add(NodeKind::kReference, group);
  }
  const uint32_t c = in.Next();
  if (c == kEnd) return Wrong("unexpected end of pattern", in.place());
  return WrongAt("unknown extension ?P" + Shown(c, in.bytes()), 3);
}

uint32_t Parser::Look(bool behind, int64_t start) {
  uint32_t c = '=';
  if (behind) {
    c = in.Next();
    if (c == kEnd) return Wrong("unexpected end of pattern", in.place());
    if (c != '=' && c != '!') return WrongAt("unknown extension ?<" + Shown(c, in.bytes()), 3);
  } else {
    c = in.Next();
  }
  const uint32_t saved_groups = behind_groups_, saved = flags_;
  if (behind && behind_groups_ == kEnd) behind_groups_ = tree_.groups;
  const uint32_t body = Body(start);
  if (behind) behind_groups_ = saved_groups;
  flags_ = saved;
  const uint32_t node = Add(NodeKind::kLook, behind, c == '!');
  tree_.nodes[node].children = {body};
  return node;
}

uint32_t Parser::Condition(int64_t start) {
  std::string name;
  if (!Name(')', "group name", &name)) return 0;
  const int64_t before = static_cast<int64_t>(CodePoints(name)) + 1;
  uint32_t group = 0;
  if (IsName(name)) {
    group = GroupOf(name);
    if (group == 0) return WrongAt("unknown group name " + Quoted(name), before);
  } else {
    uint64_t number = 0;
    for (char c : name) {
      if (c < '0' || c > '9') return WrongAt("bad character in group name " + Quoted(name), before);
      number = std::min<uint64_t>(number * 10 + static_cast<uint64_t>(c - '0'), 1u << 30);
    }
    group = static_cast<uint32_t>(number);
    if (group == 0) return WrongAt("bad group number", before);
    conditions_.emplace_back(group, in.place() - before);
  }
  Reference(group, 0);
  const uint32_t node = Add(NodeKind::kCondition, group);
  const uint32_t saved = flags_;
  const uint32_t yes = Sequence(false);
  tree_.nodes[node].children = {yes};
  if (ok() && in.Take('|')) {
    const uint32_t no = Sequence(false);
    tree_.nodes[node].children.push_back(no);
    if (ok() && in.Peek() == '|')
      return Wrong("conditional backref with more than two branches", in.place());
  }
  flags_ = saved;
  if (ok() && !in.Take(')')) return Wrong("missing ), unterminated subpattern", start);
  return node;
}

bool Parser::FlagsToAdd(uint32_t c, uint32_t* add, uint32_t* remove, bool* global) {
  const auto wrong = [&](std::string message, int64_t before) {
    WrongAt(std::move(message), before);
    return false;
  };
  *global = false;
  while (c != '-') {
    const uint32_t flag = FlagOf(c);
    if (!in.bytes() && c == 'L')
      return wrong("bad inline flags: cannot use 'L' flag with a str pattern", 0);
    if (in.bytes() && c == 'u')
      return wrong("bad inline flags: cannot use 'u' flag with a bytes pattern", 0);
    *add |= flag;
    if ((flag & kTypes) != 0 && (*add & kTypes) != flag)
      return wrong("bad inline flags: flags 'a', 'u' and 'L' are incompatible", 0);
    c = in.Next();
    if (c == kEnd) return wrong("missing -, : or )", 0);
    if (c == ')') {
      *global = true;
      return true;
    }
    if (c == ':') return true;
    if (c != '-' && FlagOf(c) == 0)
      return wrong(IsLetterLike(c) ? "unknown flag" : "missing -, : or )", 1);
  }
  c = in.Next();
  if (c == kEnd) return wrong("missing flag", 0);
  if (FlagOf(c) == 0) return wrong(IsLetterLike(c) ? "unknown flag" : "missing flag", 1);
  while (c != ':') {
    const uint32_t flag = FlagOf(c);
    if ((flag & kTypes) != 0)
      return wrong("bad inline flags: cannot turn off flags 'a', 'u' and 'L'", 0);
    *remove |= flag;
    c = in.Next();
    if (c == kEnd) return wrong("missing :", 0);
    if (c != ':' && FlagOf(c) == 0) return wrong(IsLetterLike(c) ? "unknown flag" : "missing :", 1);
  }
  return (*add & *remove) == 0 || wrong("bad inline flags: flag turned on and off", 1);
}

uint32_t Parser::Flags(uint32_t c, bool first, bool* none, int64_t start) {
  uint32_t add = 0, remove = 0;
  bool global;
  if (!FlagsToAdd(c, &add, &remove, &global)) return 0;
  if (global) {
    if (!first) return Wrong("global flags not at the start of the expression", start);
    flags_ |= add;
    *none = true;
    return 0;
  }
  const uint32_t saved = flags_;
  if ((add & kTypes) != 0) flags_ &= ~kTypes;
  flags_ = (flags_ | add) & ~remove;
  const uint32_t body = Body(start);
  flags_ = saved;
  const uint32_t node = Add(NodeKind::kSequence);
  tree_.nodes[node].children = {body};
  return node;
}

// After "(?".
uint32_t Parser::Extension(bool first, bool* none, int64_t start) {
  const uint32_t peeked = in.Peek();
  if (peeked == '=' || peeked == '!') return Look(false, start);
  const uint32_t c = in.Next();
  switch (c) {
    case kEnd:
      return Wrong("unexpected end of pattern", in.place());
    case 'P':
      return Named(start);
    case '<':
      return Look(true, start);
    case '(':
      return Condition(start);
    case '#':
      *none = true;
      for (uint32_t next = in.Next(); next != ')'; next = in.Next())
        if (next == kEnd) return Wrong("missing ), unterminated comment", start);
      return 0;
    case ':':
    case '>': {
      const uint32_t saved = flags_;
      const uint32_t body = Body(start);
      flags_ = saved;
      const uint32_t node = Add(c == '>' ? NodeKind::kAtomic : NodeKind::kSequence);
      tree_.nodes[node].children = {body};
      return node;
    }
    default:
      if (c == '-' || FlagOf(c) != 0) return Flags(c, first, none, start);
      return WrongAt("unknown extension ?" + Shown(c, in.bytes()), 2);
  }
}

}  // namespace ferry::vm::regex

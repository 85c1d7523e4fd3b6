// The parser's state, shared by its files: parse.cc (sequences and repeats), parse_group.cc
// (parentheses), parse_set.cc (brackets and escapes).
#pragma once

#include "device-runtime/vm/regex/cursor.h"
#include "device-runtime/vm/regex/node.h"

namespace ferry::vm::regex {

// What an escape stands for.
struct Escape {
  enum Kind { kLiteral, kCategory, kAt, kReference } kind = kLiteral;
  uint32_t value = 0;
};

class Parser {
 public:
  Parser(std::string_view pattern, bool bytes, uint32_t flags, Tree* tree, Problem* problem)
      : in(pattern, bytes), flags_(flags), tree_(*tree), problem_(*problem) {}

  // ---- parse.cc ----
  bool Run();

 private:
  uint32_t Add(NodeKind kind, uint32_t a = 0, uint32_t b = 0);
  bool ok() const { return problem_.kind == Problem::kNone; }
  // Records the first problem; gives 0.
  uint32_t Wrong(std::string message, int64_t place);
  uint32_t WrongAt(std::string message, int64_t before) {
    return Wrong(std::move(message), in.place() - before);
  }

  uint32_t Alternatives(bool first);
  uint32_t Sequence(bool first);
  bool Repeats(uint32_t c, std::vector<uint32_t>* items, int64_t start);
  bool Braces(uint32_t* least, uint32_t* most, bool* literal, int64_t start);
  bool SkipVerbose(uint32_t c);

  // ---- parse_set.cc ----
  uint32_t Set();
  bool SetItem(uint32_t c, CharSet* set, Escape* out, int64_t start);
  bool EscapeIn(bool in_set, Escape* out);
  bool HexEscape(uint32_t kind, Escape* out, int64_t start);
  bool NumericEscape(uint32_t c, bool in_set, Escape* out, int64_t start);

  // ---- parse_group.cc ----
  // The node of "(...)", or 0 with *none: a comment, or flags for all.
  uint32_t Group(bool first, bool* none);
  uint32_t Extension(bool first, bool* none, int64_t start);
  uint32_t Named(int64_t start);
  uint32_t Look(bool behind, int64_t start);
  uint32_t Condition(int64_t start);
  uint32_t Flags(uint32_t c, bool first, bool* none, int64_t start);
  bool FlagsToAdd(uint32_t c, uint32_t* add, uint32_t* remove, bool* global);
  bool Name(uint32_t terminator, const char* missing, std::string* name);
  bool CheckName(const std::string& name, int64_t before);
  uint32_t Capture(const std::string* name, int64_t start);
  uint32_t Body(int64_t start);
  uint32_t Reference(uint32_t group, int64_t before);
  uint32_t GroupOf(std::string_view name) const;
  bool IsOpen(uint32_t group) const;

  Cursor in;  // NOLINT(readability-identifier-naming): read at every letter
  uint32_t flags_;
  Tree& tree_;
  Problem& problem_;
  std::vector<uint32_t> open_;                            // groups
  std::vector<std::pair<uint32_t, int64_t>> conditions_;  // groups that must exist, and where
  uint32_t behind_groups_ = kEnd;  // groups there were when the outermost look-behind began
  int nesting_ = 0;
};

// ---- parse_set.cc ----
// The Category of \d, \D, \s ...; 0: none.
uint8_t CategoryOf(uint32_t letter);

}  // namespace ferry::vm::regex

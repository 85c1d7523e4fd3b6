// A regular expression as a tree, and the parser's state. Source: the syntax of Python's re.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry::vm::regex {

// The values of re's flags.
enum Flag : uint32_t {
  kIgnoreCase = 2,
  kLocale = 4,
  kMultiLine = 8,
  kDotAll = 16,
  kUnicode = 32,
  kVerbose = 64,
  kDebug = 128,
  kAscii = 256,
};
inline constexpr uint32_t kUnlimited = 0xFFFFFFFF;
inline constexpr size_t kMaxPatternBytes = 256u << 10;
inline constexpr int kMaxNesting = 400;

enum class Category : uint8_t {
  kDigit = 1,
  kNotDigit = 2,
  kSpace = 4,
  kNotSpace = 8,
  kWord = 16,
  kNotWord = 32
};

struct CharSet {
  bool negated = false;
  uint8_t categories = 0;  // Category bits
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
};

enum class At : uint8_t { kBeginString, kBegin, kBoundary, kNotBoundary, kEnd, kEndString };

enum class NodeKind : uint8_t {
  kEmpty,
  kLiteral,  // a: code point
  kAny,
  kSet,        // a: index of the set
  kAt,         // a: At
  kSequence,   // children
  kBranch,     // children
  kGroup,      // a: number; child
  kRepeat,     // a, b: least and most; mode; child
  kLook,       // a: behind, b: negated; child
  kAtomic,     // child
  kCondition,  // a: group; children: yes, no
  kReference,  // a: group
  kFail,
};
enum class Mode : uint8_t { kGreedy, kLazy, kPossessive };

// Least and most characters that something matches.
struct Width {
  uint64_t least, most;
};

struct Node {
  NodeKind kind = NodeKind::kEmpty;
  Mode mode = Mode::kGreedy;
  uint32_t flags = 0;  // that hold where it stands
  uint32_t a = 0, b = 0;
  std::vector<uint32_t> children;
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<CharSet> sets;
  std::vector<std::pair<std::string, uint32_t>> names;  // of groups, in order
  std::vector<Width> widths;                            // of the groups that are closed
  uint32_t groups = 0;                                  // without group 0
  uint32_t flags = 0;
  uint32_t root = 0;
};

// What is wrong and where, in code points (bytes of a bytes pattern); -1: nowhere.
struct Problem {
  enum Kind { kNone, kError, kValue, kOverflow, kRecursion } kind = kNone;
  std::string message;
  int64_t place = -1;
};

// ---- parse.cc ----
// `bytes`: a pattern for bytes; `flags` are those given beside the pattern.
Tree Parse(std::string_view pattern, bool bytes, uint32_t flags, Problem* problem);

// A group's is remembered when it closes: references to groups that refer to groups would take
// for ever.
Width WidthOf(const Tree& tree, uint32_t node);

}  // namespace ferry::vm::regex

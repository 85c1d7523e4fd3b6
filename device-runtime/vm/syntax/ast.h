// The syntax tree: one node type, whose fields mean what the table of Kind says. Trees live in an
// Arena and die with it.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "device-runtime/vm/syntax/token.h"

namespace ferry::vm {

enum class Kind {
  // Expressions.
  kName,           // text
  kNumber,         // text without underscores; ends in j when imaginary
  kString,         // text
  kBytes,          // text
  kConstant,       // text: None True False ...
  kFString,        // list: kString and kFormat
  kFormat,         // a value, b format spec (kFString) or null, op '!r' as 'r', 's', 'a' or 0
  kTuple,          // list
  kList,           // list
  kSet,            // list
  kDict,           // list keys (null for **), list2 values
  kUnary,          // op, a
  kBinary,         // op, a, b
  kCompare,        // a, ops, list
  kBool,           // op And/Or, list
  kConditional,    // a condition, b then, c else
  kCall,           // a callee, list (kStarred possible), names (empty for **), list2
  kAttribute,      // a, text
  kIndex,          // a, b
  kSlice,          // a, b, c or null
  kStarred,        // a
  kLambda,         // function
  kComprehension,  // op: kind of result as Kind; a element, b value of dict; clauses
  kAwait,          // a
  kNamed,          // text, a
  kYield,          // a or null
  kYieldFrom,      // a
  // Statements.
  kExpression,  // a
  kAssign,      // list targets, a value
  kAnnotated,   // a target, b value or null, c annotation; op 1: a bare name, kept
  kAugmented,   // op, a target, b value
  kReturn,      // a or null
  kDelete,      // list
  kPass,
  kBreak,
  kContinue,
  kGlobal,      // names
  kNonlocal,    // names
  kAssert,      // a, b or null
  kRaise,       // a or null, b cause or null
  kIf,          // a, body, orelse
  kWhile,       // a, body, orelse
  kFor,         // a target, b iterable, body, orelse; op 1: async
  kTry,         // body, handlers (list of kHandler), orelse, finally; op 1: except*
  kHandler,     // a class or null, text name, body
  kWith,        // list contexts, list2 targets or null, body; op 1: async
  kImport,      // text dotted name, names[0] the name bound, op 1 when `as`
  kFromImport,  // text, names ("*": all), names2 (as), op = level
  kFunction,    // function
  kClass,       // text, list bases, names/list2 keywords (empty name: **), body, decorators
  kMatch,       // a subject, list of kCase
  kCase,        // a pattern, b guard or null, body
  // Patterns.
  kMatchValue,     // a: compared with ==
  kMatchConstant,  // a: None True False, compared with is
  kMatchSequence,  // list
  kMatchStar,      // text, or empty for _
  kMatchMapping,   // list keys, list2 patterns, text of **rest or empty
  kMatchClass,     // a class, list patterns, names/list2 keyword patterns
  kMatchAs,        // a pattern or null, text or empty for _
  kMatchOr,        // list
};

enum class Operator : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDiv,
  kMod,
  kPow,
  kMatMul,
  kAnd,
  kOr,
  kXor,
  kLeft,
  kRight,
  kNegative,
  kPositive,
  kInvert,
  kNot,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kIn,
  kNotIn,
  kIs,
  kIsNot,
  kBoolAnd,
  kBoolOr,
};

struct Node;
struct Parameter {
  std::string name;
  Node* fallback = nullptr;
  Node* annotation = nullptr;
  Position at;
};
struct FunctionNode {
  std::string name;
  std::vector<Parameter> positional;
  int positional_only = 0;
  std::vector<Parameter> keyword_only;
  std::string rest, keyword_rest;  // *args, **kwargs; empty when absent
  Node *rest_annotation = nullptr, *keyword_rest_annotation = nullptr, *returns = nullptr;
  std::vector<Node*> body;  // of a lambda: one kReturn
  bool async = false;
};
struct Clause {
  Node* target;
  Node* iterable;
  std::vector<Node*> conditions;
  bool async = false;
};

struct Node {
  Kind kind;
  Position at, end;
  int op = 0;
  std::string text;
  Node *a = nullptr, *b = nullptr, *c = nullptr;
  std::vector<Node*> list, list2, body, orelse, finally, decorators;
  std::vector<int> ops;
  std::vector<std::string> names, names2;
  std::vector<Clause> clauses;
  FunctionNode* function = nullptr;
  bool parenthesized = false;
  Span span() const { return {at, end}; }
};

// What a node takes, with its places in other nodes' lists and what scopes know of a name.
inline constexpr size_t kNodeBytes = sizeof(Node) + 160;

struct Arena {
  std::deque<Node> nodes;
  std::deque<FunctionNode> functions;
};

inline constexpr int kMaxNesting = 150;  // of expressions and blocks in one another

// ---- parser.cc ----
// The statements of a module.
Result<std::vector<Node*>> Parse(const SourceText& source, Arena* arena);

}  // namespace ferry::vm

// Syntax trees of templates. Source: Jinja 3's template designer documentation.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device-runtime/llm/template/syntax/token.h"
#include "device-runtime/llm/template/values/value.h"

namespace ferry::llm::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  enum Kind {
    kLiteral,      // value
    kName,         // name
    kList,         // parts
    kDict,         // parts: key, value, key, value...
    kAttribute,    // parts[0].name
    kIndex,        // parts[0][parts[1]]
    kSlice,        // parts[0][parts[1]:parts[2]:parts[3]], null where left out
    kCall,         // parts[0](parts[1..], named)
    kFilter,       // parts[0] | name(parts[1..], named)
    kTest,         // parts[0] is name(parts[1..])
    kNot,          // not parts[0]
    kNegative,     // -parts[0]
    kPositive,     // +parts[0]
    kBinary,       // parts[0] name parts[1]: + - * / // % ** ~
    kAnd,          // parts[0] and parts[1]
    kOr,           // parts[0] or parts[1]
    kCompare,      // parts[0] operators[0] parts[1] operators[1] parts[2]...
    kConditional,  // parts[1] if parts[0] else parts[2], which may be null
  };
  Kind kind;
  Position at;
  std::string name;
  Value value;
  std::vector<ExpressionPtr> parts;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  std::vector<std::string> operators;
  int depth = 1;  // of the tree from here
};

struct Statement;
using Body = std::vector<Statement>;

struct Statement {
  enum Kind {
    kText,      // text
    kOutput,    // {{ expression }}
    kIf,        // branches in order; the last may have no condition (else)
    kFor,       // for targets in expression if condition: branches[0], else branches[1]
    kSet,       // set targets = expression; with `text`, set targets[0].text = expression
    kSetBlock,  // set targets[0] %}branches[0]{% endset
    kMacro,     // macro text(targets, with their defaults): branches[0]
    kBlock,     // branches[0] as it stands (generation)
    kBreak,
    kContinue,
  };
  struct Branch {
    ExpressionPtr condition;
    Body body;
  };
  Kind kind;
  Position at;
  std::string text;
  std::vector<std::string> targets;
  ExpressionPtr expression;
  ExpressionPtr condition;
  std::vector<ExpressionPtr> defaults;  // by target, null without
  std::vector<Branch> branches;
};

// kMalformed and kUnsupported name line and column; kLimitExceeded past kMaxTemplateDepth.
Result<Body> Parse(std::string_view source);

}  // namespace ferry::llm::jinja

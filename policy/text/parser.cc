#include <algorithm>

#include "policy/target/number.h"
#include "policy/target/predicate.h"
#include "policy/text/rule_text.h"
#include "policy/text/scanner.h"

namespace ferry::text {
namespace {

using target::Comparison;
using target::Condition;
using target::NodePtr;
using target::Predicate;

class Parser {
 public:
  Parser(std::vector<Token> tokens, const std::vector<const Predicate*>& names)
      : tokens_(std::move(tokens)), names_(names) {}

  Result<target::Rule> Run() {
    if (Peek().kind == TokenKind::kEnd)
      return BadRuleAt(1, 1, "the rule is empty; write `all` for every device");
    FERRY_ASSIGN_OR_RETURN(NodePtr root, Or(0));
    if (Peek().kind != TokenKind::kEnd) return Expected("and, or, or the end");
    return target::Rule(std::move(root));
  }

 private:
  const Token& Peek() const { return tokens_[at_]; }
  bool AtName(std::string_view name) const {
    return Peek().kind == TokenKind::kName && Peek().text == name;
  }
  Status Expected(std::string_view what) const {
    return BadRuleAt(Peek().line, Peek().column,
                     fmt::format("expected {}, found {}", what, Describe(Peek())));
  }

  Result<NodePtr> Or(int depth) {
    std::vector<NodePtr> children;
    do {
      FERRY_ASSIGN_OR_RETURN(NodePtr child, And(depth));
      children.push_back(std::move(child));
    } while (TakeName("or"));
    return children.size() == 1 ? children[0] : target::OrNode(std::move(children));
  }

  Result<NodePtr> And(int depth) {
    std::vector<NodePtr> children;
    do {
      FERRY_ASSIGN_OR_RETURN(NodePtr child, Unary(depth));
      children.push_back(std::move(child));
    } while (TakeName("and"));
    return children.size() == 1 ? children[0] : target::AndNode(std::move(children));
  }

  Result<NodePtr> Unary(int depth) {
    if (depth > kMaxRuleDepth)
      return Status::Of(Code::kLimitExceeded, "line {}, column {}: nested deeper than {}",
                        Peek().line, Peek().column, kMaxRuleDepth);
    if (TakeName("not")) {
      FERRY_ASSIGN_OR_RETURN(NodePtr child, Unary(depth + 1));
      return target::NotNode(std::move(child));
    }
    if (Peek().kind == TokenKind::kOpen) {
      ++at_;
      FERRY_ASSIGN_OR_RETURN(NodePtr inner, Or(depth + 1));
      if (Peek().kind != TokenKind::kClose) return Expected("and, or, or )");
      ++at_;
      return inner;
    }
    if (TakeName("all")) return target::AllNode();
    return ConditionAt();
  }

  Result<NodePtr> ConditionAt() {
    const Token start = Peek();
    if (start.kind != TokenKind::kName) return Expected("a condition");
    if (++conditions_ > kMaxConditions)
      return Status::Of(Code::kLimitExceeded, "line {}, column {}: more than {} conditions",
                        start.line, start.column, kMaxConditions);
    Condition condition;
    condition.predicate = Find(start.text);
    if (condition.predicate == nullptr)
      return BadRuleAt(start.line, start.column,
                       fmt::format("there is no attribute or function {}; known are: {}",
                                   start.text, KnownNames()));
    ++at_;
    FERRY_TRY(Rest(condition.predicate->form(), &condition));
    if (Status status = condition.predicate->Check(condition); !status.ok())
      return BadRuleAt(start.line, start.column, status.message());
    return target::ConditionNode(std::move(condition));
  }

  // What follows the name.
  Status Rest(Predicate::Form form, Condition* condition) {
    if (form == Predicate::Form::kAttribute) return ComparisonAt(condition);
    condition->comparison = Comparison::kCall;
    FERRY_TRY(List(true, &condition->values));
    const bool compared = Peek().kind == TokenKind::kOperator || AtName("in");
    const bool keyed = form == Predicate::Form::kKeyed && condition->values.size() == 1;
    return keyed && compared ? ComparisonAt(condition) : OkStatus();
  }

  Status ComparisonAt(Condition* condition) {
    if (TakeName("in")) {
      condition->comparison = Comparison::kIn;
      if (Peek().kind == TokenKind::kOpen) return List(false, &condition->values);
      if (Peek().kind != TokenKind::kString) return Expected("( or a range of versions");
      condition->comparison = Comparison::kInRange;
      condition->values.push_back(Peek().text);
      ++at_;
      return OkStatus();
    }
    static constexpr Comparison kAll[] = {Comparison::kEqual,   Comparison::kNotEqual,
                                          Comparison::kLess,    Comparison::kLessEqual,
                                          Comparison::kGreater, Comparison::kGreaterEqual};
    const auto* found = std::find_if(std::begin(kAll), std::end(kAll), [this](Comparison c) {
      return Peek().kind == TokenKind::kOperator && Peek().text == ComparisonText(c);
    });
    if (found == std::end(kAll))
      return Expected(fmt::format("a comparison or in after {}", condition->predicate->name()));
    condition->comparison = *found;
    ++at_;
    condition->number = Peek().kind == TokenKind::kNumber;
    if (Peek().kind != TokenKind::kString && !condition->number)
      return Expected(fmt::format("a string or a number after {}", ComparisonText(*found)));
    condition->values.push_back(Peek().text);
    ++at_;
    if (condition->number && Peek().kind == TokenKind::kName && target::IsSizeUnit(Peek().text)) {
      condition->values.back() += ' ' + Peek().text;
      ++at_;
    }
    return OkStatus();
  }

  // "(" value {"," value} ")", added to `values`
  Status List(bool numbers, std::vector<std::string>* values) {
    if (Peek().kind != TokenKind::kOpen) return Expected("(");
    const size_t before = values->size();
    do {
      ++at_;  // the parenthesis or the comma
      if (values->size() - before == kMaxListLength)
        return Status::Of(Code::kLimitExceeded, "line {}, column {}: more than {} values",
                          Peek().line, Peek().column, kMaxListLength);
      const bool number = numbers && Peek().kind == TokenKind::kNumber;
      if (Peek().kind != TokenKind::kString && !number)
        return Expected(numbers ? "a string or a number" : "a string");
      values->push_back(Peek().text);
      ++at_;
    } while (Peek().kind == TokenKind::kComma);
    if (Peek().kind != TokenKind::kClose) return Expected(", or )");
    ++at_;
    return OkStatus();
  }

  bool TakeName(std::string_view name) {
    if (!AtName(name)) return false;
    ++at_;
    return true;
  }

  const Predicate* Find(std::string_view name) const {
    const auto found = std::find_if(names_.begin(), names_.end(),
                                    [&](const Predicate* one) { return one->name() == name; });
    return found == names_.end() ? nullptr : *found;
  }

  std::string KnownNames() const {
    std::string out;
    for (const Predicate* predicate : names_)
      out += (out.empty() ? "" : " ") + std::string(predicate->name());
    return out;
  }

  std::vector<Token> tokens_;
  const std::vector<const Predicate*>& names_;
  size_t at_ = 0;
  int conditions_ = 0;
};

}  // namespace

Result<target::Rule> ParseRule(std::string_view text) {
  return ParseRule(text, target::AllPredicates());
}

Result<target::Rule> ParseRule(std::string_view text,
                               const std::vector<const target::Predicate*>& names) {
  if (text.size() > kMaxRuleBytes)
    return Status::Of(Code::kLimitExceeded, "the rule has {} bytes, the limit is {}", text.size(),
                      kMaxRuleBytes);
  FERRY_ASSIGN_OR_RETURN(std::vector<Token> tokens, Scan(text));
  return Parser(std::move(tokens), names).Run();
}

Result<target::Explanation> ExplainText(std::string_view rule, const target::Attributes& device,
                                        std::string_view salt) {
  FERRY_ASSIGN_OR_RETURN(target::Rule parsed, ParseRule(rule));
  return target::Explain(parsed, device, salt);
}

}  // namespace ferry::text

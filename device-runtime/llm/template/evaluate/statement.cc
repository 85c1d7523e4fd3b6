#include "device-runtime/llm/template/evaluate/evaluator.h"
#include "device-runtime/llm/template/evaluate/nested.h"

namespace ferry::llm::jinja {

Result<std::string> Evaluator::Render(const Body& body) {
  FERRY_TRY(Run(body));
  return std::move(out_);
}

Status Evaluator::Write(std::string_view text) {
  if (out_.size() + text.size() > kMaxRenderedBytes) {
    return Status::Of(Code::kLimitExceeded, "the template prints over {} bytes", kMaxRenderedBytes);
  }
  out_ += text;
  return OkStatus();
}

Result<Evaluator::Flow> Evaluator::Run(const Body& body) {
  const Nested nested(depth_);
  FERRY_TRY(nested.Check());
  for (const Statement& statement : body) {
    FERRY_TRY(budget_.Step());
    FERRY_ASSIGN_OR_RETURN(const Flow flow, RunStatement(statement));
    if (flow != Flow::kGo) return flow;
  }
  return Flow::kGo;
}

Result<Evaluator::Flow> Evaluator::RunStatement(const Statement& statement) {
  switch (statement.kind) {
    case Statement::kText:
      FERRY_TRY(Write(statement.text));
      return Flow::kGo;
    case Statement::kOutput:
      FERRY_TRY(Print(statement));
      return Flow::kGo;
    case Statement::kIf:
      return RunIf(statement);
    case Statement::kFor:
      return RunFor(statement);
    case Statement::kSet:
      FERRY_TRY(RunSet(statement));
      return Flow::kGo;
    case Statement::kSetBlock:
      FERRY_TRY(RunSetBlock(statement));
      return Flow::kGo;
    case Statement::kMacro:
      scopes_.back()[statement.text] = Value::OfMacro(&statement);
      return Flow::kGo;
    case Statement::kBlock:
      return Run(statement.branches[0].body);
    case Statement::kBreak:
      return Flow::kBreak;
    case Statement::kContinue:
      break;
  }
  return Flow::kContinue;
}

Status Evaluator::Print(const Statement& statement) {
  FERRY_ASSIGN_OR_RETURN(const Value value, Eval(*statement.expression));
  FERRY_ASSIGN_OR_RETURN(const std::string text, ToText(value, budget_));
  return Write(text);
}

Result<Evaluator::Flow> Evaluator::RunIf(const Statement& statement) {
  for (const Statement::Branch& branch : statement.branches) {
    bool chosen = branch.condition == nullptr;
    if (!chosen) {
      FERRY_ASSIGN_OR_RETURN(const Value condition, Eval(*branch.condition));
      chosen = condition.Truth();
    }
    if (chosen) return Run(branch.body);
  }
  return Flow::kGo;
}

// One target takes the value, several take its elements.
Status Evaluator::Unpack(const Statement& statement, const Value& value, Scope& scope) {
  if (statement.targets.size() == 1) {
    scope[statement.targets[0]] = value;
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(List items, Elements(value, budget_));
  if (items.size() != statement.targets.size()) {
    return SyntaxError(
        Code::kInvalidArgument, statement.at,
        fmt::format("{} values for {} names", items.size(), statement.targets.size()));
  }
  for (size_t i = 0; i < items.size(); ++i) scope[statement.targets[i]] = std::move(items[i]);
  return OkStatus();
}

// The items for which the condition of a for statement holds.
Result<List> Evaluator::Filtered(const Statement& statement, List items) {
  if (statement.condition == nullptr) return items;
  List kept;
  for (Value& item : items) {
    scopes_.emplace_back();
    FERRY_TRY(Unpack(statement, item, scopes_.back()));
    FERRY_ASSIGN_OR_RETURN(const Value holds, Eval(*statement.condition));
    scopes_.pop_back();
    if (holds.Truth()) kept.push_back(std::move(item));
  }
  return kept;
}

Result<Evaluator::Flow> Evaluator::RunFor(const Statement& statement) {
  FERRY_ASSIGN_OR_RETURN(const Value value, Eval(*statement.expression));
  FERRY_ASSIGN_OR_RETURN(List items, Elements(value, budget_));
  FERRY_ASSIGN_OR_RETURN(items, Filtered(statement, std::move(items)));
  if (items.empty()) return Run(statement.branches[1].body);
  return RunLoop(statement, std::move(items));
}

Result<Evaluator::Flow> Evaluator::RunLoop(const Statement& statement, List items) {
  const auto loop = std::make_shared<Loop>();
  FERRY_ASSIGN_OR_RETURN(loop->items, Value::MakeList(std::move(items), budget_));
  const List& all = *loop->items.list();
  for (size_t i = 0; i < all.size(); ++i) {
    FERRY_TRY(budget_.Step());
    loop->index = i;
    scopes_.emplace_back();
    FERRY_TRY(Unpack(statement, all[i], scopes_.back()));
    scopes_.back()["loop"] = Value::OfLoop(loop);
    FERRY_ASSIGN_OR_RETURN(const Flow flow, Run(statement.branches[0].body));
    scopes_.pop_back();
    if (flow == Flow::kBreak) break;
  }
  return Flow::kGo;
}

Status Evaluator::RunSet(const Statement& statement) {
  FERRY_ASSIGN_OR_RETURN(const Value value, Eval(*statement.expression));
  if (statement.text.empty()) return Unpack(statement, value, scopes_.back());
  const Value* target = Lookup(statement.targets[0]);
  Namespace* space = target != nullptr ? target->space() : nullptr;
  if (space == nullptr) {
    return SyntaxError(Code::kInvalidArgument, statement.at,
                       fmt::format("{:?} is no namespace", statement.targets[0]));
  }
  for (auto& [name, content] : *space) {
    if (name != statement.text) continue;
    content = value;
    return OkStatus();
  }
  space->emplace_back(statement.text, value);
  return OkStatus();
}

Status Evaluator::RunSetBlock(const Statement& statement) {
  std::string outer = std::exchange(out_, {});
  FERRY_TRY(Run(statement.branches[0].body));
  std::swap(out_, outer);
  FERRY_ASSIGN_OR_RETURN(scopes_.back()[statement.targets[0]],
                         Value::MakeText(std::move(outer), budget_));
  return OkStatus();
}

}  // namespace ferry::llm::jinja

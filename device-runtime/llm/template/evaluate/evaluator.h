// Runs a syntax tree.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device-runtime/llm/template/syntax/syntax.h"

namespace ferry::llm::jinja {

using Scope = std::unordered_map<std::string_view, Value>;  // names live in the syntax or `more`

// What a call passes.
struct Arguments {
  List positional;
  std::vector<std::pair<std::string, Value>> named;
  // By position or name; null when not given.
  const Value* Find(size_t index, std::string_view name) const;
};

// text.strip(), dict.items() and so on. kUnsupported for a method that is not there.
Result<Value> CallMethod(const Value& receiver, std::string_view method, const Arguments& arguments,
                         Budget& budget);

// One rendering; one thread.
class Evaluator {
 public:
  // Both outlive it. `now` is what strftime_now takes (seconds since 1970 on the wall clock to
  // show), or null: then it is undefined.
  Evaluator(Budget& budget, const int64_t* now);

  void Define(std::string_view name, Value value) { scopes_[0][name] = std::move(value); }
  // What the template prints; kLimitExceeded past kMaxRenderedBytes.
  Result<std::string> Render(const Body& body);

 private:
  enum class Flow { kGo, kBreak, kContinue };
  class Nested;

  Result<Flow> Run(const Body& body);
  Result<Flow> RunStatement(const Statement& statement);
  Result<Flow> RunIf(const Statement& statement);
  Result<Flow> RunFor(const Statement& statement);
  Result<Flow> RunLoop(const Statement& statement, List items);
  Status RunSet(const Statement& statement);
  Status RunSetBlock(const Statement& statement);
  Status Print(const Statement& statement);
  Status Unpack(const Statement& statement, const Value& value, Scope& scope);
  Result<List> Filtered(const Statement& statement, List items);
  Status Write(std::string_view text);

  Result<Value> Eval(const Expression& node);
  Result<Value> EvalNode(const Expression& node);
  Result<Value> EvalDict(const Expression& node);
  Result<Value> EvalSlice(const Expression& node);
  Result<Value> EvalCompare(const Expression& node);
  Result<Value> EvalNegative(const Expression& node);
  Result<Value> EvalFilter(const Expression& node);
  Result<Value> EvalTest(const Expression& node);
  Result<Value> EvalCall(const Expression& node);
  Result<Arguments> EvalArguments(const Expression& node);
  Result<Value> CallMacro(const Statement& macro, const Arguments& arguments);
  Result<Value> CallBuiltin(std::string_view name, const Arguments& arguments);
  Result<Value> MakeNamespace(const Arguments& arguments);
  Result<Value> MakeDictOf(const Arguments& arguments);
  Result<Value> Range(const Arguments& arguments);
  Result<Value> TimeText(const Arguments& arguments);
  const Value* Lookup(std::string_view name) const;

  Budget& budget_;
  const int64_t* now_;
  std::deque<Scope> scopes_;  // [0]: the template's own
  size_t frame_ = 0;          // names are looked up in scopes_[frame_..] and then in scopes_[0]
  std::deque<Namespace> spaces_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace ferry::llm::jinja

// Compiler: syntax tree and scopes to instructions, one FunctionState for each function being
// compiled. Locals have fixed registers; temporaries lie above them like a stack.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "device-runtime/vm/compile/scope.h"
#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

// What stands between a statement and the end of its function: break, continue and return run the
// clean-up of all they leave.
struct Block {
  enum Kind { kLoop, kFinally, kWith, kHandlerName, kProtected } kind;
  // kLoop
  std::vector<int> breaks;
  std::vector<int> continues;  // jumps forward to the place of the next turn
  int start = -1;              // of a loop whose `continue` jumps back
  // kFinally, kWith, kProtected: the ranges of instructions under its protection
  std::vector<std::pair<int, int>> ranges;
  int open = -1;
  const std::vector<Node*>* finally = nullptr;
  int manager = -1;            // kWith: register
  const Node* name = nullptr;  // kHandlerName
};

struct FunctionState {
  CodeObject* code;
  FunctionState* parent;
  Scope* frame;
  Scope* scope;  // the innermost scope, inside comprehensions
  int next_register = 0;
  std::vector<Block> blocks;
  std::vector<char> assigned;  // by register: surely holds a value here
  std::unordered_map<uint64_t, uint16_t> constant_index;
  std::vector<LocalVariable*> captured;
};

class Compiler {
 public:
  Compiler(Vm& vm, const SourceText& source, Module* module)
      : vm_(vm), source_(source), module_(module) {}
  Result<CodeObject*> Run();

 private:
  using Jumps = std::vector<int>;
  using Assigned = std::vector<char>;

  // Emission (emit.cc).
  int Emit(Op op, int a = 0, int b = 0, int c = 0);
  int Here() const { return static_cast<int>(f_->code->instructions.size()); }
  void PatchHere(int jump);
  void PatchHere(const Jumps& jumps);
  void JumpBack(int target);
  int Temp(int count = 1);
  int Constant(Value v);
  int NameConstant(const std::string& text);
  int StringConstant(const std::string& text);
  void Fail(Position at, std::string message);
  void OutOfMemory();
  CodeObject* NewCode(const std::string& name);
  void Unassign(LocalVariable* variable);
  Assigned Both(const Assigned& a, const Assigned& b) const;

  // Names (variable.cc).
  int LoadName(const std::string& name, int dest);
  void StoreName(const std::string& name, int value);
  void DeleteName(const std::string& name, Position at);
  int CaptureIndex(FunctionState* f, LocalVariable* variable);
  int GlobalSlot(const std::string& name);
  void DeclareLocals(Scope* scope);

  // Statements (statement.cc, loop.cc, try.cc).
  void Body(const std::vector<Node*>& body);
  void Statement(Node* node);
  void Assign(Node* node);
  void Store(Node* target, int value);
  void Augmented(Node* node);
  void Delete(Node* node);
  void Return(Node* node);
  void Raise(Node* node);
  void Assert(Node* node);
  void If(Node* node);
  void While(Node* node);
  void For(Node* node);
  void Try(Node* node);
  void TryExcept(Node* node);
  void Handlers(Node* node, int exception, Jumps* ends);
  void TryFinally(Node* node);
  void With(Node* node, size_t index);
  void WithExit(int manager);
  void Import(Node* node);
  void FromImport(Node* node);
  void OpenRange(Block* block) { block->open = Here(); }
  void CloseRange(Block* block);
  void AddHandlers(const Block& block, int handler, int reg);
  void LeaveBlocks(size_t keep);
  void ReopenBlocks(size_t keep);
  void BreakOrContinue(Node* node);

  // Functions and classes (function.cc).
  int Function(Node* node, int dest);
  int ClosureOf(CodeObject* code, int dest, int defaults);
  CodeObject* FunctionCode(FunctionNode* function, const std::string& name);
  void Class(Node* node);
  void Decorate(Node* node, int decorators, int value);
  void Enter(FunctionState* state, CodeObject* code, Scope* scope);
  void Leave();

  // Expressions (expression.cc, comprehension.cc, call.cc). They give the register of the value:
  // `dest` if that is not negative, else any, possibly of a local variable.
  int Expression(Node* node, int dest = -1);
  int ExpressionInner(Node* node, int dest);
  int Operand(Node* node, Node* later);
  bool ConstantOf(Node* node, int* index);
  Value NumberValue(Node* node);
  int Binary(Node* node, int dest);
  int Compare(Node* node, int dest);
  void CompareOne(int op, int dest, int left, int right);
  int Bool(Node* node, int dest);
  int Conditional(Node* node, int dest);
  int Sequence(Node* node, Op build, Op append, Op extend, int dest);
  int Dict(Node* node, int dest);
  int Slice(Node* node, int dest);
  int FString(Node* node, int dest);
  int Call(Node* node, int dest);
  int CallSpread(Node* node, int dest);
  int Comprehension(Node* node, int dest);
  int GeneratorExpression(Node* node, int dest);
  void Clauses(Node* node, size_t index, int result);
  int Yield(Node* node, int dest);
  int YieldFrom(Node* node, int dest);
  // Jumps taken when the condition is `jump_if`; falls through otherwise.
  void Condition(Node* node, bool jump_if, Jumps* jumps);
  bool FusedCompare(Node* node, Jumps* jumps);

  Vm& vm_;
  const SourceText& source_;
  Module* module_;
  Scopes scopes_;
  FunctionState* f_ = nullptr;
  Status error_;
  Position at_;
};

}  // namespace ferry::vm

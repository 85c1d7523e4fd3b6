// Compiler: syntax tree and scopes to instructions, one FunctionState for each function being
// compiled. Locals have fixed registers; temporaries lie above them like a stack.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "device-runtime/vm/compile/scope.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// What stands between a statement and the end of its function: break, continue and return run the
// clean-up of all they leave.
struct Block {
  enum Kind { kLoop, kFinally, kWith, kHandlerName, kProtected, kStar } kind;
  // kLoop
  std::vector<int> breaks;
  std::vector<int> continues;  // jumps forward to the place of the next turn
  int start = -1;              // of a loop whose `continue` jumps back
  int iterator = -1;           // of a `for` whose iterator nothing else may hold
  // kFinally, kWith, kProtected: the ranges of instructions under its protection
  std::vector<std::pair<int, int>> ranges;
  int open = -1;
  const std::vector<Node*>* finally = nullptr;
  int exit = -1;               // kWith: register of the bound __exit__
  bool async = false;          // kWith
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

// The operations that opcodes.inc calls helpers: exec/loop/helper.h.
enum class Helper : uint16_t;

class Compiler {
 public:
  Compiler(Vm& vm, const SourceText& source, Module* module)
      : vm_(vm), source_(source), module_(module) {}

  // ---- function.cc ----
  Result<CodeObject*> Run();

 private:
  using Jumps = std::vector<int>;
  using Assigned = std::vector<char>;

  // ---- emit.cc ----
  // Emission (emit.cc).
  int Emit(Op op, int a = 0, int b = 0, int c = 0);
  // The words behind LoadAttribute, StoreAttribute and LoadMethod.
  void EmitCache() {
    Emit(Op::kCache);
    Emit(Op::kCache);
  }
  int Here() const { return static_cast<int>(f_->code->instructions.size()); }
  void PatchHere(int jump);
  void PatchHere(const Jumps& jumps);
  void JumpBack(int target);
  int Temp(int count = 1);
  int Constant(Value v);
  int NameConstant(const std::string& text);
  int StringConstant(const std::string& text);
  int EmitHelper(Helper helper, int dest, int first) {
    return Emit(Op::kHelper, dest, static_cast<int>(helper), first);
  }
  Place PlaceHere() const;
  void Fail(const Span& span, std::string message);
  void Fail(Position at, std::string message) { Fail(Span{at, at}, std::move(message)); }
  void OutOfMemory();
  void Take(size_t bytes);
  CodeObject* NewCode(const std::string& name);
  void Unassign(LocalVariable* variable);
  Assigned Both(const Assigned& a, const Assigned& b) const;

  // ---- variable.cc ----
  // Names (variable.cc).
  int LoadName(const std::string& name, int dest);
  void StoreName(const std::string& name, int value);
  void DeleteName(const std::string& name);
  void ForgetName(const std::string& name);  // deletes it if it is set
  int CaptureIndex(FunctionState* f, LocalVariable* variable);
  int GlobalSlot(const std::string& name);
  void DeclareLocals(Scope* scope);

  // ---- statement.cc ----
  // Statements (statement.cc, loop.cc, try.cc).
  void Body(const std::vector<Node*>& body);
  void Statement(Node* node);
  void Assign(Node* node);
  void Store(Node* target, int value);
  void Augmented(Node* node);
  void InPlace(int value, int op, Node* right);
  void Delete(Node* node);
  void Return(Node* node);
  void Raise(Node* node);
  void Assert(Node* node);

  // ---- loop.cc ----
  void If(Node* node);
  void While(Node* node);
  void For(Node* node);

  // ---- try.cc ----
  void Try(Node* node);
  void TryExcept(Node* node);
  void Handlers(Node* node, int exception, Jumps* ends);
  void TryFinally(Node* node);
  void TryStar(Node* node);
  void StarHandlers(Node* node, int exception, int rest, int raised);
  void HandlerBody(Node* handler, int exception);
  void With(Node* node, size_t index);
  void WithExit(const Block& block);

  // ---- statement.cc ----
  void RefuseModule(Node* node);
  void Import(Node* node);
  void FromImport(Node* node);
  void OpenRange(Block* block) { block->open = Here(); }

  // ---- try.cc ----
  void CloseRange(Block* block);
  void AddHandlers(const Block& block, int handler, int reg);
  void LeaveBlocks(size_t keep);
  void ReopenBlocks(size_t keep);

  // ---- loop.cc ----
  void BreakOrContinue(Node* node);

  // ---- async.cc ----
  void AsyncFor(Node* node);
  int AsyncNext(int iterator, Jumps* over);

  // ---- statement.cc ----
  void Annotated(Node* node);

  // Patterns (match.cc): jumps to `fail` when the value in the register does not match; names are
  // kept in registers until the whole pattern has matched.
  struct Captures {
    std::vector<std::pair<std::string, int>> names;

    // ---- match.cc ----
    int Find(const std::string& name) const;
  };

  // ---- match.cc ----
  void Match(Node* node);
  void Pattern(Node* node, int subject, Captures* captures, Jumps* fail);
  void SequencePattern(Node* node, int subject, Captures* captures, Jumps* fail);
  void SequenceItems(Node* node, int subject, int star, Captures* captures, Jumps* fail);
  void MappingPattern(Node* node, int subject, Captures* captures, Jumps* fail);
  void ClassPattern(Node* node, int subject, Captures* captures, Jumps* fail);
  void OrPattern(Node* node, int subject, Captures* captures, Jumps* fail);
  void KeepName(const std::string& name, int value, const Span& span, Captures* captures);

  // ---- function.cc ----
  // Functions and classes (function.cc).
  int Function(Node* node, int dest);
  void Annotations(FunctionNode* function, int closure);
  int Annotation(Node* node);
  void Docstring(const std::vector<Node*>& body);
  void Prologue(const std::vector<Node*>& body);
  void Futures(const std::vector<Node*>& body);
  int ClassBody(Node* node);
  int ClosureOf(CodeObject* code, int dest, int defaults);
  CodeObject* FunctionCode(FunctionNode* function, const std::string& name);
  void Class(Node* node);

  // ---- statement.cc ----
  void Dropped();
  bool LetsGo(const Node* node) const;

  // ---- function.cc ----
  void Decorators(Node* node);
  void Decorate(Node* node, int decorators, int value);
  void Enter(FunctionState* state, CodeObject* code, Scope* scope);
  void Leave();

  // ---- expression.cc ----
  // Expressions (expression.cc, comprehension.cc, call.cc). They give the register of the value:
  // `dest` if that is not negative, else any, possibly of a local variable.
  int Expression(Node* node, int dest = -1);
  int ExpressionInner(Node* node, int dest);
  int Operand(Node* node, Node* later);
  bool ConstantOf(Node* node, int* index);
  Value NumberValue(Node* node);
  int Binary(Node* node, int dest);
  int Compare(Node* node, int dest);
  void OnlyKey(const Node* node);
  void CompareOne(int op, int dest, int left, int right);
  int Bool(Node* node, int dest);
  int Conditional(Node* node, int dest);

  // ---- display.cc ----
  int Sequence(Node* node, Op build, Op append, Op extend, int dest);
  int Dict(Node* node, int dest);
  int Slice(Node* node, int dest);
  int FString(Node* node, int dest);

  // ---- call.cc ----
  int Call(Node* node, int dest);
  int CallSpread(Node* node, int dest);
  void Keywords(Node* node, int dict, int callee = -1);

  // ---- comprehension.cc ----
  int Comprehension(Node* node, int dest);
  int GeneratorExpression(Node* node, int dest);
  void Clauses(Node* node, size_t index, int result);
  int Yield(Node* node, int dest);
  int YieldFrom(Node* node, int dest);
  int Await(int value, int dest);
  int Delegate(int iterator, int dest);

  // ---- expression.cc ----
  // Jumps taken when the condition is `jump_if`; falls through otherwise.
  void Condition(Node* node, bool jump_if, Jumps* jumps);

  // ---- statement.cc ----
  // The register of a name that is a plain local variable of this function, or -1.
  int LocalRegister(const Node* node);
  bool AssignTogether(const std::vector<Node*>& targets, const std::vector<Node*>& values);

  // ---- expression.cc ----
  bool FusedCompare(Node* node, bool jump_if, Jumps* jumps);
  bool FusedIs(Node* node, bool jump_if, Jumps* jumps);

  Vm& vm_;
  const SourceText& source_;
  Module* module_;
  Scopes scopes_;
  FunctionState* f_ = nullptr;
  Status error_;
  Span at_;
  bool future_annotations_ = false;
  int guarded_ = 0;  // bodies of try statements with handlers around the present place
};

// ---- expression.cc ----
// Whether evaluating `node` may assign a local variable, so that values still in the registers of
// variables must be copied first.
bool Assigns(const Node* node);

}  // namespace ferry::vm

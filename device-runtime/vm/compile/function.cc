#include "device-runtime/vm/compile/compiler.h"

namespace ferry::vm {

void Compiler::Enter(FunctionState* state, CodeObject* code, Scope* scope) {
  state->code = code;
  state->parent = f_;
  state->frame = scope;
  state->scope = scope;
  if (f_ != nullptr) {
    f_->code->functions.push_back(code);
    if (f_->frame->kind != Scope::kModule) {
      const bool cls = f_->frame->kind == Scope::kClass;
      const std::string name = std::string(f_->code->qualified_name->view()) +
                               (cls ? "." : ".<locals>.") + std::string(code->name->view());
      String* qualified = vm_.Intern(name);
      if (qualified != nullptr) code->qualified_name = qualified;
    }
  }
  f_ = state;
}

void Compiler::Leave() {
  f_ = f_->parent;
}

int Compiler::ClosureOf(CodeObject* code, int dest, int defaults) {
  const int closure = defaults < 0 ? Temp(2) : defaults;
  if (defaults < 0) {
    Emit(Op::kDeleteLocal, closure);
    Emit(Op::kDeleteLocal, closure + 1);
  }
  size_t index = f_->code->functions.size();
  while (index > 0 && f_->code->functions[index - 1] != code) --index;
  Emit(Op::kClosure, closure, static_cast<int>(index) - 1);
  f_->next_register = closure + 1;
  if (dest >= 0) Emit(Op::kMove, dest, closure);
  return dest < 0 ? closure : dest;
}

CodeObject* Compiler::FunctionCode(FunctionNode* function, const std::string& name) {
  CodeObject* code = NewCode(name);
  FunctionState state;
  const Position at = at_;
  Scope* scope = scopes_.of[function];
  Enter(&state, code, scope);
  code->generator = scope->generator;
  code->positional = static_cast<uint16_t>(function->positional.size());
  code->positional_only = static_cast<uint16_t>(function->positional_only);
  code->keyword_only = static_cast<uint16_t>(function->keyword_only.size());
  code->rest = !function->rest.empty();
  code->keyword_rest = !function->keyword_rest.empty();
  if (function->positional.size() + function->keyword_only.size() > 250)
    Fail(at_, "function has more than 250 parameters");
  const auto parameter = [&](const std::string& parameter_name) {
    code->parameters.push_back(vm_.Intern(parameter_name));
    if (code->parameters.back() == nullptr) OutOfMemory();
    scope->variables[parameter_name].reg = Temp();
  };
  for (const Parameter& p : function->positional) parameter(p.name);
  for (const Parameter& p : function->keyword_only) parameter(p.name);
  if (code->rest) parameter(function->rest);
  if (code->keyword_rest) parameter(function->keyword_rest);
  code->simple = !code->rest && !code->keyword_rest && code->keyword_only == 0 && !code->generator;
  DeclareLocals(scope);
  Body(function->body);
  const int none = Temp();
  Emit(Op::kConst, none, Constant(Value::None()));
  Emit(Op::kReturn, none);
  Leave();
  at_ = at;
  return code;
}

int Compiler::Function(Node* node, int dest) {
  FunctionNode* function = node->function;
  const int closure = Temp(2);
  std::vector<Node*> defaults;
  for (const Parameter& p : function->positional)
    if (p.fallback != nullptr) defaults.push_back(p.fallback);
  if (defaults.empty()) {
    Emit(Op::kDeleteLocal, closure);
  } else {
    const int items = Temp(static_cast<int>(defaults.size()));
    for (size_t i = 0; i < defaults.size(); ++i)
      Expression(defaults[i], items + static_cast<int>(i));
    Emit(Op::kNewTuple, closure, items, static_cast<int>(defaults.size()));
  }
  Emit(Op::kDeleteLocal, closure + 1);
  bool any = false;
  for (const Parameter& p : function->keyword_only) {
    if (p.fallback == nullptr) continue;
    if (!any) Emit(Op::kNewDict, closure + 1, 0, 0);
    any = true;
    const int mark = f_->next_register;
    const int key = Temp();
    Emit(Op::kConst, key, NameConstant(p.name));
    Emit(Op::kDictSet, closure + 1, key, Expression(p.fallback));
    f_->next_register = mark;
  }
  return ClosureOf(FunctionCode(function, function->name), dest, closure);
}

void Compiler::Decorate(Node* node, int decorators, int value) {
  for (size_t i = node->decorators.size(); i-- > 0;) {
    const int mark = f_->next_register;
    const int call = Temp(2);
    Emit(Op::kMove, call, decorators + static_cast<int>(i));
    Emit(Op::kMove, call + 1, value);
    Emit(Op::kCall, call, 1);
    Emit(Op::kMove, value, call);
    f_->next_register = mark;
  }
}

void Compiler::Class(Node* node) {
  const int decorators = f_->next_register;
  for (Node* decorator : node->decorators) Expression(decorator, Temp());
  const int cls = Temp(2);
  Node bases{.kind = Kind::kTuple, .at = node->at};
  bases.list = node->list;
  Expression(&bases, cls);
  CodeObject* code = NewCode(node->text);
  code->class_body = true;
  code->positional = 1;
  code->simple = true;
  FunctionState state;
  Enter(&state, code, scopes_.of[node]);
  code->parameters.push_back(vm_.Intern(".namespace"));
  Temp();  // register 0: the namespace
  Body(node->body);
  const int none = Temp();
  Emit(Op::kConst, none, Constant(Value::None()));
  Emit(Op::kReturn, none);
  Leave();
  ClosureOf(code, cls + 1, -1);
  Emit(Op::kMakeClass, cls, 0, NameConstant(node->text));
  Decorate(node, decorators, cls);
  StoreName(node->text, cls);
}

Result<CodeObject*> Compiler::Run() {
  Arena arena;
  FERRY_ASSIGN_OR_RETURN(std::vector<Node*> body, Parse(source_, &arena));
  FERRY_TRY(scopes_.Build(source_, body));
  CodeObject* code = NewCode("<module>");
  FERRY_TRY(error_);
  FunctionState state;
  Enter(&state, code, scopes_.module());
  Body(body);
  const int none = Temp();
  Emit(Op::kConst, none, Constant(Value::None()));
  Emit(Op::kReturn, none);
  Leave();
  FERRY_TRY(error_);
  return code;
}

Result<CodeObject*> CompileModule(Vm& vm, std::string_view source, std::string_view file,
                                  Module* module) {
  if (source.size() > kMaxSourceBytes)
    return Status::Of(Code::kLimitExceeded, "{}: source of {} bytes, at most {}", file,
                      source.size(), kMaxSourceBytes);
  const SourceText text{source, file};
  return Compiler(vm, text, module).Run();
}

}  // namespace ferry::vm

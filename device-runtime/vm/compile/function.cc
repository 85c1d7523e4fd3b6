#include <algorithm>

#include "device-runtime/vm/bytecode/format.h"
#include "device-runtime/vm/compile/compiler.h"
#include "device-runtime/vm/exec/heap/code_memory.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

void Compiler::Enter(FunctionState* state, CodeObject* code, Scope* scope) {
  state->code = code;
  state->parent = f_;
  state->frame = scope;
  state->scope = scope;
  if (f_ != nullptr) {
    f_->code->functions.push_back(code);
    if (f_->frame->kind != Scope::kModule) {
      String* qualified = vm_.Intern(QualifiedName(*f_->code, code->name->view()));
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
  const Span at = at_;
  Scope* scope = scopes_.of[function];
  Enter(&state, code, scope);
  if (name != "<lambda>") Docstring(function->body);
  code->generator = scope->generator || scope->async;
  code->generator_kind = !scope->async      ? GeneratorKind::kGenerator
                         : scope->generator ? GeneratorKind::kAsyncGenerator
                                            : GeneratorKind::kCoroutine;
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
  LocalVariable* cls = scope->uses_class ? Resolve(scope, "__class__") : nullptr;
  if (cls != nullptr && cls->implicit) code->class_cell = CaptureIndex(f_, cls);
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
  ClosureOf(FunctionCode(function, function->name), -1, closure);
  Annotations(function, closure);
  f_->next_register = closure + 1;
  if (dest >= 0) Emit(Op::kMove, dest, closure);
  return dest < 0 ? closure : dest;
}

// Sets `__annotations__` of the new function in the register `closure`.
void Compiler::Annotations(FunctionNode* function, int closure) {
  std::vector<std::pair<std::string, Node*>> all;
  // Positional-only parameters come second, as in CPython.
  const auto only = static_cast<size_t>(function->positional_only);
  for (size_t i = 0; i < function->positional.size(); ++i) {
    const Parameter& p = function->positional[(i + only) % function->positional.size()];
    all.emplace_back(p.name, p.annotation);
  }
  all.emplace_back(function->rest, function->rest_annotation);
  for (const Parameter& p : function->keyword_only) all.emplace_back(p.name, p.annotation);
  all.emplace_back(function->keyword_rest, function->keyword_rest_annotation);
  all.emplace_back("return", function->returns);
  std::erase_if(all, [](const auto& one) { return one.second == nullptr; });
  if (all.empty()) return;
  const int dict = Temp(2);
  Emit(Op::kNewDict, dict, 0, 0);
  for (const auto& [name, node] : all) {
    Emit(Op::kConst, dict + 1, NameConstant(name));
    const int mark = f_->next_register;
    Emit(Op::kDictSet, dict, dict + 1, Annotation(node));
    f_->next_register = mark;
  }
  Emit(Op::kStoreAttribute, dict, closure, NameConstant("__annotations__"));
  EmitCache();
}

// The value of an annotation; its text after `from __future__ import annotations`.
int Compiler::Annotation(Node* node) {
  if (node->kind == Kind::kStarred) {  // *args: *Ts
    const int item = Temp();
    Emit(Op::kUnpack, item, Expression(node->a), 1);
    return item;
  }
  if (!future_annotations_) return Expression(node);
  const int text = Temp();
  Emit(Op::kConst, text, StringConstant(source_.Slice(node->span())));
  return text;
}

void Compiler::Docstring(const std::vector<Node*>& body) {
  if (body.empty() || body[0]->kind != Kind::kExpression || body[0]->a->kind != Kind::kString)
    return;
  const auto index = static_cast<size_t>(StringConstant(body[0]->a->text));
  if (index < f_->code->constants.size()) f_->code->doc = f_->code->constants[index];
}

// Into registers that follow one another, whatever else their expressions need.
void Compiler::Decorators(Node* node) {
  for (Node* decorator : node->decorators) {
    const int at = Temp();
    Expression(decorator, at);
    f_->next_register = at + 1;
  }
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

// The function that runs the body of a class; gives the register of its closure.
int Compiler::ClassBody(Node* node) {
  CodeObject* code = NewCode(node->text);
  code->class_body = true;
  code->positional = 1;
  code->simple = true;
  FunctionState state;
  Scope* scope = scopes_.of[node];
  const Span at = at_;
  Enter(&state, code, scope);
  code->parameters.push_back(vm_.Intern(".namespace"));
  Temp();  // register 0: the namespace
  Docstring(node->body);
  const int cell = Temp(2), none = cell + 1;
  auto implicit = scope->variables.find(".class");
  if (implicit != scope->variables.end()) {
    implicit->second.reg = cell;
    Emit(Op::kMakeCell, cell);
  }
  Prologue(node->body);
  Body(node->body);
  // MakeClass takes the cell out of the namespace and puts the class into it.
  if (implicit != scope->variables.end())
    Emit(Op::kStoreClassName, cell, NameConstant("__classcell__"));
  Emit(Op::kConst, none, Constant(Value::None()));
  Emit(Op::kReturn, none);
  Leave();
  at_ = at;
  return ClosureOf(code, -1, -1);
}

// What comes before the statements of a module or class.
void Compiler::Prologue(const std::vector<Node*>& body) {
  const int value = Temp();
  if (!f_->code->doc.empty()) {
    at_ = body[0]->span();
    Emit(Op::kConst, value, Constant(f_->code->doc));
    if (f_->frame->kind == Scope::kClass) {
      Emit(Op::kStoreClassName, value, NameConstant("__doc__"));
    } else {
      StoreName("__doc__", value);
    }
  }
  if (f_->scope->annotations) {
    Emit(Op::kNewDict, value, 0, 0);
    StoreName("__annotations__", value);
  }
  f_->next_register = value;
}

void Compiler::Class(Node* node) {
  const int decorators = f_->next_register;
  Decorators(node);
  const int cls = Temp(3);
  Node bases{.kind = Kind::kTuple, .at = node->at, .end = node->end};
  bases.list = node->list;
  Expression(&bases, cls);
  if (!node->names.empty()) Keywords(node, cls + 2);
  const int mark = f_->next_register;
  Emit(Op::kMove, cls + 1, ClassBody(node));
  f_->next_register = mark;
  Emit(Op::kMakeClass, cls, !node->names.empty(), NameConstant(node->text));
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
  Docstring(body);
  Prologue(body);
  Futures(body);
  Body(body);
  const int none = Temp();
  Emit(Op::kConst, none, Constant(Value::None()));
  Emit(Op::kReturn, none);
  Leave();
  FERRY_TRY(error_);
  return code;
}

// `from __future__ import ...`: only at the beginning, and only names that there are.
void Compiler::Futures(const std::vector<Node*>& body) {
  bool start = true;
  for (size_t i = 0; i < body.size(); ++i) {
    const Node* node = body[i];
    if (node->kind != Kind::kFromImport || node->op != 0 || node->text != "__future__") {
      start = start && i == 0 && !f_->code->doc.empty();
      continue;
    }
    if (!start)
      Fail(node->span(), "from __future__ imports must occur at the beginning of the file");
    for (const std::string& name : node->names) {
      static constexpr std::string_view kKnown[] = {
          "nested_scopes",  "generators",     "division",         "absolute_import",
          "with_statement", "print_function", "unicode_literals", "generator_stop",
          "annotations",    "barry_as_FLUFL"};
      if (std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown))
        Fail(node->span(), fmt::format("future feature {} is not defined", name));
      if (name == "annotations") future_annotations_ = true;
    }
  }
}

namespace {

// A name or text of other bytes would be no text (text/text.h).
Status CheckEncoding(std::string_view source, std::string_view file) {
  if (IsUtf8(source)) return OkStatus();
  int line = 1;
  for (size_t end; !source.empty(); ++line, source.remove_prefix(end)) {
    end = std::min(source.find('\n'), source.size() - 1) + 1;
    if (!IsUtf8(source.substr(0, end))) break;
  }
  return Status::Of(Code::kScriptSyntax, "{}:{}:1: the source is not UTF-8 here", file, line);
}

}  // namespace

Result<CodeObject*> CompileModule(Vm& vm, std::string_view source, std::string_view file,
                                  Module* module) {
  CodeMemory memory(vm.heap);
  if (source.size() > kMaxSourceBytes)
    return Status::Of(Code::kLimitExceeded, "{}: source of {} bytes, at most {}", file,
                      source.size(), kMaxSourceBytes);
  if (source.find('\0') != std::string_view::npos)
    return Status::Of(Code::kScriptSyntax, "{}: source code cannot contain null bytes", file);
  FERRY_TRY(CheckEncoding(source, file));
  if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
  SourceText text{source, file, &memory};
  if (!text.Take(4 * source.size())) return text.NoMemory();  // copies of literals and names
  if (source.find('\r') == std::string_view::npos) return Compiler(vm, text, module).Run();
  std::string lines;  // with "\n" for every line end
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    lines.push_back(source[i] == '\r' ? '\n' : source[i]);
  }
  text.text = lines;
  return Compiler(vm, text, module).Run();
}

}  // namespace ferry::vm

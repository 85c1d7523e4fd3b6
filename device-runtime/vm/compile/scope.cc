#include "device-runtime/vm/compile/scope.h"

#include <fmt/format.h>

namespace ferry::vm {
namespace {

class Builder {
 public:
  Builder(const SourceText& source, Scopes* scopes) : source_(source), scopes_(scopes) {}

  Scope* New(Scope::Kind kind, const void* key) {
    scopes_->all.emplace_back();
    Scope* scope = &scopes_->all.back();
    scope->kind = kind;
    scope->parent = scope_;
    scope->frame = kind == Scope::kInline ? scope_->frame : scope;
    if (key != nullptr) scopes_->of[key] = scope;
    return scope;
  }

  void Body(const std::vector<Node*>& body) {
    for (Node* node : body) Visit(node);
  }

  void Finish() {
    for (const auto& [scope, name] : uses_) {
      LocalVariable* variable = Resolve(scope, name);
      if (variable != nullptr && variable->owner->frame != scope->frame) variable->cell = true;
    }
  }

  Status error;
  Scope* scope_ = nullptr;

 private:
  LocalVariable& Declare(Scope* scope, const std::string& name) {
    auto [it, fresh] = scope->variables.try_emplace(name);
    if (fresh) {
      it->second.owner = scope;
      scope->order.push_back(name);
    }
    return it->second;
  }
  void Fail(Position at, std::string message) {
    if (error.ok()) error = source_.Error(at, message);
  }
  void BindName(const std::string& name) {
    Declare(scope_, name).bound = true;
    uses_.emplace_back(scope_, name);
  }
  void BindNamed(const std::string& name) {
    Scope* scope = scope_;
    while (scope->kind == Scope::kInline) scope = scope->parent;
    Declare(scope, name).bound = true;
    uses_.emplace_back(scope_, name);
  }

  void Target(Node* target) {
    switch (target->kind) {
      case Kind::kName:
        return BindName(target->text);
      case Kind::kStarred:
        return Target(target->a);
      case Kind::kTuple:
      case Kind::kList:
        for (Node* item : target->list) Target(item);
        return;
      default:
        return Visit(target);
    }
  }

  void Function(FunctionNode* function, Position at) {
    for (Parameter& parameter : function->positional)
      if (parameter.fallback != nullptr) Visit(parameter.fallback);
    for (Parameter& parameter : function->keyword_only)
      if (parameter.fallback != nullptr) Visit(parameter.fallback);
    Scope* outer = scope_;
    scope_ = New(Scope::kFunction, function);
    const auto parameter = [&](const std::string& name) {
      LocalVariable& variable = Declare(scope_, name);
      variable.bound = variable.parameter = true;
    };
    for (Parameter& p : function->positional) parameter(p.name);
    for (Parameter& p : function->keyword_only) parameter(p.name);
    if (!function->rest.empty()) parameter(function->rest);
    if (!function->keyword_rest.empty()) parameter(function->keyword_rest);
    Body(function->body);
    (void)at;
    scope_ = outer;
  }

  void ClassBody(Node* node) {
    for (Node* base : node->list) Visit(base);
    for (Node* decorator : node->decorators) Visit(decorator);
    BindName(node->text);
    Scope* outer = scope_;
    scope_ = New(Scope::kClass, node);
    Body(node->body);
    scope_ = outer;
  }

  void Comprehension(Node* node) {
    Visit(node->clauses[0].iterable);
    Scope* outer = scope_;
    const bool generator = node->op == static_cast<int>(Kind::kYield);
    scope_ = New(generator ? Scope::kFunction : Scope::kInline, node);
    if (generator) {
      scope_->generator = true;
      LocalVariable& source = Declare(scope_, ".0");
      source.bound = source.parameter = true;
    }
    for (size_t i = 0; i < node->clauses.size(); ++i) {
      Clause& clause = node->clauses[i];
      if (i > 0) Visit(clause.iterable);
      Target(clause.target);
      for (Node* condition : clause.conditions) Visit(condition);
    }
    Visit(node->a);
    if (node->b != nullptr) Visit(node->b);
    scope_ = outer;
  }

  void Declaration(Node* node) {
    for (const std::string& name : node->names) {
      LocalVariable& variable = Declare(scope_, name);
      if (variable.bound)
        Fail(node->at, fmt::format("name '{}' is assigned to before this declaration", name));
      if (node->kind == Kind::kGlobal) {
        variable.global = true;
        continue;
      }
      if (scope_->kind == Scope::kModule)
        Fail(node->at, "nonlocal declaration not allowed at module level");
      variable.nonlocal = true;
      if (Resolve(scope_, name) == nullptr)
        Fail(node->at, fmt::format("no binding for nonlocal '{}' found", name));
    }
  }

  void Visit(Node* node) {
    if (node == nullptr) return;
    switch (node->kind) {
      case Kind::kName:
        uses_.emplace_back(scope_, node->text);
        return;
      case Kind::kNamed:
        BindNamed(node->text);
        return Visit(node->a);
      case Kind::kLambda:
        return Function(node->function, node->at);
      case Kind::kFunction:
        for (Node* decorator : node->decorators) Visit(decorator);
        BindName(node->text);
        return Function(node->function, node->at);
      case Kind::kClass:
        return ClassBody(node);
      case Kind::kComprehension:
        return Comprehension(node);
      case Kind::kGlobal:
      case Kind::kNonlocal:
        return Declaration(node);
      case Kind::kYield:
      case Kind::kYieldFrom:
        if (scope_->kind != Scope::kFunction) Fail(node->at, "'yield' outside function");
        scope_->generator = true;
        return Visit(node->a);
      case Kind::kAssign:
        Visit(node->a);
        for (Node* target : node->list) Target(target);
        return;
      case Kind::kAnnotated:
        Visit(node->b);
        if (node->b != nullptr || node->a->kind == Kind::kName) Target(node->a);
        return;
      case Kind::kAugmented:
        Visit(node->b);
        return Target(node->a);
      case Kind::kDelete:
        for (Node* target : node->list) {
          Target(target);
          if (target->kind == Kind::kName) Declare(scope_, target->text).deleted = true;
        }
        return;
      case Kind::kImport:
      case Kind::kFromImport:
        for (const std::string& name : node->kind == Kind::kImport ? node->names : node->names2)
          BindName(name);
        return;
      case Kind::kHandler:
        Visit(node->a);
        if (!node->text.empty()) {
          BindName(node->text);
          Declare(scope_, node->text).deleted = true;
        }
        return Body(node->body);
      default:
        return Children(node);
    }
  }

  void Children(Node* node) {
    if (node->kind == Kind::kFor) {
      Visit(node->b);
      Target(node->a);
    } else {
      Visit(node->a);
      Visit(node->b);
      Visit(node->c);
    }
    Body(node->list);
    if (node->kind == Kind::kWith) {
      for (Node* target : node->list2)
        if (target != nullptr) Target(target);
    } else {
      Body(node->list2);
    }
    Body(node->body);
    Body(node->orelse);
    Body(node->finally);
  }

  const SourceText& source_;
  Scopes* scopes_;
  std::vector<std::pair<Scope*, std::string>> uses_;
};

}  // namespace

LocalVariable* Resolve(Scope* scope, const std::string& name) {
  for (bool start = true; scope != nullptr; scope = scope->parent) {
    if (scope->kind == Scope::kModule) return nullptr;
    const bool visible = start || scope->kind != Scope::kClass;
    start = start && scope->kind == Scope::kInline;
    if (!visible) continue;
    auto found = scope->variables.find(name);
    if (found == scope->variables.end()) continue;
    if (found->second.global) return nullptr;
    if (found->second.bound && !found->second.nonlocal) return &found->second;
  }
  return nullptr;
}

Status Scopes::Build(const SourceText& source, const std::vector<Node*>& body) {
  Builder builder(source, this);
  builder.scope_ = builder.New(Scope::kModule, nullptr);
  builder.Body(body);
  builder.Finish();
  return builder.error;
}

}  // namespace ferry::vm

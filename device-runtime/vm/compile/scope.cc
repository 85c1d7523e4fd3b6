#include "device-runtime/vm/compile/scope.h"

#include <fmt/format.h>

#include <set>

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
    for (const auto& [scope, name, span] : nonlocals_) {
      if (Resolve(scope, name) == nullptr)
        Fail(span, fmt::format("no binding for nonlocal '{}' found", name));
    }
    for (Scope& scope : scopes_->all)
      if (scope.uses_class) BindClassCell(&scope);
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
  void Fail(const Span& span, std::string message) {
    if (error.ok()) error = source_.Error(span, message);
  }
  void Use(const Node* node) {
    const std::string& name = node->text;
    uses_.emplace_back(scope_, name);
    if (scopes_->keep_places) scopes_->reads.push_back({scope_, name, node->at});
    auto found = scope_->variables.find(name);
    if (found != scope_->variables.end()) {
      found->second.used = true;
    } else {
      used_.emplace(scope_, name);
    }
    if (name == "super" || name == "__class__") scope_->uses_class = true;
  }
  void BindName(const std::string& name, const Node* at = nullptr) {
    Declare(scope_, name).bound = true;
    uses_.emplace_back(scope_, name);
    if (!scopes_->keep_places) return;
    const bool import =
        at != nullptr && (at->kind == Kind::kImport || at->kind == Kind::kFromImport);
    scopes_->bindings.push_back({scope_, name, at == nullptr ? Position() : at->at, import,
                                 import || (at != nullptr && at->kind == Kind::kAssign)});
  }
  void BindNamed(Node* node) {
    const std::string& name = node->text;
    if (in_iterable_ > 0)
      Fail(node->span(),
           "assignment expression cannot be used in a comprehension iterable expression");
    Scope* scope = scope_;
    for (; scope->comprehension; scope = scope->parent) {
      auto found = scope->variables.find(name);
      if (found != scope->variables.end() && found->second.iteration)
        Fail(node->span(),
             fmt::format("assignment expression cannot rebind comprehension iteration variable "
                         "'{}'",
                         name));
    }
    if (scope->kind == Scope::kClass && scope != scope_)
      Fail(node->span(),
           "assignment expression within a comprehension cannot be used in a class body");
    Declare(scope, name).bound = true;
    uses_.emplace_back(scope_, name);
  }
  // The methods of a class see it as `__class__`: a cell of the class body.
  void BindClassCell(Scope* scope) {
    for (Scope* s = scope; s != nullptr && s->kind != Scope::kModule; s = s->parent) {
      if (s->kind == Scope::kClass) {
        if (s == scope) continue;
        LocalVariable& variable = Declare(s, ".class");
        variable.implicit = variable.cell = true;
        uses_.emplace_back(scope, "__class__");
        return;
      }
      auto found = s->variables.find("__class__");
      if (found != s->variables.end() && found->second.bound) return;
    }
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

  void Function(FunctionNode* function, const Span& span) {
    for (Parameter& parameter : function->positional) Visit(parameter.fallback);
    for (Parameter& parameter : function->keyword_only) Visit(parameter.fallback);
    for (Parameter& parameter : function->positional) Visit(parameter.annotation);
    for (Parameter& parameter : function->keyword_only) Visit(parameter.annotation);
    Visit(function->rest_annotation);
    Visit(function->keyword_rest_annotation);
    Visit(function->returns);
    Scope* outer = scope_;
    scope_ = New(Scope::kFunction, function);
    scope_->async = function->async;
    const auto parameter = [&](const std::string& name, Position at = Position{0, 0}) {
      LocalVariable& variable = Declare(scope_, name);
      if (variable.parameter)
        Fail(at.line > 0 ? Span{at, at} : span,
             fmt::format("duplicate argument '{}' in function definition", name));
      variable.bound = variable.parameter = true;
    };
    for (Parameter& p : function->positional) parameter(p.name, p.at);
    for (Parameter& p : function->keyword_only) parameter(p.name, p.at);
    if (!function->rest.empty()) parameter(function->rest);
    if (!function->keyword_rest.empty()) parameter(function->keyword_rest);
    const int outer_iterable = std::exchange(in_iterable_, 0);
    Body(function->body);
    in_iterable_ = outer_iterable;
    scope_ = outer;
  }

  void ClassBody(Node* node) {
    for (Node* base : node->list) Visit(base);
    for (Node* keyword : node->list2) Visit(keyword);
    for (Node* decorator : node->decorators) Visit(decorator);
    BindName(node->text);
    Scope* outer = scope_;
    scope_ = New(Scope::kClass, node);
    Body(node->body);
    scope_ = outer;
  }

  void Iterable(Node* node) {
    ++in_iterable_;
    Visit(node);
    --in_iterable_;
  }

  void Comprehension(Node* node) {
    Iterable(node->clauses[0].iterable);
    Scope* outer = scope_;
    const bool generator = node->op == static_cast<int>(Kind::kYield);
    scope_ = New(generator ? Scope::kFunction : Scope::kInline, node);
    scope_->comprehension = true;
    if (generator) {
      scope_->generator = true;
      LocalVariable& source = Declare(scope_, ".0");
      source.bound = source.parameter = true;
    }
    for (size_t i = 0; i < node->clauses.size(); ++i) {
      Clause& clause = node->clauses[i];
      if (clause.async) AsyncComprehension(node);
      if (i > 0) Iterable(clause.iterable);
      IterationTarget(clause.target);
      for (Node* condition : clause.conditions) Visit(condition);
    }
    Visit(node->a);
    if (node->b != nullptr && node->b != node->a) Visit(node->b);
    scope_ = outer;
  }

  void IterationTarget(Node* target) {
    Target(target);
    for (auto& [name, variable] : scope_->variables)
      variable.iteration = variable.iteration || (variable.bound && name != ".0");
  }

  // The comprehension `node`, whose scope is the present one, awaits.
  void AsyncComprehension(Node* node) {
    if (scope_->kind == Scope::kFunction) {
      scope_->async = true;
      return;
    }
    Scope* frame = scope_->frame;
    if (frame->kind == Scope::kFunction && frame->comprehension) frame->async = true;
    if (!frame->async)
      Fail(node->span(), "asynchronous comprehension outside of an asynchronous function");
  }

  void Declaration(Node* node) {
    const bool global = node->kind == Kind::kGlobal;
    for (const std::string& name : node->names) {
      if (!global && scope_->kind == Scope::kModule)
        Fail(node->span(), "nonlocal declaration not allowed at module level");
      const bool used = used_.count({scope_, name}) > 0;
      LocalVariable& variable = Declare(scope_, name);
      const std::string_view kind = global ? "global" : "nonlocal";
      if (variable.parameter) {
        Fail(node->span(), fmt::format("name '{}' is parameter and {}", name, kind));
      } else if (global ? variable.nonlocal : variable.global) {
        Fail(node->span(), fmt::format("name '{}' is nonlocal and global", name));
      } else if (variable.annotated) {
        Fail(node->span(), fmt::format("annotated name '{}' can't be {}", name, kind));
      } else if (variable.bound) {
        Fail(node->span(),
             fmt::format("name '{}' is assigned to before {} declaration", name, kind));
      } else if (variable.used || used) {
        Fail(node->span(), fmt::format("name '{}' is used prior to {} declaration", name, kind));
      }
      (global ? variable.global : variable.nonlocal) = true;
      if (!global) nonlocals_.push_back({scope_, name, node->span()});
    }
  }

  // yield, yield from: only functions have them, and no comprehension.
  void YieldIn(Node* node) {
    const std::string_view what = node->kind == Kind::kYield ? "'yield'" : "'yield from'";
    if (scope_->comprehension) {
      Fail(node->span(), fmt::format("'yield' inside {}", scope_->kind == Scope::kFunction
                                                              ? "generator expression"
                                                              : "list comprehension"));
    } else if (scope_->kind != Scope::kFunction) {
      Fail(node->span(), "'yield' outside function");
    } else if (scope_->async && node->kind == Kind::kYieldFrom) {
      Fail(node->span(), "'yield from' inside async function");
    }
    (void)what;
    scope_->generator = true;
    Visit(node->a);
  }

  void AwaitIn(Node* node, std::string_view what) {
    Scope* frame = scope_->frame;
    if (frame->kind != Scope::kFunction) {
      Fail(node->span(),
           fmt::format("'{}' outside {}", what, what == "await" ? "function" : "async function"));
    } else if (frame->comprehension) {
      frame->async = true;
    } else if (!frame->async) {
      Fail(node->span(), fmt::format("'{}' outside async function", what));
    }
  }

  void Pattern(Node* node) {
    if (node == nullptr) return;
    switch (node->kind) {
      case Kind::kMatchValue:
      case Kind::kMatchConstant:
        return Visit(node->a);
      case Kind::kMatchMapping:
        Body(node->list);
        break;
      case Kind::kMatchClass:
        Visit(node->a);
        [[fallthrough]];
      default:
        for (Node* item : node->list) Pattern(item);
    }
    if (node->kind == Kind::kMatchAs) Pattern(node->a);
    for (Node* item : node->list2) Pattern(item);
    if (!node->text.empty()) BindName(node->text);
  }

  void AnnotatedName(Node* node) {
    const bool top = scope_->kind != Scope::kFunction;
    if (top || node->op == 0) Visit(node->c);
    if (top && node->op == 1) {
      scope_->annotations = true;
      BindName("__annotations__");
    }
    Visit(node->b);
    if (node->a->kind == Kind::kName && node->op == 1) {
      LocalVariable& variable = Declare(scope_, node->a->text);
      if (variable.global || variable.nonlocal)
        Fail(node->span(), fmt::format("annotated name '{}' can't be {}", node->a->text,
                                       variable.global ? "global" : "nonlocal"));
      variable.annotated = true;
    }
    if (node->b != nullptr || node->a->kind == Kind::kName) Target(node->a);
  }

  void Visit(Node* node) {
    if (node == nullptr) return;
    switch (node->kind) {
      case Kind::kName:
        return Use(node);
      case Kind::kNamed:
        BindNamed(node);
        return Visit(node->a);
      case Kind::kLambda:
        return Function(node->function, node->span());
      case Kind::kFunction:
        for (Node* decorator : node->decorators) Visit(decorator);
        BindName(node->text);
        return Function(node->function, node->span());
      case Kind::kClass:
        return ClassBody(node);
      case Kind::kComprehension:
        return Comprehension(node);
      case Kind::kGlobal:
      case Kind::kNonlocal:
        return Declaration(node);
      case Kind::kYield:
      case Kind::kYieldFrom:
        return YieldIn(node);
      case Kind::kAwait:
        AwaitIn(node, "await");
        return Visit(node->a);
      case Kind::kMatch:
        Visit(node->a);
        return Body(node->list);
      case Kind::kCase:
        Pattern(node->a);
        Visit(node->b);
        return Body(node->body);
      case Kind::kAssign:
        Visit(node->a);
        for (Node* target : node->list) {
          if (node->list.size() == 1 && target->kind == Kind::kName) {
            BindName(target->text, node);
          } else {
            Target(target);
          }
        }
        return;
      case Kind::kAnnotated:
        return AnnotatedName(node);
      case Kind::kAugmented:
        Visit(node->b);
        if (scopes_->keep_places && node->a->kind == Kind::kName)
          scopes_->reads.push_back({scope_, node->a->text, node->at});
        return Target(node->a);
      case Kind::kDelete:
        for (Node* target : node->list) {
          Target(target);
          if (target->kind == Kind::kName) Declare(scope_, target->text).deleted = true;
        }
        return;
      case Kind::kImport:
      case Kind::kFromImport:
        if (node->names == std::vector<std::string>{"*"} && scope_->kind != Scope::kModule)
          Fail(node->span(), "import * only allowed at module level");
        for (const std::string& name : node->kind == Kind::kImport ? node->names : node->names2)
          BindName(name, node);
        if (scopes_->keep_places && node->names == std::vector<std::string>{"*"})
          BindName("*", node);
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
    if (node->op == 1 && (node->kind == Kind::kFor || node->kind == Kind::kWith))
      AwaitIn(node, node->kind == Kind::kFor ? "async for" : "async with");
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
  std::set<std::pair<Scope*, std::string>> used_;  // read before anything declared them
  struct Nonlocal {
    Scope* scope;
    std::string name;
    Span span;
  };
  std::vector<Nonlocal> nonlocals_;
  int in_iterable_ = 0;  // iterables of comprehensions around the present place
};

}  // namespace

LocalVariable* Resolve(Scope* scope, const std::string& name) {
  for (bool start = true; scope != nullptr; scope = scope->parent) {
    if (scope->kind == Scope::kModule) return nullptr;
    // The names of a class body are seen in it alone, not in functions or comprehensions there.
    const bool visible = start || scope->kind != Scope::kClass;
    if (scope->kind == Scope::kClass && !start && name == "__class__") {
      auto cls = scope->variables.find(".class");
      if (cls != scope->variables.end()) return &cls->second;
    }
    start = false;
    auto found = scope->variables.find(name);
    if (!visible || found == scope->variables.end()) continue;
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

// Scopes: which variable each name means. Comprehensions other than generator expressions are
// scopes of their own whose variables live in the frame around them.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {

struct Scope;
struct LocalVariable {
  Scope* owner = nullptr;
  bool bound = false;  // assigned somewhere in its scope
  bool parameter = false;
  bool cell = false;       // an inner function uses it
  bool global = false;     // declared
  bool nonlocal = false;   // declared
  bool deleted = false;    // by del or at the end of an except: may be unset anywhere
  bool used = false;       // read in its scope
  bool annotated = false;  // without being assigned
  bool implicit = false;   // the `__class__` that methods of a class see
  bool iteration = false;  // target of a comprehension
  int reg = -1;
};

struct Scope {
  enum Kind { kModule, kFunction, kClass, kInline } kind;
  Scope* parent = nullptr;
  Scope* frame = nullptr;      // the scope that owns the registers; itself unless kInline
  bool generator = false;      // it yields
  bool async = false;          // async def, or a generator expression that awaits
  bool comprehension = false;  // of any kind
  bool annotations = false;    // module, class: it has annotated names
  bool uses_class = false;     // it names super or __class__
  std::unordered_map<std::string, LocalVariable> variables;
  std::vector<std::string> order;  // of variables, by first appearance: registers are given in it
};

// A name where it is read or bound, for lint.cc.
struct ScopePlace {
  Scope* scope;
  std::string name;
  Position at;
  bool import = false;
  bool plain = false;  // an import, or the only target of an assignment
};

struct Scopes {
  std::deque<Scope> all;
  std::unordered_map<const void*, Scope*> of;  // by FunctionNode, class or comprehension Node

  bool keep_places = false;  // Build fills these too
  std::vector<ScopePlace> reads, bindings;

  // Declares and resolves everything in a module; kScriptSyntax for impossible declarations.
  Status Build(const SourceText& source, const std::vector<Node*>& body);
  Scope* module() { return &all.front(); }
};

// The variable that `name` means in `scope`; nullptr: a variable of the module or a built-in.
LocalVariable* Resolve(Scope* scope, const std::string& name);

}  // namespace ferry::vm

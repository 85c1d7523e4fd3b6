// BaseExceptionGroup, ExceptionGroup and what except* does with them. Source: PEP 654.
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/exec/loop/helper.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

constexpr int kMaxGroupDepth = 500;  // of groups in groups

Class* ErrorClass(Vm& vm, Error error) {
  return vm.errors[static_cast<int>(error)];
}
bool IsGroup(Vm& vm, Value v) {
  return Is(v, Type::kException) && vm.IsInstance(v, ErrorClass(vm, Error::kBaseExceptionGroup));
}
// Empty for a group that was made without BaseExceptionGroup.__new__.
Tuple* Parts(Vm& vm, Value group) {
  const Value parts = As<Exception>(group)->detail;
  return As<Tuple>(Is(parts, Type::kTuple) ? parts : vm.empty_tuple);
}

// Checks what a group is made of: the class to make, or nullptr.
Class* GroupClass(Vm& vm, Class* cls, Tuple* parts) {
  bool plain = true;
  for (uint32_t i = 0; i < parts->size; ++i) {
    if (!Is(parts->items[i], Type::kException)) {
      vm.Throw(Error::kValueError, "Item {} of second argument (exceptions) is not an exception",
               i);
      return nullptr;
    }
    plain = plain && vm.IsInstance(parts->items[i], ErrorClass(vm, Error::kException));
  }
  if (cls == ErrorClass(vm, Error::kBaseExceptionGroup))
    return plain ? ErrorClass(vm, Error::kExceptionGroup) : cls;
  if (!plain && vm.IsSubclass(cls, ErrorClass(vm, Error::kException))) {
    if (cls == ErrorClass(vm, Error::kExceptionGroup)) {
      vm.Raise(Error::kTypeError, "Cannot nest BaseExceptions in an ExceptionGroup");
    } else {
      vm.Throw(Error::kTypeError, "Cannot nest BaseExceptions in '{}'", cls->name->view());
    }
    return nullptr;
  }
  return cls;
}

Value NewGroup(Vm& vm, Args& args) {
  if (args.count == 0 || !Is(args[0], Type::kClass))
    return vm.Raise(Error::kTypeError, "BaseExceptionGroup.__new__(X): X is not a type object");
  if (args.keywords() > 0)
    return vm.Raise(Error::kTypeError, "BaseExceptionGroup.__new__() takes no keyword arguments");
  if (args.count != 3)
    return vm.Throw(Error::kTypeError,
                    "BaseExceptionGroup.__new__() takes exactly 2 arguments ({} given)",
                    args.count - 1);
  if (!IsStr(args[1]))
    return vm.Throw(Error::kTypeError,
                    "BaseExceptionGroup.__new__() argument 1 must be str, not {}",
                    args[1].IsNone() ? "None" : vm.TypeName(args[1]));
  if (!Is(args[2], Type::kList) && !Is(args[2], Type::kTuple) &&
      vm.FindInClass(vm.ClassOf(args[2]), vm.names.getitem).empty())
    return vm.Raise(Error::kTypeError, "second argument (exceptions) must be a sequence");
  Roots roots(vm);
  const Value list = roots.Add(vm.ToList(args[2]));
  if (list.empty()) return list;
  if (As<List>(list)->size == 0)
    return vm.Raise(Error::kValueError,
                    "second argument (exceptions) must be a non-empty sequence");
  const Value parts = roots.Add(vm.NewTuple(As<List>(list)->items, As<List>(list)->size));
  const Value own = parts.empty() ? parts : roots.Add(vm.NewTuple(args.args + 1, 2));
  Class* cls = own.empty() ? nullptr : GroupClass(vm, As<Class>(args[0]), As<Tuple>(parts));
  const Value group = cls == nullptr ? Value() : vm.MakeException(cls, own);
  if (!group.empty()) As<Exception>(group)->detail = parts;
  return group;
}

Value MakeGroup(Vm& vm, Value message, Value parts) {
  Value all[] = {Value::Of(ErrorClass(vm, Error::kBaseExceptionGroup)), message, parts};
  Args args{all, 3};
  return NewGroup(vm, args);
}

// A group like `like` of other parts, by its own `derive`.
Value Derive(Vm& vm, Value like, Value parts) {
  String* const name = vm.Intern("derive");
  Roots roots(vm);
  const Value method = name == nullptr ? Value() : roots.Add(vm.GetAttribute(like, name));
  const Value group = method.empty() ? method : roots.Add(vm.Call(method, &parts, 1));
  if (group.empty()) return group;
  if (!IsGroup(vm, group))
    return vm.Raise(Error::kTypeError, "derive must return an instance of BaseExceptionGroup");
  auto *from = As<Exception>(like), *to = As<Exception>(group);
  to->cause = from->cause;
  to->context = from->context;
  to->suppress_context = from->suppress_context;
  SetTrace(vm.heap, to, from);
  String* const notes = vm.Intern("__notes__");
  const Value noted = notes == nullptr ? Value() : vm.GetAttributeOrEmpty(like, notes);
  if (noted.empty()) return vm.failed() ? Value() : group;
  const Value copy = roots.Add(vm.ToList(noted));
  return !copy.empty() && vm.SetAttribute(group, notes, copy) ? group : Value();
}

// What split() and subgroup() select by: classes, or a function.
bool Matches(Vm& vm, Value v, Value condition, bool* match) {
  if (Is(condition, Type::kClass) || Is(condition, Type::kTuple)) {
    const bool tuple = Is(condition, Type::kTuple);
    *match = false;
    for (uint32_t i = 0; i < (tuple ? As<Tuple>(condition)->size : 1); ++i) {
      const Value one = tuple ? As<Tuple>(condition)->items[i] : condition;
      if (Is(one, Type::kClass)) *match = *match || vm.IsInstance(v, As<Class>(one));
    }
    return true;
  }
  const Value result = vm.Call(condition, &v, 1);
  return !result.empty() && vm.Truth(result, match);
}

// Splits `v` into what matches and the rest, each None when empty. `pair` are places on vm.kept.
bool Split(Vm& vm, Value v, Value condition, int depth, Value* match, Value* rest) {
  *match = *rest = Value::None();
  bool all;
  if (!Matches(vm, v, condition, &all)) return false;
  if (all || !IsGroup(vm, v)) {
    *(all ? match : rest) = v;
    return true;
  }
  if (depth > kMaxGroupDepth || !vm.ChargeSteps(4)) {
    if (!vm.failed()) vm.Raise(Error::kRecursionError, "maximum recursion depth exceeded");
    return false;
  }
  Roots roots(vm);
  const Value matched = roots.Add(vm.NewList(nullptr, 0)), left = roots.Add(vm.NewList(nullptr, 0));
  if (matched.empty() || left.empty()) return false;
  for (uint32_t i = 0; i < Parts(vm, v)->size; ++i) {
    Value one, other;
    if (!Split(vm, Parts(vm, v)->items[i], condition, depth + 1, &one, &other)) return false;
    Roots inner(vm);
    inner.Add(one);
    inner.Add(other);
    if ((!one.IsNone() && !vm.Append(As<List>(matched), one)) ||
        (!other.IsNone() && !vm.Append(As<List>(left), other)))
      return false;
  }
  if (As<List>(matched)->size > 0 && (*match = roots.Add(Derive(vm, v, matched))).empty())
    return false;
  return As<List>(left)->size == 0 || !(*rest = Derive(vm, v, left)).empty();
}

bool CheckCondition(Vm& vm, Value condition) {
  bool fine = Is(condition, Type::kFunction) || Is(condition, Type::kNative) ||
              Is(condition, Type::kBoundMethod);
  if (Is(condition, Type::kClass))
    fine = vm.IsSubclass(As<Class>(condition), ErrorClass(vm, Error::kBaseException));
  if (Is(condition, Type::kTuple)) {
    fine = true;
    for (uint32_t i = 0; i < As<Tuple>(condition)->size; ++i) {
      const Value one = As<Tuple>(condition)->items[i];
      fine = fine && Is(one, Type::kClass) &&
             vm.IsSubclass(As<Class>(one), ErrorClass(vm, Error::kBaseException));
    }
  }
  if (!fine)
    vm.Raise(Error::kTypeError, "expected a function, exception type or tuple of exception types");
  return fine;
}

Value SplitGroup(Vm& vm, Args& args) {
  if (!Expect(vm, args, "split", 2, 2) || !CheckCondition(vm, args[1])) return Value();
  Value pair[2];
  if (!Split(vm, args[0], args[1], 0, &pair[0], &pair[1])) return Value();
  return vm.NewTuple(pair, 2);
}

Value Subgroup(Vm& vm, Args& args) {
  if (!Expect(vm, args, "subgroup", 2, 2) || !CheckCondition(vm, args[1])) return Value();
  Value match, rest;
  return Split(vm, args[0], args[1], 0, &match, &rest) ? match : Value();
}

Value DeriveGroup(Vm& vm, Args& args) {
  if (!Expect(vm, args, "derive", 2, 2)) return Value();
  const auto* own = As<Tuple>(As<Exception>(args[0])->args);
  return MakeGroup(vm, own->size > 0 ? own->items[0] : vm.empty_string, args[1]);
}

bool SameOrigin(const Exception* a, const Exception* b) {
  return a->cause == b->cause && a->context == b->context && SameTrace(a, b);
}

// Collects the exceptions in `v` that are no groups.
bool Leaves(Vm& vm, Value v, int depth, List* out) {
  if (!IsGroup(vm, v)) return vm.Append(out, v);
  if (depth > kMaxGroupDepth) return false;
  for (uint32_t i = 0; i < Parts(vm, v)->size; ++i)
    if (!Leaves(vm, Parts(vm, v)->items[i], depth + 1, out)) return false;
  return true;
}

// The part of `v` whose exceptions are in `keep`, or None.
Value Project(Vm& vm, Value v, List* keep, int depth) {
  if (!IsGroup(vm, v)) {
    for (uint32_t i = 0; i < keep->size; ++i)
      if (keep->items[i] == v) return v;
    return Value::None();
  }
  if (depth > kMaxGroupDepth || !vm.ChargeSteps(keep->size)) return Value::None();
  Roots roots(vm);
  const Value parts = roots.Add(vm.NewList(nullptr, 0));
  if (parts.empty()) return parts;
  for (uint32_t i = 0; i < Parts(vm, v)->size; ++i) {
    const Value part = Project(vm, Parts(vm, v)->items[i], keep, depth + 1);
    if (part.empty() || (!part.IsNone() && !vm.Append(As<List>(parts), part))) return Value();
  }
  if (As<List>(parts)->size == 0) return Value::None();
  return As<List>(parts)->size == Parts(vm, v)->size ? v : Derive(vm, v, parts);
}

constexpr BuiltinRow kGroup[] = {{"__new__", NewGroup, true},
                                 {"derive", DeriveGroup, true},
                                 {"split", SplitGroup, true},
                                 {"subgroup", Subgroup, true}};

}  // namespace

// args: what is left or None, the classes; gives the part that matches and leaves the rest in
// args[1].
Value StarMatchHelper(Vm& vm, Value* args) {
  const Value rest = args[0], classes = args[1];
  if (!rest.IsNone() && !Is(rest, Type::kException)) return BadOperands(vm);
  const bool tuple = Is(classes, Type::kTuple);
  for (uint32_t i = 0; i < (tuple ? As<Tuple>(classes)->size : 1); ++i) {
    const Value one = tuple ? As<Tuple>(classes)->items[i] : classes;
    if (!Is(one, Type::kClass) ||
        !vm.IsSubclass(As<Class>(one), ErrorClass(vm, Error::kBaseException)))
      return vm.Raise(Error::kTypeError,
                      "catching classes that do not inherit from BaseException is not allowed");
    if (vm.IsSubclass(As<Class>(one), ErrorClass(vm, Error::kBaseExceptionGroup)))
      return vm.Raise(Error::kTypeError,
                      "catching ExceptionGroup with except* is not allowed. Use except instead.");
  }
  args[1] = Value::None();
  if (rest.IsNone()) return rest;
  bool match;
  if (!Matches(vm, rest, classes, &match)) return Value();
  if (match && IsGroup(vm, rest)) return rest;
  Roots roots(vm);
  if (match) {
    const Value parts = roots.Add(vm.NewTuple(&rest, 1));
    const Value group = parts.empty() ? parts : MakeGroup(vm, vm.empty_string, parts);
    if (!group.empty()) SetTrace(vm.heap, As<Exception>(group), As<Exception>(rest));
    return group;
  }
  if (!IsGroup(vm, rest)) {
    args[1] = rest;
    return Value::None();
  }
  String* const name = vm.Intern("split");
  const Value method = name == nullptr ? Value() : roots.Add(vm.GetAttribute(rest, name));
  const Value pair = method.empty() ? method : roots.Add(vm.Call(method, &classes, 1));
  if (pair.empty()) return pair;
  if (!Is(pair, Type::kTuple))
    return vm.Throw(Error::kTypeError, "{}.split must return a tuple, not {}", vm.TypeName(rest),
                    vm.TypeName(pair));
  if (As<Tuple>(pair)->size < 2)
    return vm.Throw(Error::kTypeError, "{}.split must return a 2-tuple, got tuple of size {}",
                    vm.TypeName(rest), As<Tuple>(pair)->size);
  args[1] = As<Tuple>(pair)->items[1];
  return As<Tuple>(pair)->items[0];
}

// args: the exception, the list of what handlers raised, what no handler took or None.
Value StarOutcomeHelper(Vm& vm, Value* args) {
  const Value original = args[0], left = args[2];
  bool fine = Is(original, Type::kException) && Is(args[1], Type::kList) &&
              (left.IsNone() || Is(left, Type::kException));
  for (uint32_t i = 0; fine && i < As<List>(args[1])->size; ++i)
    fine = Is(As<List>(args[1])->items[i], Type::kException);
  if (!fine) return BadOperands(vm);
  auto* all = As<List>(args[1]);
  if (all->size == 0) return left;
  if (!IsGroup(vm, original)) return all->items[0];
  Roots roots(vm);
  const Value raised = roots.Add(vm.NewList(nullptr, 0)), kept = roots.Add(vm.NewList(nullptr, 0));
  if (raised.empty() || kept.empty()) return Value();
  for (uint32_t i = 0; i < all->size; ++i) {
    const Value one = all->items[i];
    const bool again = SameOrigin(As<Exception>(one), As<Exception>(original));
    if (!(again ? Leaves(vm, one, 0, As<List>(kept)) : vm.Append(As<List>(raised), one)))
      return Value();
  }
  if (!left.IsNone() && !Leaves(vm, left, 0, As<List>(kept))) return Value();
  const Value again = roots.Add(Project(vm, original, As<List>(kept), 0));
  if (again.empty()) return again;
  if (As<List>(raised)->size == 0) return again;
  if (!again.IsNone() && !vm.Append(As<List>(raised), again)) return Value();
  if (As<List>(raised)->size == 1) return As<List>(raised)->items[0];
  return MakeGroup(vm, vm.empty_string, raised);
}

bool InstallExceptionGroup(Vm& vm) {
  // The only built-in class with two bases.
  Class* cls = ErrorClass(vm, Error::kExceptionGroup);
  Class* const order[] = {cls, ErrorClass(vm, Error::kBaseExceptionGroup),
                          ErrorClass(vm, Error::kException), ErrorClass(vm, Error::kBaseException),
                          vm.classes[kObjectClass]};
  const size_t old = cls->mro_count * sizeof(Class*);
  auto** mro = static_cast<Class**>(vm.heap.NewBuffer(sizeof(order)));
  if (mro == nullptr) return false;
  for (size_t i = 0; i < std::size(order); ++i) mro[i] = order[i];
  vm.heap.FreeBuffer(std::exchange(cls->mro, mro), old);
  cls->mro_count = std::size(order);
  return AddMethods(vm, ErrorClass(vm, Error::kBaseExceptionGroup), kGroup);
}

}  // namespace ferry::vm

#include "device-runtime/vm/exec/call/call.h"

#include <cstring>

#include "device-runtime/vm/exec/call/bind.h"
#include "device-runtime/vm/exec/call/native_level.h"
#include "device-runtime/vm/exec/call/resume.h"
#include "device-runtime/vm/exec/classes/method.h"
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/modules/lru.h"

namespace ferry::vm {
namespace {

std::string Quoted(const std::vector<std::string_view>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    out += fmt::format("'{}'", names[i]);
  }
  return out;
}

// As errors of calls name it.
std::string_view CallName(const Function* function) {
  return function->qualified_name != nullptr ? function->qualified_name->view()
                                             : function->code->qualified_name->view();
}

}  // namespace

// Whether none of the keywords names a positional-only parameter; else raises that.
static bool PassedByName(Vm& vm, Function* function, const Tuple* keywords) {
  const CodeObject* code = function->code;
  std::string names;
  for (uint32_t i = 0; i < code->positional_only; ++i) {
    for (uint32_t k = 0; k < keywords->size; ++k) {
      if (Text(keywords->items[k]) != code->parameters[i]->view()) continue;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", Text(keywords->items[k]));
    }
  }
  if (names.empty()) return true;
  vm.Throw(Error::kTypeError,
           "{}() got some positional-only arguments passed as keyword arguments: '{}'",
           CallName(function), names);
  return false;
}

// Raises what a call with `count` positional arguments says, more than there are parameters.
static bool TooMany(Vm& vm, Function* function, const Value* args, uint32_t count) {
  const CodeObject* code = function->code;
  const uint32_t defaults = function->defaults.empty() ? 0 : As<Tuple>(function->defaults)->size;
  uint32_t named = 0;
  for (uint32_t i = 0; i < code->keyword_only; ++i) named += !args[code->positional + i].empty();
  const std::string also =
      named == 0 ? ""
                 : fmt::format(" positional argument{} (and {} keyword-only argument{})",
                               count == 1 ? "" : "s", named, named == 1 ? "" : "s");
  const bool plural = defaults > 0 || code->positional != 1;
  vm.Throw(Error::kTypeError, "{}() takes {}{} positional argument{} but {}{} {} given",
           CallName(function),
           defaults > 0 ? fmt::format("from {} to ", code->positional - defaults) : "",
           code->positional, plural ? "s" : "", count, also,
           count == 1 && named == 0 ? "was" : "were");
  return false;
}

// Parameters are without a value.
static bool TooFew(Vm& vm, Function* function, const Value* args) {
  const CodeObject* code = function->code;
  std::vector<std::string_view> missing, missing_keywords;
  for (uint32_t i = 0; i < uint32_t{code->positional} + code->keyword_only; ++i)
    if (args[i].empty())
      (i < code->positional ? missing : missing_keywords).push_back(code->parameters[i]->view());
  const auto& absent = missing.empty() ? missing_keywords : missing;
  vm.Throw(Error::kTypeError, "{}() missing {} required {} argument{}: {}", CallName(function),
           absent.size(), missing.empty() ? "keyword-only" : "positional",
           absent.size() == 1 ? "" : "s", Quoted(absent));
  return false;
}

// Puts the arguments at `args` into the order of the parameters. There is room for all registers.
bool Vm::BindArguments(Function* function, Value* args, uint32_t count,
                       const Tuple* keyword_names) {
  CodeObject* code = function->code;
  const uint32_t named = code->positional + code->keyword_only;
  const uint32_t keywords = keyword_names == nullptr ? 0 : keyword_names->size;
  // The values of keywords go behind all registers: the parameters take their places.
  Value* const values = args + std::max<uint32_t>(code->registers, count + keywords);
  std::memmove(static_cast<void*>(values), args + count, keywords * sizeof(Value));
  uint32_t next = named;
  if (code->rest) {
    const Value rest = count > code->positional
                           ? NewTuple(args + code->positional, count - code->positional)
                           : empty_tuple;
    if (rest.empty()) return false;
    for (uint32_t i = std::min<uint32_t>(count, code->positional); i < named; ++i)
      args[i] = Value();
    args[next++] = rest;
  } else {
    // Too many: said after the keywords, whose number belongs to the message.
    for (uint32_t i = std::min<uint32_t>(count, code->positional); i < named; ++i)
      args[i] = Value();
  }
  Dict* rest = nullptr;
  if (code->keyword_rest) {
    args[next] = NewDict();
    if (args[next].empty()) return false;
    rest = As<Dict>(args[next]);
  }
  for (uint32_t k = 0; k < keywords; ++k) {
    Value name = keyword_names->items[k];
    uint32_t at = code->positional_only;
    const bool interned = As<String>(name)->Has(StringFlag::kInterned);  // as parameters are
    while (at < named && !(Value::Of(code->parameters[at]) == name) &&
           (interned || code->parameters[at]->view() != Text(name)))
      ++at;
    if (at == named) {
      if (rest == nullptr) {
        if (!PassedByName(*this, function, keyword_names)) return false;
        Throw(Error::kTypeError, "{}() got an unexpected keyword argument '{}'", CallName(function),
              Text(name));
        return false;
      }
      if (!DictSet(rest, name, values[k])) return false;
    } else if (!args[at].empty()) {
      Throw(Error::kTypeError, "{}() got multiple values for argument '{}'", CallName(function),
            Text(name));
      return false;
    } else {
      args[at] = values[k];
    }
  }
  if (keywords == 0 && code->keyword_only == 0 && count >= code->positional && code->rest)
    return true;
  if (count > code->positional && !code->rest) return TooMany(*this, function, args, count);
  const uint32_t defaults = function->defaults.empty() ? 0 : As<Tuple>(function->defaults)->size;
  bool complete = true;
  for (uint32_t i = 0; i < named; ++i) {
    if (!args[i].empty()) continue;
    if (i < code->positional && i + defaults >= code->positional) {
      args[i] = As<Tuple>(function->defaults)->items[i + defaults - code->positional];
    } else if (i >= code->positional && !function->keyword_defaults.empty()) {
      Value* found = DictFindString(As<Dict>(function->keyword_defaults), code->parameters[i]);
      if (found != nullptr) args[i] = *found;
    }
    complete = complete && !args[i].empty();
  }
  return complete || TooFew(*this, function, args);
}

bool Vm::PushFrame(Function* function, Value* args, uint32_t count, const Tuple* keyword_names,
                   Value* result) {
  CodeObject* code = function->code;
  if (keyword_names == nullptr && (code->rest || code->keyword_rest) && !code->generator &&
      code->keyword_only == 0 &&
      (code->rest ? count >= code->positional : count == code->positional) &&
      HasFrame(args + std::max<size_t>(code->registers, count) + 1)) {  // f(a, *rest, **none)
    uint32_t bound = code->positional;
    const Value rest = code->rest ? NewTuple(args + bound, count - bound) : empty_tuple;
    const Value none = code->keyword_rest ? NewDict() : rest;
    if (rest.empty() || none.empty()) return false;
    if (code->rest) args[bound++] = rest;
    if (code->keyword_rest) args[bound++] = none;
    return PushSimple(*this, function, args, bound, result, FrameKind::kPlain);
  }
  const uint32_t given = count + (keyword_names == nullptr ? 0 : keyword_names->size);
  const size_t keywords = keyword_names == nullptr ? 0 : keyword_names->size;
  const size_t need = std::max<size_t>(code->registers, given) + 1 + keywords;
  if (!HasFrame(args + need)) {
    TooDeep();
    return false;
  }
  uint32_t bound = count;
  const uint32_t missing = code->positional - std::min<uint32_t>(count, code->positional);
  if (code->simple && keyword_names == nullptr && missing > 0 && !function->defaults.empty() &&
      missing <= As<Tuple>(function->defaults)->size) {
    const auto* defaults = As<Tuple>(function->defaults);
    for (uint32_t i = 0; i < missing; ++i)
      args[count + i] = defaults->items[defaults->size - missing + i];
    bound = code->positional;
  } else if (count != code->positional || keyword_names != nullptr || code->rest ||
             code->keyword_rest || code->keyword_only > 0) {
    bound =
        keyword_names == nullptr ? 0 : BindKeywords(*this, function, args, count, keyword_names);
    if (bound == 0) {
      if (!BindArguments(function, args, count, keyword_names)) return false;
      bound = code->positional + code->keyword_only + code->rest + code->keyword_rest;
    }
  }
  if (code->generator) {
    const Value generator = NewGenerator(*this, function, args, bound);
    if (generator.empty()) return false;
    *result = generator;
    return true;
  }
  for (uint32_t i = bound; i < need; ++i) args[i] = Value();
  top = args + code->registers;
  frames.Push() = {code,   function, code->instructions.data(), args, top,
                   result, Value(),  FrameKind::kPlain};
  return true;
}

// A method called with something that is no instance of its class.
static Value NotItsOwn(Vm& vm, const Native* native, const Args& args) {
  if (args.count == 0)
    return vm.Throw(Error::kTypeError, "unbound method {}.{}() needs an argument",
                    native->owner->name->view(), native->name);
  return native->wrapper
             ? vm.Throw(Error::kTypeError,
                        "descriptor '{}' requires a '{}' object but received a '{}'", native->name,
                        native->owner->name->view(), vm.TypeName(args[0]))
             : vm.Throw(Error::kTypeError,
                        "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
                        native->name, native->owner->name->view(), vm.TypeName(args[0]));
}

static Value CallExternal(Vm& vm, const Native* native, const Args& args) {
  CallContext context(vm, args.args, args.count,
                      args.names == nullptr ? nullptr : args.names->items, args.args + args.count,
                      args.keywords());
  Roots roots(vm);
  Result<Value> outcome = native->external(context);
  if (outcome.ok()) return *outcome;
  vm.RaiseStatus(outcome.status());
  return Value();
}

Value Vm::CallBuiltin(Native* native, Args& args) {
  if (native->owner != nullptr) {
    const Value self = args.count == 0 ? Value() : args[0];
    const bool own =
        self.IsObject() && self.object()->derived == 0 &&
        (classes[static_cast<int>(self.object()->type)] == native->owner ||
         (self.object()->type == Type::kRecord && As<Record>(self)->cls == native->owner));
    if (!own && (args.count == 0 || !IsInstance(self, native->owner)))
      return NotItsOwn(*this, native, args);
  }
  running = native;
  const int blocks = native->collects ? 0 : 1;
  collection_blocked += blocks;
  const Value result =
      native->builtin != nullptr ? native->builtin(*this, args) : CallExternal(*this, native, args);
  collection_blocked -= blocks;
  if (failed()) return Value();
  return result.empty() ? Value::None() : result;
}

static bool IsPlainFunction(Value v) {
  return Is(v, Type::kFunction) || Is(v, Type::kNative);
}

static Vm::Begin CallOnCopy(Vm& vm, Value callee, const Value* args, uint32_t count,
                            const Tuple* keyword_names, Value* result) {
  const uint32_t total = count + (keyword_names == nullptr ? 0 : keyword_names->size);
  Value* saved = vm.top;
  vm.top = std::max(vm.top, const_cast<Value*>(args) + total);
  const Value value = vm.Call(callee, args, count, keyword_names);
  vm.top = saved;
  if (value.empty()) return Vm::Begin::kFailed;
  *result = value;
  return Vm::Begin::kDone;
}

// Only the one place before the arguments is free for a self; what needs more is called on a copy.
static Vm::Begin CallCopied(Vm& vm, Value callee, Value self, const Value* args, uint32_t count,
                            const Tuple* keyword_names, Value* result) {
  const size_t given = count + (keyword_names == nullptr ? 0 : keyword_names->size);
  constexpr size_t kFew = 8;
  Value few[kFew];
  std::vector<Value> many;
  if (given >= kFew) many.resize(given + 1);
  Value* const all = given >= kFew ? many.data() : few;
  all[0] = self;
  std::copy(args, args + given, all + 1);
  Value* saved = vm.top;
  vm.top = std::max(vm.top, const_cast<Value*>(args) + given);
  const Value value = vm.Call(callee, all, count + 1, keyword_names);
  vm.top = saved;
  if (value.empty()) return Vm::Begin::kFailed;
  *result = value;
  return Vm::Begin::kDone;
}

// Calls __init__ of a fresh instance, whose place is before the arguments.
static Vm::Begin BeginInit(Vm& vm, Class* cls, Value instance, Value* args, uint32_t count,
                           const Tuple* keyword_names, Value* result) {
  const Value init = vm.FindInClass(cls, vm.names.init);
  if (Is(init, Type::kFunction) && !As<Function>(init)->code->generator) {
    args[-1] = instance;
    if (!vm.PushFrame(As<Function>(init), args - 1, count + 1, keyword_names, result))
      return Vm::Begin::kFailed;
    vm.frames.back().held = instance;
    vm.frames.back().kind = FrameKind::kConstruct;
    return Vm::Begin::kFrame;
  }
  Roots roots(vm);
  roots.Add(instance);
  Value ignored;
  const Value bound = Is(init, Type::kNative) ? init : roots.Add(vm.Bind(init, instance, cls));
  if (bound.empty()) return Vm::Begin::kFailed;
  if (Is(init, Type::kNative)) {
    if (CallCopied(vm, init, instance, args, count, keyword_names, &ignored) == Vm::Begin::kFailed)
      return Vm::Begin::kFailed;
  } else {
    Value* saved = vm.top;
    vm.top = std::max(vm.top, args + count + (keyword_names == nullptr ? 0 : keyword_names->size));
    ignored = vm.Call(bound, args, count, keyword_names);
    vm.top = saved;
    if (ignored.empty()) return Vm::Begin::kFailed;
    if (!ignored.IsNone()) {
      vm.Throw(Error::kTypeError, "__init__() should return None, not '{}'", vm.TypeName(ignored));
      return Vm::Begin::kFailed;
    }
  }
  *result = instance;
  return Vm::Begin::kDone;
}

static bool IsWrapper(Value v) {
  return Is(v, Type::kNative) && As<Native>(v)->wrapper;
}

// A call of a class, whose slot before the arguments is free.
static Vm::Begin BeginClass(Vm& vm, Class* cls, Value* args, uint32_t count,
                            const Tuple* keyword_names, Value* result) {
  if (cls->meta != nullptr) {
    const Value call = vm.FindSpecial(cls->meta, vm.names.call);
    if (!call.empty())
      return CallCopied(vm, call, Value::Of(cls), args, count, keyword_names, result);
  }
  return BeginConstruct(vm, cls, args, count, keyword_names, result);
}

// An exception whose class makes and fills it as BaseException does; empty: failed. false: the
// class has ways of its own.
static bool QuickException(Vm& vm, Class* cls, const Value* args, size_t count, Value* out) {
  if (cls->layout != Type::kException || cls->meta != nullptr) return false;
  Class* const base = vm.errors[static_cast<int>(Error::kBaseException)];
  if (vm.FindInClass(cls, vm.names.new_) != vm.FindInClass(base, vm.names.new_) ||
      vm.FindInClass(cls, vm.names.init) != vm.FindInClass(base, vm.names.init))
    return false;
  for (uint32_t i = 0; i < cls->mro_count; ++i)
    if (!cls->mro[i]->maker.empty()) return false;
  *out = vm.NewTuple(args, count);
  if (!out->empty()) *out = vm.MakeException(cls, *out);
  return true;
}

Vm::Begin BeginConstruct(Vm& vm, Class* cls, Value* args, uint32_t count,
                         const Tuple* keyword_names, Value* result) {
  if (cls->builtin && cls->layout != Type::kException) {
    if (!cls->maker.empty()) return vm.BeginCall(cls->maker, args, count, keyword_names, result);
    if (cls != vm.classes[kObjectClass]) {
      vm.Throw(Error::kTypeError, "cannot create '{}' instances", cls->name->view());
      return Vm::Begin::kFailed;
    }
  }
  Value exception;
  if (keyword_names == nullptr && QuickException(vm, cls, args, count, &exception)) {
    if (exception.empty()) return Vm::Begin::kFailed;
    *result = exception;
    return Vm::Begin::kDone;
  }
  const Value make = vm.FindInClass(cls, vm.names.new_);
  const bool plain = IsWrapper(make) && cls->layout == Type::kInstance;
  if (plain) {
    const Value init = vm.FindInClass(cls, vm.names.init);
    if (IsWrapper(init) && (count > 0 || keyword_names != nullptr)) {
      vm.Throw(Error::kTypeError, "{}() takes no arguments", cls->name->view());
      return Vm::Begin::kFailed;
    }
    const Value instance = NewInstance(vm, cls);
    if (instance.empty()) return Vm::Begin::kFailed;
    if (Is(init, Type::kFunction) && As<Function>(init)->code->simple && cls->meta == nullptr &&
        !cls->builtin && cls->instance_id != kNoId) {
      cls->quick_id = cls->instance_id;
      cls->quick_init = As<Function>(init);
    }
    if (!IsWrapper(init)) return BeginInit(vm, cls, instance, args, count, keyword_names, result);
    *result = instance;
    return Vm::Begin::kDone;
  }
  Value instance;
  Roots roots(vm);
  const Value maker = Is(make, Type::kNative) ? make : roots.Add(vm.Bind(make, Value(), cls));
  if (maker.empty() || CallCopied(vm, maker, Value::Of(cls), args, count, keyword_names,
                                  &instance) == Vm::Begin::kFailed)
    return Vm::Begin::kFailed;
  if (!vm.IsInstance(instance, cls) ||
      (cls->builtin && Is(instance, Type::kException) && keyword_names == nullptr &&
       IsWrapper(vm.FindInClass(cls, vm.names.init)))) {
    *result = instance;
    return Vm::Begin::kDone;
  }
  return BeginInit(vm, vm.ClassOf(instance), roots.Add(instance), args, count, keyword_names,
                   result);
}

Vm::Begin Vm::BeginCall(Value callee, Value* args, uint32_t count, const Tuple* keyword_names,
                        Value* result) {
  if (callee.IsObject()) {
    switch (callee.object()->type) {
      case Type::kFunction: {
        const bool generator = As<Function>(callee)->code->generator;
        if (!PushFrame(As<Function>(callee), args, count, keyword_names, result))
          return Begin::kFailed;
        return generator ? Begin::kDone : Begin::kFrame;
      }
      case Type::kNative: {
        Args native_args{args, count, keyword_names};
        Value* saved = top;
        top = std::max(top, args + count + native_args.keywords());
        const Value value = CallBuiltin(As<Native>(callee), native_args);
        top = saved;
        if (value.empty()) return Begin::kFailed;
        *result = value;
        return Begin::kDone;
      }
      case Type::kBoundMethod:
        if (!IsPlainFunction(As<BoundMethod>(callee)->function))
          return CallCopied(*this, As<BoundMethod>(callee)->function, As<BoundMethod>(callee)->self,
                            args, count, keyword_names, result);
        args[-1] = As<BoundMethod>(callee)->self;
        return BeginCall(As<BoundMethod>(callee)->function, args - 1, count + 1, keyword_names,
                         result);
      case Type::kClass:
        return BeginClass(*this, As<Class>(callee), args, count, keyword_names, result);
      case Type::kDescriptor:
        if (As<Descriptor>(callee)->kind() == DescriptorKind::kStaticMethod) {
          NativeLevel level(*this);
          return level.ok()
                     ? BeginCall(As<Descriptor>(callee)->get, args, count, keyword_names, result)
                     : Begin::kFailed;
        }
        break;
      case Type::kAlias:
        if (As<Alias>(callee)->kind() == AliasKind::kGeneric)
          return BeginCall(As<Alias>(callee)->origin, args, count, keyword_names, result);
        break;
      default:
        break;
    }
    Value method = FindSpecial(ClassOf(callee), names.call);
    if (!method.empty() && !method.IsNone()) {
      if (Is(method, Type::kNative) && As<Native>(method)->builtin == CallLru &&
          Is(callee, Type::kRecord) && IsInstance(callee, As<Native>(method)->owner)) {
        Value known;
        if (!LruLookup(*this, callee, args, count, keyword_names, &known, &method))
          return Begin::kFailed;
        if (!known.empty()) {
          *result = known;
          return Begin::kDone;
        }
      }
      if (!IsPlainFunction(method)) {
        Roots roots(*this);
        const Value bound = roots.Add(Bind(method, callee, ClassOf(callee)));
        return bound.empty() ? Begin::kFailed
                             : CallOnCopy(*this, bound, args, count, keyword_names, result);
      }
      args[-1] = callee;
      return BeginCall(method, args - 1, count + 1, keyword_names, result);
    }
  }
  Throw(Error::kTypeError, "'{}' object is not callable", TypeName(callee));
  return Begin::kFailed;
}

// `construct`: the class as type.__call__ calls it.
static Value CallOnTop(Vm& vm, Value function, const Value* args, size_t count,
                       const Tuple* keyword_names, bool construct) {
  const size_t total = count + (keyword_names == nullptr ? 0 : keyword_names->size);
  // Two places below: for a bound method's self and a class's instance.
  if (static_cast<size_t>(vm.top - vm.stack.get()) + total + 4 >= vm.stack_size ||
      vm.native_depth >= kMaxNativeDepth)
    return vm.TooDeep(" while calling a Python object");
  Value* const saved = vm.top;
  Value* const place = vm.top + 3;
  vm.top[0] = vm.top[1] = Value();
  vm.top[2] = function;
  for (size_t i = 0; i < total; ++i) place[i] = args[i];
  vm.top = place + total;
  ++vm.native_depth;
  Value result;
  const size_t bottom = vm.frames.size();
  const Vm::Begin begin =
      construct ? BeginConstruct(vm, As<Class>(function), place, static_cast<uint32_t>(count),
                                 keyword_names, saved)
                : vm.BeginCall(function, place, static_cast<uint32_t>(count), keyword_names, saved);
  if (begin == Vm::Begin::kFrame) {
    Frame& frame = vm.frames.back();
    frame.result = nullptr;
    if (frame.kind == FrameKind::kPlain) frame.kind = FrameKind::kEntry;
    result = vm.Run(bottom);
  } else if (begin == Vm::Begin::kDone) {
    result = *saved;
  }
  --vm.native_depth;
  vm.top = saved;
  return result;
}

// A built-in without keywords: it needs no frame and no places below its arguments.
static Value CallNativeOnTop(Vm& vm, Native* native, const Value* args, size_t count) {
  if (static_cast<size_t>(vm.top - vm.stack.get()) + count + 4 >= vm.stack_size ||
      vm.native_depth >= kMaxNativeDepth)
    return vm.TooDeep(" while calling a Python object");
  Value* const place = vm.top;
  for (size_t i = 0; i < count; ++i) place[i] = args[i];
  vm.top = place + count;
  ++vm.native_depth;
  Args native_args{place, static_cast<uint32_t>(count)};
  const Value result = vm.CallBuiltin(native, native_args);
  --vm.native_depth;
  vm.top = place;
  return result;
}

// The usual function that natives call back: its frame can be made where the arguments go. false:
// there is no room, which CallOnTop tells.
static bool CallSimple(Vm& vm, Function* function, const Value* args, size_t count, Value* out) {
  const CodeObject* code = function->code;
  if (!code->simple || count != code->positional || vm.native_depth >= kMaxNativeDepth ||
      vm.stack_end - vm.top <= code->registers + 8 || vm.frames.end() >= vm.frame_limit)
    return false;
  Value* const saved = vm.top;
  for (size_t i = 0; i < count; ++i) saved[i] = args[i];
  const size_t bottom = vm.frames.size();
  PushSimple(vm, function, saved, static_cast<uint32_t>(count), nullptr, FrameKind::kEntry);
  ++vm.native_depth;
  *out = vm.Run(bottom);
  --vm.native_depth;
  vm.top = saved;
  return true;
}

Value Vm::Call(Value function, const Value* args, size_t count, const Tuple* keyword_names) {
  Value result;
  if (keyword_names == nullptr && function.IsObject()) {
    if (Is(function, Type::kNative))
      return CallNativeOnTop(*this, As<Native>(function), args, count);
    if (Is(function, Type::kFunction) &&
        CallSimple(*this, As<Function>(function), args, count, &result))
      return result;
    if (Is(function, Type::kClass) &&
        QuickException(*this, As<Class>(function), args, count, &result))
      return result;
  }
  return CallOnTop(*this, function, args, count, keyword_names, false);
}

Value CallConstruct(Vm& vm, Class* cls, const Value* args, size_t count,
                    const Tuple* keyword_names) {
  return CallOnTop(vm, Value::Of(cls), args, count, keyword_names, true);
}

}  // namespace ferry::vm

#include <cstring>

#include "device-runtime/vm/exec/vm.h"

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

}  // namespace

// Puts the arguments at `args` into the order of the parameters. There is room for all registers.
bool Vm::BindArguments(Function* function, Value* args, uint32_t count,
                       const Tuple* keyword_names) {
  CodeObject* code = function->code;
  const uint32_t named = code->positional + code->keyword_only;
  const uint32_t keywords = keyword_names == nullptr ? 0 : keyword_names->size;
  std::vector<Value> given(args, args + count), values(args + count, args + count + keywords);
  for (uint32_t i = 0; i < named; ++i)
    args[i] = i < count && i < code->positional ? given[i] : Value();
  uint32_t next = named;
  if (code->rest) {
    args[next] = count > code->positional
                     ? NewTuple(given.data() + code->positional, count - code->positional)
                     : empty_tuple;
    if (args[next++].empty()) return false;
  } else if (count > code->positional) {
    uint32_t defaults = function->defaults.empty() ? 0 : As<Tuple>(function->defaults)->size;
    Throw(Error::kTypeError, "{}() takes {}{} positional argument{} but {} {} given",
          code->qualified_name->view(),
          defaults > 0 ? fmt::format("from {} to ", code->positional - defaults) : "",
          code->positional, code->positional == 1 ? "" : "s", count, count == 1 ? "was" : "were");
    return false;
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
    while (at < named && !(Value::Of(code->parameters[at]) == name) &&
           code->parameters[at]->view() != Text(name))
      ++at;
    if (at == named) {
      if (rest == nullptr) {
        Throw(Error::kTypeError, "{}() got an unexpected keyword argument '{}'",
              code->qualified_name->view(), Text(name));
        return false;
      }
      if (!DictSet(rest, name, values[k])) return false;
    } else if (!args[at].empty()) {
      Throw(Error::kTypeError, "{}() got multiple values for argument '{}'",
            code->qualified_name->view(), Text(name));
      return false;
    } else {
      args[at] = values[k];
    }
  }
  const uint32_t defaults = function->defaults.empty() ? 0 : As<Tuple>(function->defaults)->size;
  std::vector<std::string_view> missing, missing_keywords;
  for (uint32_t i = 0; i < named; ++i) {
    if (!args[i].empty()) continue;
    if (i < code->positional && i + defaults >= code->positional) {
      args[i] = As<Tuple>(function->defaults)->items[i + defaults - code->positional];
    } else if (i >= code->positional && !function->keyword_defaults.empty()) {
      Value* found = DictFindString(As<Dict>(function->keyword_defaults), code->parameters[i]);
      if (found != nullptr) args[i] = *found;
    }
    if (args[i].empty())
      (i < code->positional ? missing : missing_keywords).push_back(code->parameters[i]->view());
  }
  const auto& absent = missing.empty() ? missing_keywords : missing;
  if (absent.empty()) return true;
  Throw(Error::kTypeError, "{}() missing {} required {} argument{}: {}",
        code->qualified_name->view(), absent.size(),
        missing.empty() ? "keyword-only" : "positional", absent.size() == 1 ? "" : "s",
        Quoted(absent));
  return false;
}

bool Vm::PushFrame(Function* function, Value* args, uint32_t count, const Tuple* keyword_names,
                   Value* result) {
  CodeObject* code = function->code;
  const uint32_t given = count + (keyword_names == nullptr ? 0 : keyword_names->size);
  const size_t need = std::max<size_t>(code->registers, given) + 1;
  if (static_cast<int>(frames.size()) >= depth_limit ||
      static_cast<size_t>(args - stack.get()) + need >= stack_size) {
    Fatal(Code::kScriptDepth, fmt::format("script passed its limit of {} nested calls in {}()",
                                          depth_limit, code->name->view()));
    return false;
  }
  uint32_t bound = count;
  if (!code->simple || count != code->positional || keyword_names != nullptr) {
    const uint32_t named = code->positional + code->keyword_only;
    if (!BindArguments(function, args, count, keyword_names)) return false;
    bound = named + code->rest + code->keyword_rest;
  }
  for (uint32_t i = bound; i < need; ++i) args[i] = Value();
  if (!code->generator) {
    frames.push_back({code, function, code->instructions.data(), args, result, Value(), nullptr});
    top = args + code->registers;
    return true;
  }
  auto* generator = static_cast<Generator*>(heap.NewObject(Type::kGenerator, sizeof(Generator)));
  if (generator == nullptr) {
    OutOfMemory();
    return false;
  }
  generator->function = function;
  generator->result = Value();
  generator->registers = static_cast<Value*>(heap.NewBuffer(code->registers * sizeof(Value)));
  if (generator->registers == nullptr) {
    OutOfMemory();
    return false;
  }
  generator->register_count = code->registers;
  for (uint32_t i = 0; i < code->registers; ++i) generator->registers[i] = args[i];
  *result = Value::Of(generator);
  return true;
}

Value Vm::CallBuiltin(Native* native, Args& args) {
  if (native->owner != nullptr && (args.count == 0 || !IsInstance(args[0], native->owner)))
    return Throw(Error::kTypeError, "{}() requires a '{}' object as its first argument",
                 native->name, native->owner->name->view());
  if (!native->collects) ++collection_blocked;
  Value result;
  if (native->builtin != nullptr) {
    result = native->builtin(*this, args);
  } else {
    CallContext context(*this, args.args, args.count,
                        args.names == nullptr ? nullptr : args.names->items, args.args + args.count,
                        args.keywords());
    Roots roots(*this);
    Result<Value> outcome = native->external(context);
    if (outcome.ok()) {
      result = *outcome;
    } else {
      RaiseStatus(outcome.status());
    }
  }
  if (!native->collects) --collection_blocked;
  if (failed()) return Value();
  return result.empty() ? Value::None() : result;
}

static bool IsPlainFunction(Value v) {
  return Is(v, Type::kFunction) || Is(v, Type::kNative);
}

// Only the one place before the arguments is free for a self; what needs more is called on a copy.
static Vm::Begin CallCopied(Vm& vm, Value callee, Value self, const Value* args, uint32_t count,
                            const Tuple* keyword_names, Value* result) {
  std::vector<Value> all = {self};
  all.insert(all.end(), args, args + count + (keyword_names == nullptr ? 0 : keyword_names->size));
  Value* saved = vm.top;
  vm.top = std::max(vm.top, const_cast<Value*>(args) + all.size());
  const Value value = vm.Call(callee, all.data(), count + 1, keyword_names);
  vm.top = saved;
  if (value.empty()) return Vm::Begin::kFailed;
  *result = value;
  return Vm::Begin::kDone;
}

static Value Instantiate(Vm& vm, Class* cls, Value* args, uint32_t count,
                         const Tuple* keyword_names) {
  if (cls->layout == Type::kException) {
    (void)keyword_names;
    Value tuple = vm.NewTuple(args, count);
    return tuple.empty() ? tuple : vm.MakeException(cls, tuple);
  }
  auto* instance = static_cast<Instance*>(vm.heap.NewObject(Type::kInstance, sizeof(Instance)));
  if (instance == nullptr) return vm.OutOfMemory();
  instance->cls = cls;
  return Value::Of(instance);
}

// A call of a class, whose slot before the arguments takes the new instance as self.
static Vm::Begin BeginClass(Vm& vm, Class* cls, Value* args, uint32_t count,
                            const Tuple* keyword_names, Value* result) {
  if (cls->builtin && cls->layout != Type::kException && cls != vm.classes[kObjectClass]) {
    Value* make = vm.DictFindString(cls->attributes, vm.Intern("__new__"));
    if (make == nullptr) {
      vm.Throw(Error::kTypeError, "cannot create '{}' instances", cls->name->view());
      return Vm::Begin::kFailed;
    }
    return vm.BeginCall(*make, args, count, keyword_names, result);
  }
  Value instance = Instantiate(vm, cls, args, count, keyword_names);
  if (instance.empty()) return Vm::Begin::kFailed;
  Value init = vm.FindInClass(cls, vm.names.init);
  if (init.empty()) {
    if (cls->layout != Type::kException && (count > 0 || keyword_names != nullptr)) {
      vm.Throw(Error::kTypeError, "{}() takes no arguments", cls->name->view());
      return Vm::Begin::kFailed;
    }
    *result = instance;
    return Vm::Begin::kDone;
  }
  args[-1] = instance;
  if (Is(init, Type::kFunction) && !As<Function>(init)->code->generator) {
    if (!vm.PushFrame(As<Function>(init), args - 1, count + 1, keyword_names, result))
      return Vm::Begin::kFailed;
    vm.frames.back().constructed = instance;
    return Vm::Begin::kFrame;
  }
  Value ignored;
  if (CallCopied(vm, init, instance, args, count, keyword_names, &ignored) == Vm::Begin::kFailed)
    return Vm::Begin::kFailed;
  *result = instance;
  return Vm::Begin::kDone;
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
        Value value = CallBuiltin(As<Native>(callee), native_args);
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
      default:
        break;
    }
    Value method = FindInClass(ClassOf(callee), names.call);
    if (!method.empty()) {
      if (!IsPlainFunction(method))
        return CallCopied(*this, method, callee, args, count, keyword_names, result);
      args[-1] = callee;
      return BeginCall(method, args - 1, count + 1, keyword_names, result);
    }
  }
  Throw(Error::kTypeError, "'{}' object is not callable", TypeName(callee));
  return Begin::kFailed;
}

Value Vm::Call(Value function, const Value* args, size_t count, const Tuple* keyword_names) {
  const size_t total = count + (keyword_names == nullptr ? 0 : keyword_names->size);
  // Two places below: for a bound method's self and a class's instance.
  if (static_cast<size_t>(top - stack.get()) + total + 4 >= stack_size ||
      native_depth >= kMaxNativeDepth)
    return Fatal(Code::kScriptDepth,
                 "script passed its limit of nested calls through built-in functions");
  Value* const saved = top;
  Value* const place = top + 3;
  top[0] = top[1] = Value();
  top[2] = function;
  for (size_t i = 0; i < total; ++i) place[i] = args[i];
  top = place + total;
  ++native_depth;
  Value result;
  const size_t bottom = frames.size();
  const Begin begin =
      BeginCall(function, place, static_cast<uint32_t>(count), keyword_names, saved);
  if (begin == Begin::kFrame) {
    frames.back().result = nullptr;
    result = Run(bottom);
  } else if (begin == Begin::kDone) {
    result = *saved;
  }
  --native_depth;
  top = saved;
  return result;
}

Value Vm::CallSpread(Value callee, Value list, Value dict) {
  Roots roots(*this);
  std::vector<Value> all(As<List>(list)->items, As<List>(list)->items + As<List>(list)->size);
  const size_t positional = all.size();
  std::vector<Value> keyword_names;
  auto* keywords = As<Dict>(dict);
  for (uint32_t i = 0; i < keywords->used; ++i) {
    if (keywords->entries[i].key.empty()) continue;
    keyword_names.push_back(keywords->entries[i].key);
    all.push_back(keywords->entries[i].value);
  }
  const Tuple* tuple = nullptr;
  if (!keyword_names.empty()) {
    Value v = NewTuple(keyword_names.data(), keyword_names.size());
    if (v.empty()) return v;
    tuple = As<Tuple>(roots.Add(v));
  }
  return Call(callee, all.data(), positional, tuple);
}

}  // namespace ferry::vm

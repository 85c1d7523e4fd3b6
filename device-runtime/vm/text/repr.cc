#include "device-runtime/vm/exec/vm.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

bool Items(Vm& vm, const Value* items, size_t count, const char* open, const char* close,
           std::string* out) {
  *out += open;
  if (!vm.ChargeSteps(static_cast<int64_t>(count / 8))) return false;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) *out += ", ";
    if (!vm.Repr(items[i], out)) return false;
  }
  *out += close;
  return true;
}

// A list's own: __repr__ of its items may change it.
bool ListRepr(Vm& vm, List* list, std::string* out) {
  *out += "[";
  if (!vm.ChargeSteps(list->size / 8)) return false;
  for (uint32_t i = 0; i < list->size; ++i) {
    if (i > 0) *out += ", ";
    if (!vm.Repr(list->items[i], out)) return false;
  }
  *out += "]";
  return true;
}

bool DictRepr(Vm& vm, Dict* dict, std::string* out) {
  const bool map = dict->type == Type::kDict;
  if (!map && dict->count == 0) {
    *out += dict->type == Type::kSet ? "set()" : "frozenset()";
    return true;
  }
  *out += dict->type == Type::kFrozenSet ? "frozenset({" : "{";
  bool first = true;
  if (!vm.ChargeSteps(dict->used / 8)) return false;
  for (uint32_t i = 0; i < dict->used; ++i) {
    const Entry entry = dict->entries[i];
    if (entry.key.empty()) continue;
    Roots roots(vm);
    roots.Add(entry.value);
    if (!first) *out += ", ";
    first = false;
    if (!vm.Repr(entry.key, out)) return false;
    if (map) {
      *out += ": ";
      if (!vm.Repr(entry.value, out)) return false;
    }
  }
  *out += dict->type == Type::kFrozenSet ? "})" : "}";
  return true;
}

bool Special(Vm& vm, Value v, String* name, std::string* out, bool* found) {
  Value result = vm.CallSpecial(v, name, nullptr, 0, found);
  if (!*found) return true;
  if (result.empty()) return false;
  if (!IsStr(result)) {
    vm.Throw(Error::kTypeError, "{} returned non-string (type {})", name->view(),
             vm.TypeName(result));
    return false;
  }
  *out += Text(result);
  return true;
}

bool ObjectRepr(Vm& vm, Value v, std::string* out) {
  switch (v.object()->type) {
    case Type::kString:
      AppendQuoted(Text(v), false, out);
      return true;
    case Type::kBytes: {
      std::string wide;
      for (char c : As<BytesObject>(v)->view()) {
        const auto u = static_cast<unsigned char>(c);
        if (u < 0x80)
          wide.push_back(c);
        else
          wide += {static_cast<char>(0xC0 | u >> 6), static_cast<char>(0x80 | (u & 63))};
      }
      out->push_back('b');
      AppendQuoted(wide, true, out);
      return true;
    }
    case Type::kBigInt:
      if (!vm.ChargeSteps(IntTextSteps(v))) return false;
      *out += IntToText(v, 10);
      return true;
    case Type::kList:
      return ListRepr(vm, As<List>(v), out);
    case Type::kTuple:
      return Items(vm, As<Tuple>(v)->items, As<Tuple>(v)->size, "(",
                   As<Tuple>(v)->size == 1 ? ",)" : ")", out);
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet:
      return DictRepr(vm, As<Dict>(v), out);
    case Type::kRange: {
      auto* range = As<Range>(v);
      *out += range->step == 1
                  ? fmt::format("range({}, {})", range->start, range->stop)
                  : fmt::format("range({}, {}, {})", range->start, range->stop, range->step);
      return true;
    }
    case Type::kSlice: {
      Value parts[] = {As<Slice>(v)->start, As<Slice>(v)->stop, As<Slice>(v)->step};
      return Items(vm, parts, 3, "slice(", ")", out);
    }
    case Type::kFunction:
      *out += fmt::format("<function {}>", As<Function>(v)->code->qualified_name->view());
      return true;
    case Type::kNative:
      *out += fmt::format("<built-in function {}>", As<Native>(v)->name);
      return true;
    case Type::kBoundMethod:
      *out += "<bound method>";
      return true;
    case Type::kClass: {
      auto* cls = As<Class>(v);
      *out += cls->module_name == nullptr
                  ? fmt::format("<class '{}'>", cls->name->view())
                  : fmt::format("<class '{}.{}'>", cls->module_name->view(), cls->name->view());
      return true;
    }
    case Type::kException: {
      auto* exception = As<Exception>(v);
      auto* args = As<Tuple>(exception->args);
      *out += exception->cls->name->view();
      return Items(vm, args->items, args->size, "(", ")", out);
    }
    case Type::kModule:
      *out += fmt::format("<module '{}'>", As<Module>(v)->name->view());
      return true;
    case Type::kEllipsis:
      *out += v == vm.ellipsis ? "Ellipsis" : "NotImplemented";
      return true;
    default:
      *out += fmt::format("<{} object>", vm.TypeName(v));
      return true;
  }
}

}  // namespace

bool Vm::Repr(Value v, std::string* out) {
  if (v.IsSmallInt()) {
    *out += std::to_string(v.AsSmallInt());
  } else if (v.IsFloat()) {
    *out += FloatRepr(v.AsFloat());
  } else if (!v.IsObject()) {
    *out += v.IsTrue() ? "True" : v.IsFalse() ? "False" : "None";
  } else {
    if (out->size() > static_cast<size_t>(heap.limit())) {
      OutOfMemory();
      return false;
    }
    if (!ChargeSteps(1)) return false;
    if (native_depth > kMaxNativeDepth) {
      Fatal(Code::kScriptDepth, "values are nested too deeply to print");
      return false;
    }
    ++native_depth;
    Roots roots(*this);
    roots.Add(v);
    bool found = false;
    const Type type = v.object()->type;
    bool ok = true;
    if (type == Type::kInstance || type == Type::kException || type == Type::kNativeObject)
      ok = Special(*this, v, names.repr, out, &found);
    if (ok && !found) ok = ObjectRepr(*this, v, out);
    --native_depth;
    return ok;
  }
  return true;
}

bool Vm::Str(Value v, std::string* out) {
  if (IsStr(v)) {
    *out += Text(v);
    return true;
  }
  if (Is(v, Type::kInstance) || Is(v, Type::kException) || Is(v, Type::kNativeObject)) {
    bool found;
    if (!Special(*this, v, names.str, out, &found)) return false;
    if (found) return true;
  }
  if (Is(v, Type::kException)) {
    auto* exception = As<Exception>(v);
    auto* args = As<Tuple>(exception->args);
    if (args->size == 0) return true;
    if (args->size > 1) return Repr(exception->args, out);
    if (IsSubclass(exception->cls, errors[static_cast<int>(Error::kKeyError)]))
      return Repr(args->items[0], out);
    if (native_depth > kMaxNativeDepth) {
      Fatal(Code::kScriptDepth, "values are nested too deeply to print");
      return false;
    }
    ++native_depth;
    const bool ok = Str(args->items[0], out);
    --native_depth;
    return ok;
  }
  return Repr(v, out);
}

Value Vm::StrValue(Value v) {
  if (IsStr(v)) return v;
  std::string out;
  return Str(v, &out) ? NewString(out) : Value();
}

}  // namespace ferry::vm

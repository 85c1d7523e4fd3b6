// Operations on values: what the class of an object overrides first, then what built-in types do.
#include <cstring>

#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {

Value Vm::Index(Value v, Value key) {
  if (HasMethods(v)) {
    bool found;
    const Value result = CallSpecial(v, names.getitem, &key, 1, &found);
    if (found) return result;
  }
  return IndexPlain(v, key);
}

bool Vm::SetIndex(Value v, Value key, Value value) {
  if (HasMethods(v)) {
    bool found;
    const Value args[] = {key, value};
    const Value result = CallSpecial(v, names.setitem, args, 2, &found);
    if (found) return !result.empty();
  }
  return SetIndexPlain(v, key, value);
}

bool Vm::DeleteIndex(Value v, Value key) {
  if (HasMethods(v)) {
    bool found;
    const Value result = CallSpecial(v, names.delitem, &key, 1, &found);
    if (found) return !result.empty();
  }
  return DeleteIndexPlain(v, key);
}

// The length of an object of a library class; -1: it has none, or is of another kind.
static int64_t RecordLength(Vm& vm, Value v) {
  if (!IsExact(v, Type::kRecord)) return -1;
  const Value method = vm.FindInClass(As<Record>(v)->cls, vm.names.len);
  if (!Is(method, Type::kNative) || As<Native>(method)->collects) return -1;
  Args args{&v, 1};
  const Value length = As<Native>(method)->builtin(vm, args);
  return length.IsSmallInt() ? length.AsSmallInt() : -1;
}

bool Vm::Length(Value v, int64_t* length) {
  if (!HasMethods(v)) return LengthPlain(v, length);
  *length = RecordLength(*this, v);
  if (*length >= 0) return true;
  bool found;
  const Value result = CallSpecial(v, names.len, nullptr, 0, &found);
  if (!found) return LengthPlain(v, length);
  if (result.empty() || !ToIndex(result, length, "length")) return false;
  if (*length >= 0) return true;
  Raise(Error::kValueError, "__len__() should return >= 0");
  return false;
}

bool Vm::Contains(Value container, Value item, bool* contains) {
  if (IsExactString(container) && IsExactString(item) && As<String>(item)->size == 1 &&
      As<String>(container)->size <= 4096) {  // the search charges longer ones
    const auto* text = As<String>(container);
    *contains = std::memchr(text->data, As<String>(item)->data[0], text->size) != nullptr;
    return true;
  }
  if (HasMethods(container)) {
    const Value method = FindSpecial(ClassOf(container), names.contains);
    if (method.IsNone()) {
      Throw(Error::kTypeError, "'{}' object is not a container", TypeName(container));
      return false;
    }
    bool found;
    const Value result = CallSpecial(container, names.contains, &item, 1, &found);
    if (found) return !result.empty() && Truth(result, contains);
  }
  return ContainsPlain(container, item, contains);
}

Value Vm::Iterate(Value v) {
  if (HasMethods(v)) {
    if (FindSpecial(ClassOf(v), names.iter).IsNone())
      return Throw(Error::kTypeError, "'{}' object is not iterable", TypeName(v));
    bool found;
    const Value result = CallSpecial(v, names.iter, nullptr, 0, &found);
    if (found) {
      if (result.empty() || Is(result, Type::kIterator) || Is(result, Type::kGenerator))
        return result;
      if (FindInClass(ClassOf(result), names.next).empty())
        return Throw(Error::kTypeError, "iter() returned non-iterator of type '{}'",
                     TypeName(result));
      return result;
    }
  }
  return IteratePlain(v);
}

bool Vm::Truth(Value v, bool* truth) {
  if (IsExact(v, Type::kInstance) && FindInClass(ClassOf(v), names.boolean).empty() &&
      FindInClass(ClassOf(v), names.len).empty()) {
    *truth = true;
    return true;
  }
  if (HasMethods(v)) {
    const int64_t size = RecordLength(*this, v);  // none of these classes has __bool__
    if (size >= 0) {
      *truth = size != 0;
      return true;
    }
    bool found;
    const Value result = CallSpecial(v, names.boolean, nullptr, 0, &found);
    if (found) {
      if (result.empty()) return false;
      if (!result.IsBool()) {
        Throw(Error::kTypeError, "__bool__ should return bool, returned {}", TypeName(result));
        return false;
      }
      *truth = result.IsTrue();
      return true;
    }
    // Numbers are true by their own __bool__, whatever __len__ of a derived class says.
    const bool number = Is(v, Type::kBigInt) || Is(v, Type::kFloat) || Is(v, Type::kComplex);
    const Value length_method = number ? Value() : FindSpecial(ClassOf(v), names.len);
    if (!length_method.empty()) {
      int64_t length;
      if (!Length(v, &length)) return false;
      *truth = length != 0;
      return true;
    }
  }
  return TruthPlain(v, truth);
}

bool Vm::Hash(Value v, uint64_t* hash) {
  if (HasMethods(v)) {
    const Value method = FindInClass(ClassOf(v), names.hash);
    if (method.IsNone()) {
      Throw(Error::kTypeError, "unhashable type: '{}'", TypeName(v));
      return false;
    }
    bool found;
    const Value result = CallSpecial(v, names.hash, nullptr, 0, &found);
    if (found) {
      if (result.empty()) return false;
      int64_t whole;  // as it is: a large one is not taken modulo 2**61 - 1 again
      if (Is(result, Type::kBigInt) && IntToInt64(result, &whole)) {
        *hash = MixHash(static_cast<uint64_t>(whole));
        return true;
      }
      if (IsInt(result)) return HashPlain(Plain(result), hash);
      Raise(Error::kTypeError, "__hash__ method should return an integer");
      return false;
    }
  }
  return HashPlain(Plain(v), hash);
}

static bool CallText(Vm& vm, Value v, String* name, std::string* out, bool* found,
                     const String* asked) {
  const Value result = vm.CallSpecial(v, name, nullptr, 0, found);
  if (!*found) return true;
  if (result.empty()) return false;
  if (!IsStr(result)) {
    vm.Throw(Error::kTypeError, "{} returned non-string (type {})", asked->view(),
             vm.TypeName(result));
    return false;
  }
  *out += Text(result);
  return true;
}

bool Vm::Repr(Value v, std::string* out) {
  if (HasMethods(v)) {
    if (native_depth > kMaxNativeDepth) return ReprPlain(v, out);
    bool found;
    Roots roots(*this);
    roots.Add(v);
    if (!CallText(*this, v, names.repr, out, &found, names.repr)) return false;
    if (found) return true;
  }
  return ReprPlain(Plain(v), out);
}

bool Vm::Str(Value v, std::string* out) {
  if (HasMethods(v)) {
    bool found;
    Roots roots(*this);
    roots.Add(v);
    if (!CallText(*this, v, names.str, out, &found, names.str)) return false;
    if (found) return true;
    // object.__str__ is what most built-in types have.
    if (!IsStr(v) && !Is(v, Type::kBytes) && !Is(v, Type::kByteArray) && !Is(v, Type::kException)) {
      if (native_depth > kMaxNativeDepth) return ReprPlain(v, out);
      if (!CallText(*this, v, names.repr, out, &found, names.str)) return false;
      return found || ReprPlain(Plain(v), out);
    }
  }
  return StrPlain(v, out);
}

bool Vm::Format(Value v, std::string_view spec, std::string* out) {
  if (HasMethods(v)) {
    Roots roots(*this);
    roots.Add(v);
    const Value text = roots.Add(NewString(spec));
    bool found;
    const Value result = text.empty() ? text : CallSpecial(v, names.format, &text, 1, &found);
    if (text.empty()) return false;
    if (found) {
      if (result.empty()) return false;
      if (!IsStr(result)) {
        Throw(Error::kTypeError, "__format__ must return a str, not {}", TypeName(result));
        return false;
      }
      *out += Text(result);
      return true;
    }
    if (!Derived(v) || Is(v, Type::kClass)) {
      if (spec.empty()) return Str(v, out);
      Throw(Error::kTypeError, "unsupported format string passed to {}.__format__", TypeName(v));
      return false;
    }
    if (spec.empty()) return Str(v, out);
  }
  return FormatPlain(Plain(v), spec, out);
}

Value Vm::Unary(int code, Value v) {
  if (HasMethods(v)) {
    const auto op = static_cast<Operator>(code);
    bool found;
    const Value result = CallSpecial(v,
                                     op == Operator::kNegative   ? names.neg
                                     : op == Operator::kPositive ? names.pos
                                                                 : names.invert,
                                     nullptr, 0, &found);
    if (found) return result;
    // Even +x of a derived int is a plain one.
    if (Is(v, Type::kBigInt) && op == Operator::kPositive)
      return IntBinary(*this, static_cast<int>(Operator::kAdd), v, Value::SmallInt(0));
  }
  return UnaryPlain(code, v);
}

bool Vm::Equal(Value a, Value b, bool* equal) {
  if (a == b) {  // in containers what is identical is equal, even a NaN
    *equal = true;
    return true;
  }
  if (!HasMethods(a) && !HasMethods(b)) return EqualPlain(a, b, equal);
  const Value result = Compare(static_cast<int>(Operator::kEqual), a, b);
  return !result.empty() && Truth(result, equal);
}

}  // namespace ferry::vm

#include "device-runtime/vm/exec/loop/slow.h"

#include <cstring>

#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/format/short.h"
#include "device-runtime/vm/text/markup.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

Value FormatField(Vm& vm, Value v, Value spec, int conversion) {
  if (conversion == 's' && IsExact(v, Type::kString)) conversion = 0;
  Roots roots(vm);
  if (conversion == 'r' || conversion == 'a' || conversion == 's')
    v = roots.Add(ConvertField(vm, v, conversion));
  if (v.empty()) return v;
  ShortText quick;
  if (Text(spec).empty()) {
    if (IsExact(v, Type::kString)) return v;
    if (ShortStr(v, &quick)) return NewAscii(vm, quick.view());
  }
  ShortFormat format;
  if (ReadShortFormat(Text(spec), &format) && WriteShort(v, format, &quick))
    return NewAscii(vm, quick.view());
  std::string out;
  return vm.Format(v, Text(spec), &out) ? vm.NewString(out) : Value();
}

Value JoinStrings(Vm& vm, const Value* strings, uint32_t count) {
  size_t size = 0, length = 0;
  for (uint32_t i = 0; i < count; ++i) {
    size += As<String>(strings[i])->size;
    length += As<String>(strings[i])->length;
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(size / 64))) return Value();
  char* out;
  const Value joined = NewText(vm, size, length, &out);
  for (uint32_t i = 0; i < count && !joined.empty(); ++i) {
    std::memcpy(out, As<String>(strings[i])->data, As<String>(strings[i])->size);
    out += As<String>(strings[i])->size;
  }
  return joined;
}

void RaiseStatement(Vm& vm, Value v, Value cause) {
  Roots roots(vm);
  if (Is(v, Type::kClass) &&
      vm.IsSubclass(As<Class>(v), vm.errors[static_cast<int>(Error::kBaseException)])) {
    const Value cls = v;
    v = vm.Call(v, nullptr, 0);
    if (!v.empty() && !Is(v, Type::kException)) {
      std::string called, got;
      if (vm.Repr(cls, &called) && vm.Repr(Value::Of(vm.ClassOf(v)), &got))
        vm.Throw(Error::kTypeError,
                 "calling {} should have returned an instance of BaseException, not {}", called,
                 got);
      return;
    }
  }
  if (v.empty()) return;
  if (!Is(v, Type::kException)) {
    vm.Raise(Error::kTypeError, "exceptions must derive from BaseException");
    return;
  }
  roots.Add(v);
  if (!cause.empty()) {
    if (Is(cause, Type::kClass) &&
        vm.IsSubclass(As<Class>(cause), vm.errors[static_cast<int>(Error::kBaseException)]))
      cause = vm.Call(cause, nullptr, 0);
    if (cause.empty()) return;
    if (!cause.IsNone() && !Is(cause, Type::kException)) {
      vm.Raise(Error::kTypeError, "exception causes must derive from BaseException");
      return;
    }
    As<Exception>(v)->cause = cause;
    As<Exception>(v)->suppress_context = true;
  }
  vm.pending = v;
}

}  // namespace ferry::vm

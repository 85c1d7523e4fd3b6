// memoryview.
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/item.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/types/bytes.h"

namespace ferry::vm {
namespace {

MemoryView* Self(const Args& args) {
  return As<MemoryView>(args[0]);
}
// Self, when it is not released.
MemoryView* Live(Vm& vm, const Args& args) {
  return ViewData(vm, Self(args)) == nullptr ? nullptr : Self(args);
}
int64_t ItemBytes(const MemoryView* view) {
  return static_cast<int64_t>(ItemSize(view->format));
}

Value NewViewOf(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"object"};
  Value bound[1];
  if (!BindBuiltin(vm, args, "memoryview", kNames, 1, 1, bound)) return Value();
  if (!IsBytesLike(bound[0]))
    return vm.Throw(Error::kTypeError, "memoryview: a bytes-like object is required, not '{}'",
                    vm.TypeName(bound[0]));
  if (Is(bound[0], Type::kMemoryView) && ViewData(vm, As<MemoryView>(bound[0])) == nullptr)
    return Value();
  return NewView(vm, bound[0]);
}

Value ToBytes(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"order"};
  Value bound[1];
  std::string copy;
  std::string_view bytes;
  if (!BindMethod(vm, args, "tobytes", kNames, 0, 1, bound) || !BytesOf(vm, args[0], &copy, &bytes))
    return Value();
  return vm.NewBytes(bytes);
}

Value ToListOf(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  if (view == nullptr || !ExpectMethod(vm, args, "tolist", 0, 0)) return Value();
  if (!view->dims.empty()) return ListsOfView(vm, view);
  Value list = vm.NewList(nullptr, 0);
  const char* data = ViewData(vm, view);
  for (int64_t i = 0; i < view->count && !list.empty(); ++i) {
    Value item = UnpackItem(vm, view->format, data + i * view->stride);
    if (item.empty() || !vm.ChargeSteps(1) || !vm.Append(As<List>(list), item)) return Value();
  }
  return list;
}

Value Release(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "release", 0, 0)) return Value();
  Self(args)->released = true;
  return Value::None();
}
Value Enter(Vm& vm, Args& args) {
  return Live(vm, args) == nullptr ? Value() : args[0];
}
Value Exit(Vm&, Args& args) {
  Self(args)->released = true;
  return Value::None();
}

Value ToReadOnly(Vm& vm, Args& args) {
  if (Live(vm, args) == nullptr || !ExpectMethod(vm, args, "toreadonly", 0, 0)) return Value();
  Value out = NewView(vm, args[0]);
  if (!out.empty()) As<MemoryView>(out)->readonly = true;
  return out;
}

Value Hex(Vm& vm, Args& args) {
  std::string copy;
  std::string_view bytes;
  if (!BytesOf(vm, args[0], &copy, &bytes) || !vm.Scratch(2 * bytes.size())) return Value();
  const std::string held(bytes);  // the arguments may run scripts that change it
  return HexOfBytes(vm, args, held);
}

Value Cast(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"format", "shape"};
  Value bound[2];
  MemoryView* view = Live(vm, args);
  if (view == nullptr || !BindMethod(vm, args, "cast", kNames, 1, 2, bound)) return Value();
  if (!IsStr(bound[0]))
    return vm.Throw(Error::kTypeError, "cast() argument 'format' must be str, not {}",
                    bound[0].IsNone() ? "None" : vm.TypeName(bound[0]));
  if (!Contiguous(view))
    return vm.Raise(Error::kTypeError, "memoryview: casts are restricted to C-contiguous views");
  std::string_view text = Text(bound[0]);
  if (text.starts_with('@')) text.remove_prefix(1);
  if (text.size() != 1 || text == "u" || ItemSize(text[0]) == 0)
    return vm.Raise(Error::kValueError,
                    "memoryview: destination format must be a native single character format "
                    "prefixed with an optional '@'");
  const auto bytes = [](char format) { return format == 'B' || format == 'b' || format == 'c'; };
  if (!bytes(view->format) && !bytes(text[0]))
    return vm.Raise(Error::kTypeError, "memoryview: cannot cast between two non-byte formats");
  const int64_t size = view->count * ItemBytes(view);
  const auto item = static_cast<int64_t>(ItemSize(text[0]));
  if (size % item != 0)
    return vm.Raise(Error::kTypeError, "memoryview: length is not a multiple of itemsize");
  if (!view->dims.empty() && !bound[1].empty())
    return vm.Raise(Error::kTypeError, "memoryview: cast must be 1D -> ND or ND -> 1D");
  Value out = NewView(vm, args[0]);
  if (out.empty()) return out;
  auto* cast = As<MemoryView>(out);
  cast->format = text[0];
  cast->stride = item;
  cast->count = size / item;
  cast->dims = Value();
  return bound[1].empty() ? out : TakeShape(vm, cast, bound[1]);
}

Value Object(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  return view == nullptr ? Value() : view->base;
}
Value Format(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  if (view == nullptr) return Value();
  return vm.NewString(view->format == 'u' ? "w" : std::string_view(&view->format, 1));
}
Value ItemSizeOf(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  return view == nullptr ? Value() : Value::SmallInt(ItemBytes(view));
}
Value Bytes(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  return view == nullptr ? Value() : vm.NewInt(view->count * ItemBytes(view));
}
Value ReadOnly(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  return view == nullptr ? Value() : Value::Bool(view->readonly);
}
Value IsContiguous(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  return view == nullptr ? Value() : Value::Bool(Contiguous(view));
}
Value IsFortran(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  return view == nullptr ? Value() : Value::Bool(Contiguous(view) && Dimensions(view) < 2);
}
Value CountDimensions(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  return view == nullptr ? Value() : Value::SmallInt(Dimensions(view));
}
template <bool kStrides>
Value Shape(Vm& vm, Args& args) {
  MemoryView* view = Live(vm, args);
  const Value out = view == nullptr ? Value() : vm.NewTuple(nullptr, Dimensions(view));
  for (uint32_t i = 0; !out.empty() && i < Dimensions(view); ++i) {
    const Value part = DimensionOf(vm, view, i, kStrides);
    if (part.empty()) return part;
    As<Tuple>(out)->items[i] = part;
  }
  return out;
}
Value SubOffsets(Vm& vm, Args& args) {
  return Live(vm, args) == nullptr ? Value() : vm.empty_tuple;
}

constexpr BuiltinRow kRows[] = {
    {"__enter__", Enter}, {"__exit__", Exit},   {"__new__", NewViewOf},
    {"cast", Cast, true}, {"hex", Hex},         {"release", Release},
    {"tobytes", ToBytes}, {"tolist", ToListOf}, {"toreadonly", ToReadOnly}};
constexpr BuiltinRow kProperties[] = {{"c_contiguous", IsContiguous}, {"contiguous", IsContiguous},
                                      {"f_contiguous", IsFortran},    {"format", Format},
                                      {"itemsize", ItemSizeOf},       {"nbytes", Bytes},
                                      {"ndim", CountDimensions},      {"obj", Object},
                                      {"readonly", ReadOnly},         {"shape", Shape<false>},
                                      {"strides", Shape<true>},       {"suboffsets", SubOffsets}};

}  // namespace

bool InstallMemoryView(Vm& vm) {
  Class* cls = vm.classes[static_cast<int>(Type::kMemoryView)];
  for (const BuiltinRow& row : kProperties)
    if (!AddProperty(vm, cls, row.name, row.function)) return false;
  return AddMethods(vm, cls, kRows) &&
         vm.DictSet(vm.builtins, Value::Of(cls->name), Value::Of(cls));
}

}  // namespace ferry::vm

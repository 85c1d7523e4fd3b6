// The module struct.
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/modules/struct/layout.h"

namespace ferry::vm {
namespace {

extern const RecordType kStruct;
extern const RecordType kUnpackIterator;

Value Fail(Vm& vm, std::string_view text) {
  return RaiseError(vm, kStructError, text);
}

// The functions take the format first, the methods of Struct have it: both as `Args` with the
// format or the Struct at 0.
bool LayoutOf(Vm& vm, const Args& args, StructLayout* out) {
  if (args.count == 0) {
    vm.Raise(Error::kTypeError, "missing format argument");
    return false;
  }
  Record* self = AsRecord(vm, args[0], kStruct);
  return ReadLayout(vm, self == nullptr ? args[0] : self->values[0], out);
}

// pack's count of values; `first` is where they begin.
bool Enough(Vm& vm, const Args& args, const StructLayout& layout, uint32_t first,
            const char* name) {
  const int64_t given = args.count > first ? args.count - first : 0;
  if (args.keywords() > 0) {
    vm.Throw(Error::kTypeError, "{}() takes no keyword arguments", name);
    return false;
  }
  if (given == layout.values) return true;
  Fail(vm, fmt::format("{} expected {} items for packing (got {})", name, layout.values, given));
  return false;
}

Value Pack(Vm& vm, Args& args) {
  StructLayout layout;
  if (!LayoutOf(vm, args, &layout) || !Enough(vm, args, layout, 1, "pack")) return Value();
  if (layout.size > LargestBytes(vm)) return vm.TooLarge();
  const auto size = static_cast<size_t>(layout.size);
  char few[64] = {};
  if (size <= sizeof few)
    return PackStruct(vm, layout, args.args + 1, few) ? vm.NewBytes({few, size}) : Value();
  if (!vm.Scratch(2 * size)) return Value();
  std::string out(size, '\0');
  return PackStruct(vm, layout, args.args + 1, out.data()) ? vm.NewBytes(out) : Value();
}

Value PackInto(Vm& vm, Args& args) {
  StructLayout layout;
  if (!LayoutOf(vm, args, &layout)) return Value();
  if (args.count < 3)
    return Fail(vm, args.count < 2 ? "pack_into expected buffer argument"
                                   : "pack_into expected offset argument");
  if (!Enough(vm, args, layout, 3, "pack_into")) return Value();
  int64_t offset;
  if (!vm.ToIndex(args[2], &offset, "offset")) return Value();
  if (layout.size > LargestBytes(vm)) return vm.TooLarge();
  if (!vm.Scratch(2 * static_cast<size_t>(layout.size))) return Value();
  std::string packed(static_cast<size_t>(layout.size), '\0');
  char* data;
  size_t size;
  const auto writable = [&] {
    if (WritableBytes(vm, args[1], &data, &size)) return true;
    if (vm.TakePending(Error::kTypeError))
      vm.Throw(Error::kTypeError, "argument must be read-write bytes-like object, not {}",
               vm.TypeName(args[1]));
    return false;
  };
  const auto fits = [&] {
    const auto length = static_cast<int64_t>(size);
    if (offset < 0 && offset + layout.size > 0) {
      Fail(vm, fmt::format("no space to pack {} bytes at offset {}", layout.size, offset));
      return false;
    }
    if (offset < 0 && offset + length < 0) {
      Fail(vm, fmt::format("offset {} out of range for {}-byte buffer", offset, length));
      return false;
    }
    const int64_t at = offset < 0 ? offset + length : offset;
    if (length - at >= layout.size) return true;
    Fail(vm, fmt::format("pack_into requires a buffer of at least {} bytes for packing {} bytes at "
                         "offset {} (actual buffer size is {})",
                         static_cast<uint64_t>(layout.size) + static_cast<uint64_t>(at),
                         layout.size, at, length));
    return false;
  };
  // Packing may run scripts that change the buffer: it is looked at again.
  if (!writable() || !fits() || !PackStruct(vm, layout, args.args + 3, packed.data()) ||
      !writable() || !fits())
    return Value();
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes
  std::memcpy(data + (offset < 0 ? offset + static_cast<int64_t>(size) : offset), packed.data(),
              packed.size());
  return Value::None();
}

Value Unpack(Vm& vm, Args& args) {
  StructLayout layout;
  std::string copy;
  std::string_view bytes;
  if (!Expect(vm, args, "unpack", 2, 2) || !LayoutOf(vm, args, &layout) ||
      !BytesOf(vm, args[1], &copy, &bytes))
    return Value();
  if (static_cast<int64_t>(bytes.size()) != layout.size)
    return Fail(vm, fmt::format("unpack requires a buffer of {} bytes", layout.size));
  return UnpackStruct(vm, layout, bytes.data());
}

Value UnpackFrom(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"format", "buffer", "offset"};
  Value bound[3];
  int64_t offset = 0;
  if (!BindBuiltin(vm, args, "unpack_from", kNames, 2, 3, bound) ||
      (!bound[2].empty() && !vm.ToIndex(bound[2], &offset, "offset")))
    return Value();
  StructLayout layout;
  std::string copy;
  std::string_view bytes;
  if (!LayoutOf(vm, {bound, 1}, &layout) || !BytesOf(vm, bound[1], &copy, &bytes)) return Value();
  const auto length = static_cast<int64_t>(bytes.size());
  if (offset < 0) {
    if (offset + layout.size > 0)
      return Fail(
          vm, fmt::format("not enough data to unpack {} bytes at offset {}", layout.size, offset));
    if (offset + length < 0)
      return Fail(vm, fmt::format("offset {} out of range for {}-byte buffer", offset, length));
    offset += length;
  }
  if (length - offset < layout.size)
    return Fail(vm, fmt::format("unpack_from requires a buffer of at least {} bytes for unpacking "
                                "{} bytes at offset {} (actual buffer size is {})",
                                static_cast<uint64_t>(layout.size) + static_cast<uint64_t>(offset),
                                layout.size, offset, length));
  return UnpackStruct(vm, layout, bytes.data() + offset);
}

Value CalcSize(Vm& vm, Args& args) {
  StructLayout layout;
  return Expect(vm, args, "calcsize", 1, 1) && LayoutOf(vm, args, &layout) ? vm.NewInt(layout.size)
                                                                           : Value();
}

// ---- iter_unpack: format, buffer, offset ----

Value IterUnpack(Vm& vm, Args& args) {
  StructLayout layout;
  std::string copy;
  std::string_view bytes;
  if (!Expect(vm, args, "iter_unpack", 2, 2) || !LayoutOf(vm, args, &layout) ||
      !BytesOf(vm, args[1], &copy, &bytes))
    return Value();
  if (layout.size == 0) return Fail(vm, "cannot iteratively unpack with a struct of length 0");
  if (static_cast<int64_t>(bytes.size()) % layout.size != 0)
    return Fail(vm, fmt::format("iterative unpacking requires a buffer of a multiple of {} bytes",
                                layout.size));
  Class* cls = ClassOfRecord(vm, kUnpackIterator);
  Value out = cls == nullptr ? Value() : vm.NewRecord(cls, 3);
  if (out.empty()) return out;
  Record* self = AsRecord(vm, args[0], kStruct);
  As<Record>(out)->values[0] = self == nullptr ? args[0] : self->values[0];
  As<Record>(out)->values[1] = args[1];
  As<Record>(out)->values[2] = Value::SmallInt(0);
  return out;
}

Value NextUnpacked(Vm& vm, Value v) {
  Value* values = As<Record>(v)->values;
  StructLayout layout;
  std::string copy;
  std::string_view bytes;
  if (!ReadLayout(vm, values[0], &layout) || !BytesOf(vm, values[1], &copy, &bytes)) return Value();
  const int64_t at = values[2].AsSmallInt();
  if (static_cast<int64_t>(bytes.size()) - at < layout.size) return Value();
  values[2] = Value::SmallInt(at + layout.size);
  return UnpackStruct(vm, layout, bytes.data() + at);
}

// ---- Struct: format, size ----

Value NewStruct(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"format"};
  Value bound[1];
  StructLayout layout;
  if (!BindBuiltin(vm, args, "Struct", kNames, 1, 1, bound) || !ReadLayout(vm, bound[0], &layout))
    return Value();
  Value format = bound[0];
  if (!IsStr(format)) format = vm.NewStringChecked(As<BytesObject>(format)->view());
  Class* cls = ClassOfRecord(vm, kStruct);
  Value out = cls == nullptr || format.empty() ? Value() : vm.NewRecord(cls, 2);
  if (out.empty()) return out;
  As<Record>(out)->values[0] = format;
  As<Record>(out)->values[1] = vm.NewInt(layout.size);
  return out;
}
Value FormatOf(Vm&, Args& args) {
  return As<Record>(args[0])->values[0];
}
Value SizeOf(Vm&, Args& args) {
  return As<Record>(args[0])->values[1];
}

constexpr BuiltinRow kStructRows[] = {{"__new__", NewStruct}, {"iter_unpack", IterUnpack},
                                      {"pack", Pack, true},   {"pack_into", PackInto, true},
                                      {"unpack", Unpack},     {"unpack_from", UnpackFrom}};
const RecordType kStruct = {"_struct", "Struct", kStructRows};
const RecordType kUnpackIterator = {"_struct", "unpack_iterator", {}, NextUnpacked};

constexpr BuiltinRow kRows[] = {{"calcsize", CalcSize}, {"iter_unpack", IterUnpack},
                                {"pack", Pack, true},   {"pack_into", PackInto, true},
                                {"unpack", Unpack},     {"unpack_from", UnpackFrom}};

}  // namespace

Value MakeStruct(Vm& vm) {
  Value v = MakeModule(vm, "struct", kRows);
  Class* error = ErrorClass(vm, kStructError);
  Class* cls = ClassOfRecord(vm, kStruct);
  if (v.empty() || error == nullptr || cls == nullptr ||
      !AddProperty(vm, cls, "format", FormatOf) || !AddProperty(vm, cls, "size", SizeOf))
    return Value();
  return vm.SetVariable(As<Module>(v), "error", Value::Of(error)) &&
                 vm.SetVariable(As<Module>(v), "Struct", Value::Of(cls))
             ? v
             : Value();
}

}  // namespace ferry::vm

// io.BytesIO: bytes in memory, in a bytearray that views may show.
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/modules/_io/stream.h"

namespace ferry::vm {
namespace {

enum { kData, kPlace, kClosed, kReadLine, kFields };

class Stream {
 public:
  Stream(Vm& vm, const Args& args) : vm_(vm), values_(As<Record>(args[0])->values) {}
  bool Open() const {
    if (!values_[kClosed].IsTrue()) return true;
    vm_.Raise(Error::kValueError, "I/O operation on closed file.");
    return false;
  }
  ByteArray* data() const { return As<ByteArray>(values_[kData]); }
  int64_t size() const { return data()->size; }
  int64_t place() const { return values_[kPlace].AsSmallInt(); }
  void Move(int64_t place) { values_[kPlace] = Value::SmallInt(place); }
  // `most` bytes of those before `end`, or all of them.
  std::string_view Take(int64_t end, int64_t most) {
    const int64_t from = std::min(place(), end);
    const int64_t count = most < 0 ? end - from : std::min(most, end - from);
    if (count == 0) return {};
    Move(from + count);
    return {data()->data + from, static_cast<size_t>(count)};
  }
  bool Put(std::string_view what);

 private:
  Vm& vm_;
  Value* values_;
};

bool Stream::Put(std::string_view what) {
  const int64_t before = size(), after = place() + static_cast<int64_t>(what.size());
  if (what.empty()) return true;
  const auto least = static_cast<uint64_t>(std::min(place(), before));
  if (after > LargestBytes(vm_)) return !vm_.TooLarge().empty();
  if (!vm_.ChargeSteps(static_cast<int64_t>((static_cast<uint64_t>(after) - least) / 64)))
    return false;
  if (after > before) {
    if (!ResizeBytes(vm_, data(), static_cast<size_t>(after))) return false;
    if (place() > before)
      std::memset(data()->data + before, 0, static_cast<size_t>(place() - before));
  }
  std::memmove(data()->data + place(), what.data(), what.size());
  Move(after);
  return true;
}

Value New(Vm& vm, Args&) {
  Class* cls = ClassOfRecord(vm, kByteStream);
  const Value made = cls == nullptr ? Value() : vm.NewRecord(cls, kFields);
  String* name = made.empty() ? nullptr : vm.Intern("readline");
  const Value data = name == nullptr ? Value() : vm.NewByteArray("");
  if (data.empty()) return data;
  Value* values = As<Record>(made)->values;
  values[kData] = data;
  values[kPlace] = Value::SmallInt(0);
  values[kReadLine] = Value::Of(name);
  return made;
}

Value Init(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"initial_bytes"};
  Value bound[1];
  std::string copy;
  std::string_view bytes;
  if (!BindMethod(vm, args, "BytesIO", kNames, 0, 1, bound) ||
      (!bound[0].empty() && !bound[0].IsNone() && !BytesOf(vm, bound[0], &copy, &bytes)) ||
      !vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 64)))
    return Value();
  const Value data = vm.NewByteArray(bytes);
  if (data.empty()) return data;
  Value* values = As<Record>(args[0])->values;
  values[kData] = data;
  values[kPlace] = Value::SmallInt(0);
  values[kClosed] = Value::Bool(false);
  return Value::None();
}

Value Write(Vm& vm, Args& args) {
  Stream stream(vm, args);
  std::string copy;
  std::string_view bytes;
  if (!ExpectMethod(vm, args, "write", 1, 1) || !stream.Open() ||
      !BytesOf(vm, args[1], &copy, &bytes))
    return Value();
  if (!copy.empty())
    return vm.Raise(Error::kBufferError, "memoryview: underlying buffer is not C-contiguous");
  const char* own = stream.data()->data;
  if (own != nullptr && bytes.data() >= own &&
      bytes.data() <= own + stream.size()) {  // a view of this stream: growing moves it
    if (!vm.Scratch(2 * bytes.size())) return Value();
    copy = bytes;
    bytes = copy;
  }
  if (!MayResize(vm, stream.data())) return Value();
  return stream.Put(bytes) ? Value::SmallInt(static_cast<int64_t>(bytes.size())) : Value();
}

Value Taken(Vm& vm, std::string_view bytes) {
  return vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 64)) ? vm.NewBytes(bytes) : Value();
}
Value Read(Vm& vm, Args& args) {
  Stream stream(vm, args);
  int64_t size;
  if (!ExpectMethod(vm, args, "read", 0, 1) || !stream.Open() || !ReadSize(vm, args, &size))
    return Value();
  return Taken(vm, stream.Take(stream.size(), size));
}
Value ReadInto(Vm& vm, Args& args) {
  Stream stream(vm, args);
  char* to;
  size_t size;
  if (!ExpectMethod(vm, args, "readinto", 1, 1) || !stream.Open()) return Value();
  if (!IsBytesLike(args[1]) || Is(args[1], Type::kBytes) ||
      (Is(args[1], Type::kMemoryView) && As<MemoryView>(args[1])->readonly))
    return vm.Throw(Error::kTypeError,
                    "readinto() argument must be read-write bytes-like object, not {}",
                    vm.TypeName(args[1]));
  if (!WritableBytes(vm, args[1], &to, &size)) return Value();
  const std::string_view part = stream.Take(stream.size(), static_cast<int64_t>(size));
  if (!part.empty()) std::memmove(to, part.data(), part.size());
  return vm.ChargeSteps(static_cast<int64_t>(part.size() / 64))
             ? Value::SmallInt(static_cast<int64_t>(part.size()))
             : Value();
}
Value ReadLine(Vm& vm, Args& args) {
  Stream stream(vm, args);
  int64_t size;
  if (!ExpectMethod(vm, args, "readline", 0, 1) || !stream.Open() || !ReadSize(vm, args, &size))
    return Value();
  const int64_t from = std::min(stream.place(), stream.size());
  const size_t at = stream.data()->view().substr(static_cast<size_t>(from)).find('\n');
  return Taken(vm, stream.Take(at == std::string_view::npos ? stream.size()
                                                            : from + static_cast<int64_t>(at) + 1,
                               size));
}

Value Iter(Vm& vm, Args& args) {
  return Stream(vm, args).Open() ? args[0] : Value();
}
Value Next(Vm& vm, Args& args) {
  return Stream(vm, args).Open()
             ? NextLine<ReadLine>(vm, args, As<Record>(args[0])->values[kReadLine])
             : Value();
}

Value GetValue(Vm& vm, Args& args) {
  const Stream stream(vm, args);
  return ExpectMethod(vm, args, "getvalue", 0, 0) && stream.Open()
             ? Taken(vm, stream.data()->view())
             : Value();
}
Value GetBuffer(Vm& vm, Args& args) {
  const Stream stream(vm, args);
  return ExpectMethod(vm, args, "getbuffer", 0, 0) && stream.Open()
             ? NewView(vm, Value::Of(stream.data()))
             : Value();
}

Value Seek(Vm& vm, Args& args) {
  Stream stream(vm, args);
  int64_t place, whence = 0;
  if (!ExpectMethod(vm, args, "seek", 1, 2) || !vm.ToIndex(args[1], &place, "seek", true) ||
      (args.count > 2 && !vm.ToIndex(args[2], &whence, "whence", true)) || !stream.Open())
    return Value();
  if (whence < 0 || whence > 2)
    return vm.Throw(Error::kValueError, "invalid whence ({}, should be 0, 1 or 2)", whence);
  if (whence == 0 && place < 0)
    return vm.Throw(Error::kValueError, "negative seek value {}", place);
  if (whence == 1) place += stream.place();
  if (whence == 2) place += stream.size();
  stream.Move(std::clamp<int64_t>(place, 0, Value::kMaxInt));
  return Value::SmallInt(stream.place());
}
Value Tell(Vm& vm, Args& args) {
  const Stream stream(vm, args);
  return ExpectMethod(vm, args, "tell", 0, 0) && stream.Open() ? Value::SmallInt(stream.place())
                                                               : Value();
}

Value Truncate(Vm& vm, Args& args) {
  const Stream stream(vm, args);
  int64_t size;
  if (!ExpectMethod(vm, args, "truncate", 0, 1) || !stream.Open() || !ReadSize(vm, args, &size))
    return Value();
  if (args.count < 2 || args[1].IsNone()) size = stream.place();
  if (size < 0) {
    int64_t asked;
    return vm.ToIndex(args[1], &asked, "size", true)
               ? vm.Throw(Error::kValueError, "negative size value {}", asked)
               : Value();
  }
  if (!MayResize(vm, stream.data())) return Value();
  if (size < stream.size()) stream.data()->size = static_cast<uint32_t>(size);
  return vm.NewInt(size);
}

Value Close(Vm& vm, Args& args) {
  if (!MayResize(vm, Stream(vm, args).data())) return Value();
  const Value nothing = ExpectMethod(vm, args, "close", 0, 0) ? vm.NewByteArray("") : Value();
  if (nothing.empty()) return nothing;
  Value* values = As<Record>(args[0])->values;
  values[kData] = nothing;
  values[kClosed] = Value::Bool(true);
  return Value::None();
}
Value Closed(Vm&, Args& args) {
  return Value::Bool(As<Record>(args[0])->values[kClosed].IsTrue());
}
Value Able(Vm& vm, Args& args) {
  return Stream(vm, args).Open() ? Value::Bool(true) : Value();
}

constexpr BuiltinRow kRows[] = {{"__init__", Init},
                                {"__iter__", Iter},
                                {"__new__", New},
                                {"__next__", Next, true},
                                {"close", Close, true},
                                {"getbuffer", GetBuffer},
                                {"getvalue", GetValue},
                                {"read", Read, true},
                                {"read1", Read, true},
                                {"readable", Able},
                                {"readinto", ReadInto},
                                {"readinto1", ReadInto},
                                {"readline", ReadLine, true},
                                {"seek", Seek, true},
                                {"seekable", Able},
                                {"tell", Tell},
                                {"truncate", Truncate, true},
                                {"writable", Able},
                                {"write", Write, true}};

}  // namespace

const RecordType kByteStream = {"_io", "BytesIO", kRows};

bool AddByteProperties(Vm& vm, Class* cls) {
  return AddProperty(vm, cls, "closed", Closed);
}

Value MakeIo(Vm& vm) {
  const Value module = MakeModule(vm, "_io", {});
  Class* text = module.empty() ? nullptr : ClassOfRecord(vm, kTextStream);
  Class* bytes = text == nullptr ? nullptr : ClassOfRecord(vm, kByteStream);
  return bytes != nullptr && AddTextProperties(vm, text) && AddByteProperties(vm, bytes) &&
                 vm.SetVariable(As<Module>(module), "StringIO", Value::Of(text)) &&
                 vm.SetVariable(As<Module>(module), "BytesIO", Value::Of(bytes))
             ? module
             : Value();
}

}  // namespace ferry::vm

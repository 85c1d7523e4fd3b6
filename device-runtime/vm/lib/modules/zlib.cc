// The module zlib, over the library of that name. Streams live in the heap of the isolate; a stream
// object gives its memory back when it is collected.
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/module_error.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

const RecordType kError = {"zlib", "error", {}};
extern const RecordType kCompress;
extern const RecordType kDecompress;

constexpr size_t kPiece = 16 << 10;  // bytes of output at a time
constexpr int64_t kStepsOfPiece = 2048;
// What a stream takes at its largest settings, about: charged for as long as it lives.
constexpr size_t kDeflateBytes = 280 << 10, kInflateBytes = 48 << 10;

// Memory of a stream: blocks of one bytearray, so that it is the isolate's and is collected with
// the stream. Nothing is given back before the stream ends.
struct Arena {
  ByteArray* memory;
  size_t used;
};
void* Allocate(void* opaque, unsigned items, unsigned size) {
  auto* arena = static_cast<Arena*>(opaque);
  const size_t bytes = (static_cast<size_t>(items) * size + 15) & ~size_t{15};
  if (bytes > arena->memory->size - arena->used) return nullptr;
  char* out = arena->memory->data + arena->used;
  arena->used += bytes;
  return out;
}
void Free(void*, void*) {}

// Lives in the bytearray at values[0]; its memory is values[1].
struct Stream {
  z_stream z;
  Arena arena;
  bool deflate, ended;
};

Value Fail(Vm& vm, int code, const char* message, std::string_view what) {
  if (message == nullptr)
    message = code == Z_BUF_ERROR      ? "incomplete or truncated stream"
              : code == Z_STREAM_ERROR ? "inconsistent stream state"
              : code == Z_DATA_ERROR   ? "invalid input data"
                                       : nullptr;
  return RaiseError(vm, kError,
                    message == nullptr ? fmt::format("Error {} {}", code, what)
                                       : fmt::format("Error {} {}: {}", code, what, message));
}

Value NewBlock(Vm& vm, size_t size) {
  Value v = vm.NewByteArray("");
  if (v.empty() || !ResizeBytes(vm, As<ByteArray>(v), size)) return Value();
  std::memset(As<ByteArray>(v)->data, 0, size);
  return v;
}

// A stream that owns its memory while a function runs, or as long as an object does.
struct Holder {
  Value state, memory;
  Stream* stream = nullptr;
  bool Make(Vm& vm, bool deflate) {
    state = NewBlock(vm, sizeof(Stream));
    memory = state.empty() ? state : NewBlock(vm, deflate ? kDeflateBytes : kInflateBytes);
    if (memory.empty()) return false;
    stream = reinterpret_cast<Stream*>(As<ByteArray>(state)->data);
    stream->deflate = deflate;
    stream->arena = {As<ByteArray>(memory), 0};
    stream->z.zalloc = Allocate;
    stream->z.zfree = Free;
    stream->z.opaque = &stream->arena;
    return true;
  }
};

int Step(Stream* stream, int flush) {
  return stream->deflate ? deflate(&stream->z, flush) : inflate(&stream->z, flush);
}

// Runs the stream over `input`; what comes out, up to `most` bytes (0: all), goes to *out. The code
// of the last step.
int Pump(Vm& vm, Stream* stream, std::string_view input, int flush, size_t most, std::string* out,
         std::string_view* rest) {
  stream->z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream->z.avail_in = static_cast<uInt>(input.size());
  int code = Z_OK;
  for (;;) {
    const size_t before = out->size();
    const size_t room = most == 0 ? kPiece : std::min(kPiece, most - before);
    if (room == 0) break;
    if (static_cast<int64_t>(before + room) > LargestBytes(vm) ||
        !vm.Scratch((before + room) * 3)) {
      if (!vm.failed()) vm.OutOfMemory();
      break;
    }
    if (!vm.ChargeSteps(1 + static_cast<int64_t>(stream->z.avail_in / 64))) break;
    out->resize(before + room);
    stream->z.next_out = reinterpret_cast<Bytef*>(out->data() + before);
    stream->z.avail_out = static_cast<uInt>(room);
    code = Step(stream, flush);
    out->resize(before + room - stream->z.avail_out);
    if (!vm.ChargeSteps(kStepsOfPiece * static_cast<int64_t>(out->size() - before) /
                        static_cast<int64_t>(kPiece)))
      break;
    if (code != Z_OK || stream->z.avail_out != 0) break;
  }
  *rest = input.substr(input.size() - stream->z.avail_in);
  stream->z.next_in = nullptr;
  stream->z.avail_in = 0;
  stream->z.next_out = nullptr;
  return code;
}

bool Whole(Vm& vm, Value v, const char* what, int* out) {
  int64_t i;
  if (v.empty()) return true;
  if (!vm.ToIndex(v, &i, what)) return false;
  *out = static_cast<int>(std::clamp<int64_t>(i, INT32_MIN, INT32_MAX));
  return true;
}

Value Compress(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"data", "level", "wbits"};
  Value bound[3];
  int level = Z_DEFAULT_COMPRESSION, bits = MAX_WBITS;
  std::string copy, out;
  std::string_view bytes, rest;
  if (!BindBuiltin(vm, args, "compress", kNames, 1, 2, bound) ||
      !Whole(vm, bound[1], "level", &level) || !Whole(vm, bound[2], "wbits", &bits) ||
      !BytesOf(vm, bound[0], &copy, &bytes))
    return Value();
  Holder holder;
  if (!holder.Make(vm, true)) return Value();
  const int begun = deflateInit2(&holder.stream->z, level, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY);
  if (begun == Z_STREAM_ERROR) return RaiseError(vm, kError, "Bad compression level");
  if (begun != Z_OK) return vm.OutOfMemory();
  const int code = Pump(vm, holder.stream, bytes, Z_FINISH, 0, &out, &rest);
  if (vm.failed()) return Value();
  return code == Z_STREAM_END ? vm.NewBytes(out)
                              : Fail(vm, code, holder.stream->z.msg, "while compressing data");
}

Value Decompress(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"data", "wbits", "bufsize"};
  Value bound[3];
  int bits = MAX_WBITS, size = 16384;
  std::string copy, out;
  std::string_view bytes, rest;
  if (!BindBuiltin(vm, args, "decompress", kNames, 1, 3, bound) ||
      !Whole(vm, bound[1], "wbits", &bits) || !Whole(vm, bound[2], "bufsize", &size) ||
      !BytesOf(vm, bound[0], &copy, &bytes))
    return Value();
  if (size < 0) return vm.Raise(Error::kValueError, "bufsize must be non-negative");
  Holder holder;
  if (!holder.Make(vm, false)) return Value();
  const int begun = inflateInit2(&holder.stream->z, bits);
  if (begun != Z_OK)
    return Fail(vm, begun, holder.stream->z.msg, "while preparing to decompress data");
  int code = Pump(vm, holder.stream, bytes, Z_SYNC_FLUSH, 0, &out, &rest);
  if (vm.failed()) return Value();
  if (code == Z_STREAM_END) return vm.NewBytes(out);
  if (code == Z_OK) code = Z_BUF_ERROR;
  return Fail(vm, code, holder.stream->z.msg, "while decompressing data");
}

// ---- streams ----
// values: state, memory, unused_data, unconsumed_tail, dictionary

Stream* Self(const Args& args) {
  return reinterpret_cast<Stream*>(As<ByteArray>(As<Record>(args[0])->values[0])->data);
}

Value NewStream(Vm& vm, const RecordType& type, const Holder& holder) {
  Class* cls = ClassOfRecord(vm, type);
  Value out = cls == nullptr ? Value() : vm.NewRecord(cls, 5);
  Value nothing = out.empty() ? out : vm.NewBytes("");
  if (nothing.empty()) return nothing;
  Value* values = As<Record>(out)->values;
  values[0] = holder.state;
  values[1] = holder.memory;
  values[2] = values[3] = nothing;
  values[4] = Value::None();
  return out;
}

Value CompressObject(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"level",    "method",   "wbits",
                                           "memLevel", "strategy", "zdict"};
  Value bound[6];
  int level = Z_DEFAULT_COMPRESSION, method = Z_DEFLATED, bits = MAX_WBITS, memory = 8,
      strategy = 0;
  if (!BindBuiltin(vm, args, "compressobj", kNames, 0, 6, bound) ||
      !Whole(vm, bound[0], "level", &level) || !Whole(vm, bound[1], "method", &method) ||
      !Whole(vm, bound[2], "wbits", &bits) || !Whole(vm, bound[3], "memLevel", &memory) ||
      !Whole(vm, bound[4], "strategy", &strategy))
    return Value();
  Holder holder;
  if (!holder.Make(vm, true)) return Value();
  const int begun = deflateInit2(&holder.stream->z, level, method, bits, memory, strategy);
  if (begun == Z_STREAM_ERROR) return vm.Raise(Error::kValueError, "Invalid initialization option");
  if (begun != Z_OK) return RaiseError(vm, kError, "Can't allocate memory for compression object");
  if (!bound[5].empty()) {
    std::string copy;
    std::string_view bytes;
    if (!BytesOf(vm, bound[5], &copy, &bytes)) return Value();
    if (deflateSetDictionary(&holder.stream->z, reinterpret_cast<const Bytef*>(bytes.data()),
                             static_cast<uInt>(bytes.size())) != Z_OK)
      return vm.Raise(Error::kValueError, "Invalid dictionary");
  }
  return NewStream(vm, kCompress, holder);
}

Value DecompressObject(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"wbits", "zdict"};
  Value bound[2];
  int bits = MAX_WBITS;
  if (!BindBuiltin(vm, args, "decompressobj", kNames, 0, 2, bound) ||
      !Whole(vm, bound[0], "wbits", &bits))
    return Value();
  if (!bound[1].empty() && !IsBytesLike(bound[1]))
    return vm.Raise(Error::kTypeError, "zdict argument must support the buffer protocol");
  Holder holder;
  if (!holder.Make(vm, false)) return Value();
  const int begun = inflateInit2(&holder.stream->z, bits);
  if (begun == Z_STREAM_ERROR) return vm.Raise(Error::kValueError, "Invalid initialization option");
  if (begun != Z_OK)
    return RaiseError(vm, kError, "Can't allocate memory for decompression object");
  Value out = NewStream(vm, kDecompress, holder);
  if (!out.empty() && !bound[1].empty()) As<Record>(out)->values[4] = bound[1];
  return out;
}

Value CompressMore(Vm& vm, Args& args) {
  std::string copy, out;
  std::string_view bytes, rest;
  if (!ExpectMethod(vm, args, "compress", 1, 1) || !BytesOf(vm, args[1], &copy, &bytes))
    return Value();
  if (Self(args)->ended) return Fail(vm, Z_STREAM_ERROR, nullptr, "while compressing data");
  const int code = Pump(vm, Self(args), bytes, Z_NO_FLUSH, 0, &out, &rest);
  if (vm.failed()) return Value();
  return code == Z_OK || code == Z_BUF_ERROR
             ? vm.NewBytes(out)
             : Fail(vm, code, Self(args)->z.msg, "while compressing data");
}

Value FlushCompress(Vm& vm, Args& args) {
  int mode = Z_FINISH;
  std::string out;
  std::string_view rest;
  if (!ExpectMethod(vm, args, "flush", 0, 1) ||
      (args.count == 2 && !Whole(vm, args[1], "mode", &mode)))
    return Value();
  if (mode == Z_NO_FLUSH) return vm.NewBytes("");
  if (Self(args)->ended) return Fail(vm, Z_STREAM_ERROR, nullptr, "while flushing");
  const int code = Pump(vm, Self(args), "", mode, 0, &out, &rest);
  if (vm.failed()) return Value();
  if (mode == Z_FINISH && code == Z_STREAM_END) Self(args)->ended = true;
  return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR
             ? vm.NewBytes(out)
             : Fail(vm, code, Self(args)->z.msg, "while flushing");
}

// Another stream in the same state.
Value CopyStream(Vm& vm, Args& args) {
  Stream* self = Self(args);
  if (!Expect(vm, args, "copy", 1, 1)) return Value();
  if (self->deflate && self->ended)
    return vm.Raise(Error::kValueError, "Inconsistent stream state");
  Holder holder;
  if (!holder.Make(vm, self->deflate)) return Value();
  self->z.opaque = &holder.stream->arena;  // where the copy's memory comes from
  const int code = self->deflate ? deflateCopy(&holder.stream->z, &self->z)
                                 : inflateCopy(&holder.stream->z, &self->z);
  self->z.opaque = &self->arena;
  if (code == Z_MEM_ERROR) return vm.OutOfMemory();
  if (code != Z_OK) return vm.Raise(Error::kValueError, "Inconsistent stream state");
  holder.stream->ended = self->ended;
  const Value made = NewStream(vm, self->deflate ? kCompress : kDecompress, holder);
  for (int i = 2; !made.empty() && i < 5; ++i)
    As<Record>(made)->values[i] = As<Record>(args[0])->values[i];
  return made;
}

// Takes in `bytes` and keeps what is left of them.
Value Inflate(Vm& vm, Args& args, std::string_view bytes, int flush, size_t most) {
  Stream* self = Self(args);
  Value* values = As<Record>(args[0])->values;
  std::string out;
  std::string_view rest = bytes;
  int code = Z_STREAM_END;
  if (!self->ended) {
    code = Pump(vm, self, bytes, flush, most, &out, &rest);
    if (code == Z_NEED_DICT && !values[4].IsNone()) {
      std::string copy;
      std::string_view words;
      if (!BytesOf(vm, values[4], &copy, &words)) return Value();
      code = inflateSetDictionary(&self->z, reinterpret_cast<const Bytef*>(words.data()),
                                  static_cast<uInt>(words.size()));
      if (code == Z_OK) code = Pump(vm, self, rest, flush, most, &out, &rest);
    }
  }
  if (vm.failed()) return Value();
  if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END)
    return Fail(vm, code, self->z.msg, "while decompressing data");
  if (code == Z_STREAM_END) {
    std::string unused(As<BytesObject>(values[2])->view());
    unused += rest;
    values[2] = vm.NewBytes(unused);
    self->ended = true;
    rest = "";
  }
  if (!values[2].empty()) values[3] = vm.NewBytes(rest);
  return values[2].empty() || values[3].empty() ? Value() : vm.NewBytes(out);
}

Value DecompressMore(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"data", "max_length"};
  Value bound[2];
  int64_t most = 0;
  std::string copy;
  std::string_view bytes;
  if (!BindMethod(vm, args, "decompress", kNames, 1, 2, bound) ||
      (!bound[1].empty() && !vm.ToIndex(bound[1], &most, "max_length")) ||
      !BytesOf(vm, bound[0], &copy, &bytes))
    return Value();
  if (most < 0) return vm.Raise(Error::kValueError, "max_length must be non-negative");
  const std::string held(bytes);
  return Inflate(vm, args, held, Z_SYNC_FLUSH, static_cast<size_t>(most));
}

Value FlushDecompress(Vm& vm, Args& args) {
  int64_t length = 16384;
  if (!ExpectMethod(vm, args, "flush", 0, 1) ||
      (args.count == 2 && !vm.ToIndex(args[1], &length, "length")))
    return Value();
  if (length <= 0) return vm.Raise(Error::kValueError, "length must be greater than zero");
  const std::string tail(As<BytesObject>(As<Record>(args[0])->values[3])->view());
  return Inflate(vm, args, tail, Z_FINISH, 0);
}

Value Unused(Vm&, Args& args) {
  return As<Record>(args[0])->values[2];
}
Value Unconsumed(Vm&, Args& args) {
  return As<Record>(args[0])->values[3];
}
Value AtEnd(Vm&, Args& args) {
  return Value::Bool(Self(args)->ended);
}

// ---- checksums ----

Value Checksum(Vm& vm, Args& args, const char* name, uint32_t value,
               uLong (*sum)(uLong, const Bytef*, uInt)) {
  std::string copy;
  std::string_view bytes;
  if (!Expect(vm, args, name, 1, 2) || !BytesOf(vm, args[0], &copy, &bytes)) return Value();
  if (args.count == 2) {
    if (!IsInt(args[1]))
      return vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
                      vm.TypeName(args[1]));
    Value low =
        IntBinary(vm, static_cast<int>(Operator::kAnd), args[1], Value::SmallInt(0xFFFFFFFF));
    if (low.empty()) return low;
    value = static_cast<uint32_t>(low.AsSmallInt());
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 32))) return Value();
  return Value::SmallInt(static_cast<uint32_t>(
      sum(value, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()))));
}
Value Crc(Vm& vm, Args& args) {
  return Checksum(vm, args, "crc32", 0, crc32);
}
Value Adler(Vm& vm, Args& args) {
  return Checksum(vm, args, "adler32", 1, adler32);
}

constexpr BuiltinRow kCompressRows[] = {{"__copy__", CopyStream},
                                        {"compress", CompressMore},
                                        {"copy", CopyStream},
                                        {"flush", FlushCompress}};
const RecordType kCompress = {"zlib", "Compress", kCompressRows};
constexpr BuiltinRow kDecompressRows[] = {{"__copy__", CopyStream},
                                          {"copy", CopyStream},
                                          {"decompress", DecompressMore},
                                          {"flush", FlushDecompress}};
const RecordType kDecompress = {"zlib", "Decompress", kDecompressRows};

constexpr BuiltinRow kRows[] = {
    {"adler32", Adler}, {"compress", Compress},     {"compressobj", CompressObject},
    {"crc32", Crc},     {"decompress", Decompress}, {"decompressobj", DecompressObject}};
struct Constant {
  const char* name;
  int value;
};
constexpr Constant kConstants[] = {{"DEFLATED", 8},
                                   {"DEF_BUF_SIZE", 16384},
                                   {"DEF_MEM_LEVEL", 8},
                                   {"MAX_WBITS", 15},
                                   {"Z_BEST_COMPRESSION", 9},
                                   {"Z_BEST_SPEED", 1},
                                   {"Z_BLOCK", 5},
                                   {"Z_DEFAULT_COMPRESSION", -1},
                                   {"Z_DEFAULT_STRATEGY", 0},
                                   {"Z_FILTERED", 1},
                                   {"Z_FINISH", 4},
                                   {"Z_FIXED", 4},
                                   {"Z_FULL_FLUSH", 3},
                                   {"Z_HUFFMAN_ONLY", 2},
                                   {"Z_NO_COMPRESSION", 0},
                                   {"Z_NO_FLUSH", 0},
                                   {"Z_PARTIAL_FLUSH", 1},
                                   {"Z_RLE", 3},
                                   {"Z_SYNC_FLUSH", 2},
                                   {"Z_TREES", 6}};

}  // namespace

Value MakeZlib(Vm& vm) {
  Value v = MakeModule(vm, "zlib", kRows);
  Class* error = ErrorClass(vm, kError);
  Class* decompress = ClassOfRecord(vm, kDecompress);
  Value version = v.empty() ? v : vm.NewString(zlibVersion());
  if (version.empty() || error == nullptr || decompress == nullptr ||
      !AddProperty(vm, decompress, "unused_data", Unused) ||
      !AddProperty(vm, decompress, "unconsumed_tail", Unconsumed) ||
      !AddProperty(vm, decompress, "eof", AtEnd))
    return Value();
  auto* module = As<Module>(v);
  for (const Constant& constant : kConstants)
    if (!vm.SetVariable(module, constant.name, Value::SmallInt(constant.value))) return Value();
  return vm.SetVariable(module, "error", Value::Of(error)) &&
                 vm.SetVariable(module, "ZLIB_VERSION", version) &&
                 vm.SetVariable(module, "ZLIB_RUNTIME_VERSION", version)
             ? v
             : Value();
}

}  // namespace ferry::vm

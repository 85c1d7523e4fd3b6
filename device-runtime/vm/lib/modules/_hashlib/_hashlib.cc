// The module hashlib.
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/modules/_hashlib/digest.h"
#include "device-runtime/vm/lib/modules/_hashlib/pbkdf2.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

constexpr size_t kMaxShake = 1 << 20;  // bytes of one digest

extern const RecordType kHash;

Digest* Self(const Args& args) {
  return reinterpret_cast<Digest*>(As<ByteArray>(As<Record>(args[0])->values[0])->data);
}

bool Charge(Vm& vm, const Digest& digest, size_t bytes) {
  const HashKind& kind = HashKindAt(digest.kind);
  return vm.ChargeSteps(static_cast<int64_t>(bytes / kind.block) * kind.steps_of_block);
}

// The bytes to hash: no text.
bool Bytes(Vm& vm, Value v, std::string* copy, std::string_view* out) {
  if (IsStr(v)) {
    vm.Raise(Error::kTypeError, "Strings must be encoded before hashing");
    return false;
  }
  if (!IsBytesLike(v)) {
    vm.Raise(Error::kTypeError, "object supporting the buffer API required");
    return false;
  }
  return BytesOf(vm, v, copy, out);
}

Value NewHash(Vm& vm, const Digest& digest) {
  Class* cls = ClassOfRecord(vm, kHash);
  Value out = cls == nullptr ? Value() : vm.NewRecord(cls, 1);
  Value state =
      out.empty() ? out : vm.NewByteArray({reinterpret_cast<const char*>(&digest), sizeof digest});
  if (state.empty()) return state;
  As<Record>(out)->values[0] = state;
  return out;
}

Value Begin(Vm& vm, int kind, Value data) {
  Digest digest;
  BeginDigest(&digest, kind);
  std::string copy;
  std::string_view bytes;
  if (!data.empty()) {
    if (!Bytes(vm, data, &copy, &bytes) || !Charge(vm, digest, bytes.size())) return Value();
    UpdateDigest(&digest, bytes);
  }
  return NewHash(vm, digest);
}

Value MakeOf(Vm& vm, Args& args, const char* name) {
  static constexpr const char* kNames[] = {"string", "usedforsecurity"};
  Value bound[2];
  if (!BindBuiltin(vm, args, name, kNames, 0, 1, bound)) return Value();
  return Begin(vm, FindHashKind(name), bound[0]);
}
template <const HashKind& kKind>
Value Make(Vm& vm, Args& args) {
  return MakeOf(vm, args, kKind.name);
}

Value New(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"name", "data", "usedforsecurity"};
  Value bound[3];
  if (!BindBuiltin(vm, args, "new", kNames, 1, 2, bound)) return Value();
  if (!IsStr(bound[0])) return vm.Raise(Error::kTypeError, "name must be a string");
  std::string name(Text(bound[0]));
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  const int kind = FindHashKind(name);
  return kind < 0 ? vm.Throw(Error::kValueError, "unsupported hash type {}", Text(bound[0]))
                  : Begin(vm, kind, bound[1]);
}

// ---- objects ----

Value Update(Vm& vm, Args& args) {
  std::string copy;
  std::string_view bytes;
  if (!ExpectMethod(vm, args, "update", 1, 1) || !Bytes(vm, args[1], &copy, &bytes) ||
      !Charge(vm, *Self(args), bytes.size()))
    return Value();
  UpdateDigest(Self(args), bytes);
  return Value::None();
}

bool Finished(Vm& vm, Args& args, const char* name, std::string* out) {
  int64_t size = Self(args)->size;
  const bool chosen = HashKindAt(Self(args)->kind).size == 0;
  if (!ExpectMethod(vm, args, name, chosen, chosen) ||
      (chosen && !vm.ToIndex(args[1], &size, "length")))
    return false;
  if (size < 0 || size > static_cast<int64_t>(kMaxShake)) {
    vm.Raise(Error::kValueError, size < 0 ? "value must be positive" : "length is too large");
    return false;
  }
  if (!Charge(vm, *Self(args), static_cast<size_t>(size) + kMaxHashBlock)) return false;
  out->resize(static_cast<size_t>(size));
  FinishDigest(*Self(args), reinterpret_cast<uint8_t*>(out->data()), out->size());
  return true;
}
Value DigestOf(Vm& vm, Args& args) {
  std::string out;
  return Finished(vm, args, "digest", &out) ? vm.NewBytes(out) : Value();
}
Value HexDigest(Vm& vm, Args& args) {
  std::string out, text;
  if (!Finished(vm, args, "hexdigest", &out)) return Value();
  text.reserve(2 * out.size());
  for (const char c : out) {
    const auto u = static_cast<unsigned char>(c);
    text += {"0123456789abcdef"[u >> 4], "0123456789abcdef"[u & 15]};
  }
  return vm.NewString(text);
}
Value Copy(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "copy", 0, 0) ? NewHash(vm, *Self(args)) : Value();
}
Value Name(Vm& vm, Args& args) {
  return vm.NewString(HashKindAt(Self(args)->kind).name);
}
Value Size(Vm&, Args& args) {
  return Value::SmallInt(Self(args)->size);
}
Value BlockSize(Vm&, Args& args) {
  return Value::SmallInt(HashKindAt(Self(args)->kind).block);
}
Value Repr(Vm& vm, Args& args) {
  return vm.NewString(fmt::format("<{} _hashlib.HASH object @ 0x{:x}>",
                                  HashKindAt(Self(args)->kind).name, vm.Identity(args[0])));
}

// ---- BLAKE2 with its parameters ----

bool Small(Vm& vm, Value v, const char* what, int64_t least, int64_t most, uint32_t* out) {
  int64_t i;
  if (v.empty()) return true;
  if (!vm.ToIndex(v, &i, what, true)) return false;
  if (i < least || i > most) {
    const bool size = std::string_view(what) == "digest_size";
    vm.Throw(Error::kValueError, "{} must be between {} and {}{}", what, least, most,
             size ? " bytes" : "");
    return false;
  }
  *out = static_cast<uint32_t>(i);
  return true;
}

bool Piece(Vm& vm, Value v, const char* what, size_t most, std::string* out) {
  std::string copy;
  std::string_view bytes;
  if (v.empty()) return true;
  if (!BytesOf(vm, v, &copy, &bytes)) return false;
  if (bytes.size() > most) {
    vm.Throw(Error::kValueError, "maximum {} length is {} bytes", what, most);
    return false;
  }
  *out = bytes;
  return true;
}

Value MakeBlakeOf(Vm& vm, Args& args, bool wide) {
  static constexpr const char* kNames[] = {
      "data",           "digest_size", "key",         "salt",       "person",     "fanout",
      "depth",          "leaf_size",   "node_offset", "node_depth", "inner_size", "last_node",
      "usedforsecurity"};
  const uint32_t most = wide ? 64 : 32;
  Value bound[13];
  BlakeParameters p;
  p.size = most;
  std::string key, salt, person;
  if (!BindBuiltin(vm, args, wide ? "blake2b" : "blake2s", kNames, 0, 1, bound)) return Value();
  int64_t leaf = 0, offset = 0;
  if (!Small(vm, bound[1], "digest_size", 1, most, &p.size) ||
      !Piece(vm, bound[2], "key", most, &key) || !Piece(vm, bound[3], "salt", most / 4, &salt) ||
      !Piece(vm, bound[4], "person", most / 4, &person) ||
      !Small(vm, bound[5], "fanout", 0, 255, &p.fanout) ||
      !Small(vm, bound[6], "depth", 1, 255, &p.depth) ||
      (!bound[7].empty() && !vm.ToIndex(bound[7], &leaf, "leaf_size")) ||
      (!bound[8].empty() && !vm.ToIndex(bound[8], &offset, "node_offset")) ||
      !Small(vm, bound[9], "node_depth", 0, 255, &p.node_depth) ||
      !Small(vm, bound[10], "inner_size", 0, most, &p.inner) ||
      (!bound[11].empty() && !vm.Truth(bound[11], &p.last_node)))
    return Value();
  p.key = static_cast<uint32_t>(key.size());
  p.leaf = static_cast<uint32_t>(leaf);
  p.node_offset = static_cast<uint64_t>(offset);
  std::memcpy(p.salt, salt.data(), salt.size());
  std::memcpy(p.person, person.data(), person.size());
  Digest digest;
  BeginDigest(&digest, FindHashKind(wide ? "blake2b" : "blake2s"));
  BeginBlake(&digest, wide, p);
  if (!key.empty()) {
    key.resize(wide ? 128 : 64);
    UpdateDigest(&digest, key);
  }
  std::string copy;
  std::string_view bytes;
  if (!bound[0].empty()) {
    if (!Bytes(vm, bound[0], &copy, &bytes) || !Charge(vm, digest, bytes.size())) return Value();
    UpdateDigest(&digest, bytes);
  }
  return NewHash(vm, digest);
}
template <bool kWide>
Value MakeBlake(Vm& vm, Args& args) {
  return MakeBlakeOf(vm, args, kWide);
}

constexpr BuiltinRow kHashRows[] = {{"__repr__", Repr},
                                    {"copy", Copy},
                                    {"digest", DigestOf},
                                    {"hexdigest", HexDigest},
                                    {"update", Update}};
const RecordType kHash = {"_hashlib", "HASH", kHashRows};

constexpr BuiltinRow kRows[] = {{"blake2b", MakeBlake<true>},
                                {"blake2s", MakeBlake<false>},
                                {"md5", Make<kMd5>},
                                {"new", New},
                                {"pbkdf2_hmac", Pbkdf2},
                                {"sha1", Make<kSha1>},
                                {"sha224", Make<kSha224>},
                                {"sha256", Make<kSha256>},
                                {"sha384", Make<kSha384>},
                                {"sha3_224", Make<kSha3_224>},
                                {"sha3_256", Make<kSha3_256>},
                                {"sha3_384", Make<kSha3_384>},
                                {"sha3_512", Make<kSha3_512>},
                                {"sha512", Make<kSha512>},
                                {"shake_128", Make<kShake128>},
                                {"shake_256", Make<kShake256>}};

}  // namespace

Value MakeHashlib(Vm& vm) {
  Value v = MakeModule(vm, "_hashlib", kRows);
  Class* cls = ClassOfRecord(vm, kHash);
  Value names = v.empty() ? v : vm.NewDict(Type::kSet);
  if (names.empty() || cls == nullptr || !AddProperty(vm, cls, "name", Name) ||
      !AddProperty(vm, cls, "digest_size", Size) || !AddProperty(vm, cls, "block_size", BlockSize))
    return Value();
  for (size_t i = 0; i < HashKindCount(); ++i) {
    Value name = vm.NewString(HashKindAt(i).name);
    if (name.empty() || !vm.DictSet(As<Dict>(names), name, Value::None())) return Value();
  }
  return vm.SetVariable(As<Module>(v), "algorithms_guaranteed", names) &&
                 vm.SetVariable(As<Module>(v), "algorithms_available", names)
             ? v
             : Value();
}

}  // namespace ferry::vm

// PBKDF2 with HMAC. Source: RFC 8018, 5.2; RFC 2104.
#include <algorithm>
#include <array>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/lib/modules/_hashlib/digest.h"
#include "device-runtime/vm/lib/modules/_hashlib/pbkdf2.h"

namespace ferry::vm {
namespace {

constexpr uint32_t kMostBytes = 64;  // of a digest

// The key is in both; what each then takes in follows.
struct Keyed {
  Digest inner, outer;
  uint32_t size;  // of its codes
};

Keyed KeyedBy(int kind, std::string_view key) {
  const HashKind& hash = HashKindAt(static_cast<size_t>(kind));
  std::array<char, kMaxHashBlock> pad{};
  Keyed keyed;
  keyed.size = hash.size;
  if (key.size() > hash.block) {
    BeginDigest(&keyed.inner, kind);
    UpdateDigest(&keyed.inner, key);
    FinishDigest(keyed.inner, reinterpret_cast<uint8_t*>(pad.data()), hash.size);
  } else {
    std::copy(key.begin(), key.end(), pad.begin());
  }
  const auto begin = [&](Digest* digest, char with) {
    std::array<char, kMaxHashBlock> block = pad;
    for (char& c : block) c = static_cast<char>(c ^ with);
    BeginDigest(digest, kind);
    UpdateDigest(digest, {block.data(), hash.block});
  };
  begin(&keyed.inner, 0x36);
  begin(&keyed.outer, 0x5C);
  return keyed;
}

// The code of what `inner`, begun as the key's, has taken in.
void FinishCode(const Keyed& keyed, const Digest& inner, uint8_t* out) {
  FinishDigest(inner, out, keyed.size);
  Digest outer = keyed.outer;
  UpdateDigest(&outer, {reinterpret_cast<const char*>(out), keyed.size});
  FinishDigest(outer, out, keyed.size);
}

// Block `number` of the derived key.
bool Block(Vm& vm, const Keyed& keyed, std::string_view salt, uint32_t number, int64_t iterations,
           int64_t steps, uint8_t* out) {
  uint8_t code[kMostBytes];
  const char counter[] = {static_cast<char>(number >> 24), static_cast<char>(number >> 16),
                          static_cast<char>(number >> 8), static_cast<char>(number)};
  Digest inner = keyed.inner;
  UpdateDigest(&inner, salt);
  UpdateDigest(&inner, {counter, sizeof(counter)});
  FinishCode(keyed, inner, code);
  std::copy(code, code + keyed.size, out);
  for (int64_t i = 1; i < iterations; ++i) {
    if (!vm.ChargeSteps(steps)) return false;
    inner = keyed.inner;
    UpdateDigest(&inner, {reinterpret_cast<const char*>(code), keyed.size});
    FinishCode(keyed, inner, code);
    for (uint32_t k = 0; k < keyed.size; ++k) out[k] ^= code[k];
  }
  return true;
}

}  // namespace

Value Pbkdf2(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"hash_name", "password", "salt", "iterations", "dklen"};
  Value bound[5];
  int64_t iterations, size = 0;
  if (!BindBuiltin(vm, args, "pbkdf2_hmac", kNames, 4, 5, bound)) return Value();
  if (!IsStr(bound[0]))
    return vm.Throw(Error::kTypeError, "pbkdf2_hmac() argument 'hash_name' must be str, not {}",
                    bound[0].IsNone() ? "None" : vm.TypeName(bound[0]));
  if (!vm.ToIndex(bound[3], &iterations, "iterations")) return Value();
  const bool chosen = !bound[4].empty() && !bound[4].IsNone();
  if (chosen && !vm.ToIndex(bound[4], &size, "dklen")) return Value();
  std::string password_copy, salt_copy;
  std::string_view password, salt;
  if (!BytesOf(vm, bound[1], &password_copy, &password) ||
      !BytesOf(vm, bound[2], &salt_copy, &salt))
    return Value();
  const int kind = FindHashKind(Text(bound[0]));
  if (kind < 0 || HashKindAt(static_cast<size_t>(kind)).size == 0)
    return vm.Throw(Error::kValueError, "unsupported hash type {}", Text(bound[0]));
  if (iterations < 1)
    return vm.Raise(Error::kValueError, "iteration value must be greater than 0.");
  const HashKind& hash = HashKindAt(static_cast<size_t>(kind));
  if (!chosen) size = hash.size;
  if (size < 1) return vm.Raise(Error::kValueError, "key length must be greater than 0.");
  if (size > INT32_MAX / 2) return vm.TooLarge();
  const auto bytes = static_cast<size_t>(size);
  if (!vm.Scratch(bytes) ||
      !vm.ChargeSteps(static_cast<int64_t>((password.size() + salt.size()) / hash.block) *
                      hash.steps_of_block))
    return Value();
  const Keyed keyed = KeyedBy(kind, password);
  std::string out;
  out.reserve(bytes + kMostBytes);
  for (uint32_t number = 1; out.size() < bytes; ++number) {
    uint8_t block[kMostBytes];
    if (!vm.ChargeSteps(static_cast<int64_t>(salt.size() / hash.block + 4) * hash.steps_of_block) ||
        !Block(vm, keyed, salt, number, iterations, 4 * hash.steps_of_block, block))
      return Value();
    out.append(reinterpret_cast<const char*>(block), keyed.size);
  }
  return vm.NewBytes(out.substr(0, bytes));
}

}  // namespace ferry::vm

// The generator below the module random: the Mersenne Twister MT19937, seeded and read as CPython
// does, so that a seed gives the same sequence. Source: Matsumoto and Nishimura, 1998 and 2002.
#include <cstring>

#include "common/sys/random.h"
#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

constexpr uint32_t kWords = 624, kShift = 397;

// Lives in the bytearray at values[0] of the object.
struct Twister {
  uint32_t words[kWords];
  uint32_t next;

  void Begin(uint32_t seed) {
    words[0] = seed;
    for (uint32_t i = 1; i < kWords; ++i)
      words[i] = 1812433253u * (words[i - 1] ^ words[i - 1] >> 30) + i;
    next = kWords;
  }

  void Begin(std::span<const uint32_t> key) {
    Begin(19650218u);
    uint32_t i = 1, k = 0;
    const auto step = [&](uint32_t factor) {
      words[i] ^= (words[i - 1] ^ words[i - 1] >> 30) * factor;
    };
    const auto forward = [&] {
      if (++i < kWords) return;
      words[0] = words[kWords - 1];
      i = 1;
    };
    for (size_t count = std::max<size_t>(kWords, key.size()); count > 0; --count) {
      step(1664525u);
      words[i] += key[k] + k;
      forward();
      if (++k >= key.size()) k = 0;
    }
    for (uint32_t count = kWords - 1; count > 0; --count) {
      step(1566083941u);
      words[i] -= i;
      forward();
    }
    words[0] = 0x80000000u;
  }

  void Refill() {
    for (uint32_t i = 0; i < kWords; ++i) {
      const uint32_t y = (words[i] & 0x80000000u) | (words[(i + 1) % kWords] & 0x7FFFFFFFu);
      words[i] = words[(i + kShift) % kWords] ^ y >> 1 ^ ((y & 1) != 0 ? 0x9908B0DFu : 0);
    }
    next = 0;
  }

  uint32_t Next() {
    if (next >= kWords) Refill();
    uint32_t y = words[next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680u;
    y ^= y << 15 & 0xEFC60000u;
    return y ^ y >> 18;
  }

  double NextDouble() {
    const uint32_t a = Next() >> 5, b = Next() >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
  }
};

Twister* Self(const Args& args) {
  return reinterpret_cast<Twister*>(As<ByteArray>(As<Record>(args[0])->values[0])->data);
}

[[gnu::cold]] bool SeedWith(Vm& vm, Twister* twister, Value v) {
  uint32_t key[kWords];
  if (v.empty() || v.IsNone()) {
    sys::SystemRandom().Fill({reinterpret_cast<uint8_t*>(key), sizeof key});
    twister->Begin(key);
    return true;
  }
  uint64_t hash = 0;
  if (!IsInt(v)) {
    if (v.IsFloat()) {
      hash = static_cast<uint64_t>(DoubleHash(v.AsFloat()));
    } else if (!vm.Hash(v, &hash)) {
      return false;
    }
    v = vm.NewUnsigned(hash);
    if (v.empty()) return false;
  }
  if (IntSign(v) < 0 && (v = IntNegate(vm, v)).empty()) return false;
  const auto words = static_cast<size_t>((std::max<int64_t>(IntBitLength(v), 1) + 31) / 32);
  if (!vm.Scratch(words * 4) || !vm.ChargeSteps(static_cast<int64_t>(words / 8))) return false;
  std::vector<uint32_t> digits(words);
  if (!IntToBytes(vm, v, words * 4, true, false, reinterpret_cast<char*>(digits.data())))
    return false;
  twister->Begin(digits);
  return true;
}

Value NewGenerator(Vm& vm, Args&);

Value Seed(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "seed", 0, 1)) return Value();
  return vm.ChargeSteps(60) && SeedWith(vm, Self(args), args.count > 1 ? args[1] : Value())
             ? Value::None()
             : Value();
}

Value Random(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "random", 0, 0) ? Value::Float(Self(args)->NextDouble()) : Value();
}

Value BitsOf(Vm& vm, Twister* twister, int64_t count) {
  if (count == 0) return Value::SmallInt(0);
  if (count <= 32) return Value::SmallInt(twister->Next() >> (32 - count));
  if (count > LargestBytes(vm)) return vm.TooLarge();
  const auto words = static_cast<size_t>((count + 31) / 32);
  if (!vm.Scratch(words * 4) || !vm.ChargeSteps(static_cast<int64_t>(words / 4))) return Value();
  std::vector<uint32_t> out(words);
  for (uint32_t& word : out) {
    word = twister->Next();
    if (count < 32) word >>= 32 - count;
    count -= 32;
  }
  return IntFromBytes(vm, reinterpret_cast<const char*>(out.data()), words * 4, true, false);
}

Value GetRandBits(Vm& vm, Args& args) {
  int64_t count;
  if (!ExpectMethod(vm, args, "getrandbits", 1, 1) || !vm.ToIndex(args[1], &count, "k", true))
    return Value();
  if (count < 0) return vm.Raise(Error::kValueError, "number of bits must be non-negative");
  return BitsOf(vm, Self(args), count);
}

// A number below n > 0: as many bits as n has, until they are below it.
Value Below(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "_below", 1, 1)) return Value();
  const Value n = args[1];
  if (!IsInt(n) || IntSign(n) <= 0) return vm.Raise(Error::kValueError, "n must be positive");
  const int64_t bits = IntBitLength(n);
  for (;;) {
    Value v = BitsOf(vm, Self(args), bits);
    if (v.empty() || IntCompare(v, n) < 0) return v;
    if (!vm.ChargeSteps(1)) return Value();
  }
}

Value GetState(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "getstate", 0, 0) || !vm.ChargeSteps(kWords / 8)) return Value();
  Value out = vm.NewTuple(nullptr, kWords + 1);
  if (out.empty()) return out;
  for (uint32_t i = 0; i < kWords; ++i)
    As<Tuple>(out)->items[i] = Value::SmallInt(Self(args)->words[i]);
  As<Tuple>(out)->items[kWords] = Value::SmallInt(Self(args)->next);
  return out;
}

Value SetState(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "setstate", 1, 1)) return Value();
  if (!Is(args[1], Type::kTuple))
    return vm.Raise(Error::kTypeError, "state vector must be a tuple");
  const auto* state = As<Tuple>(args[1]);
  if (state->size != kWords + 1)
    return vm.Raise(Error::kValueError, "state vector is the wrong size");
  Twister fresh;
  for (uint32_t i = 0; i <= kWords; ++i) {
    int64_t word;
    if (!vm.ToIndex(state->items[i], &word, "state", true)) return Value();
    if (word < 0)
      return vm.Raise(Error::kOverflowError, "can't convert negative value to unsigned int");
    if (i == kWords && word > kWords) return vm.Raise(Error::kValueError, "invalid state");
    (i < kWords ? fresh.words[i] : fresh.next) = static_cast<uint32_t>(word);
  }
  *Self(args) = fresh;
  return Value::None();
}

Value Entropy(Vm& vm, Args& args) {
  int64_t count;
  if (!Expect(vm, args, "entropy", 1, 1) || !vm.ToIndex(args[0], &count, "n")) return Value();
  if (count < 0) return vm.Raise(Error::kValueError, "negative argument not allowed");
  if (count > LargestBytes(vm) || !vm.Scratch(static_cast<size_t>(count)))
    return vm.failed() ? Value() : vm.TooLarge();
  std::string out(static_cast<size_t>(count), '\0');
  sys::SystemRandom().Fill({reinterpret_cast<uint8_t*>(out.data()), out.size()});
  return vm.ChargeSteps(count / 16) ? vm.NewBytes(out) : Value();
}

constexpr BuiltinRow kGeneratorRows[] = {{"__new__", NewGenerator},    {"_below", Below},
                                         {"getrandbits", GetRandBits}, {"getstate", GetState},
                                         {"random", Random},           {"seed", Seed, true},
                                         {"setstate", SetState}};
const RecordType kGenerator = {"_random", "Random", kGeneratorRows};
constexpr BuiltinRow kRows[] = {{"entropy", Entropy}};

Value NewGenerator(Vm& vm, Args&) {
  Class* cls = ClassOfRecord(vm, kGenerator);
  Value out = cls == nullptr ? Value() : vm.NewRecord(cls, 1);
  Value state = out.empty() ? out : vm.NewByteArray(std::string(sizeof(Twister), '\0'));
  if (state.empty()) return state;
  As<Record>(out)->values[0] = state;
  Args self{&out, 1};
  return SeedWith(vm, Self(self), Value()) ? out : Value();
}

}  // namespace

Value MakeRandom(Vm& vm) {
  Value v = MakeModule(vm, "_random", kRows);
  Class* cls = ClassOfRecord(vm, kGenerator);
  return v.empty() || cls == nullptr || !vm.SetVariable(As<Module>(v), "Random", Value::Of(cls))
             ? Value()
             : v;
}

}  // namespace ferry::vm

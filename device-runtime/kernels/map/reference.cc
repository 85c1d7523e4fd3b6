// Plain C++ for every code and type.
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "device-runtime/kernels/map/kernels.h"

namespace ferry::kernels {
namespace {

template <typename T>
using Unsigned = std::make_unsigned_t<T>;
template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <typename T>
constexpr int kBits = static_cast<int>(8 * sizeof(T));

// Each function: Run(a, b, c) of one register type.
#define FERRY_DEFINE(name, of_float, of_integer)                                     \
  struct Do##name {                                                                  \
    template <typename T>                                                            \
    static T Run([[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T c) { \
      if constexpr (kIsFloat<T>) {                                                   \
        return static_cast<T>(of_float);                                             \
      } else {                                                                       \
        using U = Unsigned<T>;                                                       \
        [[maybe_unused]] const U ua = static_cast<U>(a), ub = static_cast<U>(b),     \
                                 uc = static_cast<U>(c);                             \
        return static_cast<T>(of_integer);                                           \
      }                                                                              \
    }                                                                                \
  };

template <typename T>
T WiderThanFloat(T x) {
  return x;
}
double WiderThanFloat(float x) {
  return static_cast<double>(x);
}

template <typename T>
T Largest(T a, T b) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
  }
  return a < b ? b : a;
}
template <typename T>
T Smallest(T a, T b) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
  }
  return b < a ? b : a;
}

// b is not 0.
template <typename T>
T Quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<Unsigned<T>>(a));
  }
  return static_cast<T>(a / b);
}
template <typename T>
T Remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
template <typename T>
T Modulo(T a, T b) {
  if constexpr (kIsFloat<T>) {
    const T r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  } else {
    if (b == 0) return 0;
    const T r = Remainder(a, b);
    return r != 0 && std::is_signed_v<T> && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
  }
}
template <typename T>
T IntegerPower(T base, T exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (std::is_signed_v<T> && base == static_cast<T>(-1)) return exponent % 2 == 0 ? T{1} : base;
    return 0;
  }
  Unsigned<T> result = 1;
  auto square = static_cast<Unsigned<T>>(base);
  for (auto left = static_cast<Unsigned<T>>(exponent); left != 0; left >>= 1) {
    if (left & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

FERRY_DEFINE(Abs, std::abs(a), std::is_signed_v<T>&& a < 0 ? 0 - ua : ua)
FERRY_DEFINE(Acos, std::acos(WiderThanFloat(a)), 0)
FERRY_DEFINE(Add, a + b, ua + ub)
FERRY_DEFINE(And, 0, ua& ub)
FERRY_DEFINE(Asin, std::asin(WiderThanFloat(a)), 0)
FERRY_DEFINE(Atan, std::atan(WiderThanFloat(a)), 0)
FERRY_DEFINE(Ceil, std::ceil(a), 0)
FERRY_DEFINE(Cos, std::cos(WiderThanFloat(a)), 0)
FERRY_DEFINE(Div, a / b, b == 0 ? 0 : Quotient(a, b))
FERRY_DEFINE(Equal, a == b, a == b)
FERRY_DEFINE(Erf, std::erf(WiderThanFloat(a)), 0)
FERRY_DEFINE(Exp, std::exp(WiderThanFloat(a)), 0)
FERRY_DEFINE(Floor, std::floor(a), 0)
FERRY_DEFINE(Less, a < b, a < b)
FERRY_DEFINE(LessOrEqual, a <= b, a <= b)
FERRY_DEFINE(Log, std::log(WiderThanFloat(a)), 0)
FERRY_DEFINE(Max, Largest(a, b), Largest(a, b))
FERRY_DEFINE(Min, Smallest(a, b), Smallest(a, b))
FERRY_DEFINE(Mod, Modulo(a, b), Modulo(a, b))
FERRY_DEFINE(Mul, a* b, ua* ub)
FERRY_DEFINE(MulAdd, a* b + c, ua* ub + uc)
FERRY_DEFINE(Neg, -a, 0 - ua)
FERRY_DEFINE(Or, 0, ua | ub)
FERRY_DEFINE(Pow, std::pow(WiderThanFloat(a), WiderThanFloat(b)), IntegerPower(a, b))
FERRY_DEFINE(Rem, std::fmod(a, b), b == 0 ? 0 : Remainder(a, b))
FERRY_DEFINE(Round, std::nearbyint(a), 0)
FERRY_DEFINE(Select, a != 0 ? b : c, a != 0 ? b : c)
FERRY_DEFINE(ShiftLeft, 0, ub >= static_cast<U>(kBits<T>) ? U{0} : ua << ub)
FERRY_DEFINE(ShiftRight, 0, ub >= static_cast<U>(kBits<T>) ? U{0} : ua >> ub)
FERRY_DEFINE(Sigmoid, 1 / (1 + std::exp(-WiderThanFloat(a))), 0)
FERRY_DEFINE(Sin, std::sin(WiderThanFloat(a)), 0)
FERRY_DEFINE(Sqrt, std::sqrt(a), 0)
FERRY_DEFINE(Sub, a - b, ua - ub)
FERRY_DEFINE(Tan, std::tan(WiderThanFloat(a)), 0)
FERRY_DEFINE(Tanh, std::tanh(WiderThanFloat(a)), 0)
FERRY_DEFINE(Xor, 0, ua ^ ub)
#undef FERRY_DEFINE

template <typename T>
T At(const void* data, int64_t i) {
  return static_cast<const T*>(data)[i];
}

template <typename Op, typename T, int kOperands>
void Run(int64_t n, const void* a, const void* b, const void* c, void* to) {
  for (int64_t i = 0; i < n; ++i) {
    const T second = kOperands > 1 ? At<T>(b, i) : T{};
    const T third = kOperands > 2 ? At<T>(c, i) : T{};
    static_cast<T*>(to)[i] = Op::Run(At<T>(a, i), second, third);
  }
}

template <typename To, typename From>
To Converted(From x) {
  if constexpr (kIsFloat<From> && !kIsFloat<To>) {
    if (std::isnan(x)) return 0;
    if (x <= static_cast<From>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (x >= static_cast<From>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
  }
  return static_cast<To>(x);
}

template <typename From, typename To>
void Convert(int64_t n, const void* a, const void*, const void*, void* to) {
  static_assert(sizeof(From) <= 8 && sizeof(To) <= 8);
  for (int64_t i = 0; i < n; ++i) {
    To value = Converted<To>(At<From>(a, i));
    std::memcpy(static_cast<To*>(to) + i, &value, sizeof(To));
  }
}

template <typename From, typename To>
void Widen(int64_t n, const void* from, void* to) {
  for (int64_t i = 0; i < n; ++i) static_cast<To*>(to)[i] = static_cast<To>(At<From>(from, i));
}
void LoadF16(int64_t n, const void* from, void* to) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<float*>(to)[i] = tensor::HalfToFloat(At<uint16_t>(from, i));
  }
}
void LoadBF16(int64_t n, const void* from, void* to) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<float*>(to)[i] = tensor::BFloat16ToFloat(At<uint16_t>(from, i));
  }
}
void StoreF16(int64_t n, const void* from, void* to) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<uint16_t*>(to)[i] = tensor::FloatToHalf(At<float>(from, i));
  }
}
void StoreBF16(int64_t n, const void* from, void* to) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<uint16_t*>(to)[i] = tensor::FloatToBFloat16(At<float>(from, i));
  }
}

#define FERRY_ROW(Op, operands)                                                      \
  {                                                                                  \
    Run<Op, float, operands>, Run<Op, double, operands>, Run<Op, int32_t, operands>, \
        Run<Op, int64_t, operands>, Run<Op, uint64_t, operands>                      \
  }
#define FERRY_CONVERT(From)                                                                      \
  {                                                                                              \
    Convert<From, float>, Convert<From, double>, Convert<From, int32_t>, Convert<From, int64_t>, \
        Convert<From, uint64_t>                                                                  \
  }

void StoreBool(int64_t n, const void* from, void* to) {
  for (int64_t i = 0; i < n; ++i) static_cast<uint8_t*>(to)[i] = At<int32_t>(from, i) != 0;
}

constexpr MapKernels MakeReference() {
  MapKernels k = {
      {
#define FERRY_MAP(name, operands, kinds, error) FERRY_ROW(Do##name, operands),
#include "device-runtime/kernels/map/codes.inc"
#undef FERRY_MAP
          {}},
      {FERRY_CONVERT(float), FERRY_CONVERT(double), FERRY_CONVERT(int32_t), FERRY_CONVERT(int64_t),
       FERRY_CONVERT(uint64_t)},
      {},
      {},
  };
  using enum tensor::DType;
  const auto set = [&](tensor::DType dtype, MapMove load, MapMove store) {
    k.load[static_cast<size_t>(dtype)] = load;
    k.store[static_cast<size_t>(dtype)] = store;
  };
  set(kF16, LoadF16, StoreF16);
  set(kBF16, LoadBF16, StoreBF16);
  set(kI8, Widen<int8_t, int32_t>, Widen<int32_t, int8_t>);
  set(kU8, Widen<uint8_t, int32_t>, Widen<int32_t, uint8_t>);
  set(kBool, Widen<uint8_t, int32_t>, StoreBool);
  set(kI16, Widen<int16_t, int32_t>, Widen<int32_t, int16_t>);
  set(kU16, Widen<uint16_t, int32_t>, Widen<int32_t, uint16_t>);
  set(kU32, Widen<uint32_t, int64_t>, Widen<int64_t, uint32_t>);
  return k;
}

}  // namespace

const MapKernels kMapReference = MakeReference();

}  // namespace ferry::kernels

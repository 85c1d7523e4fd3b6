#include <algorithm>
#include <cmath>

#include "device-runtime/vm/lib/modules/math/real.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/real.h"

namespace ferry::vm {
namespace {

constexpr size_t kMaxPartials = 2100;  // more than the exponents of doubles need

// The sum of non-overlapping partial sums, rounded once, halves to even.
double Rounded(const std::vector<double>& partials) {
  if (partials.empty()) return 0;
  size_t n = partials.size();
  double high = partials[--n], low = 0;
  while (n > 0) {
    const double x = high, y = partials[--n];
    high = x + y;
    low = y - (high - x);
    if (low != 0) break;
  }
  // A half is rounded by what lies below it.
  if (n > 0 && ((low < 0 && partials[n - 1] < 0) || (low > 0 && partials[n - 1] > 0))) {
    const double twice = low * 2, up = high + twice;
    if (twice == up - high) high = up;
  }
  return high;
}

// Shewchuk's exact sum.
Value FSum(Vm& vm, Args& args) {
  if (!ExpectOne(vm, args, "math", "fsum")) return Value();
  Roots roots(vm);
  Value it = vm.Iterate(args[0]);
  if (it.empty()) return it;
  roots.Add(it);
  std::vector<double> partials;
  double special = 0, infinities = 0;
  for (Value item; !(item = vm.Next(it)).empty();) {
    double x;
    if (!ToReal(vm, item, &x)) return Value();
    const double given = x;
    size_t kept = 0;
    for (double y : partials) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    if (!std::isfinite(x)) {
      if (std::isfinite(given))
        return vm.Raise(Error::kOverflowError, "intermediate overflow in fsum");
      if (std::isinf(given)) infinities += given;
      special += given;
      partials.clear();
    } else if (x != 0 && partials.size() < kMaxPartials) {
      partials.push_back(x);
    }
  }
  if (vm.failed()) return Value();
  if (special != 0) {
    if (std::isnan(infinities)) return vm.Raise(Error::kValueError, "-inf + inf in fsum");
    return Value::Float(special);
  }
  return Value::Float(Rounded(partials));
}

// The length of a vector, scaled by its largest part, the squares summed in two doubles and the
// root mended once: within a bit of exact nearly always.
double Length(const std::vector<double>& parts) {
  double largest = 0;
  bool nan = false;
  for (double x : parts) {
    nan = nan || std::isnan(x);
    largest = std::max(largest, std::fabs(x));
  }
  if (std::isinf(largest)) return largest;
  if (nan) return NAN;
  if (largest == 0 || parts.size() <= 1) return largest;
  int exponent;
  std::frexp(largest, &exponent);
  double sum = 1, low = 0;  // one more than the sum, so that each square is smaller
  for (double part : parts) {
    const double x = std::ldexp(part, -exponent);
    const double square = x * x, rest = std::fma(x, x, -square);
    const double next = sum + square;
    low += (square - (next - sum)) + rest;
    sum = next;
  }
  const double root = std::sqrt(sum - 1 + low);
  const double square = root * root, rest = std::fma(root, root, -square);
  const double missing = ((sum - 1) - square) + (low - rest);
  return std::ldexp(root + missing / (2 * root), exponent);
}

Value Hypot(Vm& vm, Args& args) {
  if (args.keywords() > 0)
    return vm.Raise(Error::kTypeError, "math.hypot() takes no keyword arguments");
  std::vector<double> parts(args.count);
  for (uint32_t i = 0; i < args.count; ++i)
    if (!ToReal(vm, args[i], &parts[i])) return Value();
  const double out = Length(parts);
  return Value::Float(out);
}

Value Dist(Vm& vm, Args& args) {
  if (!ExpectSome(vm, args, "math", "dist", 2, 2)) return Value();
  Roots roots(vm);
  Value lists[2];
  for (uint32_t i = 0; i < 2; ++i) {
    lists[i] = vm.ToList(args[i]);
    if (lists[i].empty()) return Value();
    roots.Add(lists[i]);
  }
  const uint32_t size = As<List>(lists[0])->size;
  if (size != As<List>(lists[1])->size)
    return vm.Raise(Error::kValueError, "both points must have the same number of dimensions");
  if (!vm.Scratch(size * sizeof(double)) || !vm.ChargeSteps(size)) return Value();
  std::vector<double> parts;
  for (uint32_t i = 0; i < size; ++i) {
    double p, q;
    if (!ToReal(vm, As<List>(lists[0])->items[i], &p) ||
        !ToReal(vm, As<List>(lists[1])->items[i], &q))
      return Value();
    parts.push_back(p - q);
  }
  return Value::Float(Length(parts));
}

Value Prod(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"iterable", "start"};
  Value bound[2];
  if (!BindBuiltin(vm, args, "prod", kNames, 1, 1, bound)) return Value();
  Roots roots(vm);
  Value it = vm.Iterate(bound[0]);
  if (it.empty()) return it;
  roots.Add(it);
  Value total = bound[1].empty() ? Value::SmallInt(1) : bound[1];
  const size_t at = vm.kept.size();
  roots.Add(total);
  for (Value item; !(item = vm.Next(it)).empty();) {
    total = vm.Binary(static_cast<int>(Operator::kMul), total, item);
    if (total.empty()) return total;
    vm.kept[at] = total;
  }
  return vm.failed() ? Value() : total;
}

constexpr BuiltinRow kRows[] = {
    {"dist", Dist, true}, {"fsum", FSum, true}, {"hypot", Hypot}, {"prod", Prod, true}};

}  // namespace

std::span<const BuiltinRow> MathSumRows() {
  return kRows;
}

}  // namespace ferry::vm

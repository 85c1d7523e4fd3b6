#include "device-runtime/ops/shared/parts/map_forms.h"

#include <algorithm>
#include <cmath>

namespace ferry::ops {
namespace {

using ir::MapType;
using MapValue = MapBuilder::Value;

bool IsFloat(MapValue v) {
  return v.type == MapType::kF32 || v.type == MapType::kF64;
}

struct Form {
  std::string_view name;
  bool takes_integers;
  MapValue (*make)(MapBuilder& m, MapValue x, double alpha, double beta);
};

MapValue Plus(MapBuilder& m, MapValue x, double number) {
  return m.Call("Add", x, m.Number(x, number));
}
MapValue Times(MapBuilder& m, MapValue x, double number) {
  return m.Call("Mul", x, m.Number(x, number));
}
MapValue Clamp(MapBuilder& m, MapValue x, double low, double high) {
  return m.Call("Min", m.Call("Max", x, m.Number(x, low)), m.Number(x, high));
}
MapValue IsNegative(MapBuilder& m, MapValue x) {
  return m.Call("Less", x, m.Number(x, 0));
}
// alpha * (exp(x / scale) - 1)
MapValue Decay(MapBuilder& m, MapValue x, double alpha, double scale) {
  const MapValue power = scale == 1 ? x : m.Call("Div", x, m.Number(x, scale));
  return Times(m, Plus(m, m.Call("Exp", power), -1), alpha);
}
MapValue Softplus(MapBuilder& m, MapValue x) {
  const MapValue tail = m.Call("Log", Plus(m, m.Call("Exp", m.Call("Neg", m.Call("Abs", x))), 1));
  return m.Call("Add", m.Call("Max", x, m.Number(x, 0)), tail);
}

// A function in double precision, where float32 would cancel.
template <typename Make>
MapValue InDouble(MapBuilder& m, MapValue x, Make make) {
  return m.Convert(make(m.Convert(x, MapType::kF64)), x.type);
}

MapValue Acosh(MapBuilder& m, MapValue x, double, double) {
  return InDouble(m, x, [&](MapValue v) {
    const MapValue root =
        m.Call("Mul", m.Call("Sqrt", Plus(m, v, -1)), m.Call("Sqrt", Plus(m, v, 1)));
    return m.Call("Log", m.Call("Add", v, root));
  });
}
MapValue Asinh(MapBuilder& m, MapValue x, double, double) {
  return InDouble(m, x, [&](MapValue v) {
    const MapValue size = m.Call("Abs", v);
    const MapValue root = m.Call("Sqrt", Plus(m, m.Call("Mul", v, v), 1));
    // Beyond 1e150 the square is infinite: there the root is |x|.
    const MapValue sum =
        m.Call("Add", size, m.Call("Select", m.Call("Less", size, m.Number(v, 1e150)), root, size));
    const MapValue log = m.Call("Log", sum);
    return m.Call("Select", IsNegative(m, v), m.Call("Neg", log), log);
  });
}
MapValue Atanh(MapBuilder& m, MapValue x, double, double) {
  return InDouble(m, x, [&](MapValue v) {
    const MapValue ratio = m.Call("Div", Plus(m, v, 1), m.Call("Sub", m.Number(v, 1), v));
    return Times(m, m.Call("Log", ratio), 0.5);
  });
}
MapValue Hyperbolic(MapBuilder& m, MapValue x, const char* join) {
  return InDouble(m, x, [&](MapValue v) {
    const MapValue up = m.Call("Exp", v);
    return Times(m, m.Call(join, up, m.Call("Exp", m.Call("Neg", v))), 0.5);
  });
}

#define FERRY_CALL(function) \
  [](MapBuilder& m, MapValue x, double, double) { return m.Call(function, x); }
#define FERRY_FORM(...)                                                                      \
  []([[maybe_unused]] MapBuilder& m, [[maybe_unused]] MapValue x, [[maybe_unused]] double a, \
     [[maybe_unused]] double b) -> MapValue { return __VA_ARGS__; }

constexpr Form kUnary[] = {
    {"Abs", true, FERRY_CALL("Abs")},
    {"Acos", false, FERRY_CALL("Acos")},
    {"Acosh", false, Acosh},
    {"Asin", false, FERRY_CALL("Asin")},
    {"Asinh", false, Asinh},
    {"Atan", false, FERRY_CALL("Atan")},
    {"Atanh", false, Atanh},
    {"Ceil", false, FERRY_CALL("Ceil")},
    {"Celu", false,
     FERRY_FORM(m.Call("Select", m.Call("Less", m.Number(x, 0), x), x, Decay(m, x, a, a)))},
    {"Cos", false, FERRY_CALL("Cos")},
    {"Cosh", false, FERRY_FORM(Hyperbolic(m, x, "Add"))},
    {"Elu", false, FERRY_FORM(m.Call("Select", IsNegative(m, x), Decay(m, x, a, 1), x))},
    {"Erf", false, FERRY_CALL("Erf")},
    {"Exp", false, FERRY_CALL("Exp")},
    {"Floor", false, FERRY_CALL("Floor")},
    {"HardSigmoid", false, FERRY_FORM(Clamp(m, Plus(m, Times(m, x, a), b), 0, 1))},
    {"HardSwish", false,
     FERRY_FORM(m.Call("Mul", x, Clamp(m, Plus(m, Times(m, x, 1.0 / 6), 0.5), 0, 1)))},
    {"LeakyRelu", false, FERRY_FORM(m.Call("Select", IsNegative(m, x), Times(m, x, a), x))},
    {"Log", false, FERRY_CALL("Log")},
    {"Mish", false, FERRY_FORM(m.Call("Mul", x, m.Call("Tanh", Softplus(m, x))))},
    {"Neg", true, FERRY_CALL("Neg")},
    {"Reciprocal", false, FERRY_FORM(m.Call("Div", m.Number(x, 1), x))},
    {"Relu", true, FERRY_FORM(m.Call("Max", x, m.Number(x, 0)))},
    {"Round", false, FERRY_CALL("Round")},
    {"Selu", false,
     FERRY_FORM(
         Times(m, m.Call("Select", m.Call("Less", m.Number(x, 0), x), x, Decay(m, x, a, 1)), b))},
    {"Sigmoid", false, FERRY_CALL("Sigmoid")},
    {"Sign", true,
     FERRY_FORM(m.Call("Select", m.Call("Less", m.Number(x, 0), x), m.Number(x, 1),
                       m.Call("Select", IsNegative(m, x), m.Number(x, -1), x)))},
    {"Silu", false, FERRY_FORM(m.Call("Mul", x, m.Call("Sigmoid", x)))},
    {"Sin", false, FERRY_CALL("Sin")},
    {"Sinh", false, FERRY_FORM(Hyperbolic(m, x, "Sub"))},
    {"Softplus", false, FERRY_FORM(Softplus(m, x))},
    {"Softsign", false, FERRY_FORM(m.Call("Div", x, Plus(m, m.Call("Abs", x), 1)))},
    {"Sqrt", false, FERRY_CALL("Sqrt")},
    {"Tan", false, FERRY_CALL("Tan")},
    {"Tanh", false, FERRY_CALL("Tanh")},
    {"ThresholdedRelu", false,
     FERRY_FORM(m.Call("Select", m.Call("Less", m.Number(x, a), x), x, m.Number(x, 0)))},
};
#undef FERRY_FORM
#undef FERRY_CALL

struct Function {
  std::string_view name;
  const char* function;
  bool swaps;  // the function of (y, x)
};
constexpr Function kBinary[] = {
    {"Add", "Add", false},
    {"And", "And", false},
    {"BitwiseAnd", "And", false},
    {"BitwiseOr", "Or", false},
    {"BitwiseXor", "Xor", false},
    {"Div", "Div", false},
    {"Equal", "Equal", false},
    {"Greater", "Less", true},
    {"GreaterOrEqual", "LessOrEqual", true},
    {"Less", "Less", false},
    {"LessOrEqual", "LessOrEqual", false},
    {"Max", "Max", false},
    {"Min", "Min", false},
    {"Mod", "Mod", false},
    {"Mul", "Mul", false},
    {"Or", "Or", false},
    {"Pow", "Pow", false},
    {"Rem", "Rem", false},
    {"ShiftLeft", "ShiftLeft", false},
    {"ShiftRight", "ShiftRight", false},
    {"Sub", "Sub", false},
    {"Sum", "Add", false},
    {"Xor", "Xor", false},
};

}  // namespace

std::optional<MapValue> UnaryForm(MapBuilder& map, std::string_view name, MapValue x, double alpha,
                                  double beta) {
  const auto* form = std::ranges::find(kUnary, name, &Form::name);
  if (form == std::end(kUnary) || (!IsFloat(x) && !form->takes_integers)) return std::nullopt;
  return form->make(map, x, alpha, beta);
}

std::optional<MapValue> BinaryForm(MapBuilder& map, std::string_view name, MapValue x, MapValue y) {
  if (x.type != y.type) return std::nullopt;
  if (name == "PRelu") return map.Call("Select", IsNegative(map, x), map.Call("Mul", x, y), x);
  const auto* form = std::ranges::find(kBinary, name, &Function::name);
  if (form == std::end(kBinary)) return std::nullopt;
  return form->swaps ? map.Call(form->function, y, x) : map.Call(form->function, x, y);
}

}  // namespace ferry::ops

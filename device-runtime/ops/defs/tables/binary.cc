// Element-wise operators of two inputs (Max, Min, Sum: of any number); binary.inc has a row for
// each.
#include <algorithm>
#include <optional>

#include "device-runtime/ops/defs/tables/binary_functions.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/map_forms.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {

std::span<const Op> BinaryOps();

namespace {

enum class ResultType { Same, Bool };
struct Function {
  std::string_view name;
  std::string_view kernel;
  Kinds takes;
  ResultType result;
  double (*of_double)(double x, double y);
  int64_t (*of_signed)(int64_t x, int64_t y);
  uint64_t (*of_unsigned)(uint64_t x, uint64_t y);

  double operator()(double x, double y) const { return of_double(x, y); }
  int64_t operator()(int64_t x, int64_t y) const { return of_signed(x, y); }
  uint64_t operator()(uint64_t x, uint64_t y) const { return of_unsigned(x, y); }
};

#define FERRY_ONE_TYPE(type, ...)          \
  [](type x, type y) {                     \
    using T [[maybe_unused]] = type;       \
    return static_cast<type>(__VA_ARGS__); \
  }
#define FERRY_FUNCTION(name, kernel, takes, result, ...)                                 \
  {                                                                                      \
    name, kernel, Kinds::takes, ResultType::result, FERRY_ONE_TYPE(double, __VA_ARGS__), \
        FERRY_ONE_TYPE(int64_t, __VA_ARGS__), FERRY_ONE_TYPE(uint64_t, __VA_ARGS__)      \
  }

constexpr Function kFunctions[] = {
#define FERRY_BINARY(name, kernel, most, takes, result, ...) \
  FERRY_FUNCTION(#name, kernel, takes, result, __VA_ARGS__),
#include "device-runtime/ops/defs/tables/binary.inc"
#undef FERRY_BINARY
};
constexpr Function kShiftRight = FERRY_FUNCTION("", "", Unsigned, Same, ShiftRight(x, y));
constexpr Function kRemainder = FERRY_FUNCTION("", "", Number, Same, Remainder(x, y));

// The function of a node: for some operators an attribute chooses.
Result<const Function*> FunctionOf(const NodeContext& c) {
  const std::string& op = c.node().op;
  if (op == "BitShift") {
    FERRY_ASSIGN_OR_RETURN(std::string direction, c.Text("direction", ""));
    if (direction == "RIGHT") return &kShiftRight;
    if (direction != "LEFT") return Status::Of(Code::kBadModel, "direction '{}'", direction);
  }
  if (op == "Mod") {
    FERRY_ASSIGN_OR_RETURN(int64_t truncates, c.Int("fmod", 0));
    if (truncates != 0) return &kRemainder;
    if (tensor::IsFloat(c.Input(0).dtype)) {
      return Status(Code::kShapeMismatch, "floating point needs attribute 'fmod'");
    }
  }
  return &*std::ranges::find(kFunctions, op, &Function::name);
}

// The shape by which input `i` broadcasts. Before opset 7 attribute `axis` said where the second
// operand's axes lie among those of the first, and a slope for each channel was a list.
Result<Shape> OperandShape(const NodeContext& c, int i) {
  const Shape& shape = c.InputShape(i);
  const int rank = c.InputShape(0).rank();
  if (i != 1 || c.version() >= 7 || shape.elements() == 1) return shape;
  FERRY_ASSIGN_OR_RETURN(int64_t axis, c.Int("axis", rank - shape.rank()));
  if (c.node().op == "PRelu" && shape.rank() == 1 && rank > 1) axis = 1;
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank - shape.rank()) {
    return Status::Of(Code::kShapeMismatch, "{} does not lie in {} at axis {}", shape.ToString(),
                      c.InputShape(0).ToString(), axis);
  }
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.resize(static_cast<size_t>(rank - axis), 1);
  return Shape::Make(dims);
}

Status InferBinary(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Function* f, FunctionOf(c));
  const bool mixed = c.node().op == "Pow";
  Shape shape = c.InputShape(0);
  const DType dtype = c.Input(0).dtype;
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) return Status::Of(Code::kBadModel, "input {} is missing", i);
    FERRY_TRY(CheckKinds(c, i, f->takes));
    if (c.Input(i).dtype != dtype && !mixed) {
      return Status::Of(Code::kShapeMismatch, "inputs are {} and {}", tensor::DTypeName(dtype),
                        tensor::DTypeName(c.Input(i).dtype));
    }
    FERRY_ASSIGN_OR_RETURN(const Shape operand, OperandShape(c, i));
    FERRY_ASSIGN_OR_RETURN(shape, tensor::BroadcastShapes(shape, operand));
  }
  if (c.node().op == "PRelu" && shape != c.InputShape(0)) {
    return Status::Of(Code::kShapeMismatch, "slopes of {} for {}", c.InputShape(1).ToString(),
                      c.InputShape(0).ToString());
  }
  c.SetOutput(0, f->result == ResultType::Bool ? DType::kBool : dtype, shape);
  return OkStatus();
}

struct Operand {
  const Tensor& tensor;
  BroadcastIndex at;
};

template <typename T>
Status PairOf(const Function& f, const Operand& a, const Operand& b, Tensor& out) {
  const bool divides = !kIsDouble<T> && (f.name == "Div" || f.name == "Mod" || &f == &kRemainder);
  for (int64_t i = 0; i < out.elements(); ++i) {
    const T y = Get<T>(b.tensor, b.at(i));
    if (divides && y == T{}) return Status(Code::kInvalidArgument, "integer division by zero");
    const T value = f(Get<T>(a.tensor, a.at(i)), y);
    if (out.dtype() == DType::kBool) {
      out.SetInteger(i, value != T{} ? 1 : 0);
    } else {
      Put<T>(out, i, value);
    }
  }
  return OkStatus();
}

Status Pair(const Function& f, const Operand& a, const Operand& b, Tensor& out) {
  const DType left = a.tensor.dtype();
  const DType right = b.tensor.dtype();
  if (left == DType::kString) {
    for (int64_t i = 0; i < out.elements(); ++i) {
      out.SetInteger(i, a.tensor.Text(a.at(i)) == b.tensor.Text(b.at(i)) ? 1 : 0);
    }
    return OkStatus();
  }
  if (tensor::IsFloat(left) != tensor::IsFloat(right)) {  // Pow
    for (int64_t i = 0; i < out.elements(); ++i) {
      out.SetNumber(i, f(a.tensor.Number(a.at(i)), b.tensor.Number(b.at(i))));
    }
    return OkStatus();
  }
  // An exponent may have another width or sign than its base.
  const DType wider = tensor::IsUnsigned(left) ? right : left;
  return WithExact(wider, [&](auto zero) { return PairOf<decltype(zero)>(f, a, b, out); });
}

Status ReferenceBinary(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Function* f, FunctionOf(c));
  Tensor& out = c.Out(0);
  if (c.input_count() == 1) {
    CopyAll(c.In(0), out);
    return OkStatus();
  }
  for (int i = 1; i < c.input_count(); ++i) {
    // From the third on `out` is itself an operand: element i is read before it is written.
    const Tensor& left = i == 1 ? c.In(0) : out;
    FERRY_ASSIGN_OR_RETURN(const Shape shape, OperandShape(c, i));
    FERRY_TRY(Pair(*f, {left, BroadcastIndex(left.shape(), out.shape())},
                   {c.In(i), BroadcastIndex(shape, out.shape())}, out));
  }
  return OkStatus();
}

// The form of a node in a map: where an attribute chooses the function, that function's name.
std::string_view FormName(const NodeContext& c, const Function& f) {
  if (&f == &kShiftRight) return "ShiftRight";
  if (&f == &kRemainder) return "Rem";
  return c.node().op == "BitShift" ? "ShiftLeft" : std::string_view(c.node().op);
}

// More operands than this would need too many registers.
constexpr int kMaxMapOperands = 8;

// Powers that a product or a root does: the square of layer normalisations, say.
std::optional<MapBuilder::Value> SimplePower(const LowerContext& c, MapBuilder& map) {
  if (c.node().op != "Pow" || !tensor::IsFloat(c.Input(0).dtype)) return std::nullopt;
  const ValueInfo& exponent = c.Input(1);
  if (!exponent.constant || exponent.shape.elements() != 1) return std::nullopt;
  const double power = exponent.constant->Number(0);
  const MapBuilder::Value x = map.Input(0);
  if (power == 2) return map.Call("Mul", x, x);
  if (power == 3) return map.Call("Mul", map.Call("Mul", x, x), x);
  if (power == -1) return map.Call("Div", map.Number(x, 1), x);
  return std::nullopt;
}

// Operands [first, end) of the node, joined to `left` if there is one.
Result<MapBuilder::Value> FormOf(LowerContext& c, MapBuilder& map,
                                 std::optional<MapBuilder::Value> left, int first, int end) {
  FERRY_ASSIGN_OR_RETURN(const Function* f, FunctionOf(c));
  for (int i = first; i < end; ++i) {
    FERRY_ASSIGN_OR_RETURN(const Shape shape, OperandShape(c, i));
    MapBuilder::Value right = map.Input(i, shape);
    if (!left) {
      left = right;
      continue;
    }
    // A base of integers with an exponent of floats goes through doubles.
    const bool mixed = tensor::IsFloat(c.Input(i).dtype) && !tensor::IsFloat(c.Input(0).dtype);
    if (mixed) left = map.Convert(*left, ir::MapType::kF64);
    if (c.node().op == "Pow") right = map.Convert(right, left->type);
    left = BinaryForm(map, FormName(c, *f), *left, right);
    if (!left) return Status::Of(Code::kInternal, "no form of '{}'", c.node().op);
  }
  return *left;
}

void EmitOutput(LowerContext& c, MapBuilder& map, MapBuilder::Value value) {
  map.Output(0, map.Narrow(value, c.OutputInfo(0).dtype));
  map.Emit();
}

Status LowerBinary(LowerContext& c) {
  if (c.Input(0).dtype == DType::kString) {
    c.EmitHost();
    return OkStatus();
  }
  const int count = c.input_count();
  if (count <= kMaxMapOperands) {
    MapBuilder map(c, c.OutputShape(0));
    if (const auto power = SimplePower(c, map)) {
      EmitOutput(c, map, *power);
      return OkStatus();
    }
    FERRY_ASSIGN_OR_RETURN(const auto value, FormOf(c, map, {}, 0, count));
    EmitOutput(c, map, value);
    return OkStatus();
  }
  // More operands than a map has registers: one map behind the other.
  const Shape& shape = c.OutputShape(0);
  const DType dtype = c.OutputInfo(0).dtype;
  BufferId sum = -1;
  for (int first = 0; first < count; first += kMaxMapOperands - 1) {
    const int end = std::min(count, first + kMaxMapOperands - 1);
    MapBuilder map(c, shape, Layout::kPlain);
    std::optional<MapBuilder::Value> left;
    if (sum >= 0) left = map.Buffer(sum, dtype, shape);
    FERRY_ASSIGN_OR_RETURN(const auto value, FormOf(c, map, left, first, end));
    if (end == count) {
      EmitOutput(c, map, value);
    } else {
      sum = map.EmitNew(dtype, value);
    }
  }
  return OkStatus();
}

constexpr Op kOps[] = {
#define FERRY_BINARY(name, kernel, most, ...) \
  {#name, most == 2 ? 2 : 1, most, 1, 1, InferBinary, ReferenceBinary, LowerBinary},
#include "device-runtime/ops/defs/tables/binary.inc"
#undef FERRY_BINARY
};

}  // namespace

std::span<const Op> BinaryOps() {
  return kOps;
}

}  // namespace ferry::ops

// LabelEncoder (ONNX's ML domain): maps keys to values, all others to a default. Its first version
// had one list of texts, mapped to their places or back.
#include <cmath>
#include <unordered_map>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

// A list of keys or values: the attribute tensor or one made of the typed lists.
Result<Tensor> List(const NodeContext& c, const std::string& side) {
  FERRY_ASSIGN_OR_RETURN(const Tensor* tensor, c.TensorAttribute(side + "_tensor"));
  if (tensor != nullptr) return *tensor;
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> texts, c.Texts(side + "_strings"));
  if (!texts.empty()) {
    return Tensor::Strings({static_cast<int64_t>(texts.size())}, texts);
  }
  FERRY_ASSIGN_OR_RETURN(const std::vector<float> floats, c.Floats(side + "_floats"));
  if (!floats.empty()) {
    return Tensor::Of<float>({static_cast<int64_t>(floats.size())}, floats);
  }
  FERRY_ASSIGN_OR_RETURN(const IntList ints, c.Ints(side + "_int64s"));
  if (!ints) return Status::Of(Code::kBadModel, "there are no {}", side);
  return Tensor::Of<int64_t>({static_cast<int64_t>(ints.list.size())}, ints.list);
}

Result<Tensor> Default(const NodeContext& c, DType dtype) {
  FERRY_ASSIGN_OR_RETURN(const Tensor* tensor, c.TensorAttribute("default_tensor"));
  if (tensor != nullptr) {
    if (tensor->dtype() == dtype && tensor->elements() == 1) return *tensor;
    return Status(Code::kBadModel, "the default is not one value of the values' type");
  }
  if (dtype == DType::kString) {
    FERRY_ASSIGN_OR_RETURN(const std::string text, c.Text("default_string", "_Unused"));
    return Tensor::Strings({1}, std::vector<std::string>{text});
  }
  FERRY_ASSIGN_OR_RETURN(Tensor value, Tensor::Zeros(dtype, {1}));
  if (tensor::IsFloat(dtype)) {
    FERRY_ASSIGN_OR_RETURN(const float number, c.Float("default_float", -0.0f));
    value.SetNumber(0, number);
  } else {
    FERRY_ASSIGN_OR_RETURN(const int64_t number, c.Int("default_int64", -1));
    value.SetInteger(0, number);
  }
  return value;
}

struct Table {
  Tensor keys, values, otherwise;
};

Result<Table> OldTable(const NodeContext& c) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> classes, c.Texts("classes_strings"));
  const Shape shape({static_cast<int64_t>(classes.size())});
  FERRY_ASSIGN_OR_RETURN(Tensor texts, Tensor::Strings(shape, classes));
  FERRY_ASSIGN_OR_RETURN(Tensor places, Tensor::Allocate(DType::kI64, shape));
  for (int64_t i = 0; i < shape[0]; ++i) places.SetInteger(i, i);
  if (c.Input(0).dtype == DType::kString) std::swap(texts, places);
  FERRY_ASSIGN_OR_RETURN(Tensor otherwise, Default(c, texts.dtype()));
  return Table{places, texts, otherwise};
}

Result<Table> TableOf(const NodeContext& c) {
  Table table;
  if (c.Has("classes_strings")) {
    FERRY_ASSIGN_OR_RETURN(table, OldTable(c));
  } else {
    FERRY_ASSIGN_OR_RETURN(table.keys, List(c, "keys"));
    FERRY_ASSIGN_OR_RETURN(table.values, List(c, "values"));
    FERRY_ASSIGN_OR_RETURN(table.otherwise, Default(c, table.values.dtype()));
  }
  if (table.keys.elements() != table.values.elements()) {
    return Status::Of(Code::kBadModel, "{} keys and {} values", table.keys.elements(),
                      table.values.elements());
  }
  if (table.keys.dtype() != c.Input(0).dtype) {
    return Status::Of(Code::kShapeMismatch, "the keys are {}, the input {}",
                      tensor::DTypeName(table.keys.dtype()), tensor::DTypeName(c.Input(0).dtype));
  }
  return table;
}

// An element as a text that is the same for equal keys (all NaN are equal, and both zeros).
std::string KeyText(const Tensor& t, int64_t i) {
  if (t.dtype() == DType::kString) return std::string(t.Text(i));
  if (!tensor::IsFloat(t.dtype())) return fmt::format("{}", t.Integer(i));
  const double number = t.Number(i);
  return std::isnan(number) ? "nan" : fmt::format("{}", number == 0 ? 0.0 : number);
}

Status InferLabelEncoder(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Table table, TableOf(c));
  c.SetOutput(0, table.values.dtype(), c.InputShape(0));
  return OkStatus();
}

Status ReferenceLabelEncoder(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Table table, TableOf(c));
  std::unordered_map<std::string, int64_t> places;
  for (int64_t i = 0; i < table.keys.elements(); ++i) places[KeyText(table.keys, i)] = i;
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const auto found = places.find(KeyText(c.In(0), i));
    const bool known = found != places.end();
    const Tensor& from = known ? table.values : table.otherwise;
    const int64_t at = known ? found->second : 0;
    if (from.dtype() == DType::kString) {
      c.Out(0).SetText(i, c.strings().Add(from.Text(at)));
    } else {
      CopyElement(from, at, c.Out(0), i);
    }
  }
  return OkStatus();
}

}  // namespace

extern const Op kLabelEncoderOp;
const Op kLabelEncoderOp = {"ai.onnx.ml:LabelEncoder", 1, 1, 1, 1, InferLabelEncoder,
                            ReferenceLabelEncoder};

}  // namespace ferry::ops

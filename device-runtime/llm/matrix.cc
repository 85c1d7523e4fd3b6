#include "device-runtime/llm/matrix.h"

#include "common/base/json.h"
#include "device-runtime/kernels/packed/pack.h"
#include "device-runtime/llm/file/format.h"

namespace ferry::llm {
namespace {

constexpr const char* kPackedName = "packed";

struct ScaleName {
  kernels::PackedScale scale;
  const char* name;
};
constexpr ScaleName kScaleNames[] = {{kernels::PackedScale::kF16, "f16"},
                                     {kernels::PackedScale::kBF16, "bf16"},
                                     {kernels::PackedScale::kF32, "f32"}};
struct ShiftName {
  kernels::PackedShift shift;
  const char* name;
  const char* mark;
};
constexpr ShiftName kShiftNames[] = {{kernels::PackedShift::kNone, "none", ""},
                                     {kernels::PackedShift::kZero, "zero", "+zero"},
                                     {kernels::PackedShift::kNumber, "number", "+min"}};

}  // namespace

bool MatrixType::operator==(const MatrixType& other) const {
  if (packed.has_value() != other.packed.has_value()) return false;
  if (!packed) return rows == other.rows;
  return packed->bits == other.packed->bits && packed->group == other.packed->group &&
         packed->scale == other.packed->scale && packed->shift == other.packed->shift;
}

std::string MatrixTypeName(const MatrixType& type) {
  if (!type.packed) {
    if (type.rows == kernels::WeightType::kI8) return "int8";
    return std::string(WeightTypeName(type.rows));
  }
  const kernels::PackedForm& form = *type.packed;
  std::string name = fmt::format("i{}/", form.bits);
  name += form.group == 0 ? "row" : fmt::format("{}", form.group);
  for (const ShiftName& row : kShiftNames) {
    if (row.shift == form.shift) name += row.mark;
  }
  return name;
}

Matrix RowsOf(const Matrix& matrix, int64_t first, int64_t count) {
  Matrix part = matrix;
  if (matrix.is_packed()) {
    const int64_t tile = kernels::LayoutOfTile(matrix.packed.form, matrix.columns()).bytes;
    part.packed.rows = count;
    part.packed.data =
        static_cast<const uint8_t*>(matrix.packed.data) + first / kernels::kPackedTileRows * tile;
    return part;
  }
  const kernels::WeightMatrix& plain = matrix.plain;
  part.plain.rows = count;
  part.plain.data = static_cast<const uint8_t*>(plain.data) +
                    first * plain.columns * kernels::WeightBytes(plain.type);
  if (plain.scales != nullptr) part.plain.scales = plain.scales + first;
  return part;
}

MatrixType Matrix::type() const {
  MatrixType type;
  if (is_packed()) {
    type.packed = packed.form;
  } else {
    type.rows = plain.type;
  }
  return type;
}

int64_t Matrix::bytes() const {
  if (is_packed()) return kernels::PackedBytes(packed.form, packed.rows, packed.columns);
  const int64_t scales = plain.type == kernels::WeightType::kI8 ? plain.rows * 4 : 0;
  return plain.rows * plain.columns * kernels::WeightBytes(plain.type) + scales;
}

void WidenRow(const Matrix& matrix, int64_t row, float* out) {
  if (matrix.is_packed()) {
    kernels::WidenRow(matrix.packed, row, out);
  } else {
    kernels::WidenRow(matrix.plain, row, out);
  }
}

uint64_t MatrixBytes(const MatrixType& type, uint64_t rows, uint64_t columns) {
  if (!type.packed) return TensorSectionBytes(type.rows, rows, columns);
  return static_cast<uint64_t>(kernels::PackedBytes(*type.packed, static_cast<int64_t>(rows),
                                                    static_cast<int64_t>(columns)));
}

void WriteMatrixType(const MatrixType& type, Json* entry) {
  if (!type.packed) {
    (*entry)["type"] = WeightTypeName(type.rows);
    return;
  }
  (*entry)["type"] = kPackedName;
  (*entry)["bits"] = type.packed->bits;
  (*entry)["group"] = type.packed->group;
  for (const ScaleName& row : kScaleNames) {
    if (row.scale == type.packed->scale) (*entry)["scale"] = row.name;
  }
  for (const ShiftName& row : kShiftNames) {
    if (row.shift == type.packed->shift) (*entry)["shift"] = row.name;
  }
}

Result<MatrixType> ReadMatrixType(const Json& entry) {
  FERRY_ASSIGN_OR_RETURN(const std::string name, GetString(entry, "type"));
  MatrixType type;
  for (const WeightTypeRow& row : kWeightTypes) {
    if (row.name != name) continue;
    type.rows = row.type;
    return type;
  }
  if (name != kPackedName) {
    return Status::Of(Code::kUnsupported, "type \"{:.40}\"; supported: f32, bf16, f16, i8, packed",
                      name);
  }
  FERRY_ASSIGN_OR_RETURN(const int64_t bits, GetInt(entry, "bits"));
  FERRY_ASSIGN_OR_RETURN(const int64_t group, GetInt(entry, "group"));
  FERRY_ASSIGN_OR_RETURN(const std::string scale, GetString(entry, "scale"));
  FERRY_ASSIGN_OR_RETURN(const std::string shift, GetString(entry, "shift"));
  kernels::PackedForm form;
  const bool small = bits >= 0 && bits <= 8 && group >= 0 && group <= 128;
  form.bits = small ? static_cast<int>(bits) : 0;
  form.group = small ? static_cast<int>(group) : -1;
  bool known = false;
  for (const ScaleName& row : kScaleNames) {
    if (row.name == scale) form.scale = row.scale, known = true;
  }
  bool shift_known = false;
  for (const ShiftName& row : kShiftNames) {
    if (row.name == shift) form.shift = row.shift, shift_known = true;
  }
  if (!known || !shift_known || !kernels::IsPackedForm(form, 1)) {
    return Status::Of(Code::kUnsupported,
                      "packed in {} bits, groups of {}, scales {:.20}, shifts {:.20}", bits, group,
                      scale, shift);
  }
  type.packed = form;
  return type;
}

}  // namespace ferry::llm

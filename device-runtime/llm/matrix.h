// A matrix as a model stores it: rows of numbers of one type (kernels/linear), or few bits
// (kernels/packed).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "device-runtime/kernels/linear/linear.h"
#include "device-runtime/kernels/packed/packed.h"

namespace ferry::llm {

struct MatrixType {
  kernels::WeightType rows = kernels::WeightType::kF32;  // unless `packed`
  std::optional<kernels::PackedForm> packed;

  bool operator==(const MatrixType& other) const;
};

// "f32", "bf16", "f16", "int8" (a scale a row), "i4/32" (4 bits, groups of 32), "i8/row", with
// "+zero" where groups have zero points and "+min" where they have numbers.
std::string MatrixTypeName(const MatrixType& type);

// Borrowed.
struct Matrix {
  kernels::WeightMatrix plain;  // unless `packed` has data
  kernels::PackedMatrix packed;
  int32_t tensor = -1;  // its place among the model's tensors (arch/describe/tensors.h)

  bool is_packed() const { return packed.data != nullptr; }
  bool present() const { return is_packed() || plain.data != nullptr; }
  int64_t rows() const { return is_packed() ? packed.rows : plain.rows; }
  int64_t columns() const { return is_packed() ? packed.columns : plain.columns; }
  MatrixType type() const;
  int64_t bytes() const;  // as stored, with scales
};

// `count` rows from `first` on, which is a multiple of kernels::kPackedTileRows where packed.
Matrix RowsOf(const Matrix& matrix, int64_t first, int64_t count);

// The `columns` values of row `row` in float32.
void WidenRow(const Matrix& matrix, int64_t row, float* out);

// Bytes of a tensor section of the type (file/format.h); of one extent: columns 1.
uint64_t MatrixBytes(const MatrixType& type, uint64_t rows, uint64_t columns);

// Members "type" and, of packed ones, "bits", "group", "scale" and "shift" of an entry of a model
// file's header, and back. kUnsupported for what this Ferry does not know.
void WriteMatrixType(const MatrixType& type, Json* entry);
Result<MatrixType> ReadMatrixType(const Json& entry);

}  // namespace ferry::llm

// Matrices of F8_E4M3: alone, with a scale a block (quant_method "fp8": weight_scale_inv, which
// values are multiplied with), or with a scale a row or a matrix (compressed-tensors'
// float-quantized).
#include "device-runtime/llm/load/stored/float8.h"

#include <array>
#include <cmath>
#include <limits>

#include "device-runtime/llm/load/stored/form.h"
#include "device-runtime/llm/load/stored/store.h"

namespace ferry::llm {
namespace {

std::array<float, 256> MakeValues() {
  std::array<float, 256> values{};
  for (int code = 0; code < 256; ++code) {
    const int exponent = code >> 3 & 15;
    const int fraction = code & 7;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
    const bool none = (code & 0x7f) == 0x7f;
    values[static_cast<size_t>(code)] =
        none ? std::numeric_limits<float>::quiet_NaN()
             : static_cast<float>((code & 0x80) != 0 ? -magnitude : magnitude);
  }
  return values;
}

// The scales of a matrix: one for `rows` times `columns` of its numbers.
struct Scales {
  RawTensor tensor;
  int64_t rows = 0, columns = 0;
};

Result<std::optional<Scales>> FindScales(const FormContext& context, const std::string& name,
                                         const RawTensor& matrix) {
  const int64_t rows = matrix.shape[0];
  const int64_t columns = matrix.shape[1];
  const auto check = [](const RawTensor& scales) -> Status {
    if (scales.dtype == "F32" || scales.dtype == "F16" || scales.dtype == "BF16") return OkStatus();
    return scales.Bad(fmt::format("is of dtype {}, wanted F32, F16 or BF16", scales.dtype));
  };
  FERRY_ASSIGN_OR_RETURN(const auto inverse, context.raw.Find(name + "_scale_inv"));
  if (inverse) {
    FERRY_TRY(check(*inverse));
    Scales scales{*inverse, context.quantization.block_rows, context.quantization.block_columns};
    if (scales.rows < 1 || scales.columns < 1) {
      return inverse->Bad("needs quantization_config.weight_block_size");
    }
    FERRY_TRY(inverse->WantShape(
        {(rows + scales.rows - 1) / scales.rows, (columns + scales.columns - 1) / scales.columns}));
    return std::optional(scales);
  }
  FERRY_ASSIGN_OR_RETURN(const auto plain, context.raw.Find(name + "_scale"));
  if (!plain) return std::optional<Scales>();
  FERRY_TRY(check(*plain));
  const bool one = plain->bytes.size() == (plain->dtype == "F32" ? 4u : 2u);
  if (one) return std::optional(Scales{*plain, rows, columns});
  FERRY_TRY(plain->WantShape({rows, 1}));
  return std::optional(Scales{*plain, 1, columns});
}

}  // namespace

float Float8Value(uint8_t bits) {
  static const std::array<float, 256> values = MakeValues();
  return values[bits];
}

Result<std::optional<StoredTensor>> FindFloat8(const FormContext& context,
                                               const std::string& name) {
  FERRY_ASSIGN_OR_RETURN(const auto matrix, context.raw.Find(name));
  if (!matrix || matrix->dtype != "F8_E4M3") return std::optional<StoredTensor>();
  const bool vector = matrix->shape.size() == 1;
  if (!vector) FERRY_TRY(matrix->WantMatrix());
  MadeMatrix made{name, matrix->where, matrix->shape[0], vector ? 1 : matrix->shape[1]};
  std::optional<Scales> scales;
  if (!vector) {
    FERRY_ASSIGN_OR_RETURN(scales, FindScales(context, name, *matrix));
  }
  const int64_t across =
      scales ? (made.columns + scales->columns - 1) / scales->columns : int64_t{0};
  FERRY_ASSIGN_OR_RETURN(
      StoredTensor stored,
      StoreRows(made, context.parallel(), [&](int64_t row, float* out) -> Status {
        const uint8_t* const from = matrix->bytes.data() + row * made.columns;
        for (int64_t k = 0; k < made.columns; ++k) out[k] = Float8Value(from[k]);
        if (!scales) return OkStatus();
        for (int64_t k = 0; k < made.columns; ++k) {
          out[k] *= FloatAt(scales->tensor.dtype, scales->tensor.bytes.data(),
                            row / scales->rows * across + k / scales->columns);
        }
        return OkStatus();
      }));
  stored.shape = matrix->shape;
  return std::optional(std::move(stored));
}

}  // namespace ferry::llm

#include "device-runtime/llm/file/section.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/crypto/hash.h"
#include "device-runtime/llm/file/format.h"
#include "device-runtime/llm/file/quantize.h"
#include "device-runtime/tensor/buffer.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::llm {
namespace {

using kernels::WeightMatrix;
using kernels::WeightType;

static_assert(std::endian::native == std::endian::little, "sections are used as they lie");

constexpr size_t kPieceBytes = 64 << 10;

ByteView ViewOf(const void* data, int64_t bytes) {
  return {static_cast<const uint8_t*>(data), static_cast<size_t>(bytes)};
}

Status EmitScales(int64_t value_bytes, const float* scales, int64_t rows, const ByteSink& sink) {
  constexpr uint8_t kZeros[kSectionAlignment] = {};
  const auto used = static_cast<uint64_t>(value_bytes);
  FERRY_TRY(sink({kZeros, AlignedToSection(used) - used}));
  return sink(ViewOf(scales, rows * 4));
}

Status EmitSame(const Matrix& from, const ByteSink& sink) {
  if (from.is_packed()) return sink(ViewOf(from.packed.data, from.bytes()));
  const WeightMatrix& plain = from.plain;
  const int64_t bytes = plain.rows * plain.columns * kernels::WeightBytes(plain.type);
  FERRY_TRY(sink(ViewOf(plain.data, bytes)));
  if (plain.type != WeightType::kI8) return OkStatus();
  return EmitScales(bytes, plain.scales, plain.rows, sink);
}

Status EmitPacked(const Matrix& from, const kernels::PackedForm& form, QuantizeMethod method,
                  sys::Parallel& parallel, const ByteSink& sink) {
  FERRY_ASSIGN_OR_RETURN(tensor::Buffer packed, tensor::Buffer::Allocate(kernels::PackedBytes(
                                                    form, from.rows(), from.columns())));
  const auto read = [&](int64_t row, int64_t count, float* out) {
    for (int64_t i = 0; i < count; ++i) WidenRow(from, row + i, out + i * from.columns());
    return OkStatus();
  };
  const std::span<uint8_t> bytes(packed.data(), static_cast<size_t>(packed.size()));
  FERRY_TRY(
      QuantizeMatrix(parallel, method, form, from.rows(), from.columns(), read, bytes).status());
  return sink(bytes);
}

// Appends a row as type `to`; for int8 its scale as well.
Status Encode(std::span<const float> row, WeightType to, Bytes* out, std::vector<float>* scales) {
  const size_t begin = out->size();
  out->resize(begin + row.size() * static_cast<size_t>(kernels::WeightBytes(to)));
  uint8_t* at = out->data() + begin;
  if (to == WeightType::kI8) {
    scales->push_back(QuantizeRowToInt8(row, reinterpret_cast<int8_t*>(at)));
    return OkStatus();
  }
  for (float value : row) {
    if (to == WeightType::kF32) {
      PutU32(at, std::bit_cast<uint32_t>(value));
      at += 4;
      continue;
    }
    const bool f16 = to == WeightType::kF16;
    const uint16_t half = f16 ? tensor::FloatToHalf(value) : NearestBFloat16(value);
    const uint16_t exponent = f16 ? 0x7c00 : 0x7f80;
    if ((half & exponent) == exponent) {
      return Status::Of(Code::kOutOfRange, "{} has no {} form", value,
                        f16 ? "float16" : "bfloat16");
    }
    *at++ = static_cast<uint8_t>(half);
    *at++ = static_cast<uint8_t>(half >> 8);
  }
  return OkStatus();
}

}  // namespace

Status EmitTensor(const Matrix& from, const MatrixType& to, QuantizeMethod method,
                  sys::Parallel& parallel, const ByteSink& sink) {
  if (from.type() == to) return EmitSame(from, sink);
  if (to.packed) return EmitPacked(from, *to.packed, method, parallel, sink);
  std::vector<float> row(static_cast<size_t>(from.columns()));
  std::vector<float> scales;
  Bytes piece;
  for (int64_t r = 0; r < from.rows(); ++r) {
    WidenRow(from, r, row.data());
    FERRY_TRY(Encode(row, to.rows, &piece, &scales));
    if (piece.size() < kPieceBytes && r + 1 < from.rows()) continue;
    FERRY_TRY(sink(piece));
    piece.clear();
  }
  if (to.rows != WeightType::kI8) return OkStatus();
  return EmitScales(from.rows() * from.columns(), scales.data(), from.rows(), sink);
}

Matrix StoredMatrix(const Model::State& state, const TensorSpec& spec) {
  if (spec.shape.size() == 2) return state.weights.Matrix(spec.name);
  return {{WeightType::kF32, spec.shape[0], 1, state.weights.Vector(spec.name), nullptr}, {}};
}

Digest ModelDigest(const Model::State& state) {
  crypto::Sha256Stream all;
  const auto number = [&](uint64_t value) {
    uint8_t bytes[8];
    PutU64(bytes, value);
    all.Update(bytes);
  };
  const auto text = [&](std::string_view value) {
    number(value.size());
    all.Update(AsBytes(value));
  };
  text("ferry model");
  text(WriteJson(WriteConfig(state.config)));
  std::vector<size_t> order(state.specs.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return state.specs[a].name < state.specs[b].name; });
  for (size_t i : order) {
    const TensorSpec& spec = state.specs[i];
    const Matrix matrix = StoredMatrix(state, spec);
    text(spec.name);
    text(matrix.is_packed() ? MatrixTypeName(matrix.type()) : WeightTypeName(matrix.plain.type));
    number(spec.shape.size());
    for (int64_t extent : spec.shape) number(static_cast<uint64_t>(extent));
    Digest digest;
    if (state.checksums[i]) {
      digest = *state.checksums[i];
    } else {
      crypto::Sha256Stream one;
      (void)EmitSame(matrix, [&](ByteView piece) {
        one.Update(piece);
        return OkStatus();
      });
      digest = one.Finish();
    }
    all.Update(digest);
  }
  return all.Finish();
}

}  // namespace ferry::llm

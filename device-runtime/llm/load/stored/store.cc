#include "device-runtime/llm/load/stored/store.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>

#include "device-runtime/kernels/packed/pack.h"
#include "device-runtime/llm/load/stored/float8.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::llm {
namespace {

using kernels::kPackedTileRows;
using kernels::PackedForm;
using kernels::PackedShift;

Result<std::shared_ptr<tensor::Buffer>> NewBuffer(const MadeMatrix& made, int64_t bytes) {
  auto buffer = tensor::Buffer::Allocate(bytes);
  if (!buffer.ok()) return buffer.status().Context("tensor \"{}\"", made.name);
  return std::make_shared<tensor::Buffer>(std::move(*buffer));
}

StoredTensor Made(const MadeMatrix& made, const MatrixType& type,
                  const std::shared_ptr<tensor::Buffer>& buffer) {
  StoredTensor stored{.type = type, .shape = {made.rows, made.columns}, .where = made.where};
  stored.values = {buffer->data(), static_cast<size_t>(buffer->size())};
  stored.owner = buffer;
  return stored;
}

// Runs `one(i)` for i < count on all threads; the error of the least i.
Status ForEach(sys::Parallel& parallel, int64_t count, const std::function<Status(int64_t)>& one) {
  std::mutex mutex;
  Status failed;
  int64_t at = count;
  parallel.For(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Status status = one(i);
      if (status.ok()) continue;
      const std::lock_guard lock(mutex);
      if (i < at) {
        failed = status;
        at = i;
      }
      return;
    }
  });
  return failed;
}

bool IsBFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return (bits & 0xffff) == 0;
}

// Columns of our groups that hold whole ones of `group`; -1: there are none.
int PackedGroupOf(int64_t group, int64_t columns) {
  if (group == 0) return 0;
  for (const int each : {128, 64, 32}) {
    if (group % each == 0) return each;
  }
  return group >= columns ? 0 : -1;
}

bool IsRegular(const CodedMatrix& coded) {
  for (size_t k = 0; k < coded.group_of.size(); ++k) {
    if (coded.group_of[k] != (coded.group == 0 ? 0 : static_cast<int64_t>(k) / coded.group)) {
      return false;
    }
  }
  return true;
}

// Whether zero points are within the range of codes, and all its middle.
Result<bool> CheckZeros(const CodedMatrix& coded) {
  if (!coded.read_zero) return true;
  const int most = (1 << coded.bits) - 1;
  bool middle = true;
  for (int64_t row = 0; row < coded.made.rows; ++row) {
    for (int64_t g = 0; g < coded.groups(); ++g) {
      const int zero = coded.read_zero(row, g);
      if (zero < 0 || zero > most) {
        return Status::Of(Code::kBadModel,
                          "{}: tensor \"{}\": the zero point of row {}, group {} is {}, outside of "
                          "0 to {}",
                          coded.made.where, coded.made.name, row, g, zero, most);
      }
      middle = middle && zero == 1 << (coded.bits - 1);
    }
  }
  return middle;
}

Result<StoredTensor> StoreCodedPacked(const CodedMatrix& coded, const PackedForm& form,
                                      sys::Parallel& parallel) {
  const int64_t columns = coded.made.columns;
  const int64_t groups = kernels::PackedGroups(form.group, columns);
  const int64_t each = kernels::PackedGroupColumns(form.group, columns);
  const int half = 1 << (coded.bits - 1);
  return StorePacked(coded.made, form, parallel, [&](const TileRoom& tile) -> Status {
    std::vector<uint8_t> codes(static_cast<size_t>(columns));
    for (int64_t r = 0; r < tile.rows; ++r) {
      coded.read_codes(tile.first + r, codes.data());
      int8_t* to = tile.codes + r * columns;
      for (int64_t k = 0; k < columns; ++k) {
        to[k] = static_cast<int8_t>(int{codes[static_cast<size_t>(k)]} - half);
      }
      for (int64_t g = 0; g < groups; ++g) {
        const int64_t source = coded.group == 0 ? 0 : g * each / coded.group;
        tile.scales[r * groups + g] = coded.read_scale(tile.first + r, source);
        if (form.shift == PackedShift::kNone) continue;
        const int zero = coded.read_zero(tile.first + r, source) - half;
        tile.zeros[r * groups + g] = static_cast<int8_t>(zero * (1 << (8 - coded.bits)));
      }
    }
    return OkStatus();
  });
}

Result<StoredTensor> StoreCodedRows(const CodedMatrix& coded, sys::Parallel& parallel) {
  const int64_t columns = coded.made.columns;
  const int half = 1 << (coded.bits - 1);
  return StoreRows(coded.made, parallel, [&](int64_t row, float* out) -> Status {
    std::vector<uint8_t> codes(static_cast<size_t>(columns));
    coded.read_codes(row, codes.data());
    int64_t last = -1;
    float scale = 0;
    int zero = half;
    for (int64_t k = 0; k < columns; ++k) {
      const int64_t g = !coded.group_of.empty() ? coded.group_of[static_cast<size_t>(k)]
                        : coded.group == 0      ? 0
                                                : k / coded.group;
      if (g != last) {
        scale = coded.read_scale(row, g);
        if (coded.read_zero) zero = coded.read_zero(row, g);
        last = g;
      }
      out[k] = scale * static_cast<float>(int{codes[static_cast<size_t>(k)]} - zero);
    }
    return OkStatus();
  });
}

}  // namespace

Result<StoredTensor> StorePacked(const MadeMatrix& made, const PackedForm& form,
                                 sys::Parallel& parallel, const FillTile& fill) {
  if (!kernels::IsPackedForm(form, made.columns)) {
    return Status::Of(Code::kUnsupported, "{}: tensor \"{}\": {} columns cannot be packed so",
                      made.where, made.name, made.columns);
  }
  FERRY_ASSIGN_OR_RETURN(const auto buffer,
                         NewBuffer(made, kernels::PackedBytes(form, made.rows, made.columns)));
  const auto groups = static_cast<size_t>(kernels::PackedGroups(form.group, made.columns));
  const int64_t tile_bytes = kernels::LayoutOfTile(form, made.columns).bytes;
  FERRY_TRY(ForEach(parallel, kernels::PackedTiles(made.rows), [&](int64_t tile) -> Status {
    std::vector<int8_t> codes(static_cast<size_t>(kPackedTileRows * made.columns));
    std::vector<float> scales(kPackedTileRows * groups), shifts(scales.size());
    std::vector<int8_t> zeros(scales.size());
    const int64_t first = tile * kPackedTileRows;
    const TileRoom room{first,        std::min(kPackedTileRows, made.rows - first),
                        codes.data(), scales.data(),
                        zeros.data(), shifts.data()};
    FERRY_TRY(fill(room));
    kernels::PackTile(form, made.columns,
                      {room.rows, codes.data(), scales.data(), zeros.data(), shifts.data()},
                      buffer->data() + tile * tile_bytes);
    return OkStatus();
  }));
  return Made(made, MatrixType{.packed = form}, buffer);
}

Result<StoredTensor> StoreRows(const MadeMatrix& made, sys::Parallel& parallel,
                               const FillRow& fill) {
  const int64_t count = made.rows * made.columns;
  FERRY_ASSIGN_OR_RETURN(auto buffer, NewBuffer(made, count * 4));
  auto* const values = reinterpret_cast<float*>(buffer->data());
  std::atomic<bool> narrow = true;
  FERRY_TRY(ForEach(parallel, made.rows, [&](int64_t row) -> Status {
    float* const out = values + row * made.columns;
    FERRY_TRY(fill(row, out));
    if (narrow && !std::all_of(out, out + made.columns, IsBFloat16)) narrow = false;
    return OkStatus();
  }));
  MatrixType type;
  if (!narrow) return Made(made, type, buffer);
  type.rows = kernels::WeightType::kBF16;
  FERRY_ASSIGN_OR_RETURN(const auto halves, NewBuffer(made, count * 2));
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    const auto upper = static_cast<uint16_t>(bits >> 16);
    std::memcpy(halves->data() + 2 * i, &upper, sizeof upper);
  }
  return Made(made, type, halves);
}

Result<StoredTensor> StoreAsRows(const std::string& name, const StoredTensor& stored,
                                 sys::Parallel& parallel) {
  Matrix matrix;
  const MadeMatrix made{name, stored.where, stored.shape[0], stored.shape[1]};
  if (stored.type.packed) {
    matrix.packed = {*stored.type.packed, made.rows, made.columns, stored.values.data()};
  } else {
    matrix.plain = {stored.type.rows, made.rows, made.columns, stored.values.data(), nullptr};
  }
  return StoreRows(made, parallel, [&](int64_t row, float* out) {
    WidenRow(matrix, row, out);
    return OkStatus();
  });
}

Result<StoredTensor> StoreCoded(const CodedMatrix& coded, sys::Parallel& parallel) {
  for (size_t k = 0; k < coded.group_of.size(); ++k) {
    if (coded.group_of[k] >= 0 && coded.group_of[k] < coded.groups()) continue;
    return Status::Of(Code::kBadModel, "{}: tensor \"{}\": column {} is of group {}, there are {}",
                      coded.made.where, coded.made.name, k, coded.group_of[k], coded.groups());
  }
  FERRY_ASSIGN_OR_RETURN(const bool middle, CheckZeros(coded));
  PackedForm form{.bits = coded.bits, .scale = coded.scale};
  form.group = PackedGroupOf(coded.group, coded.made.columns);
  form.shift = middle ? PackedShift::kNone : PackedShift::kZero;
  if (IsRegular(coded) && kernels::IsPackedForm(form, coded.made.columns)) {
    return StoreCodedPacked(coded, form, parallel);
  }
  return StoreCodedRows(coded, parallel);
}

int CodeInWords(const uint8_t* words, int64_t stride, int64_t index, int bits) {
  const int64_t bit = index * bits;
  const uint8_t* const at = words + bit / 32 * stride;
  const int shift = static_cast<int>(bit % 32);
  uint32_t word;
  std::memcpy(&word, at, sizeof word);
  uint32_t code = word >> shift;
  if (shift + bits > 32) {
    std::memcpy(&word, at + stride, sizeof word);
    code |= word << (32 - shift);
  }
  return static_cast<int>(code & ((1u << bits) - 1));
}

float FloatAt(std::string_view dtype, const uint8_t* values, int64_t index) {
  if (dtype == "F8_E4M3") return Float8Value(values[index]);
  if (dtype == "F32") {
    float value;
    std::memcpy(&value, values + index * 4, sizeof value);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, values + index * 2, sizeof half);
  return dtype == "F16" ? tensor::HalfToFloat(half) : tensor::BFloat16ToFloat(half);
}

}  // namespace ferry::llm

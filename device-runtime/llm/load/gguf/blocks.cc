// Blocks of quantised values to packed ones. Source: ggml's definition of each type, which is a
// fact of the format: how many values share a scale, and where their bits lie.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "device-runtime/llm/load/gguf/gguf.h"
#include "device-runtime/llm/load/stored/store.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::llm {
namespace {

using formats::GgufTensor;
using kernels::PackedScale;
using kernels::PackedShift;

constexpr int64_t kGroup = 32;   // values that share a scale in packed forms
constexpr int64_t kSuper = 256;  // values of a block of the types called K

float HalfAt(const uint8_t* bytes) {
  uint16_t half;
  std::memcpy(&half, bytes, sizeof half);
  return tensor::HalfToFloat(half);
}

// Room for the values of one block: a scale and a shift for each 32.
struct BlockRoom {
  int8_t* codes;
  float* scales;
  float* shifts;
};

void ReadQ8_0(const uint8_t* block, const BlockRoom& room) {
  room.scales[0] = HalfAt(block);
  std::memcpy(room.codes, block + 2, kGroup);
}

// Halves of bytes: the low ones are the first 16 values.
void ReadNibbles(const uint8_t* bytes, int lowered, int8_t* codes) {
  for (int64_t i = 0; i < kGroup / 2; ++i) {
    codes[i] = static_cast<int8_t>((bytes[i] & 15) - lowered);
    codes[i + kGroup / 2] = static_cast<int8_t>((bytes[i] >> 4) - lowered);
  }
}

void ReadQ4_0(const uint8_t* block, const BlockRoom& room) {
  room.scales[0] = HalfAt(block);
  ReadNibbles(block + 2, 8, room.codes);
}

// scale * q + least with q from 0; codes are 8 less.
void ReadQ4_1(const uint8_t* block, const BlockRoom& room) {
  room.scales[0] = HalfAt(block);
  room.shifts[0] = HalfAt(block + 2) + 8 * room.scales[0];
  ReadNibbles(block + 4, 8, room.codes);
}

// The fifth bit of value i is bit i of a word.
void AddFifthBits(const uint8_t* word, int lowered, int8_t* codes) {
  uint32_t bits;
  std::memcpy(&bits, word, sizeof bits);
  for (int64_t i = 0; i < kGroup; ++i) {
    codes[i] = static_cast<int8_t>(codes[i] + static_cast<int>(bits >> i & 1) * 16 - lowered);
  }
}

void ReadQ5_0(const uint8_t* block, const BlockRoom& room) {
  room.scales[0] = HalfAt(block);
  ReadNibbles(block + 6, 0, room.codes);
  AddFifthBits(block + 2, 16, room.codes);
}

void ReadQ5_1(const uint8_t* block, const BlockRoom& room) {
  room.scales[0] = HalfAt(block);
  room.shifts[0] = HalfAt(block + 2);
  ReadNibbles(block + 8, 0, room.codes);
  AddFifthBits(block + 4, 0, room.codes);
}

// A power of two for 32 numbers of 4 bits, which are whole when they are doubled.
void ReadMxfp4(const uint8_t* block, const BlockRoom& room) {
  room.scales[0] = std::ldexp(1.0f, int{block[0]} - 128);
  int8_t nibbles[kGroup];
  ReadNibbles(block + 1, 0, nibbles);
  for (int64_t i = 0; i < kGroup; ++i) room.codes[i] = kTwiceFloat4[nibbles[i]];
}

// Eight scales and eight minima of six bits in twelve bytes: the first four of each have bytes of
// their own, whose upper two bits belong to the last four.
struct ScaleAndLeast {
  int scale, least;
};
ScaleAndLeast SixBits(const uint8_t* bytes, int i) {
  if (i < 4) return {bytes[i] & 63, bytes[i + 4] & 63};
  return {(bytes[i + 4] & 15) | (bytes[i - 4] >> 6) << 4, (bytes[i + 4] >> 4) | (bytes[i] >> 6)
                                                                                    << 4};
}

// Scales and shifts of a block of type K; `lowered`: what codes are less than q.
void ReadSixBitScales(const uint8_t* block, int lowered, const BlockRoom& room) {
  const float scale = HalfAt(block);
  const float least = HalfAt(block + 2);
  for (int g = 0; g < kSuper / kGroup; ++g) {
    const ScaleAndLeast own = SixBits(block + 4, g);
    room.scales[g] = scale * static_cast<float>(own.scale);
    room.shifts[g] =
        static_cast<float>(lowered) * room.scales[g] - least * static_cast<float>(own.least);
  }
}

// 32 bytes hold two groups: the low halves the first, the high ones the second.
void ReadQ4_K(const uint8_t* block, const BlockRoom& room) {
  ReadSixBitScales(block, 8, room);
  const uint8_t* bytes = block + 16;
  for (int64_t at = 0; at < kSuper; at += 2 * kGroup, bytes += kGroup) {
    for (int64_t i = 0; i < kGroup; ++i) {
      room.codes[at + i] = static_cast<int8_t>((bytes[i] & 15) - 8);
      room.codes[at + kGroup + i] = static_cast<int8_t>((bytes[i] >> 4) - 8);
    }
  }
}

// The fifth bit of value i of group g is bit g of byte i.
void ReadQ5_K(const uint8_t* block, const BlockRoom& room) {
  ReadSixBitScales(block, 0, room);
  const uint8_t* const fifth = block + 16;
  const uint8_t* const bytes = block + 48;
  for (int g = 0; g < kSuper / kGroup; ++g) {
    for (int64_t i = 0; i < kGroup; ++i) {
      const int four = g % 2 == 0 ? bytes[g / 2 * kGroup + i] & 15 : bytes[g / 2 * kGroup + i] >> 4;
      room.codes[g * kGroup + i] = static_cast<int8_t>(four | (fifth[i] >> g & 1) << 4);
    }
  }
}

// A scale for each 16 values, which no packed form has. Halves of 128 values: the lower four bits
// of value i in byte i mod 64, of the first 64 in its low half; the upper two in byte i mod 32, of
// each 32 values two bits further.
void ReadQ6_K(const uint8_t* block, float* out) {
  const auto* const scales = reinterpret_cast<const int8_t*>(block + 192);
  const float scale = HalfAt(block + 208);
  for (int i = 0; i < kSuper; ++i) {
    const int half = i / 128;
    const int in_half = i % 128;
    const uint8_t lower = block[half * 64 + in_half % 64];
    const uint8_t upper = block[128 + half * 32 + in_half % 32];
    const int four = in_half < 64 ? lower & 15 : lower >> 4;
    const int code = (four | (upper >> in_half / 32 * 2 & 3) << 4) - 32;
    out[i] = scale * static_cast<float>(scales[i / 16]) * static_cast<float>(code);
  }
}

struct PackedRow {
  uint32_t type;
  int bits;
  PackedScale scale;
  PackedShift shift;
  void (*read)(const uint8_t* block, const BlockRoom& room);
};
// What is added has more digits than half precision where it is a sum of two numbers.
constexpr PackedRow kPackedRows[] = {
    {formats::kGgufQ4_0, 4, PackedScale::kF16, PackedShift::kNone, ReadQ4_0},
    {formats::kGgufQ4_1, 4, PackedScale::kF32, PackedShift::kNumber, ReadQ4_1},
    {formats::kGgufQ5_0, 8, PackedScale::kF16, PackedShift::kNone, ReadQ5_0},
    {formats::kGgufQ5_1, 8, PackedScale::kF16, PackedShift::kNumber, ReadQ5_1},
    {formats::kGgufQ8_0, 8, PackedScale::kF16, PackedShift::kNone, ReadQ8_0},
    {formats::kGgufMXFP4, 8, PackedScale::kBF16, PackedShift::kNone, ReadMxfp4},
    {formats::kGgufQ4_K, 4, PackedScale::kF32, PackedShift::kNumber, ReadQ4_K},
    {formats::kGgufQ5_K, 8, PackedScale::kF32, PackedShift::kNumber, ReadQ5_K},
};

Result<StoredTensor> StoreBlocks(const MadeMatrix& made, const PackedRow& row,
                                 const formats::GgufTensorType& type, const uint8_t* bytes,
                                 sys::Parallel& parallel) {
  const kernels::PackedForm form{row.bits, kGroup, row.scale, row.shift};
  const int64_t values = type.block_values;
  const int64_t blocks = made.columns / values;
  return StorePacked(made, form, parallel, [&](const TileRoom& tile) -> Status {
    for (int64_t r = 0; r < tile.rows; ++r) {
      for (int64_t b = 0; b < blocks; ++b) {
        const int64_t group = (r * made.columns + b * values) / kGroup;
        row.read(
            bytes + ((tile.first + r) * blocks + b) * type.block_bytes,
            {tile.codes + r * made.columns + b * values, tile.scales + group, tile.shifts + group});
      }
    }
    return OkStatus();
  });
}

std::optional<MatrixType> PlainType(uint32_t type) {
  using kernels::WeightType;
  if (type == formats::kGgufF32) return MatrixType{.rows = WeightType::kF32};
  if (type == formats::kGgufF16) return MatrixType{.rows = WeightType::kF16};
  if (type == formats::kGgufBF16) return MatrixType{.rows = WeightType::kBF16};
  return std::nullopt;
}

Status Unsupported(const GgufTensor& tensor) {
  const formats::GgufTensorType* type = formats::FindGgufTensorType(tensor.type);
  std::string known = "F32, F16, BF16, Q6_K";
  for (const PackedRow& row : kPackedRows) {
    known += fmt::format(", {}", formats::FindGgufTensorType(row.type)->name);
  }
  return Status::Of(Code::kUnsupported, "tensor \"{}\" is of type {}; supported: {}", tensor.name,
                    type == nullptr ? fmt::format("{}", tensor.type) : std::string(type->name),
                    known);
}

}  // namespace

Result<StoredTensor> StoreGgufTensor(const GgufTensor& tensor, int64_t expert,
                                     sys::Parallel& parallel) {
  const formats::GgufTensorType* type = formats::FindGgufTensorType(tensor.type);
  if (type == nullptr) return Unsupported(tensor);
  StoredTensor stored{.shape = tensor.shape, .values = tensor.bytes, .where = "GGUF"};
  if (expert >= 0) {
    if (tensor.shape.size() < 2 || expert >= tensor.shape[0]) {
      return Status::Of(Code::kBadModel, "tensor \"{}\" of shape [{}] has no expert {}",
                        tensor.name, fmt::join(tensor.shape, ", "), expert);
    }
    const size_t each = tensor.bytes.size() / static_cast<size_t>(tensor.shape[0]);
    stored.values = tensor.bytes.subspan(static_cast<size_t>(expert) * each, each);
    stored.shape.erase(stored.shape.begin());
  }
  if (const auto plain = PlainType(tensor.type)) {
    stored.type = *plain;
    return stored;
  }
  if (stored.shape.size() != 2) {
    return Status::Of(Code::kBadModel, "tensor \"{}\" of {} has shape [{}], wanted a matrix",
                      tensor.name, type->name, fmt::join(stored.shape, ", "));
  }
  const MadeMatrix made{std::string(tensor.name), stored.where, stored.shape[0], stored.shape[1]};
  for (const PackedRow& row : kPackedRows) {
    if (row.type == tensor.type) {
      return StoreBlocks(made, row, *type, stored.values.data(), parallel);
    }
  }
  if (tensor.type != formats::kGgufQ6_K) return Unsupported(tensor);
  const int64_t blocks = made.columns / kSuper;
  return StoreRows(made, parallel, [&](int64_t row, float* out) {
    for (int64_t b = 0; b < blocks; ++b) {
      ReadQ6_K(stored.values.data() + (row * blocks + b) * type->block_bytes, out + b * kSuper);
    }
    return OkStatus();
  });
}

}  // namespace ferry::llm

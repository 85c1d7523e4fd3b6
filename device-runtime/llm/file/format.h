// Ferry's model file, ".flm": one mappable file with configuration, tokenizer, chat template and
// weights.
//
// All numbers are little-endian.
//
//   0   magic          89 46 4c 4d 0d 0a 1a 0a
//   8   version        u32; a reader refuses versions above kModelFileVersion
//   12  header bytes   u32, H
//   16  SHA-256        of bytes 0 to 15, 48 to 63 and the header
//   48  zeros          16 bytes
//   64  header         H bytes of JSON:
//                      {"sections": [{"name", "kind", "offset", "bytes", "sha256"}, ...]}
//   then the sections, in the header's order, each at the next multiple of 64, the gaps zero; the
//   file ends with the last section. offset counts from the file's begin, sha256 is hexadecimal.
//
// Kinds of sections; each name is there once:
//   "config"         "config": JSON, the description and end tokens (load/config.h); in version 1
//                    members as in Hugging Face's config.json
//   "tokenizer"      "tokenizer": TokenizerFromSerialized reads it; may be absent
//   "chat_template"  "chat_template": Jinja text in UTF-8; may be absent
//   "tensor"         named as in Hugging Face checkpoints; the entry also has "type" and "shape":
//     "f32", "bf16", "f16"
//                    the numbers, row-major
//     "i8"           two extents; int8 numbers, row-major; zeros up to a multiple of 64; then a
//                    float32 scale a row. A value is scale * number.
// An adapter's file (adapter/adapter.h) has the same form, and in place of all of these kinds
//   "adapter"        "adapter": JSON, {"base": the model's digest in hexadecimal, "family": its
//                    family, "tensors": [{"name", "scale"}, ...]}
//   "tensor"         for each of its tensors "NAME.lora_A", [rank][columns], and "NAME.lora_B",
//                    [rows][rank], of type "f32" or "bf16"
// A reader skips a section of a kind that it does not know when the entry has "optional": true, and
// refuses the file otherwise, as it does for an unknown type. It ignores unknown members.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/base/json_fwd.h"
#include "device-runtime/kernels/linear/linear.h"

namespace ferry::llm {

inline constexpr std::array<uint8_t, 8> kModelFileMagic = {0x89, 'F',  'L',  'M',
                                                           '\r', '\n', 0x1a, '\n'};
inline constexpr uint32_t kModelFileVersion = 2;
inline constexpr uint64_t kModelFilePrefix = 64;
inline constexpr uint64_t kSectionAlignment = 64;
inline constexpr uint64_t kMaxModelFileHeader = kMaxJsonBytes;

inline constexpr const char* kConfigSection = "config";
inline constexpr const char* kTokenizerSection = "tokenizer";
inline constexpr const char* kTemplateSection = "chat_template";
inline constexpr const char* kTensorKind = "tensor";
inline constexpr const char* kAdapterSection = "adapter";

constexpr uint64_t AlignedToSection(uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

struct WeightTypeRow {
  kernels::WeightType type;
  std::string_view name;
};
inline constexpr WeightTypeRow kWeightTypes[] = {
    {kernels::WeightType::kF32, "f32"},
    {kernels::WeightType::kBF16, "bf16"},
    {kernels::WeightType::kI8, "i8"},
    {kernels::WeightType::kF16, "f16"},
};

constexpr std::string_view WeightTypeName(kernels::WeightType type) {
  for (const WeightTypeRow& row : kWeightTypes) {
    if (row.type == type) return row.name;
  }
  return "?";
}

// Bytes of a tensor section; of one extent: columns 1.
constexpr uint64_t TensorSectionBytes(kernels::WeightType type, uint64_t rows, uint64_t columns) {
  const uint64_t values = rows * columns * static_cast<uint64_t>(kernels::WeightBytes(type));
  return type == kernels::WeightType::kI8 ? AlignedToSection(values) + rows * 4 : values;
}

}  // namespace ferry::llm

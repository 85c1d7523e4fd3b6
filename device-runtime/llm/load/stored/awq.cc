// AWQ's checkpoints of version "gemm": qweight [in][out / 8], qzeros [groups][out / 8], scales
// [groups][out]; of the eight outputs in a word the nibbles, from the lowest, hold 0, 2, 4, 6, 1,
// 3, 5, 7. Source: Lin et al. 2023; AutoAWQ's layout.
#include <cstring>

#include "device-runtime/llm/load/stored/form.h"
#include "device-runtime/llm/load/stored/store.h"

namespace ferry::llm {
namespace {

constexpr int64_t kInWord = 8;

int CodeOf(const uint8_t* row_of_words, int64_t output) {
  constexpr int kNibble[kInWord] = {0, 4, 1, 5, 2, 6, 3, 7};
  return CodeInWords(row_of_words + output / kInWord * 4, 4, kNibble[output % kInWord], 4);
}

}  // namespace

Result<std::optional<StoredTensor>> FindAwq(const FormContext& context, const std::string& name) {
  const Quantization& q = context.quantization;
  const std::string base = WithoutWeight(name);
  if (q.method != "awq" || base.empty()) return std::optional<StoredTensor>();
  FERRY_ASSIGN_OR_RETURN(const auto weights, context.raw.Find(base + ".qweight"));
  if (!weights) return std::optional<StoredTensor>();
  FERRY_TRY(weights->WantType("I32"));
  FERRY_TRY(weights->WantMatrix());
  const int64_t words = weights->shape[1];
  const int64_t rows = words * kInWord;
  CodedMatrix coded;
  coded.made = {name, weights->where, rows, weights->shape[0]};
  coded.bits = q.bits;
  coded.group = q.group;
  FERRY_ASSIGN_OR_RETURN(const RawTensor scales, context.raw.Want(base + ".scales"));
  FERRY_ASSIGN_OR_RETURN(coded.scale, ScaleTypeOf(scales));
  FERRY_TRY(scales.WantShape({coded.groups(), rows}));
  FERRY_ASSIGN_OR_RETURN(const RawTensor zeros, context.raw.Want(base + ".qzeros"));
  FERRY_TRY(zeros.WantType("I32"));
  FERRY_TRY(zeros.WantShape({coded.groups(), words}));
  coded.read_codes = [&](int64_t row, uint8_t* codes) {
    for (int64_t k = 0; k < coded.made.columns; ++k) {
      codes[k] = static_cast<uint8_t>(CodeOf(weights->bytes.data() + k * words * 4, row));
    }
  };
  coded.read_scale = [&](int64_t row, int64_t group) {
    return FloatAt(scales.dtype, scales.bytes.data(), group * rows + row);
  };
  coded.read_zero = [&](int64_t row, int64_t group) {
    return CodeOf(zeros.bytes.data() + group * words * 4, row);
  };
  FERRY_ASSIGN_OR_RETURN(StoredTensor stored, StoreCoded(coded, context.parallel()));
  return std::optional(std::move(stored));
}

}  // namespace ferry::llm

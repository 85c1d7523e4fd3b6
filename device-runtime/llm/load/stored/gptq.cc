// GPTQ's checkpoints: qweight [in * bits / 32][out] with codes along the inputs, qzeros
// [groups][out * bits / 32], scales [groups][out], g_idx [in]: each input's group. Zero points are
// stored less 1, but for the format "gptq_v2". Source: Frantar et al. 2022; AutoGPTQ's layout.
#include <cstring>

#include "device-runtime/llm/load/stored/form.h"
#include "device-runtime/llm/load/stored/store.h"

namespace ferry::llm {
namespace {

Result<std::vector<int32_t>> ReadGroups(const RawTensor& tensor, int64_t columns) {
  FERRY_TRY(tensor.WantType("I32"));
  FERRY_TRY(tensor.WantShape({columns}));
  std::vector<int32_t> groups(static_cast<size_t>(columns));
  std::memcpy(groups.data(), tensor.bytes.data(), tensor.bytes.size());
  return groups;
}

}  // namespace

Result<std::optional<StoredTensor>> FindGptq(const FormContext& context, const std::string& name) {
  const Quantization& q = context.quantization;
  const std::string base = WithoutWeight(name);
  if (q.method != "gptq" || base.empty()) return std::optional<StoredTensor>();
  FERRY_ASSIGN_OR_RETURN(const auto weights, context.raw.Find(base + ".qweight"));
  if (!weights) return std::optional<StoredTensor>();
  FERRY_TRY(weights->WantType("I32"));
  FERRY_TRY(weights->WantMatrix());
  const int64_t rows = weights->shape[1];
  if (weights->shape[0] * 32 % q.bits != 0 || rows * q.bits % 32 != 0) {
    return weights->Bad(fmt::format("has shape [{}], which codes of {} bits do not fill",
                                    fmt::join(weights->shape, ", "), q.bits));
  }
  CodedMatrix coded;
  coded.made = {name, weights->where, rows, weights->shape[0] * 32 / q.bits};
  coded.bits = q.bits;
  coded.group = q.group;
  FERRY_ASSIGN_OR_RETURN(const RawTensor scales, context.raw.Want(base + ".scales"));
  FERRY_ASSIGN_OR_RETURN(coded.scale, ScaleTypeOf(scales));
  FERRY_TRY(scales.WantShape({coded.groups(), rows}));
  FERRY_ASSIGN_OR_RETURN(const RawTensor zeros, context.raw.Want(base + ".qzeros"));
  FERRY_TRY(zeros.WantType("I32"));
  FERRY_TRY(zeros.WantShape({coded.groups(), rows * q.bits / 32}));
  FERRY_ASSIGN_OR_RETURN(const auto order, context.raw.Find(base + ".g_idx"));
  if (order) {
    FERRY_ASSIGN_OR_RETURN(coded.group_of, ReadGroups(*order, coded.made.columns));
  }
  const int64_t stride = rows * 4;
  coded.read_codes = [&](int64_t row, uint8_t* codes) {
    for (int64_t k = 0; k < coded.made.columns; ++k) {
      codes[k] =
          static_cast<uint8_t>(CodeInWords(weights->bytes.data() + row * 4, stride, k, q.bits));
    }
  };
  coded.read_scale = [&](int64_t row, int64_t group) {
    return FloatAt(scales.dtype, scales.bytes.data(), group * rows + row);
  };
  coded.read_zero = [&](int64_t row, int64_t group) {
    const int stored =
        CodeInWords(zeros.bytes.data() + group * (rows * q.bits / 8), 4, row, q.bits);
    return stored + (q.zeros_less_one ? 1 : 0);
  };
  FERRY_ASSIGN_OR_RETURN(StoredTensor stored, StoreCoded(coded, context.parallel()));
  return std::optional(std::move(stored));
}

}  // namespace ferry::llm

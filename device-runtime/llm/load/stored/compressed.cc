// compressed-tensors' checkpoints: pack-quantized (weight_packed [out][in * bits / 32], codes along
// the inputs, plus 2^(bits - 1)) and int-quantized (weight of I8), with weight_scale [out][groups],
// weight_zero_point (I8 of the same shape, or packed along the outputs as weights are) and
// weight_g_idx. Source: the library's compressors.
#include <cstring>

#include "device-runtime/llm/load/stored/form.h"
#include "device-runtime/llm/load/stored/store.h"

namespace ferry::llm {
namespace {

// Scales, zero points and order, which both forms share.
struct Companions {
  RawTensor scales;
  std::optional<RawTensor> zeros;
};

Result<Companions> ReadCompanions(const FormContext& context, const std::string& name,
                                  CodedMatrix* coded) {
  const int64_t rows = coded->made.rows;
  Companions found;
  FERRY_ASSIGN_OR_RETURN(found.scales, context.raw.Want(name + "_scale"));
  RawTensor& scales = found.scales;
  FERRY_ASSIGN_OR_RETURN(coded->scale, ScaleTypeOf(scales));
  if (scales.shape.size() == 1 && scales.shape[0] == 1) scales.shape = {1, 1};  // of a tensor
  FERRY_TRY(scales.WantMatrix());
  coded->group = scales.shape[1] == 1 ? 0 : context.quantization.group;
  if (scales.shape[0] != 1 || coded->groups() != 1) {
    FERRY_TRY(scales.WantShape({rows, coded->groups()}));
  }
  FERRY_ASSIGN_OR_RETURN(found.zeros, context.raw.Find(name + "_zero_point"));
  if (found.zeros && found.zeros->dtype == "I32") {
    FERRY_TRY(found.zeros->WantShape({(rows * coded->bits + 31) / 32, coded->groups()}));
  } else if (found.zeros) {
    FERRY_TRY(found.zeros->WantType("I8"));
    if (found.zeros->shape.size() == 1) found.zeros->shape.push_back(1);
    FERRY_TRY(found.zeros->WantShape({scales.shape[0], coded->groups()}));
  }
  FERRY_ASSIGN_OR_RETURN(const auto order, context.raw.Find(name + "_g_idx"));
  if (order) {
    FERRY_TRY(order->WantType("I32"));
    FERRY_TRY(order->WantShape({coded->made.columns}));
    coded->group_of.resize(static_cast<size_t>(coded->made.columns));
    std::memcpy(coded->group_of.data(), order->bytes.data(), order->bytes.size());
  }
  return found;
}

void Attach(const Companions& found, CodedMatrix* coded) {
  const RawTensor& scales = found.scales;
  const int64_t groups = coded->groups();
  const int64_t step = scales.shape[0] == 1 ? 0 : groups;  // one for all rows
  coded->read_scale = [&scales, step](int64_t row, int64_t group) {
    return FloatAt(scales.dtype, scales.bytes.data(), row * step + group);
  };
  if (!found.zeros) return;
  const RawTensor& zeros = *found.zeros;
  if (zeros.dtype == "I32") {
    coded->read_zero = [&zeros, groups, bits = coded->bits](int64_t row, int64_t group) {
      return CodeInWords(zeros.bytes.data() + group * 4, groups * 4, row, bits);
    };
    return;
  }
  coded->read_zero = [&zeros, step, half = 1 << (coded->bits - 1)](int64_t row, int64_t group) {
    return static_cast<int8_t>(zeros.bytes[static_cast<size_t>(row * step + group)]) + half;
  };
}

Result<std::optional<StoredTensor>> Store(const FormContext& context, const std::string& name,
                                          CodedMatrix* coded) {
  FERRY_ASSIGN_OR_RETURN(const Companions found, ReadCompanions(context, name, coded));
  Attach(found, coded);
  FERRY_ASSIGN_OR_RETURN(StoredTensor stored, StoreCoded(*coded, context.parallel()));
  return std::optional(std::move(stored));
}

// Rows and columns as weight_shape has them.
Result<std::pair<int64_t, int64_t>> ReadShape(const RawTensor& shape) {
  FERRY_TRY(shape.WantShape({2}));
  int64_t extents[2];
  if (shape.dtype == "I64") {
    std::memcpy(extents, shape.bytes.data(), sizeof extents);
  } else {
    FERRY_TRY(shape.WantType("I32"));
    int32_t narrow[2];
    std::memcpy(narrow, shape.bytes.data(), sizeof narrow);
    extents[0] = narrow[0];
    extents[1] = narrow[1];
  }
  constexpr int64_t kMost = int64_t{1} << 30;
  if (extents[0] < 1 || extents[1] < 1 || extents[0] > kMost || extents[1] > kMost) {
    return shape.Bad(fmt::format("is [{}, {}]", extents[0], extents[1]));
  }
  return std::pair(extents[0], extents[1]);
}

}  // namespace

Result<std::optional<StoredTensor>> FindCompressed(const FormContext& context,
                                                   const std::string& name) {
  const Quantization& q = context.quantization;
  if (q.method != "compressed-tensors" || WithoutWeight(name).empty()) {
    return std::optional<StoredTensor>();
  }
  CodedMatrix coded;
  FERRY_ASSIGN_OR_RETURN(const auto whole, context.raw.Find(name));
  if (whole && whole->dtype == "I8") {
    FERRY_TRY(whole->WantMatrix());
    coded.made = {name, whole->where, whole->shape[0], whole->shape[1]};
    coded.bits = 8;
    coded.read_codes = [&](int64_t row, uint8_t* codes) {
      const uint8_t* const from = whole->bytes.data() + row * coded.made.columns;
      for (int64_t k = 0; k < coded.made.columns; ++k) {
        codes[k] = static_cast<uint8_t>(from[k] ^ 0x80);
      }
    };
    return Store(context, name, &coded);
  }
  FERRY_ASSIGN_OR_RETURN(const auto packed, context.raw.Find(name + "_packed"));
  if (!packed) return std::optional<StoredTensor>();
  FERRY_TRY(packed->WantType("I32"));
  FERRY_ASSIGN_OR_RETURN(const RawTensor shape, context.raw.Want(name + "_shape"));
  FERRY_ASSIGN_OR_RETURN(const auto extents, ReadShape(shape));
  coded.made = {name, packed->where, extents.first, extents.second};
  // The widths of the groups of layers may differ: the words of a row tell.
  for (const int bits : {4, 8}) {
    const int64_t words = (extents.second * bits + 31) / 32;
    if (packed->shape == std::vector<int64_t>{extents.first, words}) coded.bits = bits;
    if (packed->shape == std::vector<int64_t>{extents.first, words} && bits == q.bits) break;
  }
  const int64_t words = (extents.second * coded.bits + 31) / 32;
  FERRY_TRY(packed->WantShape({extents.first, words}));
  coded.read_codes = [&](int64_t row, uint8_t* codes) {
    for (int64_t k = 0; k < coded.made.columns; ++k) {
      codes[k] = static_cast<uint8_t>(
          CodeInWords(packed->bytes.data() + row * words * 4, 4, k, coded.bits));
    }
  };
  return Store(context, name, &coded);
}

}  // namespace ferry::llm

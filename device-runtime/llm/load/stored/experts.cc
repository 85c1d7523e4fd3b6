// Experts that stand in one tensor: gate and up of all, and down of all. Of two kinds: rows of
// outputs, gate's before up's (Hugging Face's of today), or [expert][in][out] with gate's and up's
// outputs by turns (ImportRules::experts_interleaved, gpt_oss), which is stored as mxfp4 too:
// blocks of 32 numbers of 4 bits (e2m1) and a power of two each. Source: OCP Microscaling Formats.
#include <charconv>
#include <cmath>

#include "device-runtime/llm/load/stored/form.h"
#include "device-runtime/llm/load/stored/store.h"

namespace ferry::llm {
namespace {

// "P.experts.3.up_proj.weight".
struct ExpertName {
  std::string stack;  // "P.experts.gate_up_proj"
  int64_t expert = 0;
  int part = 0;        // of a stack of two: 0 gate, 1 up
  bool paired = true;  // gate or up, not down
  bool bias = false;
};

std::optional<ExpertName> ParseExpertName(const std::string& name) {
  constexpr std::string_view kMark = ".experts.";
  const size_t at = name.find(kMark);
  if (at == std::string::npos) return std::nullopt;
  const char* const digits = name.data() + at + kMark.size();
  ExpertName parsed;
  const auto [end, error] = std::from_chars(digits, name.data() + name.size(), parsed.expert);
  if (error != std::errc() || parsed.expert < 0) return std::nullopt;
  const std::string_view rest(end, static_cast<size_t>(name.data() + name.size() - end));
  const std::string before = name.substr(0, at + kMark.size());
  for (const std::string_view ending : {".weight", ".bias"}) {
    parsed.bias = ending == ".bias";
    for (int part = 0; part < 3; ++part) {
      constexpr std::string_view kParts[] = {".gate_proj", ".up_proj", ".down_proj"};
      if (rest != std::string(kParts[part]) + std::string(ending)) continue;
      parsed.part = part % 2;
      parsed.paired = part < 2;
      parsed.stack = before + (parsed.paired ? "gate_up_proj" : "down_proj");
      return parsed;
    }
  }
  return std::nullopt;
}

Status WantExpert(const RawTensor& stack, const ExpertName& name, size_t rank) {
  if (stack.shape.size() != rank) {
    return stack.Bad(
        fmt::format("has shape [{}], wanted {} extents", fmt::join(stack.shape, ", "), rank));
  }
  for (const int64_t extent : stack.shape) {
    if (extent < 1) return stack.Bad("is empty");
  }
  if (name.expert < stack.shape[0]) return OkStatus();
  return stack.Bad(fmt::format("has no expert {}", name.expert));
}

// Which output of a stack is row `row` of the expert's matrix.
struct Outputs {
  int64_t first = 0, step = 1, count = 0;
};
Result<Outputs> OutputsOf(const RawTensor& stack, const ExpertName& name, int64_t all,
                          bool interleaved) {
  if (!name.paired) return Outputs{0, 1, all};
  if (all % 2 != 0) return stack.Bad(fmt::format("has {} outputs, wanted an even number", all));
  if (interleaved) return Outputs{name.part, 2, all / 2};
  return Outputs{name.part * (all / 2), 1, all / 2};
}

Result<MatrixType> RowsOf(const RawTensor& stack) {
  MatrixType type;
  if (stack.dtype == "BF16") {
    type.rows = kernels::WeightType::kBF16;
  } else if (stack.dtype == "F16") {
    type.rows = kernels::WeightType::kF16;
  } else if (stack.dtype != "F32") {
    return stack.Bad(fmt::format("is of dtype {}, wanted BF16, F16 or F32", stack.dtype));
  }
  return type;
}

Result<StoredTensor> PlainExpert(const FormContext& context, const MadeMatrix& named,
                                 const ExpertName& name, const RawTensor& stack) {
  FERRY_TRY(WantExpert(stack, name, 3));
  FERRY_ASSIGN_OR_RETURN(const MatrixType type, RowsOf(stack));
  const bool interleaved = context.rules.experts_interleaved;
  const int64_t inputs = stack.shape[interleaved ? 1 : 2];
  const int64_t all = stack.shape[interleaved ? 2 : 1];
  FERRY_ASSIGN_OR_RETURN(const Outputs outputs, OutputsOf(stack, name, all, interleaved));
  MadeMatrix made = named;
  made.rows = outputs.count;
  made.columns = inputs;
  const int64_t begin = name.expert * all * inputs;
  if (!interleaved) {
    const auto each = static_cast<size_t>(kernels::WeightBytes(type.rows));
    const auto at = static_cast<size_t>(begin + outputs.first * inputs);
    return StoredTensor{.type = type,
                        .shape = {made.rows, made.columns},
                        .values = stack.bytes.subspan(
                            at * each, static_cast<size_t>(made.rows * made.columns) * each),
                        .where = stack.where};
  }
  return StoreRows(made, context.parallel(), [&](int64_t row, float* out) {
    const int64_t output = outputs.first + row * outputs.step;
    for (int64_t k = 0; k < inputs; ++k) {
      out[k] = FloatAt(stack.dtype, stack.bytes.data(), begin + k * all + output);
    }
    return OkStatus();
  });
}

// Numbers of 4 bits times 2 are whole, so that they are codes of 8 bits under half of their scale.
Result<StoredTensor> BlockExpert(const FormContext& context, const MadeMatrix& named,
                                 const ExpertName& name, const RawTensor& blocks) {
  constexpr int64_t kBlock = 32;
  FERRY_TRY(blocks.WantType("U8"));
  FERRY_TRY(WantExpert(blocks, name, 4));
  const int64_t all = blocks.shape[1];
  const int64_t groups = blocks.shape[2];
  FERRY_TRY(blocks.WantShape({blocks.shape[0], all, groups, kBlock / 2}));
  FERRY_ASSIGN_OR_RETURN(const RawTensor scales, context.raw.Want(name.stack + "_scales"));
  FERRY_TRY(scales.WantType("U8"));
  FERRY_TRY(scales.WantShape({blocks.shape[0], all, groups}));
  FERRY_ASSIGN_OR_RETURN(const Outputs outputs,
                         OutputsOf(blocks, name, all, context.rules.experts_interleaved));
  MadeMatrix made = named;
  made.rows = outputs.count;
  made.columns = groups * kBlock;
  const kernels::PackedForm form{8, 32, kernels::PackedScale::kBF16, kernels::PackedShift::kNone};
  return StorePacked(made, form, context.parallel(), [&](const TileRoom& tile) -> Status {
    for (int64_t r = 0; r < tile.rows; ++r) {
      const int64_t output = outputs.first + (tile.first + r) * outputs.step;
      const int64_t first = (name.expert * all + output) * groups;
      for (int64_t g = 0; g < groups; ++g) {
        const uint8_t exponent = scales.bytes[static_cast<size_t>(first + g)];
        if (exponent == 0xff) {
          return scales.Bad(
              fmt::format("is NaN at expert {}, output {}, block {}", name.expert, output, g));
        }
        tile.scales[r * groups + g] = std::ldexp(1.0f, int{exponent} - 128);
      }
      const uint8_t* const from = blocks.bytes.data() + first * (kBlock / 2);
      int8_t* const codes = tile.codes + r * made.columns;
      for (int64_t i = 0; i < made.columns / 2; ++i) {
        codes[2 * i] = kTwiceFloat4[from[i] & 15];
        codes[2 * i + 1] = kTwiceFloat4[from[i] >> 4];
      }
    }
    return OkStatus();
  });
}

Result<StoredTensor> BiasOfExpert(const FormContext& context, const MadeMatrix& named,
                                  const ExpertName& name, const RawTensor& stack) {
  FERRY_TRY(WantExpert(stack, name, 2));
  FERRY_TRY(RowsOf(stack).status());
  const int64_t all = stack.shape[1];
  FERRY_ASSIGN_OR_RETURN(const Outputs outputs,
                         OutputsOf(stack, name, all, context.rules.experts_interleaved));
  MadeMatrix made = named;
  made.rows = 1;
  made.columns = outputs.count;
  FERRY_ASSIGN_OR_RETURN(StoredTensor stored,
                         StoreRows(made, context.parallel(), [&](int64_t, float* out) {
                           for (int64_t i = 0; i < outputs.count; ++i) {
                             out[i] = FloatAt(stack.dtype, stack.bytes.data(),
                                              name.expert * all + outputs.first + i * outputs.step);
                           }
                           return OkStatus();
                         }));
  stored.shape = {outputs.count};
  return stored;
}

}  // namespace

Result<std::optional<StoredTensor>> FindExperts(const FormContext& context,
                                                const std::string& name) {
  const auto expert = ParseExpertName(name);
  if (!expert) return std::optional<StoredTensor>();
  const std::string stack = expert->stack + (expert->bias ? "_bias" : "");
  auto make = expert->bias ? BiasOfExpert : PlainExpert;
  FERRY_ASSIGN_OR_RETURN(auto found, context.raw.Find(stack));
  if (!found && !expert->bias) {
    FERRY_ASSIGN_OR_RETURN(found, context.raw.Find(stack + "_blocks"));
    make = BlockExpert;
  }
  if (!found) return std::optional<StoredTensor>();
  FERRY_ASSIGN_OR_RETURN(StoredTensor stored,
                         make(context, {name, found->where, 0, 0}, *expert, *found));
  return std::optional(std::move(stored));
}

}  // namespace ferry::llm

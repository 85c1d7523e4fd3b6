// quantization_config of config.json, as Hugging Face's checkpoints have it.
#include "common/base/json.h"
#include "device-runtime/llm/load/stored/form.h"

namespace ferry::llm {
namespace {

// Groups that methods in use have; a row is -1 in files.
constexpr int64_t kGroups[] = {16, 32, 64, 128, 256, 512, 1024};

Result<int64_t> GroupOf(const Json& json, const char* name) {
  FERRY_ASSIGN_OR_RETURN(const int64_t group, GetIntOr(json, name, -1));
  if (group == -1) return int64_t{0};
  for (const int64_t known : kGroups) {
    if (group == known) return group;
  }
  return Status::Of(Code::kBadModel,
                    "{} is {}; there are -1 (the whole row), 16, 32, 64, 128, 256, 512 and 1024",
                    name, group);
}

Result<int> BitsOf(const Json& json, const char* name, std::initializer_list<int> known) {
  FERRY_ASSIGN_OR_RETURN(const int64_t bits, GetInt(json, name));
  for (const int each : known) {
    if (bits == each) return each;
  }
  return Status::Of(Code::kUnsupported, "{} is {}; supported: {}", name, bits,
                    fmt::join(known, ", "));
}

Status ReadGptq(const Json& json, Quantization* to) {
  FERRY_ASSIGN_OR_RETURN(to->bits, BitsOf(json, "bits", {2, 3, 4, 8}));
  FERRY_ASSIGN_OR_RETURN(to->group, GroupOf(json, "group_size"));
  FERRY_ASSIGN_OR_RETURN(const std::string format, GetStringOr(json, "checkpoint_format", "gptq"));
  if (format != "gptq" && format != "gptq_v2") {
    return Status::Of(Code::kUnsupported, "checkpoint_format \"{:.40}\"; supported: gptq, gptq_v2",
                      format);
  }
  to->zeros_less_one = format == "gptq";
  return OkStatus();
}

Status ReadAwq(const Json& json, Quantization* to) {
  FERRY_ASSIGN_OR_RETURN(to->bits, BitsOf(json, "bits", {4}));
  FERRY_ASSIGN_OR_RETURN(to->group, GroupOf(json, "group_size"));
  FERRY_ASSIGN_OR_RETURN(std::string version, GetStringOr(json, "version", "gemm"));
  for (char& letter : version) letter = letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
  if (version == "gemm") return OkStatus();
  return Status::Of(Code::kUnsupported, "version \"{:.40}\"; supported: gemm", version);
}

Status ReadCompressed(const Json& json, Quantization* to) {
  constexpr std::string_view kFormats[] = {"pack-quantized",  "int-quantized",   "naive-quantized",
                                           "float-quantized", "mixed-precision", "dense"};
  FERRY_ASSIGN_OR_RETURN(const std::string format, GetStringOr(json, "format", "dense"));
  bool known = false;
  for (const std::string_view each : kFormats) known = known || format == each;
  if (!known) {
    return Status::Of(Code::kUnsupported, "format \"{:.40}\"; supported: {}", format,
                      fmt::join(kFormats, ", "));
  }
  // What a matrix has is read from its own tensors; groups of layers only have to make sense.
  FERRY_ASSIGN_OR_RETURN(const Json* groups, GetObjectOrNull(json, "config_groups"));
  if (groups == nullptr) return OkStatus();
  for (const auto& [name, group] : groups->items()) {
    if (!group.is_object()) return Status::Of(Code::kMalformed, "{:.40} is no object", name);
    FERRY_ASSIGN_OR_RETURN(const Json* weights, GetObjectOrNull(group, "weights"));
    if (weights == nullptr) continue;
    FERRY_ASSIGN_OR_RETURN(const std::string type, GetStringOr(*weights, "type", "int"));
    if (type == "int") {
      FERRY_ASSIGN_OR_RETURN(to->bits,
                             BitsOf(*weights, "num_bits", {4, 8}).Context("{:.40}", name));
    }
    const auto size = weights->find("group_size");
    if (size == weights->end() || size->is_null()) continue;
    FERRY_ASSIGN_OR_RETURN(to->group, GroupOf(*weights, "group_size").Context("{:.40}", name));
  }
  return OkStatus();
}

Status ReadFp8(const Json& json, Quantization* to) {
  FERRY_ASSIGN_OR_RETURN(const Json* sizes, GetArrayOrNull(json, "weight_block_size"));
  if (sizes == nullptr) return OkStatus();
  const auto good = [](const Json& size) {
    return size.is_number_unsigned() && size.get<uint64_t>() >= 1 &&
           size.get<uint64_t>() <= kMaxHidden;
  };
  if (sizes->size() != 2 || !good((*sizes)[0]) || !good((*sizes)[1])) {
    return Status::Of(Code::kBadModel, "weight_block_size is {:.60}, wanted two sizes from 1 to {}",
                      WriteJson(*sizes), kMaxHidden);
  }
  to->block_rows = (*sizes)[0].get<int64_t>();
  to->block_columns = (*sizes)[1].get<int64_t>();
  return OkStatus();
}

Status ReadMxfp4(const Json&, Quantization*) {
  return OkStatus();
}

struct MethodOfFile {
  std::string_view name;
  Status (*read)(const Json&, Quantization*);
};
constexpr MethodOfFile kMethodsOfFiles[] = {{"awq", ReadAwq},
                                            {"compressed-tensors", ReadCompressed},
                                            {"fp8", ReadFp8},
                                            {"gptq", ReadGptq},
                                            {"mxfp4", ReadMxfp4}};

// Of the text's part or of the whole.
Result<const Json*> FindConfig(const Json& config) {
  FERRY_ASSIGN_OR_RETURN(const Json* text, GetObjectOrNull(config, "text_config"));
  for (const Json* holder : {text, &config}) {
    if (holder == nullptr) continue;
    FERRY_ASSIGN_OR_RETURN(const Json* found, GetObjectOrNull(*holder, "quantization_config"));
    if (found != nullptr) return found;
  }
  return static_cast<const Json*>(nullptr);
}

}  // namespace

Result<Quantization> ReadQuantization(const Json& config) {
  Quantization result;
  FERRY_ASSIGN_OR_RETURN(const Json* json, FindConfig(config));
  if (json == nullptr) return result;
  FERRY_ASSIGN_OR_RETURN(result.method,
                         GetString(*json, "quant_method").Context("quantization_config"));
  std::string known;
  for (const MethodOfFile& row : kMethodsOfFiles) {
    if (row.name == result.method) {
      FERRY_TRY(row.read(*json, &result).Context("quantization_config"));
      return result;
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  return Status::Of(Code::kUnsupported,
                    "quantization_config: quant_method \"{:.40}\"; supported: {}", result.method,
                    known);
}

}  // namespace ferry::llm

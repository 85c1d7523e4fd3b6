// Checkpoints of language models in foreign forms: a GGUF file, or a folder: the size of
// config.json in four bytes, config.json, the safetensors file. What loads is run.
#include "common/base/check.h"
#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/testing/gguf_file.h"
#include "device-runtime/llm/testing/quantized.h"
#include "device-runtime/llm/testing/random_model.h"
#include "device-runtime/llm/workspace.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

using llm::testing::TinyTensor;

constexpr size_t kSizeBytes = 4;
constexpr int64_t kMostVocabulary = 4096;

void RunCheckpoint(const llm::Model& model) {
  const llm::TokenId ids[] = {0, 1};
  if (!model.CheckTokens(ids, 0).ok() || model.config().outputs > kMostVocabulary) return;
  auto pool = model.NewKvPool({});
  auto workspace = model.NewWorkspace(2);
  if (!pool.ok() || !workspace.ok()) return;
  llm::KvSequence kv = (*pool)->NewSequence();
  if (!kv.Reserve(2).ok()) return;
  std::vector<float> logits(static_cast<size_t>(2 * model.config().outputs));
  const llm::Chunk chunk{&kv, ids, 0, logits.data()};
  model.Forward({&chunk, 1}, *workspace, sys::SerialParallel());
  CHECK(kv.length() == 2);
}

// The model of the bytes; kInvalidArgument for those that are none of the two.
Result<std::shared_ptr<const llm::Model>> LoadCheckpoint(ByteView bytes) {
  if (formats::Gguf::IsGguf(bytes)) return llm::Model::FromBytes(bytes, nullptr);
  if (bytes.size() < kSizeBytes) return Status(Code::kInvalidArgument, "too short");
  const size_t size = std::min<size_t>(GetU32(bytes.data()), bytes.size() - kSizeBytes);
  sys::SimFileSystem fs;
  FERRY_TRY(fs.MakeDirectories("m"));
  FERRY_TRY(sys::WriteFileAtomically(fs, "m/config.json", bytes.subspan(kSizeBytes, size)));
  FERRY_TRY(sys::WriteFileAtomically(fs, "m/model.safetensors", bytes.subspan(kSizeBytes + size)));
  return llm::Model::Load(fs, "m");
}

void RunLlmCheckpoint(ByteView bytes) {
  const auto model = LoadCheckpoint(bytes);
  if (model.ok()) RunCheckpoint(**model);
}

Bytes FolderSeed(const Json& config, const std::vector<TinyTensor>& tensors) {
  const std::string text = WriteJson(config);
  Bytes seed(kSizeBytes);
  PutU32(seed.data(), static_cast<uint32_t>(text.size()));
  const Bytes file = llm::testing::SafetensorsFile(tensors);
  seed.insert(seed.end(), text.begin(), text.end());
  seed.insert(seed.end(), file.begin(), file.end());
  return seed;
}

Json SeedModel(const char* type, int64_t width) {
  Json config = llm::testing::SmallConfig(type);
  config["num_hidden_layers"] = 1;
  config["vocab_size"] = 8;
  config["hidden_size"] = width;
  config["intermediate_size"] = width;
  config["num_attention_heads"] = 2;
  config["num_key_value_heads"] = 2;
  return config;
}

void AddFloat8(const std::string& name, const llm::testing::CodedValues& values,
               std::vector<TinyTensor>* to) {
  using llm::testing::RawTensorOf;
  const auto count = static_cast<size_t>(values.rows * values.columns);
  to->push_back(RawTensorOf(name, {values.rows, values.columns}, "F8_E4M3",
                            std::vector<uint8_t>(count, 0x31)));
  to->push_back(RawTensorOf(name + "_scale_inv", {1, 1}, "F32", std::vector<float>{0.5f}));
}

Bytes QuantizedSeed(const Json& quantization, const llm::testing::CodedOptions& options,
                    void (*add)(const std::string&, const llm::testing::CodedValues&,
                                std::vector<TinyTensor>*)) {
  Json config = SeedModel("qwen2", 32);
  std::mt19937 random(1);
  std::vector<TinyTensor> tensors;
  const auto plain = llm::testing::RandomTensors(config, 1).value();
  for (const TinyTensor& tensor : plain) {
    if (!tensor.name.ends_with("_proj.weight")) {
      tensors.push_back(tensor);
      continue;
    }
    add(tensor.name, llm::testing::RandomCoded(random, tensor.shape[0], tensor.shape[1], options),
        &tensors);
  }
  config["quantization_config"] = quantization;
  return FolderSeed(config, tensors);
}

// Experts in one tensor, as blocks of 4 bits.
Bytes ExpertsSeed() {
  using llm::testing::RawTensorOf;
  Json config = SeedModel("gpt_oss", 32);
  config["num_local_experts"] = 2;
  std::vector<TinyTensor> tensors = llm::testing::RandomTensors(config, 1).value();
  std::erase_if(tensors, [](const TinyTensor& tensor) {
    return tensor.name.find(".experts.") != std::string::npos;
  });
  for (const auto& [name, outputs] : {std::pair{"gate_up_proj", 64}, std::pair{"down_proj", 32}}) {
    const std::string stack = fmt::format("model.layers.0.mlp.experts.{}", name);
    const auto rows = static_cast<size_t>(2 * outputs);
    tensors.push_back(RawTensorOf(stack + "_blocks", {2, outputs, 1, 16}, "U8",
                                  std::vector<uint8_t>(rows * 16, 0x1a)));
    tensors.push_back(
        RawTensorOf(stack + "_scales", {2, outputs, 1}, "U8", std::vector<uint8_t>(rows, 124)));
    tensors.push_back(
        RawTensorOf(stack + "_bias", {2, outputs}, "F32", std::vector<float>(rows, 0.1f)));
  }
  config["quantization_config"] = {{"quant_method", "mxfp4"}};
  return FolderSeed(config, tensors);
}

Bytes GgufSeed(const char* type, const char* architecture, uint32_t number) {
  const formats::GgufTensorType& row = *formats::FindGgufTensorType(number);
  const Json config = SeedModel(type, row.block_values > 32 ? 256 : 32);
  llm::testing::GgufOptions options{.architecture = architecture};
  options.encode = [&](const std::string&, int64_t columns, const std::vector<float>& values) {
    if (columns % row.block_values != 0) {
      Bytes plain(values.size() * 4);
      std::memcpy(plain.data(), values.data(), plain.size());
      return llm::testing::GgufEncoded{formats::kGgufF32, plain};
    }
    return llm::testing::GgufEncoded{
        number, Bytes(values.size() / row.block_values * row.block_bytes, 0x11)};
  };
  return llm::testing::GgufFile(config, llm::testing::RandomTensors(config, 1).value(), options);
}

std::vector<Bytes> LlmCheckpointSeeds() {
  const auto gptq = [](const std::string& name, const llm::testing::CodedValues& values,
                       std::vector<TinyTensor>* to) {
    llm::testing::AddGptq(name, values, true, to);
  };
  const Json compressed = {{"quant_method", "compressed-tensors"}, {"format", "pack-quantized"}};
  std::vector<Bytes> seeds = {
      QuantizedSeed({{"quant_method", "gptq"}, {"bits", 3}, {"group_size", 32}},
                    {.bits = 3, .group = 32}, gptq),
      QuantizedSeed({{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 16}},
                    {.group = 16, .mixed_columns = true}, gptq),
      QuantizedSeed({{"quant_method", "awq"}, {"bits", 4}, {"group_size", 32}}, {},
                    llm::testing::AddAwq),
      QuantizedSeed(compressed, {.group = -1}, llm::testing::AddPackQuantized),
      QuantizedSeed(compressed, {.bits = 8, .group = -1}, llm::testing::AddIntQuantized),
      QuantizedSeed({{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}}, {}, AddFloat8),
      ExpertsSeed(),
      GgufSeed("qwen3", "qwen3", formats::kGgufQ4_0),
      GgufSeed("llama", "llama", formats::kGgufQ8_0),
      GgufSeed("qwen3_moe", "qwen3moe", formats::kGgufQ5_1),
  };
  for (const Bytes& seed : seeds) {
    const auto model = LoadCheckpoint(seed);
    CHECK(model.ok()) << model.status().ToString();
  }
  return seeds;
}

}  // namespace

const Target kLlmCheckpointTarget = {"llm_checkpoint", RunLlmCheckpoint, LlmCheckpointSeeds, 2};

}  // namespace ferry::fuzz

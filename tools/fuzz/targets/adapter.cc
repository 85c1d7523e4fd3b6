// Adapters of language models: PEFT's configuration and tensors, and adapter files. What is
// accepted runs.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/adapter/adapter.h"
#include "device-runtime/llm/file/format.h"
#include "device-runtime/llm/file/header.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/testing/random_adapter.h"
#include "device-runtime/llm/testing/tiny_model.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr const char* kAdapterFolder = "adapter";
constexpr const char* kChangedTensor = "model.layers.0.self_attn.q_proj.weight";
constexpr int64_t kChangedRank = 2;
// What an input begins with that is an adapter file's JSON, a zero, and its numbers.
constexpr char kFileMark = '#';

const std::shared_ptr<const llm::Model>& AdapterBase() {
  static const std::shared_ptr<const llm::Model> base = [] {
    sys::SimFileSystem fs;
    const llm::testing::TinyModelOptions options{.hidden = 8,
                                                 .layers = 1,
                                                 .heads = 2,
                                                 .kv_heads = 1,
                                                 .head_dim = 4,
                                                 .ffn = 8,
                                                 .tokenizer = false};
    CHECK(llm::testing::WriteTinyModel(fs, "base", options).ok());
    return llm::Model::Load(fs, "base").value();
  }();
  return base;
}

llm::testing::RandomAdapterOptions SmallAdapter() {
  return {.rank = kChangedRank,
          .takes = [](const std::string& name) { return name == kChangedTensor; }};
}

void UseAdapter(const Result<std::shared_ptr<const llm::Adapter>>& adapter) {
  if (!adapter.ok()) {
    CHECK(!adapter.status().message().empty());
    return;
  }
  const auto set = llm::AdapterSet::Create(AdapterBase(), {{*adapter, 1.0f}}).value();
  llm::SessionOptions options;
  options.kv.limit_bytes = int64_t{1} << 20;
  options.prefill_chunk = 2;
  options.adapters = set;
  const auto session = llm::Session::Create(AdapterBase(), options).value();
  const std::vector<llm::TokenId> ids = {1, 2};
  CHECK(session->Append(ids).ok());
}

// An adapter file of one change with this JSON and these numbers, all checksums right.
Bytes AdapterFile(ByteView json, ByteView numbers) {
  std::vector<llm::Section> sections(3);
  Bytes contents[3] = {ToBytes(json), Bytes(kChangedRank * 8 * 4), Bytes(8 * kChangedRank * 4)};
  sections[0].name = sections[0].kind = llm::kAdapterSection;
  for (size_t i = 1; i < 3; ++i) {
    sections[i].name = fmt::format("{}.lora_{}", kChangedTensor, i == 1 ? "A" : "B");
    sections[i].kind = llm::kTensorKind;
    sections[i].type.emplace();
    sections[i].shape =
        i == 1 ? std::vector<int64_t>{kChangedRank, 8} : std::vector<int64_t>{8, kChangedRank};
    const size_t count = std::min(numbers.size(), contents[i].size());
    std::copy_n(numbers.begin(), count, contents[i].begin());
    numbers = numbers.subspan(count);
  }
  for (size_t i = 0; i < 3; ++i) {
    sections[i].bytes = contents[i].size();
    sections[i].sha256 = crypto::Sha256(contents[i]);
  }
  Bytes file = llm::WriteHeader(&sections);
  for (size_t i = 0; i < 3; ++i) {
    file.resize(sections[i].offset);
    file.insert(file.end(), contents[i].begin(), contents[i].end());
  }
  return file;
}

// A folder of which one file is the input's, the other good.
void RunFolder(const char* file, ByteView bytes) {
  sys::SimFileSystem fs;
  CHECK(llm::testing::WriteAdapterFolder(
            fs, kAdapterFolder, llm::testing::PeftConfigOf(SmallAdapter()),
            llm::testing::RandomAdapterTensors(*AdapterBase(), SmallAdapter()))
            .ok());
  CHECK(sys::WriteFileAtomically(fs, sys::JoinPath(kAdapterFolder, file), bytes).ok());
  UseAdapter(llm::Adapter::Load(fs, kAdapterFolder, AdapterBase()));
}

void RunAdapter(ByteView bytes) {
  const char first = bytes.empty() ? ' ' : static_cast<char>(bytes[0]);
  if (first == '{') return RunFolder("adapter_config.json", bytes);
  const bool is_file =
      bytes.size() >= llm::kModelFileMagic.size() &&
      std::equal(llm::kModelFileMagic.begin(), llm::kModelFileMagic.end(), bytes.begin());
  if (is_file) return UseAdapter(llm::Adapter::FromBytes(bytes, nullptr, AdapterBase()));
  if (first != kFileMark) return RunFolder("adapter_model.safetensors", bytes);
  const auto end = std::find(bytes.begin(), bytes.end(), uint8_t{0});
  const auto length = static_cast<size_t>(end - bytes.begin());
  const Bytes file = AdapterFile(bytes.subspan(1, length - 1),
                                 end == bytes.end() ? ByteView() : bytes.subspan(length + 1));
  UseAdapter(llm::Adapter::FromBytes(file, nullptr, AdapterBase()));
}

std::vector<Bytes> AdapterSeeds() {
  Json config = llm::testing::PeftConfigOf(SmallAdapter());
  config["rank_pattern"] = {{".*q_proj", kChangedRank}};
  config["alpha_pattern"] = {{"layers.0.self_attn.q_proj", 3}};
  const auto tensors = llm::testing::RandomAdapterTensors(*AdapterBase(), SmallAdapter());
  const std::string json =
      WriteJson({{"base", ToHex(AdapterBase()->digest())},
                 {"family", "qwen3"},
                 {"tensors", Json::array({{{"name", kChangedTensor}, {"scale", 0.5}}})}});
  Bytes marked = ToBytes(fmt::format("{}{}", kFileMark, json));
  marked.push_back(0);
  for (const auto& tensor : tensors) {
    marked.insert(marked.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  return {ToBytes(WriteJson(config)), llm::testing::SafetensorsFile(tensors), marked,
          AdapterFile(AsBytes(json), tensors[0].bytes)};
}

}  // namespace

const Target kAdapterTarget = {"adapter", RunAdapter, AdapterSeeds};

}  // namespace ferry::fuzz

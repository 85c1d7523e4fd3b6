// A small random qwen3 model as a Hugging Face folder, so that tests of every room need no trained
// one. For tests only. Its tokenizer works: all bytes, some merges, three special tokens.
//
//   sys::SimFileSystem fs;
//   ASSERT_TRUE(llm::testing::WriteTinyModel(fs, "tiny", {}).ok());
//   auto model = llm::Model::Load(fs, "tiny");
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/filesystem.h"

namespace ferry::llm::testing {

struct TinyModelOptions {
  uint64_t seed = 1;
  int64_t hidden = 32;
  int64_t layers = 2;
  int64_t heads = 4;
  int64_t kv_heads = 2;
  int64_t head_dim = 16;
  int64_t ffn = 64;
  int64_t context = 512;
  bool bf16 = true;  // else float32
  bool tied = true;  // else a lm_head of its own
  int shards = 1;    // more: model-0000i-of-0000n.safetensors and an index
  bool tokenizer = true;
  // A draft for the model of the same seed: its weights plus `noise` times (their spread) of
  // others. 0.1 agrees on most tokens, 1 on few.
  double noise = 0;
};

struct TinyTensor {
  std::string name;
  std::vector<int64_t> shape;
  std::string dtype;  // "BF16", "F32"
  Bytes bytes;        // little-endian
};

// Writes config.json, generation_config.json, the weights and, unless switched off, tokenizer.json
// and tokenizer_config.json (whose template is the usual <|im_start|> one) into `folder`, making
// it.
Status WriteTinyModel(sys::FileSystem& fs, const std::string& folder,
                      const TinyModelOptions& options = {});

// The parts, for tests that spoil one of them.
int64_t TinyVocabulary();  // 256 bytes, the merges, then <|endoftext|>, <|im_start|>, <|im_end|>
Json TinyConfig(const TinyModelOptions& options);
std::vector<TinyTensor> TinyTensors(const TinyModelOptions& options);
std::string TinyTokenizerJson();
// A safetensors file.
Bytes SafetensorsFile(const std::vector<TinyTensor>& tensors);

}  // namespace ferry::llm::testing

#include "device-runtime/formats/gguf.h"

#include "common/base/check.h"
#include "device-runtime/formats/testing/gguf_writer.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

void RunGguf(ByteView bytes) {
  const auto file = formats::Gguf::Read(bytes, "fuzz");
  if (!file.ok()) return;
  for (const formats::GgufEntry& entry : file->metadata()) {
    (void)entry.value.Integers();
    (void)entry.value.Numbers();
    const auto texts = entry.value.Texts();
    CHECK(!texts || texts->size() == entry.value.count());
  }
  for (const formats::GgufTensor& tensor : file->tensors()) {
    CHECK(tensor.bytes.empty() ||
          (tensor.bytes.data() >= bytes.data() &&
           tensor.bytes.data() + tensor.bytes.size() <= bytes.data() + bytes.size()));
  }
}

std::vector<Bytes> GgufSeeds() {
  using formats::GgufType;
  formats::GgufWriter writer;
  writer.Add("tokenizer.ggml.model", "llama").Add<uint8_t>("b", GgufType::kBool, 1);
  writer.AddArray<std::string_view>("tokenizer.ggml.tokens", GgufType::kText, {"a", "bc"});
  writer.AddArray<float>("tokenizer.ggml.scores", GgufType::kF32, {-1.0f, 0.5f});
  writer.AddTensor("w", {32, 1}, formats::kGgufQ4_0, 0).AddTensor("v", {2}, formats::kGgufF16, 32);
  return {writer.Take(36), writer.Take(36, 2)};
}

}  // namespace

const Target kGgufTarget = {"gguf", RunGguf, GgufSeeds};

}  // namespace ferry::fuzz

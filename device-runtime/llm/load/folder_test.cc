// Hugging Face folders, good and bad.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "common/base/memory.h"

#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;
using ::testing::HasSubstr;
using testing::TinyModelOptions;
using testing::TinyTensor;
using testing::WriteTinyModel;

const std::vector<TokenId> kFolderIds = {5, 286, 0, 77, 200, 33, 33, 1};

class ModelFolder : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> Load(const std::string& path) {
    auto model = Model::Load(fs_, path);
    EXPECT_TRUE(model.ok()) << model.status().ToString();
    return model.ok() ? *model : nullptr;
  }
  void ExpectError(const std::string& path, Code code, const std::string& message) {
    const auto model = Model::Load(fs_, path);
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.code(), code) << model.status().ToString();
    EXPECT_THAT(model.status().message(), HasSubstr(message));
  }
  void Put(const std::string& path, ByteView bytes) {
    ASSERT_TRUE(sys::WriteFileAtomically(fs_, path, bytes).ok());
  }
  // The tiny model with its tensors changed by `change`.
  void WriteChanged(const std::function<void(std::vector<TinyTensor>&)>& change,
                    const TinyModelOptions& options = {}) {
    ASSERT_TRUE(WriteTinyModel(fs_, "m", options).ok());
    auto tensors = TinyTensors(options);
    change(tensors);
    Put("m/model.safetensors", testing::SafetensorsFile(tensors));
  }

  sys::SimFileSystem fs_;
};

TEST_F(ModelFolder, WhatItSays) {
  ASSERT_TRUE(WriteTinyModel(fs_, "m").ok());
  const auto model = Load("m");
  int64_t parameters = 0;
  for (const TinyTensor& tensor : testing::TinyTensors({})) {
    parameters += static_cast<int64_t>(tensor.bytes.size()) / 2;
  }
  EXPECT_EQ(model->parameters(), parameters);
  EXPECT_EQ(MatrixTypeName(model->weight_type()), "bf16");
  EXPECT_GE(model->weight_bytes(), 2 * parameters);
  EXPECT_EQ(model->config().end_tokens, std::vector<TokenId>{284});
  EXPECT_EQ(model->WorkspaceBytes(7), Workspace::Bytes(model->config(), 7));
}

TEST_F(ModelFolder, TokensAreChecked) {
  ASSERT_TRUE(WriteTinyModel(fs_, "m").ok());
  const auto model = Load("m");
  EXPECT_TRUE(model->CheckTokens(kFolderIds, 504).ok());
  EXPECT_EQ(model->CheckTokens(kFolderIds, 505).code(), Code::kLimitExceeded);
  const TokenId bad[] = {1, 287};
  EXPECT_EQ(model->CheckTokens(bad, 0).code(), Code::kInvalidArgument);
  EXPECT_THAT(model->CheckTokens(bad, 0).message(), HasSubstr("token 287 at place 1"));
  const TokenId negative[] = {-1};
  EXPECT_EQ(model->CheckTokens(negative, 0).code(), Code::kInvalidArgument);
}

TEST_F(ModelFolder, ShardsAreTheSameModel) {
  for (bool tied : {true, false}) {
    const TinyModelOptions options{.tied = tied};
    ASSERT_TRUE(WriteTinyModel(fs_, "one", options).ok());
    TinyModelOptions sharded = options;
    sharded.shards = 4;
    const std::string folder = tied ? "four" : "four-untied";
    ASSERT_TRUE(WriteTinyModel(fs_, folder, sharded).ok());
    const auto one = Load("one");
    const auto four = Load(folder);
    EXPECT_EQ(one->digest(), four->digest());
    EXPECT_EQ(AllLogits(*one, kFolderIds), AllLogits(*four, kFolderIds));
  }
}

TEST_F(ModelFolder, DigestTellsModelsApart) {
  ASSERT_TRUE(WriteTinyModel(fs_, "a").ok());
  ASSERT_TRUE(WriteTinyModel(fs_, "b", {.seed = 2}).ok());
  ASSERT_TRUE(WriteTinyModel(fs_, "c", {.context = 511}).ok());
  EXPECT_NE(Load("a")->digest(), Load("b")->digest());
  EXPECT_NE(Load("a")->digest(), Load("c")->digest());
  EXPECT_EQ(Load("a")->digest(), Load("a")->digest());
}

TEST_F(ModelFolder, MisalignedTensorsAreCopied) {
  ASSERT_TRUE(WriteTinyModel(fs_, "straight", {.bf16 = false}).ok());
  WriteChanged(
      [](std::vector<TinyTensor>& tensors) {
        tensors.insert(tensors.begin(), {"odd", {1}, "U8", {0}});
      },
      {.bf16 = false});
  EXPECT_EQ(AllLogits(*Load("straight"), kFolderIds), AllLogits(*Load("m"), kFolderIds));
}

TEST_F(ModelFolder, MissingFiles) {
  ExpectError("nothing", Code::kNotFound, "nothing");
  ASSERT_TRUE(WriteTinyModel(fs_, "m", {.shards = 3}).ok());
  ASSERT_TRUE(fs_.Remove("m/model-00002-of-00003.safetensors").ok());
  ExpectError("m", Code::kNotFound, "m/model-00002-of-00003.safetensors");
  ASSERT_TRUE(fs_.Remove("m/model.safetensors.index.json").ok());
  ExpectError("m", Code::kNotFound, "neither model.safetensors nor model.safetensors.index.json");
  ASSERT_TRUE(fs_.Remove("m/config.json").ok());
  ExpectError("m", Code::kNotFound, "m/config.json");
}

TEST_F(ModelFolder, AllMissingTensorsAreListed) {
  WriteChanged([](std::vector<TinyTensor>& tensors) {
    std::erase_if(tensors, [](const TinyTensor& t) {
      return t.name == "model.norm.weight" || t.name == "model.layers.1.mlp.up_proj.weight";
    });
  });
  ExpectError("m", Code::kBadModel,
              "m: 2 tensors are missing: model.layers.1.mlp.up_proj.weight, model.norm.weight");
  WriteChanged([](std::vector<TinyTensor>& tensors) { tensors.clear(); });
  ExpectError("m", Code::kBadModel, "24 tensors are missing");
  ExpectError("m", Code::kBadModel, "and 8 more");
}

TEST_F(ModelFolder, WrongShapes) {
  WriteChanged([](std::vector<TinyTensor>& tensors) {
    for (TinyTensor& tensor : tensors) {
      if (tensor.name == "model.layers.0.self_attn.k_proj.weight") {
        tensor.shape = {16, 64};
      }
    }
  });
  ExpectError("m", Code::kBadModel,
              "m/model.safetensors: tensor \"model.layers.0.self_attn.k_proj.weight\" has shape "
              "[16, 64], wanted [32, 32]");
}

TEST_F(ModelFolder, NanAndInfinityInAnyTensor) {
  for (bool bf16 : {true, false}) {
    for (const char* name : {"model.layers.1.mlp.down_proj.weight", "model.norm.weight"}) {
      for (uint32_t bits : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffff0000u}) {
        WriteChanged(
            [&](std::vector<TinyTensor>& tensors) {
              for (TinyTensor& tensor : tensors) {
                if (tensor.name != name) continue;
                uint8_t wide[4];
                PutU32(wide, bits);
                const size_t size = bf16 ? 2 : 4;
                std::memcpy(tensor.bytes.data() + 9 * size, wide + 4 - size, size);
              }
            },
            {.bf16 = bf16});
        ExpectError("m", Code::kBadModel,
                    fmt::format("tensor \"{}\" is NaN or infinite at element 9", name));
      }
    }
  }
}

TEST_F(ModelFolder, OtherDtypesAreNamed) {
  WriteChanged([](std::vector<TinyTensor>& tensors) { tensors[0].dtype = "I16"; });
  ExpectError("m", Code::kUnsupported, "\"model.embed_tokens.weight\" is of dtype I16");
}

TEST_F(ModelFolder, IndexThatLies) {
  const auto write = [&](const Json& map) {
    ASSERT_TRUE(WriteTinyModel(fs_, "m", {.shards = 2}).ok());
    Put("m/model.safetensors.index.json", AsBytes(WriteJson(map)));
  };
  write({{"weight_map", {{"model.norm.weight", "../m/model-00002-of-00002.safetensors"}}}});
  ExpectError("m", Code::kBadModel, "no plain file name for \"model.norm.weight\"");
  write({{"weight_map", {{"model.norm.weight", 3}}}});
  ExpectError("m", Code::kBadModel, "no plain file name");
  write({{"weight_map", {{"model.embed_tokens.weight", "model-00002-of-00002.safetensors"}}}});
  ExpectError("m", Code::kBadModel, "\"model.embed_tokens.weight\" is not there");
  write({{"weight_map", Json::array()}});
  ExpectError("m", Code::kMalformed, "weight_map");
  Put("m/model.safetensors.index.json", AsBytes("{"));
  ExpectError("m", Code::kMalformed, "m/model.safetensors.index.json");
}

TEST_F(ModelFolder, UnknownArchitecture) {
  ASSERT_TRUE(WriteTinyModel(fs_, "m").ok());
  Json config = testing::TinyConfig({});
  config["model_type"] = "qwen9";
  Put("m/config.json", AsBytes(WriteJson(config)));
  ExpectError("m", Code::kUnsupported, "m/config.json: model_type \"qwen9\" is not supported");
}

TEST_F(ModelFolder, TokenizerIsOptionalAndItsErrorsAreKept) {
  ASSERT_TRUE(WriteTinyModel(fs_, "m", {.tokenizer = false}).ok());
  EXPECT_EQ(Load("m")->tokenizer().code(), Code::kFailedPrecondition);
  EXPECT_EQ(Load("m")->chat_template().code(), Code::kFailedPrecondition);
  EXPECT_EQ(AllLogits(*Load("m"), kFolderIds).size(), kFolderIds.size() * 287);
  Put("m/tokenizer.json", AsBytes("{"));
  EXPECT_EQ(Load("m")->tokenizer().code(), Code::kMalformed);
  Put("m/tokenizer_config.json", AsBytes("[]"));
  EXPECT_EQ(Load("m")->chat_template().code(), Code::kMalformed);
}

TEST_F(ModelFolder, TokenizerAndTemplate) {
  ASSERT_TRUE(WriteTinyModel(fs_, "m").ok());
  const auto model = Load("m");
  ASSERT_TRUE(model->tokenizer().ok()) << model->tokenizer().status().ToString();
  EXPECT_EQ((*model->tokenizer())->vocabulary(), 287);
  ASSERT_TRUE(model->chat_template().ok());
  const ChatMessage message{"user", "Hi"};
  EXPECT_EQ((*model->chat_template())->Render({&message, 1}, true).value(),
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  Put("m/chat_template.jinja", AsBytes("own"));
  EXPECT_EQ((*Load("m")->chat_template())->source(), "own");
  ASSERT_TRUE(fs_.Remove("m/chat_template.jinja").ok());
  const Json list = Json::array(
      {{{"name", "tool"}, {"template", "no"}}, {{"name", "default"}, {"template", "yes"}}});
  Put("m/tokenizer_config.json", AsBytes(WriteJson({{"chat_template", list}})));
  EXPECT_EQ((*Load("m")->chat_template())->source(), "yes");
}

TEST_F(ModelFolder, MemoryThatRunsOutIsAnError) {
  ASSERT_TRUE(WriteTinyModel(fs_, "m", {.tokenizer = false}).ok());
  int failures = 0;
  for (int64_t nth = 1;; ++nth) {
    FailAllocations fail(nth);
    const auto model = Model::Load(fs_, "m");
    if (!fail.fired()) break;
    ++failures;
    ASSERT_EQ(model.code(), Code::kOutOfMemory);
  }
  EXPECT_GT(failures, 0);
  const auto config = Load("m")->config();
  FailAllocations fail(1);
  EXPECT_EQ(Workspace::Create(config, 4).code(), Code::kOutOfMemory);
}

TEST_F(ModelFolder, WorkspaceSizes) {
  ASSERT_TRUE(WriteTinyModel(fs_, "m", {.tokenizer = false}).ok());
  const auto config = Load("m")->config();
  EXPECT_EQ(Workspace::Create(config, 0).code(), Code::kInvalidArgument);
  EXPECT_EQ(Workspace::Create(config, kMaxChunkTokens + 1).code(), Code::kInvalidArgument);
  EXPECT_EQ(Workspace::Create(config, kMaxChunkTokens).value().tokens(), kMaxChunkTokens);
}

}  // namespace
}  // namespace ferry::llm

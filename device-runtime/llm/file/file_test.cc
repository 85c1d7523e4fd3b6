// Ferry model files: there and back, damage, other versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "common/crypto/hash.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/file/format.h"
#include "device-runtime/llm/file/header.h"
#include "device-runtime/llm/file/quantize.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/template/chat_template.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/tiny_model.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {
namespace {

using kernels::WeightType;
using testing::AllLogits;
using ::testing::HasSubstr;
using testing::TinyModelOptions;
using testing::WriteTinyModel;

const std::vector<TokenId> kIds = {5, 286, 0, 77, 200, 33, 33, 1};

constexpr const char* kVersionOneSha256 =
    "32e5340e96ab9506b046c21ce1cae301e8f839b48e9059dce891c5b226732850";
constexpr const char* kVersionOneConfig =
    R"({"eos_token_id":[284],"head_dim":16,"hidden_size":32,"intermediate_size":64,)"
    R"("max_position_embeddings":512,"model_type":"qwen3","num_attention_heads":4,)"
    R"("num_hidden_layers":2,"num_key_value_heads":2,"rms_norm_eps":1e-06,)"
    R"("rope_theta":10000.0,"tie_word_embeddings":true,"vocab_size":287})";
constexpr const char* kGoldenPrefix = "89464c4d0d0a1a0a02000000df120000";
constexpr size_t kGoldenSize = 44352;
constexpr const char* kGoldenSha256 =
    "973cb2816764f0a672b143e14bab4ba24da5c497a21d6a0b9e763a9b6001b75a";
constexpr const char* kGoldenDigest =
    "aa795a30448f744254aa375c32019b12cf0fc0754c737aab7d6827a53e2caeef";

class ModelFile : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> Load(const std::string& path, bool exact = false) {
    auto model = Model::Load(fs_, path, {.exact = exact});
    EXPECT_TRUE(model.ok()) << model.status().ToString();
    return model.ok() ? *model : nullptr;
  }
  Bytes Read(const std::string& path) { return sys::ReadFile(fs_, path).value(); }
  // The tiny model without a tokenizer as a file.
  Bytes TinyFile(WeightType type, const TinyModelOptions& options = {.tokenizer = false}) {
    EXPECT_TRUE(fs_.RemoveTree("tiny").ok());
    EXPECT_TRUE(WriteTinyModel(fs_, "tiny", options).ok());
    const auto bytes = WriteModelFile(fs_, *Load("tiny"), "tiny.flm", type);
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    Bytes file = Read("tiny.flm");
    EXPECT_EQ(*bytes, static_cast<int64_t>(file.size()));
    return file;
  }
  static Result<std::shared_ptr<const Model>> FromBytes(ByteView file) {
    FERRY_ASSIGN_OR_RETURN(auto model, Model::FromBytes(file, nullptr));
    FERRY_TRY(model->Ready());
    return model;
  }
  // The file with other sections, header and checksums made anew.
  static Bytes Rebuilt(std::vector<Section> sections, const std::vector<Bytes>& contents,
                       uint32_t version = kModelFileVersion) {
    for (size_t i = 0; i < sections.size(); ++i) {
      sections[i].bytes = contents[i].size();
      sections[i].sha256 = crypto::Sha256(contents[i]);
    }
    Bytes file = WriteHeader(&sections, version);
    for (size_t i = 0; i < sections.size(); ++i) {
      file.resize(sections[i].offset);
      file.insert(file.end(), contents[i].begin(), contents[i].end());
    }
    return file;
  }
  static std::vector<Bytes> Contents(ByteView file, const std::vector<Section>& sections) {
    std::vector<Bytes> contents;
    for (const Section& section : sections) {
      contents.push_back(ToBytes(file.subspan(section.offset, section.bytes)));
    }
    return contents;
  }

  sys::SimFileSystem fs_;
};

TEST_F(ModelFile, SameTypeIsTheSameModel) {
  for (bool bf16 : {true, false}) {
    for (bool tied : {true, false}) {
      const TinyModelOptions options{.bf16 = bf16, .tied = tied, .tokenizer = false};
      TinyFile(bf16 ? WeightType::kBF16 : WeightType::kF32, options);
      const auto folder = Load("tiny");
      const auto file = Load("tiny.flm", true);
      EXPECT_EQ(file->digest(), folder->digest());
      EXPECT_EQ(file->weight_type(), folder->weight_type());
      EXPECT_EQ(file->parameters(), folder->parameters());
      EXPECT_EQ(file->weight_bytes(), folder->weight_bytes());
      EXPECT_EQ(AllLogits(*file, kIds), AllLogits(*folder, kIds));
    }
  }
}

TEST_F(ModelFile, BFloat16WidensToFloat32Exactly) {
  TinyFile(WeightType::kF32);
  EXPECT_EQ(AllLogits(*Load("tiny.flm", true), kIds), AllLogits(*Load("tiny"), kIds));
}

TEST_F(ModelFile, EightBitsAreNearAndStayWhatTheyAre) {
  TinyFile(WeightType::kI8);
  const auto file = Load("tiny.flm");
  EXPECT_EQ(MatrixTypeName(file->weight_type()), "int8");
  EXPECT_NE(file->digest(), Load("tiny")->digest());
  const auto found = AllLogits(*file, kIds);
  const auto wanted = AllLogits(*Load("tiny"), kIds);
  double error = 0;
  double power = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    error += std::pow(found[i] - wanted[i], 2);
    power += std::pow(wanted[i], 2);
  }
  EXPECT_GT(error, 0);
  EXPECT_LT(std::sqrt(error / power), 0.03);
  ASSERT_TRUE(WriteModelFile(fs_, *file, "again.flm", WeightType::kI8).ok());
  EXPECT_EQ(Read("again.flm"), Read("tiny.flm"));
}

TEST_F(ModelFile, TokenizerAndTemplateComeAlong) {
  TinyFile(WeightType::kBF16, {});
  const auto file = Load("tiny.flm");
  ASSERT_TRUE(file->tokenizer().ok()) << file->tokenizer().status().ToString();
  EXPECT_EQ((*file->tokenizer())->digest(), (*Load("tiny")->tokenizer())->digest());
  ASSERT_TRUE(file->chat_template().ok());
  EXPECT_EQ((*file->chat_template())->source(), (*Load("tiny")->chat_template())->source());
  TinyFile(WeightType::kBF16);
  EXPECT_EQ(Load("tiny.flm")->tokenizer().code(), Code::kFailedPrecondition);
  EXPECT_EQ(Load("tiny.flm")->chat_template().code(), Code::kFailedPrecondition);
}

// Files that were written once must be readable for ever: these bytes never change.
TEST_F(ModelFile, GoldenBytes) {
  const Bytes file = TinyFile(WeightType::kI8);
  EXPECT_EQ(ToHex(ByteView(file).first(16)), kGoldenPrefix);
  EXPECT_EQ(file.size(), kGoldenSize);
  EXPECT_EQ(crypto::Sha256Hex(file), kGoldenSha256);
  EXPECT_EQ(ToHex(Load("tiny.flm")->digest()), kGoldenDigest);
}

// Files of version 1 had config.json's own members.
TEST_F(ModelFile, VersionOneIsRead) {
  const Bytes now = TinyFile(WeightType::kI8);
  auto sections = ReadHeader(now).value();
  std::vector<Bytes> contents = Contents(now, sections);
  contents[0] = ToBytes(std::string_view(kVersionOneConfig));
  const Bytes file = Rebuilt(sections, contents, 1);
  EXPECT_EQ(crypto::Sha256Hex(file), kVersionOneSha256);
  ASSERT_TRUE(sys::WriteFileAtomically(fs_, "one.flm", file).ok());
  const auto model = Load("one.flm");
  EXPECT_EQ(model->digest(), Load("tiny.flm")->digest());
  EXPECT_EQ(model->config().end_tokens, Load("tiny.flm")->config().end_tokens);
}

TEST_F(ModelFile, LayoutIsAsDocumented) {
  const Bytes file = TinyFile(WeightType::kI8);
  const auto sections = ReadHeader(file);
  ASSERT_TRUE(sections.ok()) << sections.status().ToString();
  EXPECT_EQ((*sections)[0].kind, kConfigSection);
  uint64_t end = kModelFilePrefix + GetU32(file.data() + 12);
  for (const Section& section : *sections) {
    EXPECT_EQ(section.offset, AlignedToSection(end)) << section.name;
    EXPECT_EQ(section.offset % 64, 0u);
    end = section.offset + section.bytes;
    if (section.kind != kTensorKind) continue;
    ASSERT_TRUE(section.type) << section.name;
    EXPECT_EQ(MatrixTypeName(*section.type), section.shape.size() == 2 ? "int8" : "f32");
  }
  EXPECT_EQ(end, file.size());
}

TEST_F(ModelFile, MisalignedBytesAreRead) {
  const Bytes file = TinyFile(WeightType::kI8);
  Bytes shifted(file.size() + 1);
  std::copy(file.begin(), file.end(), shifted.begin() + 1);
  const auto model = FromBytes(ByteView(shifted).subspan(1));
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(AllLogits(**model, kIds), AllLogits(*Load("tiny.flm"), kIds));
}

TEST_F(ModelFile, DamageNamesTheSection) {
  const Bytes good = TinyFile(WeightType::kI8);
  const auto sections = ReadHeader(good).value();
  for (const Section& section : sections) {
    for (uint64_t at : {section.offset, section.offset + section.bytes - 1}) {
      Bytes bad = good;
      bad[at] ^= 0x40;
      const auto model = FromBytes(bad);
      ASSERT_EQ(model.code(), Code::kBadModel);
      EXPECT_THAT(model.status().message(),
                  HasSubstr(fmt::format("section \"{}\" is damaged", section.name)));
    }
  }
}

// Opening reads no tensor; sessions, batchers and whoever writes the model again find the damage.
TEST_F(ModelFile, TensorsAreCheckedOnFirstUse) {
  Bytes bad = TinyFile(WeightType::kI8);
  bad.back() ^= 0x40;
  const auto model = Model::FromBytes(bad, nullptr);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const auto session = Session::Create(*model);
  EXPECT_EQ(session.code(), Code::kBadModel);
  EXPECT_THAT(session.status().message(), HasSubstr("is damaged"));
  EXPECT_EQ((*model)->Ready().code(), Code::kBadModel);
  EXPECT_EQ(WriteModelFile(fs_, **model, "again.flm", WeightType::kI8).code(), Code::kBadModel);
}

TEST_F(ModelFile, WhatWasFoundSoundIsNotReadAgain) {
  const Bytes good = TinyFile(WeightType::kI8);
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string folder = ::testing::TempDir() + "ferry_checked_" + std::to_string(::getpid());
  const std::string path = folder + "/tiny.flm";
  const LoadOptions options{.checked = folder + "/checked"};
  ASSERT_TRUE(fs.MakeDirectories(folder).ok());
  ASSERT_TRUE(sys::WriteFileAtomically(fs, path, good).ok());
  const auto open = [&] { return Model::Load(fs, path, options).value(); };
  EXPECT_TRUE(open()->state().check);
  EXPECT_TRUE(open()->Ready().ok());
  EXPECT_FALSE(open()->state().check);
  EXPECT_TRUE(Model::Load(fs, path).value()->state().check);
  // Other contents, another identity; what is damaged is never remembered.
  Bytes bad = good;
  bad.back() ^= 0x40;
  ASSERT_TRUE(sys::WriteFileAtomically(fs, path, bad).ok());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(open()->Ready().code(), Code::kBadModel);
  // A folder that cannot be made is as none.
  const auto model = Model::Load(fs, path, {.checked = path + "/checked"}).value();
  EXPECT_EQ(model->Ready().code(), Code::kBadModel);
  ASSERT_TRUE(fs.RemoveTree(folder).ok());
}

TEST_F(ModelFile, EveryFlippedByteOfTheHeaderIsSeen) {
  const Bytes good = TinyFile(WeightType::kI8);
  for (size_t at = 0; at < ReadHeader(good).value()[0].offset; ++at) {
    Bytes bad = good;
    bad[at] ^= 1;
    ASSERT_FALSE(FromBytes(bad).ok()) << at;
  }
}

TEST_F(ModelFile, CutsAreRefused) {
  const Bytes good = TinyFile(WeightType::kI8);
  for (size_t size = 0; size < good.size(); size += size < 8192 ? 61 : 997) {
    ASSERT_EQ(FromBytes(ByteView(good).first(size)).code(), Code::kBadModel) << size;
  }
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_THAT(FromBytes(longer).status().message(), HasSubstr("1 bytes behind the last section"));
}

TEST_F(ModelFile, NewerVersionsAreRefusedClearly) {
  Bytes file = TinyFile(WeightType::kI8);
  PutU32(file.data() + 8, kModelFileVersion + 1);
  const auto model = FromBytes(file);
  EXPECT_EQ(model.code(), Code::kUnsupported);
  EXPECT_THAT(model.status().message(), HasSubstr("version 3; this Ferry reads up to version 2"));
}

TEST_F(ModelFile, UnknownSectionsAreSkippedWhenOptional) {
  const Bytes good = TinyFile(WeightType::kI8);
  auto sections = ReadHeader(good).value();
  auto contents = Contents(good, sections);
  EXPECT_EQ(Rebuilt(sections, contents), good);
  sections.insert(sections.begin() + 1, {.name = "adapter", .kind = "lora", .optional = true});
  contents.insert(contents.begin() + 1, Bytes(100, 7));
  const auto model = FromBytes(Rebuilt(sections, contents));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->digest(), Load("tiny.flm")->digest());
  sections[1].optional = false;
  const auto refused = FromBytes(Rebuilt(sections, contents));
  EXPECT_EQ(refused.code(), Code::kUnsupported);
  EXPECT_THAT(refused.status().message(), HasSubstr("\"adapter\" is of unknown kind \"lora\""));
}

TEST_F(ModelFile, GoodChecksumsOverBadContents) {
  const Bytes good = TinyFile(WeightType::kI8);
  const auto sections = ReadHeader(good).value();
  const auto contents = Contents(good, sections);
  const auto expect =
      [&](const std::function<void(std::vector<Section>&, std::vector<Bytes>&)>& edit, Code code,
          const char* message) {
        auto changed = sections;
        auto bytes = contents;
        edit(changed, bytes);
        const auto model = FromBytes(Rebuilt(changed, bytes));
        ASSERT_FALSE(model.ok()) << message;
        EXPECT_EQ(model.code(), code) << model.status().ToString();
        EXPECT_THAT(model.status().message(), HasSubstr(message));
      };
  using S = std::vector<Section>;
  using B = std::vector<Bytes>;
  expect([](S& s, B& b) { s.erase(s.begin()), b.erase(b.begin()); }, Code::kBadModel,
         "no section \"config\"");
  expect([](S& s, B& b) { s.pop_back(), b.pop_back(); }, Code::kBadModel, "1 tensors are missing");
  expect([](S& s, B&) { s[1].type.reset(); }, Code::kBadModel, "has no type");
  expect(
      [](S& s, B& b) {
        s[1].type = MatrixType{.packed = kernels::PackedForm{}};
        b[1].resize(MatrixBytes(*s[1].type, 287, 32));
        s[2].type = s[1].type;
        b[2].resize(MatrixBytes(*s[1].type, 32, 1));
      },
      Code::kBadModel, "cannot be packed");
  expect([](S& s, B&) { s[1].shape = {}; }, Code::kBadModel, "0 extents");
  expect([](S& s, B&) { s[1].shape[0] += 1; }, Code::kBadModel, "does not make");
  expect([](S& s, B&) { s[2].name = s[1].name; }, Code::kBadModel, "is there twice");
  expect([](S& s, B&) { s[1].shape = {INT32_MAX, INT32_MAX}; }, Code::kBadModel, "does not make");
  expect([](S&, B& b) { b[0] = ToBytes("[3]"); }, Code::kMalformed, "section \"config\"");
  expect([](S&, B& b) { b[0] = ToBytes("{\"model_type\":\"x\"}"); }, Code::kUnsupported, "\"x\"");
  // A scale of the embedding, the last bytes of its section, becomes infinite.
  expect([](S&, B& b) { PutU32(b[1].data() + b[1].size() - 4, 0x7f800000); }, Code::kBadModel,
         "\"model.embed_tokens.weight\" is NaN or infinite at element 286");
}

TEST_F(ModelFile, FullDiskLeavesTheOldFile) {
  const Bytes old = TinyFile(WeightType::kI8);
  const auto model = Load("tiny.flm");
  fs_.SetCapacity(old.size() * 5 / 2);
  EXPECT_EQ(WriteModelFile(fs_, *model, "tiny.flm", WeightType::kF32).code(), Code::kDiskFull);
  EXPECT_EQ(Read("tiny.flm"), old);
  EXPECT_FALSE(sys::Exists(fs_, "tiny.flm.part"));
}

TEST_F(ModelFile, ProgressRunsToTheEnd) {
  TinyFile(WeightType::kI8);
  int64_t last = 0;
  const auto bytes = WriteModelFile(fs_, *Load("tiny.flm"), "x.flm", WeightType::kI8,
                                    [&](int64_t done, int64_t total) {
                                      EXPECT_GT(done, last);
                                      EXPECT_LE(done, total);
                                      last = done;
                                    });
  EXPECT_EQ(bytes.value(), last);
}

TEST(Quantize, Int8) {
  const std::vector<float> row = {0, 1, -1, 0.5f, 0.004f, -0.996f};
  std::vector<int8_t> bits(row.size());
  const float scale = QuantizeRowToInt8(row, bits.data());
  for (size_t i = 0; i < row.size(); ++i) {
    EXPECT_NEAR(scale * static_cast<float>(bits[i]), row[i], scale) << i;
  }
  EXPECT_EQ(QuantizeRowToInt8(std::vector<float>(4, 0.0f), bits.data()), 0);
  EXPECT_EQ(bits[0], 0);
  const std::vector<float> extremes = {3e38f, -3e38f, 1e-40f};
  EXPECT_TRUE(std::isfinite(QuantizeRowToInt8(extremes, bits.data())));
  const std::vector<float> tiny = {1e-45f, -1e-45f};
  EXPECT_TRUE(std::isfinite(QuantizeRowToInt8(tiny, bits.data())));
}

TEST(Quantize, NearestBFloat16TiesToEven) {
  EXPECT_EQ(NearestBFloat16(1.0f), 0x3f80);
  EXPECT_EQ(NearestBFloat16(1.00390625f), 0x3f80);  // half way: to even
  EXPECT_EQ(NearestBFloat16(1.01171875f), 0x3f82);  // half way: to even
  EXPECT_EQ(NearestBFloat16(1.003907f), 0x3f81);
  EXPECT_EQ(NearestBFloat16(-2.0f), 0xc000);
  EXPECT_EQ(NearestBFloat16(3.4e38f), 0x7f80);
}

}  // namespace
}  // namespace ferry::llm

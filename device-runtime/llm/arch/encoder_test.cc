// An encoder (BERT): by its definition in doubles, against a reference made elsewhere, and what it
// does not do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/random_model.h"
#include "device-runtime/llm/testing/shared.h"

namespace ferry::llm {
namespace {

using testing::LargestError;
using Row = std::vector<double>;

constexpr size_t kHidden = 32, kHeads = 4, kDim = kHidden / kHeads, kLayers = 2;
constexpr double kEps = 1e-12;

Json Config() {
  return ParseJson(R"({"model_type": "bert", "architectures": ["BertForQuestionAnswering"],
      "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
      "num_attention_heads": 4, "max_position_embeddings": 64, "type_vocab_size": 2,
      "layer_norm_eps": 1e-12, "hidden_act": "gelu"})")
      .value();
}

// The definition, token by token in doubles.
class Definition {
 public:
  explicit Definition(const std::vector<testing::TinyTensor>& tensors) {
    for (const auto& tensor : tensors) numbers_[tensor.name] = testing::NumbersOf(tensor);
  }

  std::vector<float> Outputs(const std::vector<TokenId>& ids) const {
    std::vector<Row> stream;
    const std::string e = "bert.embeddings.";
    for (size_t i = 0; i < ids.size(); ++i) {
      Row x(kHidden);
      for (size_t d = 0; d < kHidden; ++d) {
        x[d] = At(e + "word_embeddings.weight", static_cast<size_t>(ids[i]) * kHidden + d) +
               At(e + "position_embeddings.weight", i * kHidden + d) +
               At(e + "token_type_embeddings.weight", d);
      }
      stream.push_back(Norm(x, e + "LayerNorm"));
    }
    for (size_t l = 0; l < kLayers; ++l) {
      const std::string name = "bert.encoder.layer." + std::to_string(l) + ".";
      const std::vector<Row> mixed = Attend(stream, name + "attention.self.");
      for (size_t i = 0; i < stream.size(); ++i) {
        Row x = Sum(stream[i], Product(mixed[i], name + "attention.output.dense"));
        x = Norm(x, name + "attention.output.LayerNorm");
        Row wide = Product(x, name + "intermediate.dense");
        for (double& v : wide) v = v * 0.5 * (1 + std::erf(v / std::sqrt(2.0)));
        stream[i] = Norm(Sum(x, Product(wide, name + "output.dense")), name + "output.LayerNorm");
      }
    }
    std::vector<float> out;
    for (const Row& row : stream) {
      for (const double v : Product(row, "qa_outputs")) out.push_back(static_cast<float>(v));
    }
    return out;
  }

 private:
  double At(const std::string& name, size_t at) const {
    return static_cast<double>(numbers_.at(name).at(at));
  }
  static Row Sum(Row a, const Row& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }
  Row Product(const Row& x, const std::string& name) const {
    Row out(numbers_.at(name + ".bias").size());
    for (size_t r = 0; r < out.size(); ++r) {
      out[r] = At(name + ".bias", r);
      for (size_t c = 0; c < x.size(); ++c) out[r] += x[c] * At(name + ".weight", r * x.size() + c);
    }
    return out;
  }
  Row Norm(const Row& x, const std::string& name) const {
    double mean = 0, square = 0;
    for (const double v : x) mean += v / kHidden;
    for (const double v : x) square += (v - mean) * (v - mean) / kHidden;
    Row out(kHidden);
    for (size_t d = 0; d < kHidden; ++d) {
      out[d] = (x[d] - mean) / std::sqrt(square + kEps) * At(name + ".weight", d) +
               At(name + ".bias", d);
    }
    return out;
  }
  std::vector<Row> Attend(const std::vector<Row>& stream, const std::string& name) const {
    std::vector<Row> query, key, value, mixed;
    for (const Row& x : stream) {
      query.push_back(Product(x, name + "query"));
      key.push_back(Product(x, name + "key"));
      value.push_back(Product(x, name + "value"));
    }
    for (const Row& q : query) {
      Row out(kHidden);
      for (size_t h = 0; h < kHeads; ++h) {
        Row weight;
        double total = 0;
        for (const Row& k : key) {
          double score = 0;
          for (size_t d = h * kDim; d < (h + 1) * kDim; ++d) score += q[d] * k[d];
          weight.push_back(std::exp(score / std::sqrt(static_cast<double>(kDim))));
          total += weight.back();
        }
        for (size_t i = 0; i < value.size(); ++i) {
          for (size_t d = h * kDim; d < (h + 1) * kDim; ++d) {
            out[d] += weight[i] / total * value[i][d];
          }
        }
      }
      mixed.push_back(out);
    }
    return mixed;
  }

  std::map<std::string, std::vector<float>> numbers_;
};

class Encoder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto tensors = testing::RandomTensors(Config(), 11);
    ASSERT_TRUE(tensors.ok()) << tensors.status().ToString();
    tensors_ = *tensors;
    ASSERT_TRUE(testing::WriteModelFolder(fs_, "m", Config(), tensors_).ok());
    for (TokenId i = 0; i < 50; ++i) ids_.push_back((i * 37 + 5) % 96);
  }
  std::shared_ptr<const Model> Load(const LoadOptions& options = {}) {
    auto model = Model::Load(fs_, "m", options);
    EXPECT_TRUE(model.ok()) << model.status().ToString();
    return *model;
  }
  static std::vector<float> OutputsOf(const Model& model, std::span<const TokenId> ids) {
    std::vector<float> out(ids.size() * static_cast<size_t>(model.config().outputs));
    auto session = Session::Create(std::shared_ptr<const Model>(&model, [](const Model*) {}),
                                   {.prefill_chunk = 7, .encodes = true});
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    const Status status = (*session)->AppendWithLogits(ids, out);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return out;
  }

  sys::SimFileSystem fs_;
  std::vector<testing::TinyTensor> tensors_;
  std::vector<TokenId> ids_;
};

TEST_F(Encoder, SaysWhatItsDefinitionSaysOnEverySet) {
  const std::vector<float> wanted = Definition(tensors_).Outputs(ids_);
  for (const kernels::Isa isa : kernels::RunningIsas()) {
    SCOPED_TRACE(kernels::IsaName(isa));
    const auto model = Load({.isa = isa});
    EXPECT_TRUE(model->config().encoder);
    ASSERT_EQ(model->config().outputs, 2);
    const std::vector<float> found = OutputsOf(*model, ids_);
    EXPECT_LE(LargestError(found, wanted), 1e-5);
    const std::vector<float> few = OutputsOf(*model, std::span(ids_).first(20));
    EXPECT_NE(few, std::vector<float>(found.begin(), found.begin() + 40)) << "none looks behind";
  }
}

TEST_F(Encoder, AModelFileSaysTheSame) {
  const auto model = Load();
  ASSERT_TRUE(WriteModelFile(fs_, *model, "m.flm", kernels::WeightType::kF32).ok());
  const auto file = Model::Load(fs_, "m.flm", {.exact = true});
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(OutputsOf(**file, ids_), OutputsOf(*model, ids_));
  StoreOptions store;
  store.matrices.packed = kernels::PackedForm{.bits = 8};
  ASSERT_TRUE(WriteModelFile(fs_, *model, "i8.flm", store).ok());
  EXPECT_LE(LargestError(OutputsOf(**Model::Load(fs_, "i8.flm"), ids_), OutputsOf(*model, ids_)),
            0.05);
}

TEST_F(Encoder, ReadsATextInOnePieceAndContinuesNone) {
  const auto model = Load();
  const auto refused = Session::Create(model, {});
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
  EXPECT_THAT(refused.status().message(), ::testing::HasSubstr("bert is an encoder"));
  auto session = *Session::Create(model, {.encodes = true});
  ASSERT_TRUE(session->Append(ids_).ok());
  const std::vector<float> whole = OutputsOf(*model, ids_);
  std::span<const float> last = *session->logits();
  EXPECT_EQ(std::vector<float>(last.begin(), last.end()),
            std::vector<float>(whole.end() - 2, whole.end()));
  EXPECT_EQ(session->Append(std::vector<TokenId>{1}).code(), Code::kFailedPrecondition);
  session->Truncate(20);
  const std::vector<float> few = OutputsOf(*model, std::span(ids_).first(20));
  last = *session->logits();
  EXPECT_EQ(std::vector<float>(last.begin(), last.end()),
            std::vector<float>(few.end() - 2, few.end()));
  EXPECT_EQ(session->Append(std::vector<TokenId>(65, 1)).code(), Code::kFailedPrecondition);
  EXPECT_EQ(model->CheckTokens(std::vector<TokenId>(65, 1), 0).code(), Code::kLimitExceeded);
}

TEST_F(Encoder, OfHeadsThatItLacksTheTensorIsNamed) {
  std::erase_if(tensors_, [](const auto& tensor) { return tensor.name == "qa_outputs.weight"; });
  ASSERT_TRUE(testing::WriteModelFolder(fs_, "n", Config(), tensors_).ok());
  const auto model = Model::Load(fs_, "n");
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.status().message(), ::testing::HasSubstr("qa_outputs.weight"));
}

TEST(EncoderGolden, StartAndEndOfAnAnswer) {
  constexpr const char* kArchive = "testdata/llm-golden.tar.xz";
  FERRY_NEEDS_SHARED(kArchive);
  char name[] = "/tmp/ferry-bert-golden-XXXXXX";
  const std::string folder = mkdtemp(name);
  ASSERT_EQ(
      std::system(
          fmt::format("tar -xJf '{}' -C '{}'", testing::SharedPath(kArchive), folder).c_str()),
      0);
  const std::string plain = folder + "/bert_qa";
  const std::string path =
      sys::Exists(sys::SystemFileSystem(), plain) ? plain : folder + "/llm-golden/bert_qa";
  const testing::Golden golden(path + "/golden.safetensors");
  const std::vector<TokenId> ids = golden.Get<TokenId>("input_ids");
  const auto starts = golden.Get<float>("start_logits"), ends = golden.Get<float>("end_logits");
  std::vector<float> wanted;
  for (size_t i = 0; i < ids.size(); ++i) wanted.insert(wanted.end(), {starts[i], ends[i]});
  const auto model = Model::Load(sys::SystemFileSystem(), path);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  std::vector<float> found(wanted.size());
  auto session = *Session::Create(*model, {.encodes = true});
  ASSERT_TRUE(session->AppendWithLogits(ids, found).ok());
  const double error = LargestError(found, wanted);
  fmt::print("bert_qa: {:.1e} of the largest |logit|\n", error);
  EXPECT_LE(error, 2e-4);
  (void)sys::SystemFileSystem().RemoveTree(folder);
}

}  // namespace
}  // namespace ferry::llm

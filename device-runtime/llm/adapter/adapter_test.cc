// Adapters against weights into which they are merged, for every family; rows with some, others and
// none beside one another; adapters that go while requests with them run.
#include "device-runtime/llm/adapter/adapter.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/world.h"
#include "device-runtime/llm/adapter/bind.h"
#include "device-runtime/llm/batch/batcher.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/random_adapter.h"
#include "device-runtime/llm/testing/random_model.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;
using testing::RandomAdapterOptions;

constexpr double kMergedTolerance = 2e-4;
constexpr int64_t kVocabulary = 96;  // of SmallConfig

std::vector<TokenId> SomeIds(uint32_t seed, size_t count) {
  std::vector<TokenId> ids(count);
  for (TokenId& id : ids) {
    seed = seed * 1664525 + 1013904223;
    id = static_cast<TokenId>((seed >> 8) % kVocabulary);
  }
  return ids;
}

bool EqualBits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

std::shared_ptr<const Model> SmallModel(sys::FileSystem& fs, const std::string& type,
                                        const LoadOptions& options = {}) {
  const Json config = testing::SmallConfig(type);
  const auto tensors = testing::RandomTensors(config, 7).value();
  EXPECT_TRUE(testing::WriteModelFolder(fs, "m", config, tensors).ok());
  return Model::Load(fs, "m", options).value();
}

// The same in 4 bits, products over rows of 8 bits.
std::shared_ptr<const Model> PackedModel(sys::FileSystem& fs, const std::string& type,
                                         bool exact = false) {
  const auto model = SmallModel(fs, type);
  StoreOptions store;
  store.matrices.packed = kernels::PackedForm{.bits = 4, .group = 0};
  EXPECT_TRUE(WriteModelFile(fs, *model, "m.flm", store).ok());
  return Model::Load(fs, "m.flm", {.exact = exact}).value();
}

std::shared_ptr<const Adapter> MakeAdapter(sys::FileSystem& fs,
                                           const std::shared_ptr<const Model>& base,
                                           const RandomAdapterOptions& options = {}) {
  const std::string folder = fmt::format("adapter{}", options.seed);
  EXPECT_TRUE(testing::WriteAdapterFolder(fs, folder, testing::PeftConfigOf(options),
                                          testing::RandomAdapterTensors(*base, options))
                  .ok());
  auto adapter = Adapter::Load(fs, folder, base);
  EXPECT_TRUE(adapter.ok()) << adapter.status().ToString();
  return adapter.value();
}

std::shared_ptr<const AdapterSet> SetOf(const std::shared_ptr<const Model>& base,
                                        std::vector<AdapterSet::Part> parts) {
  return AdapterSet::Create(base, std::move(parts)).value();
}

class MergedWeights : public ::testing::TestWithParam<std::string> {};

TEST_P(MergedWeights, GiveTheSameLogits) {
  sys::SimFileSystem fs;
  const Json config = testing::SmallConfig(GetParam());
  auto tensors = testing::RandomTensors(config, 7).value();
  ASSERT_TRUE(testing::WriteModelFolder(fs, "m", config, tensors).ok());
  const auto base = Model::Load(fs, "m").value();
  const ImportRules& rules = base->state().config.rules;
  RandomAdapterOptions one{.seed = 1, .rank = 4};
  RandomAdapterOptions two{.seed = 2, .rank = 7, .alpha = 3, .dtype = "BF16"};
  // A head whose rows are normalised is not what a merged one would be.
  if (rules.head_normalised) {
    one.takes =
        two.takes = [&](const std::string& name) { return name != base->description().head; };
  }
  const auto set =
      SetOf(base, {{MakeAdapter(fs, base, one), 1.0f}, {MakeAdapter(fs, base, two), -0.5f}});
  for (testing::TinyTensor& tensor : tensors) {
    const auto& specs = base->state().specs;
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const TensorSpec& s) { return s.name == tensor.name; });
    ASSERT_NE(spec, specs.end());
    std::vector<float> numbers = testing::NumbersOf(tensor);
    for (const AdapterSet::Part& part : set->parts()) {
      const LowRank* change = part.adapter->Of(static_cast<int32_t>(spec - specs.begin()));
      if (change == nullptr) continue;
      testing::MergeInto(*change, static_cast<double>(part.scale),
                         rules.transposed && spec->in_layer, &numbers);
    }
    tensor = testing::TensorOf(tensor.name, tensor.shape, numbers);
  }
  ASSERT_TRUE(testing::WriteModelFolder(fs, "merged", config, tensors).ok());
  const std::vector<TokenId> ids = SomeIds(3, 40);
  const auto merged = AllLogits(*Model::Load(fs, "merged").value(), ids);
  const auto adapted = AllLogits(*base, ids, 9, sys::SerialParallel(), set.get());
  EXPECT_LE(testing::LargestError(adapted, merged), kMergedTolerance);
  // That the adapters matter at all.
  EXPECT_GT(testing::LargestError(AllLogits(*base, ids), merged), 0.05);
  for (const AdapterSet::Part& part : set->parts()) {
    EXPECT_GE(part.adapter->changes().size(), base->description().layers.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MergedWeights, ::testing::ValuesIn(testing::SmallModelTypes()),
                         [](const auto& info) { return info.param; });

// Of a base of few bits, in float32 arithmetic on what is stored.
TEST(Adapter, PackedBaseEqualsMergedWeights) {
  sys::SimFileSystem fs;
  const auto base = PackedModel(fs, "llama", true);
  const auto set = SetOf(base, {{MakeAdapter(fs, base), 0.75f}});
  std::vector<testing::TinyTensor> tensors;
  const auto& specs = base->state().specs;
  for (size_t i = 0; i < specs.size(); ++i) {
    const TensorSpec& spec = specs[i];
    std::vector<float> numbers;
    if (spec.shape.size() == 1) {
      const float* vector = base->state().weights.Vector(spec.name);
      numbers.assign(vector, vector + spec.shape[0]);
    } else {
      const Matrix& matrix = base->state().weights.Matrix(spec.name);
      EXPECT_TRUE(matrix.is_packed());
      numbers.resize(static_cast<size_t>(matrix.rows() * matrix.columns()));
      for (int64_t r = 0; r < matrix.rows(); ++r) {
        WidenRow(matrix, r, numbers.data() + r * matrix.columns());
      }
      if (const LowRank* change = set->parts()[0].adapter->Of(static_cast<int32_t>(i))) {
        testing::MergeInto(*change, 0.75, false, &numbers);
      }
    }
    tensors.push_back(testing::TensorOf(spec.name, spec.shape, numbers));
  }
  ASSERT_TRUE(testing::WriteModelFolder(fs, "merged", testing::SmallConfig("llama"), tensors).ok());
  const std::vector<TokenId> ids = SomeIds(3, 40);
  const auto merged = AllLogits(*Model::Load(fs, "merged").value(), ids);
  EXPECT_LE(
      testing::LargestError(AllLogits(*base, ids, 9, sys::SerialParallel(), set.get()), merged),
      kMergedTolerance);
}

// Of a base of few bits an adapter is rounded, unless arithmetic is to be exact. That moves logits
// less than half as far as the rows of 8 bits do for which it is done.
TEST(Adapter, PackedBaseRounds) {
  sys::SimFileSystem fs;
  const std::vector<TokenId> ids = SomeIds(3, 40);
  std::vector<float> logits[2][2];  // exact, rounded beforehand
  for (const bool exact : {false, true}) {
    const auto base = PackedModel(fs, "llama", exact);
    for (const bool rounded : {false, true}) {
      const auto adapter = MakeAdapter(fs, base, {.dtype = rounded ? "BF16" : "F32"});
      const auto held = exact && !rounded ? kernels::WeightType::kF32 : kernels::WeightType::kBF16;
      for (const LowRank& change : adapter->changes()) {
        EXPECT_EQ(change.a.type, held);
        EXPECT_EQ(change.b.type, held);
      }
      const auto set = SetOf(base, {{adapter, 1.0f}});
      logits[exact ? 1 : 0][rounded ? 1 : 0] =
          AllLogits(*base, ids, 40, sys::SerialParallel(), set.get());
    }
  }
  EXPECT_TRUE(EqualBits(logits[0][0], logits[0][1]));
  const double by_rounding = testing::LargestError(logits[1][1], logits[1][0]);
  const double by_rows = testing::LargestError(logits[0][1], logits[1][1]);
  EXPECT_GT(by_rounding, 0);
  EXPECT_LT(by_rounding, by_rows / 2);
}

// The head of a model that ties it to its embedding is changed alone.
TEST(Adapter, TiedHead) {
  sys::SimFileSystem fs;
  Json config = testing::SmallConfig("gemma");
  auto tensors = testing::RandomTensors(config, 7).value();
  ASSERT_TRUE(testing::WriteModelFolder(fs, "m", config, tensors).ok());
  const auto base = Model::Load(fs, "m").value();
  RandomAdapterOptions options;
  options.takes = [](const std::string& name) { return name.find("q_proj") != name.npos; };
  auto changes = testing::RandomAdapterTensors(*base, options);
  std::vector<float> a(4 * 32), b(96 * 4);
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<float>(i)) / 6;
  for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<float>(i)) / 6;
  changes = {testing::TensorOf("base_model.model.lm_head.lora_A.weight", {4, 32}, a),
             testing::TensorOf("base_model.model.lm_head.lora_B.weight", {96, 4}, b)};
  ASSERT_TRUE(testing::WriteAdapterFolder(fs, "a", testing::PeftConfigOf(options), changes).ok());
  const auto adapter = Adapter::Load(fs, "a", base);
  ASSERT_TRUE(adapter.ok()) << adapter.status().ToString();
  const auto set = SetOf(base, {{*adapter, 1.0f}});
  ASSERT_EQ(tensors[0].name, base->description().embedding);
  std::vector<float> head = testing::NumbersOf(tensors[0]);
  testing::MergeInto((*adapter)->changes()[0], 1, false, &head);
  config["tie_word_embeddings"] = false;
  tensors.push_back(testing::TensorOf("lm_head.weight", tensors[0].shape, head));
  ASSERT_TRUE(testing::WriteModelFolder(fs, "merged", config, tensors).ok());
  const std::vector<TokenId> ids = SomeIds(3, 20);
  const auto merged = AllLogits(*Model::Load(fs, "merged").value(), ids);
  EXPECT_LE(
      testing::LargestError(AllLogits(*base, ids, 9, sys::SerialParallel(), set.get()), merged),
      kMergedTolerance);
  EXPECT_GT(testing::LargestError(AllLogits(*base, ids), merged), 0.01);
}

class AdapterNeighbours : public ::testing::TestWithParam<std::tuple<std::string, bool>> {};

// Rows of two adapters, of both and of none in one pass, in uneven steps.
TEST_P(AdapterNeighbours, HaveTheBitsTheyHaveAlone) {
  sys::SimFileSystem fs;
  const auto& [type, packed] = GetParam();
  const auto base = packed ? PackedModel(fs, type) : SmallModel(fs, type);
  const auto one = MakeAdapter(fs, base, {.seed = 1, .rank = 5});
  const auto two = MakeAdapter(fs, base, {.seed = 2, .rank = 16, .dtype = "BF16"});
  const std::vector<std::shared_ptr<const AdapterSet>> sets = {
      SetOf(base, {{one, 1.0f}}), nullptr, SetOf(base, {{two, 0.5f}}),
      SetOf(base, {{one, 0.25f}, {two, 1.0f}})};
  constexpr size_t kLong = 44;
  const size_t steps[] = {1, 5, 3, 17};
  const auto threads = sys::StartThreadPool(2);
  auto pool = KvPool::Create(base->config()).value();
  auto workspace = Workspace::Create(base->config(), 128).value();
  std::vector<std::vector<TokenId>> texts;
  std::vector<std::vector<float>> alone;
  std::vector<KvSequence> sequences;
  for (size_t i = 0; i < sets.size(); ++i) {
    texts.push_back(SomeIds(static_cast<uint32_t>(i), kLong));
    alone.push_back(AllLogits(*base, texts[i], 1, sys::SerialParallel(), sets[i].get()));
    for (const int64_t chunk : {7, 44}) {
      ASSERT_TRUE(EqualBits(AllLogits(*base, texts[i], chunk, *threads, sets[i].get()), alone[i]))
          << i << ", in chunks of " << chunk;
    }
    sequences.push_back(pool->NewSequence());
  }
  std::vector<size_t> done(sets.size());
  while (done[0] < 12) {
    std::vector<Chunk> chunks;
    std::vector<std::vector<float>> logits(sets.size());
    std::vector<size_t> begins = done;
    for (size_t i = 0; i < sets.size(); ++i) {
      const size_t count = std::min(steps[i], kLong - done[i]);
      if (count == 0) continue;
      ASSERT_TRUE(sequences[i].Reserve(static_cast<int64_t>(count)).ok());
      logits[i].resize(count * kVocabulary);
      chunks.push_back({.kv = &sequences[i],
                        .tokens = std::span(texts[i]).subspan(done[i], count),
                        .logits = logits[i].data(),
                        .adapters = sets[i].get()});
      done[i] += count;
    }
    base->Forward(chunks, workspace, *threads);
    for (size_t i = 0; i < sets.size(); ++i) {
      ASSERT_TRUE(EqualBits(logits[i],
                            std::span(alone[i]).subspan(begins[i] * kVocabulary, logits[i].size())))
          << i << " at " << begins[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, AdapterNeighbours,
                         ::testing::Combine(::testing::Values("llama", "gpt2", "deepseek_v3",
                                                              "qwen3_next", "lfm2", "phi3"),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           return std::get<0>(info.param) +
                                  (std::get<1>(info.param) ? "_packed" : "");
                         });

TEST(Adapter, FileHasTheSameBitsAsTheFolder) {
  sys::SimFileSystem fs;
  const auto base = SmallModel(fs, "qwen3");
  for (const char* dtype : {"F32", "BF16", "F16"}) {
    const auto folder = MakeAdapter(fs, base, {.dtype = dtype});
    const auto bytes = WriteAdapterFile(fs, *folder, "a.fla");
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(static_cast<uint64_t>(*bytes), fs.Stat("a.fla")->size);
    const auto file = Adapter::Load(fs, "a.fla", base);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_EQ((*file)->digest(), folder->digest()) << dtype;
    EXPECT_EQ((*file)->bytes(), folder->bytes());
    const std::vector<TokenId> ids = SomeIds(1, 12);
    const auto with = [&](std::shared_ptr<const Adapter> adapter) {
      const auto set = SetOf(base, {{std::move(adapter), 1.0f}});
      return AllLogits(*base, ids, 5, sys::SerialParallel(), set.get());
    };
    EXPECT_TRUE(EqualBits(with(*file), with(folder))) << dtype;
    EXPECT_TRUE(IsAdapter(fs, "a.fla"));
    EXPECT_TRUE(IsAdapter(fs, "adapter1"));
    EXPECT_FALSE(IsAdapter(fs, "m"));
    EXPECT_FALSE(IsAdapter(fs, "nothing"));
    // As a model it is refused, not misread.
    EXPECT_THAT(Model::Load(fs, "a.fla").status().message(), ::testing::HasSubstr("an adapter"));
  }
}

TEST(Adapter, ScalesOfPatternsAndRoots) {
  sys::SimFileSystem fs;
  const auto base = SmallModel(fs, "llama");
  RandomAdapterOptions options{.rank = 4, .alpha = 6};
  options.takes = [](const std::string& name) { return name.find("q_proj") != name.npos; };
  Json config = testing::PeftConfigOf(options);
  config["alpha_pattern"] = {{"layers.1.self_attn.q_proj", 10}, {"layers\\.[23]\\..*q_proj", 20}};
  config["rank_pattern"] = {{"q_proj", 4}, {"k_proj", 9}};
  config["r"] = 8;
  const auto scales = [&](bool root) {
    config["use_rslora"] = root;
    EXPECT_TRUE(
        testing::WriteAdapterFolder(fs, "a", config, testing::RandomAdapterTensors(*base, options))
            .ok());
    std::vector<float> found;
    const auto adapter = Adapter::Load(fs, "a", base);
    EXPECT_TRUE(adapter.ok()) << adapter.status().ToString();
    for (const LowRank& low : (*adapter)->changes()) found.push_back(low.scale);
    return found;
  };
  EXPECT_EQ(scales(false), (std::vector<float>{1.5f, 2.5f, 5.0f, 5.0f}));
  EXPECT_EQ(scales(true), (std::vector<float>{3.0f, 5.0f, 10.0f, 10.0f}));
}

// Pages that were read with an adapter are never given to a sequence with another or none.
TEST(Adapter, PrefixesAreSharedAmongEqualSetsOnly) {
  sys::SimFileSystem fs;
  const auto base = SmallModel(fs, "llama");
  const auto adapter = MakeAdapter(fs, base);
  const auto pool = KvPool::Create(base->config()).value();
  const std::vector<TokenId> ids = SomeIds(1, 60);
  const std::vector<std::shared_ptr<const AdapterSet>> sets = {
      nullptr, SetOf(base, {{adapter, 1.0f}}), SetOf(base, {{adapter, 0.5f}}),
      SetOf(base, {{MakeAdapter(fs, base, {.seed = 9}), 1.0f}})};
  for (size_t i = 0; i < sets.size(); ++i) {
    const auto wanted = AllLogits(*base, ids, 60, sys::SerialParallel(), sets[i].get());
    for (const int64_t hits : {0, 48}) {
      const int64_t before = pool->stats().prefix_hits;
      auto session = Session::Create(base, {.pool = pool, .adapters = sets[i]}).value();
      ASSERT_TRUE(session->Append(ids).ok());
      EXPECT_EQ(pool->stats().prefix_hits - before, hits) << i;
      EXPECT_TRUE(EqualBits(*session->logits(), std::span(wanted).last(kVocabulary))) << i;
    }
  }
}

TEST(Adapter, GoesWhileRequestsWithItRun) {
  sys::SimFileSystem fs;
  const auto base = SmallModel(fs, "llama");
  sys::SimWorld world(1);
  const auto executor = world.MakeExecutor();
  BatcherOptions options;
  options.executor = executor.get();
  options.clock = &world.clock();
  options.extra_cost_ms = [](int64_t, int64_t) { return 10.0; };
  Batcher batcher(base, options);
  const auto pool = KvPool::Create(base->config()).value();
  const std::vector<TokenId> ids = SomeIds(5, 300);  // two passes
  const std::vector<TokenId> other = SomeIds(6, 30);
  auto set = SetOf(base, {{MakeAdapter(fs, base), 1.0f}});
  const auto with = AllLogits(*base, ids, 64, sys::SerialParallel(), set.get());
  const auto without = AllLogits(*base, other);
  const std::weak_ptr<const Adapter> adapter = set->parts()[0].adapter;
  KvSequence one = pool->NewSequence();
  KvSequence two = pool->NewSequence();
  int answered = 0;
  const auto submit = [&](KvSequence* kv, const std::vector<TokenId>& tokens,
                          std::shared_ptr<const AdapterSet> adapters,
                          const std::vector<float>& wanted) {
    BatchRequest request{.kv = kv, .tokens = tokens, .adapters = std::move(adapters)};
    request.done = [&](const Status& status, std::span<const float> logits) {
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_TRUE(EqualBits(logits, wanted));
      ++answered;
    };
    ASSERT_TRUE(batcher.Submit(std::move(request)).ok());
  };
  submit(&one, ids, set, with);
  submit(&two, other, nullptr, without);
  set.reset();
  world.RunFor(5);
  EXPECT_FALSE(adapter.expired());  // amid the first pass
  EXPECT_EQ(answered, 0);
  world.RunFor(1000);
  EXPECT_EQ(answered, 2);
  EXPECT_TRUE(adapter.expired());
  EXPECT_EQ(batcher.stats().passes, 2);
}

TEST(Adapter, AnotherModelsAreRefused) {
  sys::SimFileSystem fs;
  const auto base = SmallModel(fs, "llama");
  const auto set = SetOf(base, {{MakeAdapter(fs, base), 1.0f}});
  const auto other = SmallModel(fs, "llama");
  EXPECT_EQ(Session::Create(other, {.adapters = set}).code(), Code::kInvalidArgument);
  EXPECT_EQ(AdapterSet::Create(other, {set->parts()[0]}).code(), Code::kInvalidArgument);
  sys::SimWorld world(1);
  const auto executor = world.MakeExecutor();
  Batcher batcher(other, {.executor = executor.get(), .clock = &world.clock()});
  KvSequence kv = KvPool::Create(other->config()).value()->NewSequence();
  EXPECT_EQ(batcher.Submit({.kv = &kv, .tokens = {1}, .adapters = set}).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(AdapterSet::Create(base, {{set->parts()[0].adapter, HUGE_VALF}}).code(),
            Code::kInvalidArgument);
  const std::vector<AdapterSet::Part> many(kMaxAdaptersOfSet + 1, set->parts()[0]);
  EXPECT_EQ(AdapterSet::Create(base, many).code(), Code::kLimitExceeded);
  EXPECT_EQ(AdapterSet::Create(base, {}).value(), nullptr);
}

}  // namespace
}  // namespace ferry::llm

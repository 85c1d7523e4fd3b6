#include "tests/split/harness.h"

#include <gtest/gtest.h>

#include <map>

#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::split {
namespace {

std::shared_ptr<const llm::Model> LoadTiny(double noise) {
  sys::SimFileSystem fs;
  llm::testing::TinyModelOptions options;
  options.noise = noise;
  EXPECT_TRUE(llm::testing::WriteTinyModel(fs, "tiny", options).ok());
  auto model = llm::Model::Load(fs, "tiny");
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *model;
}

}  // namespace

std::shared_ptr<const llm::Model> TinyTarget() {
  static const auto model = LoadTiny(0);
  return model;
}

std::shared_ptr<const llm::Model> TinyDraft(double noise) {
  static std::map<double, std::shared_ptr<const llm::Model>> models;
  auto& model = models[noise];
  if (model == nullptr) model = LoadTiny(noise);
  return model;
}

std::vector<llm::TokenId> RandomPrompt(uint64_t seed, int64_t length) {
  sys::SeededRandom random(seed);
  std::vector<llm::TokenId> prompt;
  for (int64_t i = 0; i < length; ++i) {
    prompt.push_back(static_cast<llm::TokenId>(random.Below(256)));
  }
  return prompt;
}

std::vector<llm::TokenId> CloudOnly(const llm::Model& target,
                                    const std::vector<llm::TokenId>& prompt,
                                    const llm::SplitOptions& options) {
  // Not owned: sessions share models, and this one ends before it returns.
  const std::shared_ptr<const llm::Model> shared(std::shared_ptr<void>(), &target);
  auto session = llm::Session::Create(shared);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_TRUE((*session)->Append(prompt).ok());
  llm::Sampler sampler(options.sampler, options.key, target.config().vocabulary);
  llm::GenerateOptions generate;
  generate.max_new = options.max_new;
  generate.stop_at_end_token = options.stop_at_end_token;
  const auto generated = llm::Generate(**session, sampler, generate);
  EXPECT_TRUE(generated.ok()) << generated.status().ToString();
  return generated->ids;
}

std::vector<llm::TokenId> ChoicesIn(const llm::Model& model,
                                    const std::vector<llm::TokenId>& sequence, int64_t from,
                                    const llm::SplitOptions& options) {
  const std::shared_ptr<const llm::Model> shared(std::shared_ptr<void>(), &model);
  auto session = llm::Session::Create(shared);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  const auto vocabulary = static_cast<size_t>(model.config().vocabulary);
  std::vector<float> logits(sequence.size() * vocabulary);
  EXPECT_TRUE((*session)->AppendWithLogits(sequence, logits).ok());
  llm::Sampler sampler(options.sampler, options.key, model.config().vocabulary);
  std::vector<llm::TokenId> choices(sequence.size(), -1);
  for (size_t p = static_cast<size_t>(from); p < sequence.size(); ++p) {
    choices[p] = sampler.Sample(std::span(logits).subspan((p - 1) * vocabulary, vocabulary),
                                std::span(sequence).first(p), p);
  }
  return choices;
}

Stage::Stage(const Scene& scene)
    : scene_(scene),
      world_(scene.seed),
      device_(world_.MakeExecutor()),
      server_(world_.MakeExecutor()),
      link_(std::make_unique<llm::SimLink>(*device_, *server_, world_.random(), scene.link)) {
  if (scene_.draft_ms > 0 && !scene_.options.draft_cost_ms) {
    scene_.options.draft_cost_ms = [ms = scene_.draft_ms] { return ms; };
  }
  StartVerifier();
}

Stage::~Stage() {
  session_.reset();
  verifier_.reset();
  link_.reset();
}

void Stage::StartVerifier() {
  server::VerifyOptions options;
  options.executor = server_.get();
  options.clock = &world_.clock();
  options.limits = scene_.limits;
  if (scene_.step_ms > 0) {
    options.extra_cost_ms = [ms = scene_.step_ms](int64_t, int64_t) { return ms; };
  }
  verifier_ = std::make_unique<server::Verifier>(options);
  server::VerifyTarget target;
  target.name = "tiny";
  target.version = "1";
  target.model = scene_.target;
  target.kv_bytes = scene_.kv_bytes;
  const Status set = verifier_->SetTarget(target);
  ASSERT_TRUE(set.ok()) << set.ToString();
  verifier_->Accept(link_->MakeServerEnd(), "device");
}

void Stage::DropVerifier() {
  verifier_.reset();
}

void Stage::RestartVerifier() {
  verifier_.reset();
  server_ = world_.MakeExecutor();
  link_->SetServerExecutor(*server_);
  StartVerifier();
}

void Stage::Start() {
  llm::SplitParts parts;
  parts.executor = device_.get();
  parts.clock = &world_.clock();
  parts.random = &world_.random();
  parts.link = &link_->device();
  parts.drafter = scene_.drafter;
  llm::SplitEvents events;
  events.on_tokens = [this](std::span<const llm::TokenId> fresh, llm::TokenSource source) {
    for (llm::TokenId id : fresh) {
      ids.push_back(id);
      sources.push_back(source);
      at_ms.push_back(NowMs());
    }
    if (on_tokens) on_tokens();
  };
  events.on_mode = [this](llm::SplitMode mode, const Status& why) {
    modes.push_back({NowMs(), mode, why});
  };
  events.on_end = [this](Result<llm::FinishReason> result) { end = std::move(result); };
  auto session =
      llm::SplitSession::Create(scene_.draft, nullptr, parts, scene_.options, std::move(events));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  session_ = std::move(*session);
  const Status started = session_->Start(scene_.prompt);
  ASSERT_TRUE(started.ok()) << started.ToString();
}

bool Stage::Run(int64_t limit_ms) {
  return RunUntil([this] { return end.has_value(); }, limit_ms);
}

bool Stage::RunUntil(const std::function<bool()>& done, int64_t limit_ms) {
  return world_.RunUntil(done, limit_ms);
}

void Stage::Cut(bool tell) {
  link_->SetCut(true, tell);
}

void Stage::Join(bool tell) {
  if (tell) verifier_->Accept(link_->MakeServerEnd(), "device");
  link_->SetCut(false, tell);
}

server::VerifyView Stage::view() {
  world_.RunFor(2 * server::kVerifyViewMs);
  return verifier_->View();
}

int64_t Stage::passes() {
  const server::VerifyView now = view();
  return now.targets.empty() ? 0 : now.targets[0].passes;
}

}  // namespace ferry::split

// What the tests of this room share: a verifier in virtual time, devices beside it, and frames by
// hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/verify/verify.h"
#include "common/proto/split.pb.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/world.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/speculative/device.h"
#include "device-runtime/llm/speculative/frames.h"
#include "device-runtime/llm/speculative/sim_link.h"
#include "device-runtime/llm/testing/tiny_model.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::server {

using llm::TokenId;

struct TestModels {
  std::shared_ptr<const llm::Model> target, draft;
};
inline const TestModels& Models() {
  static const TestModels models = [] {
    sys::SimFileSystem fs;
    TestModels made;
    EXPECT_TRUE(llm::testing::WriteTinyModel(fs, "target", {.seed = 1}).ok());
    EXPECT_TRUE(llm::testing::WriteTinyModel(fs, "draft", {.seed = 1, .noise = 0.2}).ok());
    made.target = llm::Model::Load(fs, "target").value();
    made.draft = llm::Model::Load(fs, "draft").value();
    return made;
  }();
  return models;
}

inline std::vector<TokenId> Prompt(uint64_t seed, size_t length) {
  sys::SeededRandom random(seed);
  std::vector<TokenId> ids(length);
  for (TokenId& id : ids) id = static_cast<TokenId>(random.Below(256));
  return ids;
}

// What the target alone says.
inline std::vector<TokenId> Reference(const std::vector<TokenId>& prompt,
                                      const llm::SamplerOptions& sampler, uint64_t seed,
                                      int64_t max_new) {
  auto session = llm::Session::Create(Models().target).value();
  EXPECT_TRUE(session->Append(prompt).ok());
  llm::Sampler own(sampler, llm::PrfKey::FromSeed(seed), Models().target->config().vocabulary);
  llm::GenerateOptions options;
  options.max_new = max_new;
  return llm::Generate(*session, own, options).value().ids;
}

// Frames by hand, as a device that obeys nobody.
class Script {
 public:
  explicit Script(llm::SplitLink& link, int64_t vocabulary) : link_(link), vocabulary_(vocabulary) {
    link_.Start({[this](ByteView bytes) { Take(bytes); }, [](bool) {}});
  }
  void Send(uint8_t stream, const proto::SplitControl& control) {
    link_.Send(llm::EncodeControl(stream, control));
  }
  void Send(const llm::SplitFrame& frame) { link_.Send(llm::EncodeFrame(frame, vocabulary_)); }
  void Draft(uint8_t epoch, int64_t base, std::vector<TokenId> ids, bool follow = false,
             uint8_t stream = 0) {
    llm::SplitFrame frame;
    frame.kind = follow ? llm::FrameKind::kFollow : llm::FrameKind::kDraft;
    frame.stream = stream;
    frame.epoch = epoch;
    frame.position = static_cast<uint16_t>(base);
    frame.ids = std::move(ids);
    Send(frame);
  }
  void Context(uint32_t epoch, uint32_t from, const std::vector<TokenId>& ids) {
    proto::SplitControl control;
    control.mutable_context()->set_epoch(epoch);
    control.mutable_context()->set_from(from);
    for (const TokenId id : ids) control.mutable_context()->add_ids(static_cast<uint32_t>(id));
    Send(0, control);
  }

  std::vector<llm::SplitFrame> rounds;        // verdicts and tokens
  std::vector<proto::SplitControl> controls;  // the rest
  const proto::SplitRefused* refused() const {
    return controls.empty() || !controls.back().has_refused() ? nullptr
                                                              : &controls.back().refused();
  }

 private:
  void Take(ByteView bytes) {
    auto frame = llm::DecodeFrame(bytes, vocabulary_);
    ASSERT_TRUE(frame.ok());
    if (frame->kind != llm::FrameKind::kControl) return rounds.push_back(*frame);
    proto::SplitControl control;
    ASSERT_TRUE(
        control.ParseFromArray(frame->control.data(), static_cast<int>(frame->control.size())));
    controls.push_back(control);
  }
  llm::SplitLink& link_;
  int64_t vocabulary_;
};

// A SplitOpen that is in order.
inline proto::SplitControl OpenFor(const std::vector<TokenId>& context, uint64_t session = 1,
                                   uint32_t epoch = 1) {
  proto::SplitControl control;
  proto::SplitOpen* open = control.mutable_open();
  open->set_session(session);
  open->set_epoch(epoch);
  open->set_target("pair");
  const auto& digest = Models().target->digest();
  open->set_target_digest(std::string(AsText(ByteView(digest).first(8))));
  const auto& tokenizer = Models().target->tokenizer().value()->digest();
  open->set_tokenizer_digest(std::string(AsText(ByteView(tokenizer).first(8))));
  open->mutable_sampler()->set_top_p(1);
  open->mutable_sampler()->set_repetition_penalty(1);
  open->mutable_sampler()->set_prf_key(std::string(32, '\0'));
  open->set_context_length(static_cast<uint32_t>(context.size()));
  return control;
}

// A device with its link and one session.
struct TestDevice {
  std::unique_ptr<llm::SimLink> link;
  std::unique_ptr<llm::SplitSession> session;
  std::vector<TokenId> ids;
  std::vector<llm::SplitMode> modes;
  std::optional<Result<llm::FinishReason>> end;
  std::vector<TokenId> expected;
};

class VerifyTest : public testing::Test {
 protected:
  void SetUp() override { StartVerifier(); }
  void TearDown() override {
    devices_.clear();
    verifier_.reset();
    links_.clear();
  }

  void StartVerifier(int64_t kv_bytes = 64 << 20) {
    verifier_.reset();
    server_executor_ = world_.MakeExecutor();
    VerifyOptions options = options_;
    options.executor = server_executor_.get();
    options.clock = &world_.clock();
    verifier_ = std::make_unique<Verifier>(options);
    ASSERT_TRUE(verifier_->SetTarget({"pair", "1", Models().target, kv_bytes}).ok());
  }
  llm::SimLink& Connect(const std::string& device, const llm::SimLinkOptions& options = {}) {
    links_.push_back(
        std::make_unique<llm::SimLink>(*device_executor_, *server_executor_, random_, options));
    verifier_->Accept(links_.back()->MakeServerEnd(), device);
    return *links_.back();
  }

  // Begins a generation of `max_new` tokens on a link of its own.
  TestDevice& Begin(const std::string& name, uint64_t seed, const llm::SplitOptions& wanted,
                    const llm::SimLinkOptions& line = {}, size_t prompt_length = 9) {
    auto& device = *devices_.emplace_back(std::make_unique<TestDevice>());
    device.link =
        std::make_unique<llm::SimLink>(*device_executor_, *server_executor_, random_, line);
    verifier_->Accept(device.link->MakeServerEnd(), name);
    llm::SplitOptions options = wanted;
    options.key = llm::PrfKey::FromSeed(seed);
    options.draft_name = "tiny 1";
    llm::SplitParts parts;
    parts.executor = device_executor_.get();
    parts.clock = &world_.clock();
    parts.random = &random_;
    parts.link = &device.link->device();
    llm::SplitEvents events;
    events.on_tokens = [&device](std::span<const TokenId> ids, llm::TokenSource) {
      device.ids.insert(device.ids.end(), ids.begin(), ids.end());
    };
    events.on_mode = [&device](llm::SplitMode mode, const Status&) {
      device.modes.push_back(mode);
    };
    events.on_end = [&device](Result<llm::FinishReason> end) { device.end = std::move(end); };
    auto pool = llm::KvPool::Create(Models().draft->config()).value();
    auto session = llm::SplitSession::Create(Models().draft, pool, parts, options, events);
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    device.session = std::move(*session);
    const auto prompt = Prompt(seed, prompt_length);
    device.expected = Reference(prompt, options.sampler, seed, options.max_new);
    EXPECT_TRUE(device.session->Start(prompt).ok());
    return device;
  }
  bool AllEnd(int64_t limit_ms = 600'000) {
    return world_.RunUntil(
        [this] {
          return std::all_of(devices_.begin(), devices_.end(),
                             [](const auto& device) { return device->end.has_value(); });
        },
        limit_ms);
  }
  void ExpectAllAsTheTargetAlone() {
    for (const auto& device : devices_) {
      ASSERT_TRUE(device->end.has_value());
      EXPECT_TRUE(device->end->ok()) << device->end->status().ToString();
      EXPECT_EQ(device->ids, device->expected);
    }
  }
  VerifyView View() {
    world_.RunFor(2 * kVerifyViewMs);
    return verifier_->View();
  }

  // Opens a session with `context` and waits until rounds may begin.
  void OpenByHand(Script& script, const std::vector<TokenId>& context, uint64_t session = 1,
                  uint32_t epoch = 1) {
    script.Send(0, OpenFor(context, session, epoch));
    world_.RunFor(50);
    script.Context(epoch, 0, context);
    world_.RunFor(50);
    ASSERT_FALSE(script.controls.empty());
    ASSERT_TRUE(script.controls.back().has_ready());
    ASSERT_EQ(script.controls.back().ready().length(), context.size());
    script.controls.clear();
  }
  int64_t vocabulary() const { return Models().target->config().vocabulary; }

  sys::SimWorld world_{7};
  sys::SeededRandom random_{8};
  VerifyOptions options_{.ping_ms = 0};
  std::unique_ptr<sys::Executor> server_executor_, device_executor_ = world_.MakeExecutor();
  std::unique_ptr<Verifier> verifier_;
  std::vector<std::unique_ptr<llm::SimLink>> links_;
  std::vector<std::unique_ptr<TestDevice>> devices_;
};

}  // namespace ferry::server

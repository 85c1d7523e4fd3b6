// Sessions of device halves against the verifier: every text is the target's own.
#include "cloud-server/verify/verify.h"

#include "cloud-server/verify/test_verify.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

llm::SplitOptions Wanted(uint64_t seed, int64_t max_new = 40) {
  const llm::SamplerOptions samplers[] = {
      {}, {0.7f, 20, 0.9f, 1}, {1, 0, 1, 1}, {1, 0, 0.8f, 1.1f}};
  llm::SplitOptions options;
  options.fallback = false;
  options.pipelined = seed % 2 == 1;
  options.mode = seed % 5 == 4 ? llm::SplitMode::kCloudOnly : llm::SplitMode::kSplit;
  options.sampler = samplers[seed % 4];
  options.max_new = max_new;
  options.target = "pair";
  return options;
}

TEST_F(VerifyTest, ManySessionsAtOnceAreEachBitExact) {
  options_.extra_cost_ms = [](int64_t, int64_t) { return 8.0; };
  StartVerifier();
  for (uint64_t seed = 0; seed < 32; ++seed) {
    const llm::SimLinkOptions line{.round_trip_ms = static_cast<int64_t>(seed % 4) * 10,
                                   .jitter_ms = 5,
                                   .loss = seed % 3 == 0 ? 0.05 : 0,
                                   .duplicate = seed % 3 == 1 ? 0.05 : 0};
    Begin("device " + std::to_string(seed % 8), seed, Wanted(seed), line, 3 + seed * 5);
  }
  ASSERT_TRUE(AllEnd());
  ExpectAllAsTheTargetAlone();
  const VerifyView view = View();
  ASSERT_EQ(view.targets.size(), 1u);
  const VerifyTargetView& target = view.targets[0];
  EXPECT_GT(target.largest_batch, 8);
  EXPECT_LT(target.passes, target.requests / 3);
  RecordProperty("passes", static_cast<int>(target.passes));
  std::printf("[ measured ] %lld passes for %lld requests, up to %lld sessions in one\n",
              static_cast<long long>(target.passes), static_cast<long long>(target.requests),
              static_cast<long long>(target.largest_batch));
}

TEST_F(VerifyTest, TheConsoleSeesWhatHappened) {
  options_.ping_ms = 1000;
  StartVerifier();
  auto options = Wanted(2, 200);
  options.draft_tokens = 2;
  TestDevice& device = Begin("phone", 2, options, {.round_trip_ms = 100});
  ASSERT_TRUE(world_.RunUntil([&] { return device.ids.size() > 150; }, 100'000));
  const VerifyView view = verifier_->View();
  ASSERT_EQ(view.sessions.size(), 1u);
  const VerifySessionView& session = view.sessions[0];
  EXPECT_EQ(session.device, "phone");
  EXPECT_EQ(session.target, "pair 1");
  EXPECT_EQ(session.draft, "tiny 1");
  EXPECT_EQ(session.mode, "split");
  EXPECT_TRUE(session.connected);
  EXPECT_GT(session.emitted, 30);
  EXPECT_GT(session.accepted, 0);
  EXPECT_LE(session.accepted, session.compared);
  EXPECT_NEAR(session.round_trip_ms, 100, 3);
  EXPECT_GT(session.tokens_per_s, 1);
  EXPECT_GT(session.bytes_up, 0);
  const Json json = VerifySessionsJson(view);
  EXPECT_EQ(json["sessions"][0]["draft"], "tiny 1");
  EXPECT_EQ(json["sessions"][0]["accepted"], session.accepted);
  EXPECT_EQ(VerifyTargetsJson(view)["targets"][0]["name"], "pair");
  ASSERT_TRUE(AllEnd());
  ExpectAllAsTheTargetAlone();
}

TEST_F(VerifyTest, ARestartInMidSession) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Begin("phone " + std::to_string(seed), seed, Wanted(seed, 60), {.round_trip_ms = 20});
  }
  for (int restart = 0; restart < 3; ++restart) {
    ASSERT_TRUE(world_.RunUntil(
        [&] { return devices_[0]->ids.size() >= 15u * static_cast<size_t>(restart + 1); }, 60'000));
    StartVerifier();
    for (const auto& device : devices_) {
      device->link->SetServerExecutor(*server_executor_);
      verifier_->Accept(device->link->MakeServerEnd(), "phone");
    }
  }
  ASSERT_TRUE(AllEnd());
  ExpectAllAsTheTargetAlone();
  EXPECT_GE(devices_[0]->session->stats().reopens, 3);
}

TEST_F(VerifyTest, TheTokenQuotaMakesADeviceWait) {
  options_.limits.tokens_per_minute = 100;
  StartVerifier();
  TestDevice& greedy = Begin("greedy", 1, Wanted(1, 150));
  TestDevice& modest = Begin("modest", 2, Wanted(2, 20));
  ASSERT_TRUE(world_.RunUntil([&] { return modest.end.has_value(); }, 20'000));
  EXPECT_FALSE(greedy.end.has_value());
  ASSERT_TRUE(AllEnd());
  ExpectAllAsTheTargetAlone();
  EXPECT_GT(View().refused, 0);
}

TEST_F(VerifyTest, KvMemoryUsedUpMakesSessionsTakeTurns) {
  const int64_t page = llm::KvPool::Create(Models().target->config()).value()->stats().page_bytes;
  options_.limits.yield_ms = 500;
  StartVerifier(12 * page);  // three sessions of 60 tokens
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Begin("phone " + std::to_string(seed), seed, Wanted(seed, 30), {.round_trip_ms = 10}, 30);
  }
  ASSERT_TRUE(AllEnd(3'600'000));
  ExpectAllAsTheTargetAlone();
  const VerifyView view = View();
  EXPECT_LE(view.targets[0].kv_used_bytes, 12 * page);
  EXPECT_GT(view.refused + view.evicted, 0);
}

TEST_F(VerifyTest, WithFallbackARefusedDeviceGoesOnAlone) {
  const int64_t page = llm::KvPool::Create(Models().target->config()).value()->stats().page_bytes;
  StartVerifier(page);
  auto options = Wanted(0, 20);
  options.fallback = true;
  TestDevice& device = Begin("phone", 0, options, {}, 40);
  ASSERT_TRUE(AllEnd(60'000));
  ASSERT_TRUE(device.end->ok());
  EXPECT_EQ(device.ids.size(), 20u);
  ASSERT_FALSE(device.modes.empty());
  EXPECT_EQ(device.modes.back(), llm::SplitMode::kDeviceOnly);
}

TEST_F(VerifyTest, SessionsPerDeviceAndInAll) {
  options_.limits.sessions_per_device = 2;
  options_.limits.sessions = 3;
  StartVerifier();
  llm::SimLink& link = Connect("phone");
  Script script(link.device(), vocabulary());
  const auto prompt = Prompt(1, 4);
  for (uint8_t stream = 0; stream < 3; ++stream) {
    script.Send(stream, OpenFor(prompt, 100 + stream));
    world_.RunFor(20);
    ASSERT_EQ(script.refused() != nullptr, stream == 2);
  }
  EXPECT_EQ(script.refused()->code(), static_cast<int>(Code::kLimitExceeded));
  EXPECT_GT(script.refused()->retry_ms(), 0u);
  EXPECT_NE(script.refused()->text().find("phone"), std::string::npos);
  Script second(Connect("tablet").device(), vocabulary());
  second.Send(0, OpenFor(prompt));
  world_.RunFor(20);
  EXPECT_EQ(second.refused(), nullptr);
  Script third(Connect("laptop").device(), vocabulary());
  third.Send(0, OpenFor(prompt));
  world_.RunFor(20);
  ASSERT_NE(third.refused(), nullptr);
  // One whose device has gone makes room.
  link.SetCut(true, true);
  world_.RunFor(20);
  third.Send(0, OpenFor(prompt, 1, 2));
  world_.RunFor(20);
  EXPECT_EQ(third.refused(), nullptr);
  EXPECT_EQ(View().sessions.size(), 3u);
}

// A device that forgot to close its sessions is not shut out by them.
TEST_F(VerifyTest, SessionsAtRestMakeRoomForNewOnes) {
  options_.limits.sessions_per_device = 2;
  options_.limits.idle_ms = 10'000;
  StartVerifier();
  Script script(Connect("phone").device(), vocabulary());
  const auto prompt = Prompt(1, 4);
  const auto open = [&](uint8_t stream) {
    script.controls.clear();
    script.Send(stream, OpenFor(prompt, 100 + stream));
    world_.RunFor(20);
    return script.refused() == nullptr;
  };
  ASSERT_TRUE(open(0));
  world_.RunFor(6'000);
  ASSERT_TRUE(open(1));
  EXPECT_FALSE(open(2));
  world_.RunFor(5'000);
  EXPECT_TRUE(open(2));  // in the place of the first
  EXPECT_FALSE(open(3));
  script.controls.clear();
  script.Draft(1, 4, {1}, false, 0);
  world_.RunFor(20);
  ASSERT_NE(script.refused(), nullptr);
  EXPECT_EQ(script.refused()->code(), static_cast<int>(Code::kNotFound));
}

TEST_F(VerifyTest, ATargetReplacedServesNewSessionsOnly) {
  TestDevice& first = Begin("phone", 2, Wanted(2, 60), {.round_trip_ms = 20});
  ASSERT_TRUE(world_.RunUntil([&] { return first.ids.size() > 10; }, 60'000));
  ASSERT_TRUE(verifier_->SetTarget({"pair", "2", Models().draft, 64 << 20}).ok());
  EXPECT_EQ(verifier_->View().targets.size(), 2u);
  ASSERT_TRUE(AllEnd());
  ExpectAllAsTheTargetAlone();
  Script script(Connect("tablet").device(), vocabulary());
  script.Send(0, OpenFor(Prompt(1, 4)));
  world_.RunFor(20);
  ASSERT_NE(script.refused(), nullptr);  // it named the digest of version 1
  EXPECT_EQ(script.refused()->code(), static_cast<int>(Code::kFailedPrecondition));
  EXPECT_EQ(View().targets.size(), 1u);  // the first went with its last session
}

}  // namespace
}  // namespace ferry::server

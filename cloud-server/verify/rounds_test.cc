// Frames by hand: what the verifier answers, what it passes over, what it refuses.
#include "cloud-server/verify/peer.h"
#include "cloud-server/verify/quota.h"
#include "cloud-server/verify/test_verify.h"

namespace ferry::server {
namespace {

class RoundsTest : public VerifyTest {
 protected:
  void SetUp() override {
    VerifyTest::SetUp();
    link_ = &Connect("phone");
    script_ = std::make_unique<Script>(link_->device(), vocabulary());
    prompt_ = Prompt(3, 20);
    truth_ = prompt_;
    const auto ids = Reference(prompt_, {}, 0, 60);
    truth_.insert(truth_.end(), ids.begin(), ids.end());
    ASSERT_EQ(truth_.size(), 80u);
  }
  std::vector<TokenId> Truth(int64_t from, int64_t count) const {
    return {truth_.begin() + from, truth_.begin() + from + count};
  }
  // The one verdict that came since the last call: its length.
  void ExpectVerdict(uint8_t epoch, int64_t length) {
    world_.RunFor(50);
    ASSERT_EQ(script_->rounds.size(), 1u);
    EXPECT_EQ(script_->rounds[0].kind, llm::FrameKind::kVerdict);
    EXPECT_EQ(script_->rounds[0].epoch, epoch);
    EXPECT_EQ(script_->rounds[0].position, length);
    EXPECT_EQ(script_->rounds[0].ids, Truth(length - 1, 1));
    script_->rounds.clear();
  }
  void ExpectSilence() {
    world_.RunFor(50);
    EXPECT_TRUE(script_->rounds.empty());
    EXPECT_TRUE(script_->controls.empty());
  }
  void ExpectRefused(Code code, const std::string& text, bool again) {
    world_.RunFor(50);
    ASSERT_NE(script_->refused(), nullptr);
    EXPECT_EQ(script_->refused()->code(), static_cast<int>(code));
    EXPECT_NE(script_->refused()->text().find(text), std::string::npos)
        << script_->refused()->text();
    EXPECT_EQ(script_->refused()->retry_ms() > 0, again);
    script_->controls.clear();
  }

  llm::SimLink* link_ = nullptr;
  std::unique_ptr<Script> script_;
  std::vector<TokenId> prompt_, truth_;
};

TEST_F(RoundsTest, RoundsAreIdempotentAndFenced) {
  OpenByHand(*script_, prompt_);
  script_->Draft(1, 20, Truth(20, 4));
  ExpectVerdict(1, 25);
  script_->Draft(1, 20, Truth(20, 4));  // again: from the log
  ExpectVerdict(1, 25);
  script_->Draft(1, 25, {});  // no draft: one step of the target
  ExpectVerdict(1, 26);
  auto wrong = Truth(26, 4);
  wrong[2] = (wrong[2] + 1) % 256;
  script_->Draft(1, 26, wrong);
  ExpectVerdict(1, 29);
  script_->Draft(1, 30, Truth(30, 3), true);  // sent ahead, behind what was refuted
  ExpectSilence();
  script_->Draft(2, 29, Truth(29, 2));
  ExpectVerdict(2, 32);
  script_->Draft(1, 26, wrong);  // of the past
  ExpectSilence();
  script_->Draft(2, 60, Truth(60, 2));  // past the log
  ExpectSilence();
  script_->Draft(2, 5, Truth(5, 2));  // inside the prompt
  ExpectSilence();
}

TEST_F(RoundsTest, ChunksSentAheadWaitForThoseBefore) {
  OpenByHand(*script_, prompt_);
  // The third overtakes the second, which overtakes the first.
  script_->Draft(1, 28, Truth(28, 4), true);
  script_->Draft(1, 24, Truth(24, 4), true);
  ExpectSilence();
  script_->Draft(1, 20, Truth(20, 4));
  ExpectVerdict(1, 33);  // one pass, one verdict for all
  // A chunk that begins at the position of the target's own token is compared with it.
  script_->Draft(1, 32, {truth_[32], truth_[33]}, true);
  ExpectVerdict(1, 35);
  script_->Draft(1, 34, {(truth_[34] + 1) % 256, 1}, true);
  ExpectSilence();  // the verdict before said it all
  // The log is ahead and the chunk before this one never came: nobody vouches for it.
  script_->Draft(2, 22, Truth(22, 3), true);
  ExpectSilence();
}

TEST_F(RoundsTest, CloudOnlyIsTheSameText) {
  OpenByHand(*script_, prompt_);
  llm::SplitFrame ask;
  ask.kind = llm::FrameKind::kStream;
  ask.epoch = 1;
  ask.position = 20;
  ask.count = 30;
  script_->Send(ask);
  world_.RunFor(200);
  std::vector<TokenId> got;
  for (const auto& frame : script_->rounds) {
    ASSERT_EQ(frame.kind, llm::FrameKind::kTokens);
    ASSERT_EQ(frame.position, 20 + got.size());
    got.insert(got.end(), frame.ids.begin(), frame.ids.end());
  }
  EXPECT_EQ(got, Truth(20, 30));  // and no more than was asked for
  script_->rounds.clear();
  // Asked again from the middle: at once, from the log.
  ask.position = 40;
  ask.count = 10;
  script_->Send(ask);
  world_.RunFor(50);
  ASSERT_EQ(script_->rounds.size(), 1u);
  EXPECT_EQ(script_->rounds[0].ids, Truth(40, 10));
  script_->rounds.clear();
  // Rounds go on from there.
  script_->Draft(1, 50, Truth(50, 3));
  ExpectVerdict(1, 54);
}

TEST_F(RoundsTest, IdleSessionsKeepTheirLogThenNothing) {
  options_.limits.idle_ms = 10'000;
  options_.limits.forget_ms = 100'000;
  StartVerifier();
  link_ = &Connect("phone");
  script_ = std::make_unique<Script>(link_->device(), vocabulary());
  OpenByHand(*script_, prompt_);
  script_->Draft(1, 20, Truth(20, 4));
  ExpectVerdict(1, 25);
  EXPECT_EQ(View().sessions[0].kv_tokens, 24);
  world_.RunFor(11'000);
  EXPECT_EQ(View().sessions[0].kv_tokens, 0);
  EXPECT_EQ(View().evicted, 1);
  EXPECT_EQ(View().targets[0].kv_used_bytes, 0);
  script_->Draft(1, 25, Truth(25, 4));
  ExpectVerdict(1, 30);
  world_.RunFor(101'000);
  EXPECT_TRUE(View().sessions.empty());
  script_->Draft(1, 30, Truth(30, 4));
  ExpectRefused(Code::kNotFound, "no session", true);
}

TEST_F(RoundsTest, ReopenedByTheDigestOfWhatBothKnow) {
  OpenByHand(*script_, prompt_);
  script_->Draft(1, 20, Truth(20, 4));
  ExpectVerdict(1, 25);
  link_->SetCut(true, true);
  world_.RunFor(10);
  Script second(Connect("phone").device(), vocabulary());
  // The device went on alone by five tokens of its own.
  auto longer = Truth(0, 25);
  for (TokenId id = 0; id < 5; ++id) longer.push_back(id);
  auto open = OpenFor(longer, 1, 7);
  open.mutable_open()->set_known_length(25);
  const auto digest = llm::ContextDigest(std::span(longer).first(25));
  open.mutable_open()->set_known_digest(std::string(AsText(digest)));
  second.Send(0, open);
  world_.RunFor(50);
  ASSERT_EQ(second.controls.size(), 1u);
  EXPECT_EQ(second.controls[0].opened().have(), 25u);
  EXPECT_EQ(second.controls[0].opened().vocabulary(), static_cast<uint32_t>(vocabulary()));
  second.Send(0, open);  // idempotent
  second.Context(7, 25, {longer.begin() + 25, longer.end()});
  world_.RunFor(50);
  ASSERT_EQ(second.controls.size(), 3u);
  EXPECT_EQ(second.controls[1].opened().have(), 25u);
  EXPECT_EQ(second.controls[2].ready().length(), 30u);
  second.Draft(7, 30, {1, 2});
  world_.RunFor(50);
  ASSERT_EQ(second.rounds.size(), 1u);
  const auto next = Reference(longer, {}, 0, 3);
  const size_t at = second.rounds[0].position - 31u;
  ASSERT_LT(at, next.size());
  EXPECT_EQ(second.rounds[0].ids[0], next[at]);
  // An open of the past changes nothing; a wrong digest costs the context, not the session.
  second.controls.clear();
  second.Send(0, OpenFor(prompt_, 1, 3));
  world_.RunFor(50);
  EXPECT_TRUE(second.controls.empty());
  open.mutable_open()->set_epoch(8);
  open.mutable_open()->set_known_digest("0123456789abcdef");
  second.Send(0, open);
  world_.RunFor(50);
  ASSERT_EQ(second.controls.size(), 1u);
  EXPECT_EQ(second.controls[0].opened().have(), 0u);
  EXPECT_EQ(View().sessions.size(), 1u);
}

TEST_F(RoundsTest, AContextInPiecesOutOfOrder) {
  script_->Send(0, OpenFor(prompt_));
  world_.RunFor(20);
  script_->controls.clear();
  script_->Context(1, 8, {prompt_.begin() + 8, prompt_.end()});
  world_.RunFor(20);
  ASSERT_EQ(script_->controls.size(), 1u);
  EXPECT_EQ(script_->controls[0].ready().length(), 0u);
  EXPECT_EQ(script_->controls[0].ready().have(), 0u);
  script_->Context(1, 0, {prompt_.begin(), prompt_.begin() + 12});
  script_->Context(1, 8, {prompt_.begin() + 8, prompt_.end()});
  world_.RunFor(20);
  EXPECT_EQ(script_->controls.back().ready().length(), 20u);
  script_->controls.clear();
  script_->Draft(1, 20, Truth(20, 2));
  ExpectVerdict(1, 23);
}

TEST_F(RoundsTest, PromptsThatBeginAlikeShareMemory) {
  OpenByHand(*script_, prompt_);
  script_->Draft(1, 20, {});
  ExpectVerdict(1, 21);
  const int64_t tokens = View().targets[0].tokens;
  Script second(Connect("tablet").device(), vocabulary());
  OpenByHand(second, prompt_);
  second.Draft(1, 20, {});
  world_.RunFor(50);
  ASSERT_EQ(second.rounds.size(), 1u);
  EXPECT_EQ(second.rounds[0].ids, Truth(20, 1));
  // Sixteen of the twenty were read once.
  EXPECT_EQ(View().targets[0].tokens - tokens, 4);
}

TEST_F(RoundsTest, PrefixesAreSharedInsideATenantOnly) {
  options_.tenant_of = [](const std::string& device) { return device.substr(0, 4); };
  StartVerifier();
  const auto read_by = [&](const std::string& device) {
    const int64_t before = View().targets[0].tokens;
    Script script(Connect(device).device(), vocabulary());
    OpenByHand(script, prompt_);
    script.Draft(1, 20, {});
    world_.RunFor(50);
    EXPECT_EQ(script.rounds.size(), 1u);
    EXPECT_EQ(script.rounds.at(0).ids, Truth(20, 1));
    return View().targets[0].tokens - before;
  };
  EXPECT_EQ(read_by("acme phone"), 20);
  EXPECT_EQ(read_by("beta phone"), 20);
  EXPECT_EQ(read_by("acme tablet"), 4);
  EXPECT_EQ(read_by("beta tablet"), 4);
}

TEST_F(RoundsTest, RefusalsNameTheThing) {
  auto bad = OpenFor(prompt_);
  bad.mutable_open()->set_target("triple");
  script_->Send(0, bad);
  ExpectRefused(Code::kNotFound, "no target triple: there are pair", false);
  bad = OpenFor(prompt_);
  bad.mutable_open()->set_target_digest("12345678");
  script_->Send(0, bad);
  ExpectRefused(Code::kFailedPrecondition, "3132333435363738", false);
  bad = OpenFor(prompt_);
  bad.mutable_open()->set_tokenizer_digest("abcdefgh");
  script_->Send(0, bad);
  ExpectRefused(Code::kFailedPrecondition, "tokenizer is 6162636465666768, the server's is ",
                false);
  bad = OpenFor(prompt_);
  bad.mutable_open()->mutable_sampler()->set_temperature(-1);
  script_->Send(0, bad);
  ExpectRefused(Code::kInvalidArgument, "temperature", false);
  bad = OpenFor(prompt_);
  bad.mutable_open()->mutable_sampler()->set_prf_key("short");
  script_->Send(0, bad);
  ExpectRefused(Code::kInvalidArgument, "prf_key", false);
  bad = OpenFor(prompt_);
  bad.mutable_open()->set_context_length(100'000);
  script_->Send(0, bad);
  ExpectRefused(Code::kLimitExceeded, "a context of 100000 tokens: pair 1 takes 512", false);
  bad = OpenFor(prompt_);
  bad.mutable_open()->set_context_length(0);
  script_->Send(0, bad);
  ExpectRefused(Code::kInvalidArgument, "context of 0", false);
  script_->Send(0, OpenFor(prompt_));
  world_.RunFor(20);
  script_->controls.clear();
  auto ids = prompt_;
  ids[5] = 1'000'000;
  script_->Context(1, 0, ids);
  ExpectRefused(Code::kInvalidArgument, "token 1000000 at position 5", false);
  script_->Send(0, OpenFor(prompt_, 2));
  world_.RunFor(20);
  script_->controls.clear();
  ids = prompt_;
  ids.push_back(1);
  script_->Context(1, 0, ids);
  ExpectRefused(Code::kMalformed, "20 were announced", false);
  script_->Draft(1, 20, {1});
  ExpectRefused(Code::kNotFound, "no session", true);
  EXPECT_TRUE(View().sessions.empty());
}

TEST_F(RoundsTest, AClosedSessionStopsComputing) {
  options_.extra_cost_ms = [](int64_t, int64_t) { return 50.0; };
  StartVerifier();
  link_ = &Connect("phone");
  script_ = std::make_unique<Script>(link_->device(), vocabulary());
  script_->Send(0, OpenFor(prompt_));
  world_.RunFor(20);
  script_->Context(1, 0, prompt_);
  llm::SplitFrame ask;
  ask.kind = llm::FrameKind::kStream;
  ask.epoch = 1;
  ask.position = 20;
  ask.count = 200;
  world_.RunFor(200);
  script_->Send(ask);
  world_.RunFor(500);
  EXPECT_GT(script_->rounds.size(), 2u);
  proto::SplitControl close;
  close.mutable_close();
  script_->Send(0, close);
  world_.RunFor(100);
  const int64_t passes = View().targets[0].passes;
  world_.RunFor(2'000);
  EXPECT_EQ(View().targets[0].passes, passes);
  EXPECT_EQ(View().targets[0].kv_used_bytes, 0);
  EXPECT_TRUE(View().sessions.empty());
}

// What stands in the cache behind the log is offered to nobody.
TEST_F(RoundsTest, ASessionClosedAmidAPassLeavesNoDraftsBehind) {
  options_.extra_cost_ms = [](int64_t, int64_t) { return 50.0; };
  StartVerifier();
  const int64_t page = llm::KvPool::Create(Models().target->config()).value()->stats().page_bytes;
  Script closing(Connect("phone").device(), vocabulary());
  closing.Send(0, OpenFor(prompt_));
  world_.RunFor(20);
  closing.Context(1, 0, prompt_);
  world_.RunFor(200);
  closing.Draft(1, 20, std::vector<TokenId>(16, 7));  // two whole pages, one of them of drafts
  world_.RunFor(20);
  proto::SplitControl close;
  close.mutable_close();
  closing.Send(0, close);
  world_.RunFor(200);
  const VerifyView view = View();
  EXPECT_TRUE(view.sessions.empty());
  EXPECT_EQ(view.targets[0].kv_used_bytes, 0);
  EXPECT_EQ(view.targets[0].kv_kept_bytes, page);
}

TEST_F(RoundsTest, OpensHaveAQuota) {
  options_.limits.opens_per_minute = 200;
  StartVerifier();
  Script flood(Connect("phone").device(), vocabulary());
  for (uint32_t epoch = 1; epoch <= 300; ++epoch) flood.Send(0, OpenFor(prompt_, 1, epoch));
  world_.RunFor(20);
  ASSERT_NE(flood.refused(), nullptr);
  EXPECT_EQ(flood.refused()->code(), static_cast<int>(Code::kLimitExceeded));
  EXPECT_NE(flood.refused()->text().find("200 opens a minute"), std::string::npos);
  EXPECT_GT(flood.refused()->retry_ms(), 0u);
  EXPECT_LE(View().opened, 210);
  Script honest(Connect("tablet").device(), vocabulary());
  OpenByHand(honest, prompt_);
}

TEST_F(RoundsTest, StrangersSayHelloFirst) {
  std::string blocked;
  options_.authenticate = [](const std::string& token) -> Result<std::string> {
    if (token == "good") return std::string("phone");
    return Status(Code::kUnauthenticated, "the token is wrong");
  };
  options_.authorize = [&](const std::string& device) {
    return device == blocked ? Status(Code::kPermissionDenied, "blocked") : OkStatus();
  };
  StartVerifier();
  const auto hello = [](const std::string& token, uint32_t protocol) {
    proto::SplitControl control;
    control.mutable_hello()->set_token(token);
    control.mutable_hello()->set_protocol(protocol);
    return control;
  };
  Script good(Connect("").device(), vocabulary());
  good.Send(0, OpenFor(prompt_));  // nobody yet
  good.Draft(1, 3, {1});
  world_.RunFor(20);
  EXPECT_TRUE(good.controls.empty());
  good.Send(0, hello("good", 1));
  world_.RunFor(20);
  ASSERT_EQ(good.controls.size(), 1u);
  EXPECT_TRUE(good.controls[0].has_welcome());
  OpenByHand(good, prompt_);
  Script wrong(Connect("").device(), vocabulary());
  wrong.Send(0, hello("bad", 1));
  world_.RunFor(20);
  ASSERT_NE(wrong.refused(), nullptr);
  EXPECT_EQ(wrong.refused()->code(), static_cast<int>(Code::kUnauthenticated));
  Script old(Connect("").device(), vocabulary());
  old.Send(0, hello("good", 9));
  world_.RunFor(20);
  ASSERT_NE(old.refused(), nullptr);
  EXPECT_EQ(old.refused()->code(), static_cast<int>(Code::kUnsupported));
  Script silent(Connect("").device(), vocabulary());
  EXPECT_EQ(View().connections, 2);
  world_.RunFor(20'000);
  EXPECT_EQ(View().connections, 1);
  blocked = "phone";
  good.Send(0, OpenFor(prompt_, 5));
  world_.RunFor(20);
  ASSERT_NE(good.refused(), nullptr);
  EXPECT_EQ(good.refused()->code(), static_cast<int>(Code::kPermissionDenied));
  world_.RunFor(kAllowedMs);
  EXPECT_EQ(View().connections, 0);
}

// Whatever comes, the verifier stands and an honest session beside it is what it was.
TEST_F(RoundsTest, HostileFrames) {
  TestDevice& honest = Begin("honest", 5, {.fallback = false, .max_new = 120},
                             {.round_trip_ms = 20, .jitter_ms = 5});
  sys::SeededRandom random(11);
  std::vector<Bytes> known;
  for (const auto& control : {OpenFor(prompt_), OpenFor(prompt_, 2, 9)}) {
    known.push_back(llm::EncodeControl(0, control));
  }
  proto::SplitControl context;
  context.mutable_context()->set_epoch(1);
  for (const TokenId id : prompt_) context.mutable_context()->add_ids(static_cast<uint32_t>(id));
  known.push_back(llm::EncodeControl(0, context));
  for (const auto kind : {llm::FrameKind::kDraft, llm::FrameKind::kFollow, llm::FrameKind::kStream,
                          llm::FrameKind::kVerdict, llm::FrameKind::kTokens}) {
    llm::SplitFrame frame;
    frame.kind = kind;
    frame.epoch = 1;
    frame.position = 20;
    frame.count = 30;
    frame.ids = {truth_[20]};
    known.push_back(llm::EncodeFrame(frame, vocabulary()));
  }
  llm::SplitLink* link = nullptr;
  for (int i = 0; i < 20'000; ++i) {
    if (i % 500 == 0) link = &Connect("hostile").device();
    Bytes frame = known[random.Below(known.size())];
    const uint64_t kind = random.Below(4);
    if (kind == 0) {
      frame.resize(random.Below(60));
      random.Fill(frame);
    } else if (kind == 1) {
      for (int flips = 0; flips < 3; ++flips) {
        frame[random.Below(frame.size())] ^= static_cast<uint8_t>(1u << random.Below(8));
      }
    } else if (kind == 2) {
      frame.resize(random.Below(frame.size() + 1));
    }
    link->Send(frame);
    if (i % 10 == 0) world_.RunFor(1);
  }
  ASSERT_TRUE(AllEnd());
  ASSERT_TRUE(honest.end->ok());
  EXPECT_EQ(honest.ids, honest.expected);
  EXPECT_GT(View().dropped, 1000);
}

TEST(TokenQuotaTest, FillsSteadilyAndIsForgottenWhenFull) {
  TokenQuota quota(600);  // ten a second
  EXPECT_EQ(quota.Take("a", 500, 0), 0);
  EXPECT_EQ(quota.Take("a", 400, 0), 0);  // overdrawn by 300
  const int64_t wait = quota.Take("a", 1, 0);
  EXPECT_NEAR(static_cast<double>(wait), 30'000, 2);
  EXPECT_EQ(quota.Take("b", 1, 0), 0);
  EXPECT_GT(quota.Take("a", 1, wait - 100), 0);
  EXPECT_EQ(quota.Take("a", 1, wait), 0);
  quota.Sweep(wait);
  EXPECT_EQ(quota.size(), 1u);
  quota.Sweep(wait + 120'000);
  EXPECT_EQ(quota.size(), 0u);
}

}  // namespace
}  // namespace ferry::server

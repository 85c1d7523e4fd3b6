// Whatever link, draft and interruptions do: the split's text is the target's own, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>

#include "device-runtime/llm/speculative/frames.h"
#include "tests/split/scenes.h"

namespace ferry::split {
namespace {

void ExpectCloudText(Stage& stage, const Scene& scene, const std::vector<llm::TokenId>& cloud) {
  ASSERT_TRUE(stage.Run()) << "no end within the time limit; " << stage.ids.size() << " of "
                           << cloud.size() << " tokens";
  ASSERT_TRUE(stage.end->ok()) << stage.end->status().ToString();
  ASSERT_EQ(stage.ids, cloud);
  EXPECT_TRUE(std::all_of(stage.sources.begin(), stage.sources.end(),
                          [](auto source) { return source != llm::TokenSource::kDevice; }));
  // What tokens() says is prompt and text.
  const auto& tokens = stage.session().tokens();
  ASSERT_EQ(tokens.size(), scene.prompt.size() + cloud.size());
  EXPECT_TRUE(std::equal(scene.prompt.begin(), scene.prompt.end(), tokens.begin()));
  EXPECT_TRUE(std::equal(cloud.begin(), cloud.end(), tokens.begin() + scene.prompt.size()));
  EXPECT_LE(stage.session().stats().accepted, stage.session().stats().compared);
}

void RunScenes(uint64_t first, uint64_t count, bool pipelined) {
  int64_t compared = 0, accepted = 0, retransmits = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Scene scene = RandomScene(seed, pipelined);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, Describe(scene)));
    const auto cloud = CloudOnly(*scene.target, scene.prompt, scene.options);
    Stage stage(scene);
    stage.Start();
    ExpectCloudText(stage, scene, cloud);
    if (testing::Test::HasFatalFailure()) return;
    const llm::SplitStats stats = stage.session().stats();
    compared += stats.compared;
    accepted += stats.accepted;
    retransmits += stats.retransmits;
  }
  // The scenes did what they are for.
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, compared);
  EXPECT_GT(retransmits, 0);
}

TEST(BitExactTest, SyncOverBadLinks) {
  RunScenes(1000, 150, false);
}
TEST(BitExactTest, PipelinedOverBadLinks) {
  RunScenes(2000, 150, true);
}

TEST(BitExactTest, CloudOnlyModeIsTheTargetAlone) {
  for (uint64_t seed = 3000; seed < 3050; ++seed) {
    Scene scene = RandomScene(seed, false);
    scene.options.mode = llm::SplitMode::kCloudOnly;
    if (seed % 2 == 0) scene.draft = nullptr;
    scene.options.max_new = 100;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, Describe(scene)));
    const auto cloud = CloudOnly(*scene.target, scene.prompt, scene.options);
    Stage stage(scene);
    stage.Start();
    ExpectCloudText(stage, scene, cloud);
    if (HasFatalFailure()) return;
  }
}

// The connection breaks and comes back, told or silently, again and again.
TEST(BitExactTest, Reconnects) {
  int64_t reopens = 0;
  for (uint64_t seed = 4000; seed < 4080; ++seed) {
    Scene scene = RandomScene(seed, seed % 2 == 0);
    scene.options.max_new = 40;
    scene.link.round_trip_ms = std::max<int64_t>(scene.link.round_trip_ms, 5);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, Describe(scene)));
    const auto cloud = CloudOnly(*scene.target, scene.prompt, scene.options);
    Stage stage(scene);
    stage.Start();
    sys::SeededRandom random(seed);
    for (int i = 0; i < 6 && !stage.end; ++i) {
      const auto up_ms = static_cast<int64_t>(random.Below(120));
      stage.RunUntil(
          [&, until = stage.NowMs() + up_ms] { return stage.end || stage.NowMs() >= until; });
      const bool tell = random.Below(2) == 0;
      stage.Cut(tell);
      stage.world().RunFor(static_cast<int64_t>(random.Below(1500)));
      stage.Join(tell);
    }
    ExpectCloudText(stage, scene, cloud);
    if (HasFatalFailure()) return;
    reopens += stage.session().stats().reopens;
  }
  EXPECT_GT(reopens, 20);
}

// The verifier forgets everything in mid-session.
TEST(BitExactTest, VerifierRestarts) {
  for (uint64_t seed = 5000; seed < 5060; ++seed) {
    Scene scene = RandomScene(seed, seed % 2 == 0);
    if (seed % 5 == 0) scene.options.mode = llm::SplitMode::kCloudOnly;
    scene.options.max_new = 60;
    scene.options.stop_at_end_token = false;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, Describe(scene)));
    const auto cloud = CloudOnly(*scene.target, scene.prompt, scene.options);
    Stage stage(scene);
    stage.Start();
    for (size_t at : {size_t{10}, size_t{30}}) {
      stage.RunUntil([&] { return stage.end || stage.ids.size() >= at; });
      if (stage.end) break;
      stage.RestartVerifier();
    }
    ExpectCloudText(stage, scene, cloud);
    if (HasFatalFailure()) return;
    // A stream of tokens may have been under way to its end.
    if (scene.options.mode == llm::SplitMode::kSplit) {
      EXPECT_GE(stage.session().stats().reopens, 1);
    }
  }
}

TEST(BitExactTest, HostileDrafts) {
  const Hostile kinds[] = {Hostile::kAlwaysWrong, Hostile::kRandom, Hostile::kOneToken,
                           Hostile::kOutOfVocabulary};
  for (uint64_t seed = 6000; seed < 6080; ++seed) {
    Scene scene = RandomScene(seed, seed % 2 == 0);
    scene.options.max_new = 24;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, Describe(scene)));
    const auto cloud = CloudOnly(*scene.target, scene.prompt, scene.options);
    std::vector<llm::TokenId> right = scene.prompt;
    right.insert(right.end(), cloud.begin(), cloud.end());
    const Hostile kind = kinds[seed / 2 % 4];
    const auto drafter = MakeHostile(kind, right, scene.target->config().vocabulary, seed);
    scene.drafter = drafter.get();
    Stage stage(scene);
    stage.Start();
    ExpectCloudText(stage, scene, cloud);
    if (HasFatalFailure()) return;
    if (kind == Hostile::kAlwaysWrong || kind == Hostile::kOutOfVocabulary) {
      EXPECT_EQ(stage.session().stats().accepted, 0);
    }
  }
}

// A stranger's rounds on the session's stream: random, or true ones played again much later.
TEST(BitExactTest, ForgedAndStaleRounds) {
  for (uint64_t seed = 7000; seed < 7060; ++seed) {
    Scene scene = RandomScene(seed, seed % 2 == 0);
    scene.options.max_new = 40;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, Describe(scene)));
    const auto cloud = CloudOnly(*scene.target, scene.prompt, scene.options);
    sys::SeededRandom random(seed);
    Stage stage(scene);
    stage.on_tokens = [&] {
      llm::SplitFrame forged;
      const llm::FrameKind kinds[] = {llm::FrameKind::kDraft, llm::FrameKind::kFollow,
                                      llm::FrameKind::kStream};
      forged.kind = kinds[random.Below(3)];
      // Mostly epochs of the past; now and then one that fences the device's own off.
      forged.epoch =
          static_cast<uint8_t>(random.Below(8) == 0 ? random.Below(256) : 256 - random.Below(100));
      forged.position = static_cast<uint16_t>(scene.prompt.size() + random.Below(60));
      forged.count = static_cast<uint8_t>(random.Below(256));
      if (forged.kind != llm::FrameKind::kStream) {
        for (uint64_t i = 0; i <= random.Below(9); ++i) {
          forged.ids.push_back(static_cast<llm::TokenId>(random.Below(511)));
        }
      }
      stage.link().Inject(true, llm::EncodeFrame(forged, scene.target->config().vocabulary));
      Bytes noise(1 + random.Below(30));
      random.Fill(noise);
      noise[0] &= 0x9f;  // drafts and chunks, on any stream
      stage.link().Inject(true, noise);
    };
    stage.Start();
    ExpectCloudText(stage, scene, cloud);
    if (HasFatalFailure()) return;
  }
}

// Frames that arrive half a second late, after many epochs.
TEST(BitExactTest, VeryLateFrames) {
  for (uint64_t seed = 8000; seed < 8040; ++seed) {
    Scene scene = RandomScene(seed, seed % 2 == 0);
    scene.options.max_new = 40;
    scene.link.jitter_ms = 600;
    scene.link.duplicate = 0.8;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, Describe(scene)));
    const auto cloud = CloudOnly(*scene.target, scene.prompt, scene.options);
    Stage stage(scene);
    stage.Start();
    ExpectCloudText(stage, scene, cloud);
    if (HasFatalFailure()) return;
  }
}

// Frames damaged under way, in both directions, and noise: what a real connection keeps off, and so
// no promise about the text; but nothing breaks, and good frames are still answered.
TEST(BitExactTest, DamageBreaksNothing) {
  int64_t ended = 0;
  for (uint64_t seed = 9000; seed < 9100; ++seed) {
    Scene scene = RandomScene(seed, seed % 2 == 0);
    scene.options.max_new = 40;
    scene.options.fallback = seed % 3 == 0;
    if (seed % 5 == 0) scene.options.mode = llm::SplitMode::kCloudOnly;
    scene.link.damage = 0.1;
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, Describe(scene)));
    sys::SeededRandom random(seed);
    Stage stage(scene);
    stage.on_tokens = [&] {
      Bytes noise(1 + random.Below(40));
      random.Fill(noise);
      stage.link().Inject(false, noise);
    };
    stage.Start();
    ended += stage.Run(60'000) && stage.end->ok() ? 1 : 0;
    ASSERT_LE(stage.ids.size(), 40u);
    for (llm::TokenId id : stage.ids) {
      ASSERT_GE(id, 0);
      ASSERT_LT(id, scene.target->config().vocabulary);
    }
  }
  EXPECT_GT(ended, 50);
}

}  // namespace
}  // namespace ferry::split

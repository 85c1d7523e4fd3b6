// Long sessions: the epochs of the wire go round.
#include <gtest/gtest.h>

#include "tests/split/scenes.h"

namespace ferry::split {
namespace {

// Every draft is refuted, so that every token begins an epoch: more than a byte counts.
TEST(LongTest, EpochsGoRound) {
  for (const bool pipelined : {false, true}) {
    Scene scene;
    scene.seed = pipelined ? 2 : 1;
    scene.draft = TinyDraft(0.1);
    scene.prompt = RandomPrompt(1, 9);
    scene.options.pipelined = pipelined;
    scene.options.fallback = false;
    scene.options.sampler.temperature = 1;
    scene.options.key = llm::PrfKey::FromSeed(1);
    scene.options.max_new = 500;
    scene.options.stop_at_end_token = false;
    scene.options.draft_tokens = 3;
    scene.link = {.round_trip_ms = 5, .jitter_ms = 20, .loss = 0.1, .duplicate = 0.3};
    const auto cloud = CloudOnly(*scene.target, scene.prompt, scene.options);
    std::vector<llm::TokenId> right = scene.prompt;
    right.insert(right.end(), cloud.begin(), cloud.end());
    const auto drafter =
        MakeHostile(Hostile::kAlwaysWrong, right, scene.target->config().vocabulary, 1);
    scene.drafter = drafter.get();
    Stage stage(scene);
    stage.Start();
    ASSERT_TRUE(stage.Run());
    ASSERT_TRUE(stage.end->ok()) << stage.end->status().ToString();
    EXPECT_EQ(stage.ids, cloud);
    EXPECT_EQ(stage.session().stats().accepted, 0);
    EXPECT_GT(stage.session().stats().compared, 300);
  }
}

}  // namespace
}  // namespace ferry::split

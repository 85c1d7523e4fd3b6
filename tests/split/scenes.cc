#include "tests/split/scenes.h"

#include "common/sys/random.h"

namespace ferry::split {
namespace {

llm::SamplerOptions RandomSampler(sys::Random& random) {
  llm::SamplerOptions sampler;
  const float temperatures[] = {0, 0.7f, 1};
  sampler.temperature = temperatures[random.Below(3)];
  if (sampler.temperature > 0 && random.Below(2) == 0) sampler.top_k = 40;
  if (sampler.temperature > 0 && random.Below(2) == 0) sampler.top_p = 0.9f;
  if (random.Below(3) == 0) sampler.repetition_penalty = 1.2f;
  return sampler;
}

llm::SimLinkOptions RandomLink(sys::Random& random) {
  const int64_t delays_ms[] = {0, 1, 5, 30, 100};
  llm::SimLinkOptions link;
  link.round_trip_ms = delays_ms[random.Below(5)];
  if (random.Below(2) == 0) link.jitter_ms = static_cast<int64_t>(random.Below(80));
  if (random.Below(2) == 0) link.loss = 0.3 * random.NextDouble();
  if (random.Below(2) == 0) link.duplicate = 0.5 * random.NextDouble();
  return link;
}

class HostileDrafter : public llm::Drafter {
 public:
  HostileDrafter(Hostile kind, std::vector<llm::TokenId> right, int64_t vocabulary, uint64_t seed)
      : kind_(kind), right_(std::move(right)), vocabulary_(vocabulary), random_(seed) {}

  Result<llm::TokenId> Propose(std::span<const llm::TokenId> sequence) override {
    switch (kind_) {
      case Hostile::kAlwaysWrong: {
        const llm::TokenId right = sequence.size() < right_.size() ? right_[sequence.size()] : 0;
        return static_cast<llm::TokenId>((right + 1) % vocabulary_);
      }
      case Hostile::kRandom:
        return static_cast<llm::TokenId>(random_.Below(static_cast<uint64_t>(vocabulary_)));
      case Hostile::kOneToken:
        return llm::TokenId{7};
      case Hostile::kOutOfVocabulary: {
        const llm::TokenId bad[] = {static_cast<llm::TokenId>(vocabulary_), -1, INT32_MAX,
                                    static_cast<llm::TokenId>(vocabulary_ + 3)};
        return bad[random_.Below(4)];
      }
    }
    return llm::TokenId{0};
  }

 private:
  const Hostile kind_;
  const std::vector<llm::TokenId> right_;
  const int64_t vocabulary_;
  sys::SeededRandom random_;
};

}  // namespace

Scene RandomScene(uint64_t seed, bool pipelined) {
  sys::SeededRandom random(seed * 2 + (pipelined ? 1 : 0));
  Scene scene;
  scene.seed = random.Next64();
  const double noises[] = {0.02, 0.1, 0.5};
  scene.draft = TinyDraft(noises[random.Below(3)]);
  scene.prompt = RandomPrompt(random.Next64(), 1 + static_cast<int64_t>(random.Below(60)));
  scene.options.pipelined = pipelined;
  scene.options.fallback = false;
  scene.options.sampler = RandomSampler(random);
  scene.options.key = llm::PrfKey::FromSeed(random.Next64());
  scene.options.max_new = 1 + static_cast<int64_t>(random.Below(48));
  scene.options.stop_at_end_token = random.Below(4) != 0;
  if (random.Below(3) == 0) {
    scene.options.draft_tokens = 1 + static_cast<int64_t>(random.Below(9));
  }
  scene.link = RandomLink(random);
  scene.draft_ms = random.Below(2) == 0 ? 0 : 4 * random.NextDouble();
  scene.step_ms = random.Below(2) == 0 ? 0 : 12 * random.NextDouble();
  return scene;
}

std::unique_ptr<llm::Drafter> MakeHostile(Hostile kind, std::vector<llm::TokenId> right,
                                          int64_t vocabulary, uint64_t seed) {
  return std::make_unique<HostileDrafter>(kind, std::move(right), vocabulary, seed);
}

std::string Describe(const Scene& scene) {
  const llm::SamplerOptions& sampler = scene.options.sampler;
  return fmt::format(
      "{} prompt {} max_new {} T {} top_k {} top_p {} penalty {} drafts {} rtt {} jitter {} loss "
      "{:.2f} dup {:.2f} costs {:.1f}/{:.1f}",
      scene.options.pipelined ? "pipelined" : "sync", scene.prompt.size(), scene.options.max_new,
      sampler.temperature, sampler.top_k, sampler.top_p, sampler.repetition_penalty,
      scene.options.draft_tokens, scene.link.round_trip_ms, scene.link.jitter_ms, scene.link.loss,
      scene.link.duplicate, scene.draft_ms, scene.step_ms);
}

}  // namespace ferry::split

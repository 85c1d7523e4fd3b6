#include <gtest/gtest.h>

#include "common/sys/random.h"
#include "common/trust/tests/tuf_test_repository.h"

namespace ferry::tuf {
namespace {

constexpr int kMutations = 500;

Bytes Mutated(const Bytes& document, sys::Random& random) {
  Bytes out = document;
  const auto below = [&](size_t limit) {
    uint8_t raw[8];
    random.Fill(raw);
    return static_cast<size_t>(GetU64(raw) % limit);
  };
  for (size_t i = 0, n = 1 + below(4); i < n; ++i) {
    switch (below(4)) {
      case 0:
        out[below(out.size())] = static_cast<uint8_t>(below(256));
        break;
      case 1:
        out.resize(1 + below(out.size()));
        break;
      case 2:
        out.insert(out.begin() + static_cast<ptrdiff_t>(below(out.size())),
                   static_cast<uint8_t>(below(256)));
        break;
      default: {
        const size_t at = below(out.size());
        out.insert(out.end(), out.begin() + static_cast<ptrdiff_t>(at), out.end());
      }
    }
  }
  return out;
}

// Whatever comes, an answer comes back; and what is trusted is what was signed.
TEST(TufMutation, ChangedDocumentsAreRefusedOrMeanTheSame) {
  sys::SeededRandom random(20);
  TestRepository repository;
  repository.Delegate("targets", "team", 20, {"a/*", "b?"});
  repository.AddTarget("team", "a/x", "content");
  repository.Publish({"team", "targets"});
  const auto good = repository.files;
  int accepted = 0;
  for (int i = 0; i < kMutations; ++i) {
    for (const char* name :
         {"timestamp.json", "2.snapshot.json", "2.targets.json", "1.team.json"}) {
      TestRepository changed = repository;
      changed.files[name] = Mutated(good.at(name), random);
      if (!changed.Find("a/x").ok()) continue;
      ++accepted;
      const auto now = ParseSigned(changed.files[name]);
      ASSERT_TRUE(now.ok()) << name;
      EXPECT_EQ(now->canonical, ParseSigned(good.at(name))->canonical) << name;
    }
  }
  EXPECT_LT(accepted, kMutations / 10);
}

TEST(TufMutation, ChangedRootsAreRefusedOrMeanTheSame) {
  sys::SeededRandom random(21);
  const TestRepository repository;
  const Bytes& root = repository.files.at("1.root.json");
  for (int i = 0; i < kMutations; ++i) {
    const Bytes changed = Mutated(root, random);
    if (!Verifier::FromRoot(changed).ok()) continue;
    EXPECT_EQ(ParseSigned(changed)->canonical, ParseSigned(root)->canonical);
  }
}

}  // namespace
}  // namespace ferry::tuf

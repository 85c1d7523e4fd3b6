// Seeded mutations of every document: none may be believed, none may crash.
#include <algorithm>

#include "common/base/json.h"
#include "common/sys/random.h"
#include "common/trust/envelope.h"
#include "common/trust/tests/binned_repository.h"

namespace ferry::trust {
namespace {

constexpr int kMutations = 2000;  // of each document

// One to three edits: a bit, a byte of JSON's own, a cut, a doubled piece.
Bytes Mutate(Bytes bytes, sys::Random& random) {
  static constexpr std::string_view kTokens = "{}[]\",:0123456789-eE.\\ntf\x00\xff";
  for (uint64_t n = random.Below(3) + 1; n > 0 && !bytes.empty(); --n) {
    const size_t at = random.Below(bytes.size());
    switch (random.Below(4)) {
      case 0:
        bytes[at] ^= static_cast<uint8_t>(1u << random.Below(8));
        break;
      case 1:
        bytes[at] = static_cast<uint8_t>(kTokens[random.Below(kTokens.size())]);
        break;
      case 2:
        bytes.erase(bytes.begin() + static_cast<int64_t>(at),
                    bytes.begin() + static_cast<int64_t>(
                                        std::min<size_t>(bytes.size(), at + random.Below(40))));
        break;
      default: {
        const size_t end = std::min<size_t>(bytes.size(), at + random.Below(40));
        const Bytes piece(bytes.begin() + static_cast<int64_t>(at),
                          bytes.begin() + static_cast<int64_t>(end));
        bytes.insert(bytes.begin() + static_cast<int64_t>(at), piece.begin(), piece.end());
      }
    }
  }
  return bytes;
}

// Whether two documents say the same: mutations may touch only spaces, an escape, or a signature
// beyond the threshold.
bool SamePart(ByteView a, ByteView b) {
  const auto left = ParseEnvelope(a), right = ParseEnvelope(b);
  return left.ok() && right.ok() && left->canonical == right->canonical;
}

TEST(MutationTest, NoMutatedDocumentIsBelieved) {
  const TestRepository repo;
  TestRepository next = repo;
  next.PublishNext();
  const Bytes next_root = *SignNextRoot(repo.root, repo.root, repo.root_keys);
  const Bytes assignment = *SignAssignment(
      repo.MakeAssignment(3, Action::kInstall, {"digits/1.0.0/full"}), repo.director_key);
  sys::SeededRandom random(20260101);
  const auto sweep = [&](const Bytes& document, const TrustedSet& base, auto&& update) {
    int refused = 0;
    for (int i = 0; i < kMutations; ++i) {
      const Bytes mutated = Mutate(document, random);
      TrustedSet set = base;
      const Bytes before = set.SaveState();
      const Status status = update(set, mutated);
      if (status.ok()) {
        EXPECT_TRUE(SamePart(mutated, document)) << AsText(mutated);
        continue;
      }
      ++refused;
      EXPECT_EQ(set.SaveState(), before) << status.ToString();
      EXPECT_FALSE(status.message().empty());
    }
    EXPECT_GT(refused, kMutations * 9 / 10);
  };
  TrustedSet set = repo.Updated();
  sweep(next_root, set, [](TrustedSet& s, ByteView d) { return s.UpdateRoot(d); });
  sweep(next.timestamp_document, set,
        [](TrustedSet& s, ByteView d) { return s.UpdateTimestamp(d, kTestNow); });
  ASSERT_TRUE(set.UpdateTimestamp(next.timestamp_document, kTestNow).ok());
  sweep(next.snapshot_document, set,
        [](TrustedSet& s, ByteView d) { return s.UpdateSnapshot(d, kTestNow); });
  ASSERT_TRUE(set.UpdateSnapshot(next.snapshot_document, kTestNow).ok());
  sweep(next.targets_document, set,
        [](TrustedSet& s, ByteView d) { return s.UpdateTargets(d, kTestNow); });
  sweep(assignment, set, [](TrustedSet& s, ByteView d) {
    return s.CheckAssignment(d, kTestDevice, kTestNow).status();
  });
}

TEST(MutationTest, NoMutatedBinIsBelieved) {
  const BinnedRepository repo;
  const TrustedSet base = repo.Updated();
  const std::string name = repo.BinOfVersion(3);
  const Bytes document = repo.documents.bins.at(name);
  sys::SeededRandom random(20260102);
  for (int i = 0; i < kMutations; ++i) {
    const Bytes mutated = Mutate(document, random);
    if (mutated == document) continue;
    // As it comes over the line, and as a thief of the online keys would have it named.
    TrustedSet set = base;
    EXPECT_EQ(set.UpdateBin(name, mutated, kTestNow).code(), Code::kCorruptContent);
    const auto parsed = ParseEnvelope(mutated);
    if (!parsed.ok()) continue;
    const auto version = GetInt(parsed->signed_part, "version");
    BinnedRepository thief = repo;
    thief.documents.bins[name] = mutated;
    thief.NameNext();
    if (!version.ok() || *version < 1 || !thief.UpdateAll(set).ok()) continue;
    const Bytes before = set.SaveState();
    const Status status = thief.Take(set, name);
    if (status.ok()) {
      EXPECT_TRUE(SamePart(mutated, document)) << AsText(mutated);
      continue;
    }
    EXPECT_EQ(set.SaveState(), before) << status.ToString();
    EXPECT_FALSE(status.message().empty());
  }
}

// Readers below the signature are reached by whoever holds a key; they must hold too.
TEST(MutationTest, UnsignedPartsNeverCrashTheReaders) {
  const TestRepository repo;
  const BinnedRepository binned;
  const Json parts[] = {
      RootToJson(repo.root),
      TargetsToJson(repo.targets),
      ParseEnvelope(repo.snapshot_document)->signed_part,
      ParseEnvelope(repo.timestamp_document)->signed_part,
      AssignmentToJson(repo.MakeAssignment(1, Action::kInstall, {"digits/1.0.0/full"})),
      TargetsToJson(binned.targets),
      ParseEnvelope(binned.documents.bins.at("bin-0"))->signed_part};
  sys::SeededRandom random(7);
  for (const Json& part : parts) {
    const Bytes text = ToBytes(WriteJson(part));
    for (int i = 0; i < kMutations; ++i) {
      const auto json = ParseJson(AsText(Mutate(text, random)));
      if (!json.ok()) continue;
      (void)RootFromJson(*json);
      (void)SnapshotFromJson(*json);
      (void)TimestampFromJson(*json);
      (void)AssignmentFromJson(*json);
      if (const auto bin = BinFromJson(*json, *binned.targets.bins, "bin-0"); bin.ok()) {
        for (const auto& [path, entry] : bin->entries)
          EXPECT_EQ(BinOf(*binned.targets.bins, path), "bin-0");
      }
      if (const auto targets = TargetsFromJson(*json); targets.ok()) {
        EXPECT_TRUE(!targets->bins || targets->entries.empty());
        for (const auto& [path, entry] : targets->entries) {
          EXPECT_EQ(*TargetEntryFromJson(TargetEntryToJson(entry)), entry);
        }
      }
    }
  }
}

TEST(MutationTest, AMutatedStateFileIsAnErrorOrTheSame) {
  TrustedSet sets[] = {TestRepository().Updated(), BinnedRepository().Updated()};
  ASSERT_TRUE(BinnedRepository().TakeAll(sets[1]).ok());
  sys::SeededRandom random(8);
  for (const TrustedSet& set : sets) {
    const Bytes state = set.SaveState();
    for (int i = 0; i < kMutations / 4; ++i) {
      const auto loaded = TrustedSet::FromState(Mutate(state, random));
      if (!loaded.ok() || loaded->targets() == nullptr) continue;
      // A bin that is not whole is not there, and says nothing.
      const TargetMap& all = set.targets()->entries;
      const TargetMap& some = loaded->targets()->entries;
      EXPECT_TRUE(std::includes(all.begin(), all.end(), some.begin(), some.end(),
                                [](const auto& a, const auto& b) { return a.first < b.first; }));
      EXPECT_TRUE(set.targets()->bins || some == all);
      for (const auto& [path, entry] : some) EXPECT_EQ(all.at(path), entry);
    }
  }
}

}  // namespace
}  // namespace ferry::trust

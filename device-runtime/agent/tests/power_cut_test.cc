// The power goes at every change of the disk during a first install, an update, a rollback, a
// removal, a stop and a change of files, also where packages lie sealed: the device starts again
// with the old state or the new one, never with none, and gets there in the end.
#include <algorithm>

#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

enum class Scene {
  kFirst,
  kUpdate,
  kRollback,
  kRemove,
  kDisable,
  kFiles,
  kPersonal,
  kSealedUpdate
};

// Brings the device to where the scene begins.
void SetScene(Fixture* f, Scene scene) {
  if (scene == Scene::kSealedUpdate) {
    f->at_rest_tag = 1;
    f->gateway.requires_ = {{"at_rest", "sealed"}};
  }
  ASSERT_TRUE(f->Start().ok());
  ASSERT_TRUE(f->Until([&] { return f->agent->connected(); }));
  if (scene == Scene::kPersonal) f->gateway.Delegate("personal/digits/*");
  f->gateway.Publish("1.0.0", 1, "good");
  f->gateway.Publish("2.0.0", 2, "good", "1.0.0", "1.0.0");
  f->gateway.PublishExclusive("1.0.0", "gain", AsBytes("1"));
  f->gateway.PublishExclusive("2.0.0", "gain", AsBytes("2"));
  f->gateway.Sign();
  if (scene == Scene::kFirst) return;
  f->gateway.Assign("1.0.0", trust::Action::kInstall, {"digits/1.0.0/exclusive/gain"});
  ASSERT_TRUE(f->UntilStep(Step::kConfirmed, "1.0.0"));
  if (scene == Scene::kUpdate || scene == Scene::kSealedUpdate) return;
  f->gateway.Assign("2.0.0", trust::Action::kInstall, {"digits/2.0.0/exclusive/gain"});
  ASSERT_TRUE(f->UntilStep(Step::kConfirmed, "2.0.0"));
}

void Act(Fixture* f, Scene scene) {
  if (scene == Scene::kFirst) f->gateway.Assign("1.0.0");
  if (scene == Scene::kUpdate || scene == Scene::kSealedUpdate)
    f->gateway.Assign("2.0.0", trust::Action::kInstall, {"digits/2.0.0/exclusive/gain"});
  if (scene == Scene::kRollback) f->gateway.Assign("1.0.0", trust::Action::kRollback);
  if (scene == Scene::kFiles) {
    f->gateway.PublishExclusive("2.0.0", "gain", AsBytes("2 anew"));
    f->gateway.Sign();
    return f->gateway.Want("digits", f->gateway.Run("digits", "2.0.0", "r9"));
  }
  if (scene == Scene::kPersonal) {
    f->gateway.PutPersonal("tune", AsBytes("mine"));
    f->gateway.desired.packages["digits"] = f->gateway.Run("digits", "2.0.0", "r9");
    return f->gateway.WantPersonal();
  }
  if (scene != Scene::kRemove && scene != Scene::kDisable) return;
  const bool remove = scene == Scene::kRemove;
  trust::DesiredPackage wish =
      remove ? trust::DesiredPackage() : f->gateway.Run("digits", "2.0.0", "");
  wish.state = remove ? trust::DesiredState::kAbsent : trust::DesiredState::kDisabled;
  wish.release = "r9";
  wish.back = remove;
  f->gateway.Want("digits", wish);
}

struct Ends {
  std::string before, after;
  Step step;
};
Ends EndsOf(Scene scene) {
  if (scene == Scene::kFirst) return {"", "1.0.0", Step::kConfirmed};
  if (scene == Scene::kUpdate || scene == Scene::kSealedUpdate)
    return {"1.0.0", "2.0.0", Step::kConfirmed};
  if (scene == Scene::kRemove) return {"2.0.0", "", Step::kRolledBack};
  if (scene == Scene::kDisable) return {"2.0.0", "", Step::kConfirmed};
  if (scene == Scene::kFiles || scene == Scene::kPersonal)
    return {"2.0.0", "2.0.0", Step::kConfirmed};
  return {"2.0.0", "1.0.0", Step::kRolledBack};
}

enum class Harm { kClean, kTorn, kBitFlip };

// In one of the small files, each after the other.
void FlipOneBit(Fixture* f, uint64_t nth) {
  constexpr const char* kFiles[] = {"journal.json",
                                    "journal.json.2",
                                    "trust.json",
                                    "trust.json.2",
                                    "identity.json",
                                    "identity.json.2",
                                    "identity.key",
                                    "seal.key",
                                    "packages/digits/current",
                                    "packages/digits/current.2"};
  const std::string path = sys::JoinPath(kState, kFiles[nth % std::size(kFiles)]);
  const auto info = f->disk.Stat(path);
  if (!info.ok() || info->size == 0) return;
  ASSERT_TRUE(f->disk.Corrupt(path, nth * 97 % info->size, 1).ok());
}

// A package in plain begins so.
bool HasPlainPackage(sys::FileSystem& disk, const std::string& path) {
  if (!disk.Stat(path)->is_directory)
    return AsText(sys::ReadFile(disk, path).value()).find("FERRYPKG") != std::string_view::npos;
  const auto names = disk.List(path).value();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return HasPlainPackage(disk, sys::JoinPath(path, name));
  });
}

// Cuts the power when the disk is about to make its `nth` change from now; false when the scene
// ended before.
bool CutAt(Scene scene, uint64_t nth, Harm harm) {
  const Ends ends = EndsOf(scene);
  Fixture f(11);
  SetScene(&f, scene);
  if (testing::Test::HasFatalFailure()) return false;
  uint64_t left = nth;
  bool cut = false;
  f.disk.SetFault([&](const char*, const std::string& path) {
    if (cut || --left == 0) {
      cut = true;
      return Status::Of(Code::kIo, "{}: the power is gone", path);
    }
    return OkStatus();
  });
  f.gateway.reports.clear();
  Act(&f, scene);
  f.Until([&] { return cut || f.gateway.Reported(ends.step, ends.after); }, 60'000);
  if (!cut) return false;
  f.Kill();
  f.disk.SetFault(nullptr);
  f.disk.CutPower(harm == Harm::kTorn ? &f.world.random() : nullptr);
  if (scene == Scene::kSealedUpdate) {
    EXPECT_FALSE(HasPlainPackage(f.disk, kState)) << "cut at " << nth;
  }
  if (harm == Harm::kBitFlip) FlipOneBit(&f, nth);
  // Without the server: what runs is what the disk says.
  f.network.SetReachable("server", false);
  EXPECT_TRUE(f.Start().ok()) << "cut at " << nth;
  if (!f.agent) return false;
  f.world.RunFor(5'000);
  const std::string version = f.VersionOf("digits");
  EXPECT_TRUE(version == ends.before || version == ends.after)
      << "cut at " << nth << ": runs \"" << version << "\"";
  if (!ends.before.empty()) {
    f.outcomes.clear();
    f.Event();
    f.world.RunFor(1'000);
    EXPECT_EQ(f.outcomes.size(), version.empty() ? 0u : 1u) << "cut at " << nth;
    // With the file of its own version: one letter, or as it is published anew.
    for (const TaskOutcome& one : f.outcomes) {
      const std::string gain = one.outcome.result.value("gain", "");
      EXPECT_TRUE(gain == version.substr(0, 1) || gain == "2 anew") << "cut at " << nth << gain;
    }
  }
  for (const TaskOutcome& one : f.outcomes) {
    const std::string tune = one.outcome.result.value("tune", "mine");
    EXPECT_EQ(tune, "mine") << "cut at " << nth;
  }
  // With it: there in the end.
  f.network.SetReachable("server", true);
  // A report of before may come once more: what runs must be as wanted, too.
  EXPECT_TRUE(f.Until([&] {
    return f.gateway.Reported(ends.step, ends.after) && f.VersionOf("digits") == ends.after;
  })) << "cut at "
      << nth;
  return true;
}

void Sweep(Scene scene, Harm harm) {
  uint64_t nth = 1;
  while (CutAt(scene, nth, harm) && !testing::Test::HasFailure()) ++nth;
  EXPECT_GT(nth, 20u) << "the sweep saw too few changes to mean anything";
}

TEST(PowerCut, FirstInstall) {
  Sweep(Scene::kFirst, Harm::kClean);
}
TEST(PowerCut, Update) {
  Sweep(Scene::kUpdate, Harm::kClean);
}
TEST(PowerCut, UpdateWithTornWrites) {
  Sweep(Scene::kUpdate, Harm::kTorn);
}
TEST(PowerCut, UpdateWithABitFlip) {
  Sweep(Scene::kUpdate, Harm::kBitFlip);
}
TEST(PowerCut, RollbackWithABitFlip) {
  Sweep(Scene::kRollback, Harm::kBitFlip);
}
TEST(PowerCut, Rollback) {
  Sweep(Scene::kRollback, Harm::kClean);
}

TEST(PowerCut, Removal) {
  Sweep(Scene::kRemove, Harm::kClean);
}
TEST(PowerCut, RemovalWithTornWrites) {
  Sweep(Scene::kRemove, Harm::kTorn);
}
TEST(PowerCut, ChangedFiles) {
  Sweep(Scene::kFiles, Harm::kClean);
}
TEST(PowerCut, PersonalFiles) {
  Sweep(Scene::kPersonal, Harm::kClean);
}
TEST(PowerCut, UpdateThatLiesSealed) {
  Sweep(Scene::kSealedUpdate, Harm::kClean);
}
TEST(PowerCut, UpdateThatLiesSealedWithTornWrites) {
  Sweep(Scene::kSealedUpdate, Harm::kTorn);
}
TEST(PowerCut, Stop) {
  Sweep(Scene::kDisable, Harm::kClean);
}

TEST(Boot, DamagedPackageGivesWayToTheOneBefore) {
  Fixture f;
  SetScene(&f, Scene::kRollback);  // 2.0.0 runs, 1.0.0 lies in the other slot
  f.Kill();
  const std::string slot = std::string(kState) + "/packages/digits/b/package.fpk";
  const auto package = sys::ReadFile(f.disk, slot).value();
  const size_t at = AsText(package).find("good");
  ASSERT_NE(at, std::string::npos);
  ASSERT_TRUE(f.disk.Corrupt(slot, at, 1).ok());
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(5'000);
  EXPECT_EQ(f.Version(), "1.0.0");
  EXPECT_EQ(f.LastErrorName(), "corrupt_content");
  f.network.SetReachable("server", true);
  ASSERT_TRUE(f.UntilStep(Step::kFailed, "2.0.0"));
  EXPECT_EQ(f.gateway.Failure()->previous_version(), "1.0.0");
}

TEST(Boot, VersionThatNeverGetsConfirmedIsLeft) {
  Fixture f;
  SetScene(&f, Scene::kRollback);
  f.Kill();
  Slots slots(f.disk, kState);
  Current current = **slots.Read("digits");
  current.trying = true;  // as if the process had died on it each time
  current.starts = kMaxTrialStarts;
  ASSERT_TRUE(slots.Write("digits", current).ok());
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(5'000);
  EXPECT_EQ(f.Version(), "1.0.0");
  EXPECT_EQ(f.LastErrorName(), "probe_failed");
  EXPECT_EQ((*slots.Read("digits"))->now.running.highest_counter, 2) << "counters never go down";
}

}  // namespace
}  // namespace ferry::agent

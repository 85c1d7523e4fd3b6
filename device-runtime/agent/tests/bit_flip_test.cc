// One bit flips in any small file of the state directory: the device starts, says what it did, and
// the version that ran goes on running, also without its server.
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

constexpr uint64_t kSmallFile = 64 << 10;
constexpr char kPackageEnd[] = ".fpk";

using Files = std::map<std::string, Bytes>;

void ReadTree(sys::FileSystem& fs, const std::string& path, Files* files) {
  for (const std::string& name : fs.List(path).value_or({})) {
    const std::string one = sys::JoinPath(path, name);
    const auto info = fs.Stat(one);
    if (!info.ok()) continue;
    if (info->is_directory) {
      ReadTree(fs, one, files);
    } else {
      (*files)[one] = sys::ReadFile(fs, one).value();
    }
  }
}

Files SmallFiles(const Files& all) {
  Files small;
  for (const auto& [path, bytes] : all) {
    if (bytes.size() <= kSmallFile && !path.ends_with(kPackageEnd)) small[path] = bytes;
  }
  return small;
}

void PutBack(Fixture* f, const Files& files) {
  ASSERT_TRUE(f->disk.RemoveTree(kState).ok());
  for (const auto& [path, bytes] : files) {
    ASSERT_TRUE(f->disk.MakeDirectories(sys::ParentPath(path)).ok());
    ASSERT_TRUE(sys::WriteFileAtomically(f->disk, path, bytes).ok());
  }
}

// A device with 2.0.0 running and 1.0.0 before it, stopped; its files.
Files Installed2(Fixture* f) {
  Files files;
  EXPECT_TRUE(f->Start().ok());
  EXPECT_TRUE(f->Until([&] { return f->agent->connected(); }));
  f->gateway.Publish("1.0.0", 1, "good");
  f->gateway.Publish("2.0.0", 2, "good", "1.0.0", "1.0.0");
  f->gateway.Sign();
  for (const char* version : {"1.0.0", "2.0.0"}) {
    f->gateway.Assign(version);
    EXPECT_TRUE(f->UntilStep(Step::kConfirmed, version));
  }
  f->Kill();
  f->network.SetReachable("server", false);
  ReadTree(f->disk, kState, &files);
  return files;
}

// Starts the device without its server and without a token; false when it does not serve.
bool Serves(Fixture* f, const std::string& version) {
  const Status started = f->Start();
  EXPECT_TRUE(started.ok()) << started.ToString();
  if (!started.ok()) return false;
  f->world.RunFor(2'000);
  EXPECT_EQ(f->Version(), version);
  f->outcomes.clear();
  f->Event();
  f->world.RunFor(500);
  EXPECT_EQ(f->outcomes.size(), 1u);
  return !testing::Test::HasFailure();
}

void SweepFiles(size_t stride) {
  Fixture f(5);
  const Files files = Installed2(&f);
  ASSERT_FALSE(testing::Test::HasFailure());
  size_t flips = 0;
  for (const auto& [path, bytes] : SmallFiles(files)) {
    for (size_t at = flips % stride; at < bytes.size(); at += stride) {
      PutBack(&f, files);
      const auto mask = static_cast<uint8_t>(1u << (at % 8));
      ASSERT_TRUE(f.disk.Corrupt(path, at, mask).ok());
      ASSERT_TRUE(Serves(&f, "2.0.0")) << path << ", byte " << at << ", mask " << int{mask};
      // A key file proves its key, not its white space.
      if (path.find(".key") == std::string::npos) {
        ASSERT_EQ(f.LastErrorName(), "corrupt_content") << path << ", byte " << at;
      }
      f.Kill();
      ++flips;
    }
  }
  EXPECT_GT(flips, 100u) << "the sweep saw too few bytes to mean anything";
}

TEST(BitFlip, ManyBytesOfEverySmallFile) {
  SweepFiles(97);
}

// Sanitizers make a start of the device twenty times as slow.
#ifdef FERRY_SANITIZED
constexpr size_t kSweepStride = 11;
#else
constexpr size_t kSweepStride = 1;
#endif

TEST(BitFlipSweep, EveryByteOfEverySmallFile) {
  SweepFiles(kSweepStride);
}

void DamageBoth(Fixture* f, const std::string& name) {
  for (const std::string& copy : {name, name + kSecondCopy}) {
    ASSERT_TRUE(f->disk.Corrupt(sys::JoinPath(kState, copy), 150, 1).ok()) << copy;
  }
}

// Brings the server back; the device tells it what was damaged, and goes on with 3.0.0.
void GoesOn(Fixture* f, const std::string& what) {
  f->gateway.reports.clear();
  f->network.SetReachable("server", true);
  f->gateway.Publish("3.0.0", 3, "good", "", "2.0.0");
  f->gateway.Sign();
  f->gateway.Assign("3.0.0");
  ASSERT_TRUE(f->UntilStep(Step::kConfirmed, "3.0.0"));
  EXPECT_EQ(f->Version(), "3.0.0");
  const proto::Report* failure = f->gateway.Failure();
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->error_code(), static_cast<int>(Code::kCorruptContent));
  EXPECT_NE(failure->error_text().find(what), std::string::npos) << failure->error_text();
  EXPECT_EQ(failure->release_id(), "");
}

TEST(BothCopies, OfTheJournalAreSetAsideAndItBeginsAnew) {
  Fixture f(5);
  Installed2(&f);
  DamageBoth(&f, kJournalFile);
  ASSERT_TRUE(Serves(&f, "2.0.0"));
  EXPECT_TRUE(sys::Exists(f.disk, std::string(kState) + "/journal.json.damaged"));
  EXPECT_TRUE(sys::Exists(f.disk, std::string(kState) + "/journal.json.2.damaged"));
  GoesOn(&f, "begun anew");
}

TEST(BothCopies, OfTrustBeginAnewFromThePinnedRoot) {
  Fixture f(5);
  Installed2(&f);
  DamageBoth(&f, kTrustFile);
  ASSERT_TRUE(Serves(&f, "2.0.0"));
  GoesOn(&f, "pinned root");
}

TEST(BothCopies, OfTrustOpenNoWayBackToOlderMetadata) {
  Fixture f(5);
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  const auto timestamp = f.gateway.timestamp;
  const auto snapshot = f.gateway.snapshot;
  const auto targets = f.gateway.targets_document;
  f.gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
  f.Kill();
  DamageBoth(&f, kTrustFile);
  f.gateway.timestamp = timestamp;
  f.gateway.snapshot = snapshot;
  f.gateway.targets_document = targets;
  ASSERT_TRUE(f.Start().ok());
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.Until([&] { return f.LastErrorName() == "version_rollback"; }));
  EXPECT_EQ(f.Version(), "2.0.0");
}

TEST(BothCopies, OfCurrentAreMadeFromTheSlots) {
  Fixture f(5);
  Installed2(&f);
  const Current before = **Slots(f.disk, kState).Read("digits");
  DamageBoth(&f, "packages/digits/current");
  ASSERT_TRUE(Serves(&f, "2.0.0"));
  const Current after = **Slots(f.disk, kState).Read("digits");
  EXPECT_EQ(after.now.running, before.now.running) << "counters and fallback are those of before";
  EXPECT_EQ(after.now.slot, before.now.slot);
  ASSERT_TRUE(after.before.has_value());
  EXPECT_EQ(after.before->running.version, "1.0.0");
  GoesOn(&f, "from its slot");
}

TEST(BothCopies, OfCurrentWithOneDamagedSlotGiveTheOtherOne) {
  Fixture f(5);
  Installed2(&f);
  DamageBoth(&f, "packages/digits/current");
  ASSERT_TRUE(f.disk.Corrupt(std::string(kState) + "/packages/digits/b/package.fpk", 900, 1).ok());
  ASSERT_TRUE(Serves(&f, "1.0.0"));
  EXPECT_EQ((*Slots(f.disk, kState).Read("digits"))->now.running.highest_counter, 2);
}

TEST(BothCopies, OfTheIdentityNeedATokenAndThenJoinAnew) {
  Fixture f(5);
  Installed2(&f);
  const std::string device = f.gateway.device;
  DamageBoth(&f, kIdentityFile);
  EXPECT_EQ(OpenIdentity(f.disk, kState, std::nullopt, f.world.random()).code(),
            Code::kCorruptContent);
  ASSERT_TRUE(Serves(&f, "2.0.0"));
  GoesOn(&f, "joined anew");
  EXPECT_EQ(f.gateway.device, device) << "its key was whole";
}

TEST(OldFiles, OfOneCopyAreReadAndGetASecondOne) {
  Fixture f(5);
  Files files = Installed2(&f);
  for (auto& [path, bytes] : files) {
    const std::string_view text = AsText(bytes);
    if (text.starts_with("ferry-twin")) bytes = ToBytes(AsBytes(text.substr(text.find('\n') + 1)));
  }
  std::erase_if(files, [](const auto& file) { return file.first.ends_with(kSecondCopy); });
  PutBack(&f, files);
  ASSERT_TRUE(Serves(&f, "2.0.0"));
  EXPECT_EQ(f.LastErrorName(), "");
  for (const char* name : {kIdentityFile, kIdentityKeyFile, kSealKeyFile, kTrustFile, kJournalFile,
                           "packages/digits/current"}) {
    EXPECT_TRUE(sys::Exists(f.disk, sys::JoinPath(kState, name) + kSecondCopy)) << name;
  }
}

TEST(TwinFileTest, TheNewestWholeCopyCounts) {
  sys::SimFileSystem disk;
  ASSERT_TRUE(disk.MakeDirectories("/d").ok());
  const auto any = [](ByteView) { return OkStatus(); };
  TwinFile file(disk, "/d/f");
  EXPECT_EQ(file.Read(100, any).code(), Code::kNotFound);
  ASSERT_TRUE(file.Write(AsBytes("one")).ok());
  disk.SetFault([](const char*, const std::string& path) {
    return path.find(".2") == std::string::npos ? OkStatus() : Status(Code::kIo, path);
  });
  EXPECT_FALSE(file.Write(AsBytes("two")).ok());  // the second copy stays behind
  disk.SetFault(nullptr);
  TwinFile again(disk, "/d/f");
  EXPECT_EQ(AsText(again.Read(100, any).value()), "two");
  EXPECT_FALSE(again.whole());
  EXPECT_EQ(again.damage(), "");
  ASSERT_TRUE(disk.Corrupt("/d/f", 20, 1).ok());
  EXPECT_EQ(AsText(again.Read(100, any).value()), "one");
  EXPECT_NE(again.damage(), "");
  ASSERT_TRUE(again.Write(AsBytes("three")).ok());
  EXPECT_EQ(AsText(TwinFile(disk, "/d/f").Read(100, any).value()), "three");
}

}  // namespace
}  // namespace ferry::agent

// Power cuts at every write, flipped bits, files cut off, gone or of another log, a full disk.
#include "pipeline/log/segments.h"
#include "pipeline/log/test_log.h"

namespace ferry::log {
namespace {

class DamageTest : public LogFixture {
 protected:
  // A life of the log: events in blocks of several sizes, retention, an erasing when `erase`.
  // Returns the last number that was said to be durable, 0 after an erasing that succeeded.
  uint64_t Live(int blocks, bool erase) {
    uint64_t durable = 0;
    auto log = Log::Open(fs_, clock_, random_, options_);
    if (!log.ok()) return 0;
    for (int block = 0; block < blocks; ++block) {
      if (erase && block == blocks / 2) {
        (*log)->Erase().ok();
        erased_ = (*log)->next() - 1;
      }
      uint64_t number = 0;
      for (int k = 0; k < 1 + block * 3 % 5; ++k) {
        const auto one = (*log)->Append(NumberedEvent((*log)->next()), ArrivalOf((*log)->next()));
        if (one.ok()) number = *one;
      }
      if (number > 0 && (*log)->WaitDurable(number).ok()) durable = number;
    }
    return durable;
  }
  uint64_t erased_ = 0;
  uint64_t fs_changes_ = 0;
};

// The power goes at each change of the disk in turn: what was promised is there, and nothing else
// than what was appended; the next life goes on from it.
TEST_F(DamageTest, APowerCutAtEveryWrite) {
  int cuts = 0;
  for (const bool sealed : {false, true}) {
    for (const bool erase : {false, true}) {
      for (uint64_t at = 1, ended = 0; ended == 0; ++at, ++cuts) {
        options_.directory = fmt::format("/{}{}{}", sealed, erase, at);
        options_.segment_bytes = 600;
        options_.key.reset();
        if (sealed) options_.key = crypto::Secret32::Generate(random_);
        ASSERT_TRUE(fs_.MakeDirectories(options_.directory).ok());
        ASSERT_TRUE(fs_.SyncDirectory("/").ok());
        const uint64_t start = fs_.changes();
        fs_.SetFault([&, start](const std::string&, const std::string&) {
          return fs_changes_++ - start + 1 >= at ? Status(Code::kIo, "the power is off")
                                                 : OkStatus();
        });
        fs_changes_ = start;
        erased_ = 0;
        const uint64_t promised = Live(12, erase);
        if (fs_changes_ - start + 1 < at) ended = 1;
        fs_.SetFault(nullptr);
        fs_.CutPower(at % 2 == 0 ? nullptr : &random_);
        auto log = Open();
        ASSERT_NE(log, nullptr);
        const auto all = ReadAll(*log);
        for (uint64_t number = erased_ + 1; number <= promised; ++number)
          ASSERT_TRUE(all.contains(number)) << at << " " << number;
        ASSERT_GE(log->next(), promised + 1);
        Fill(*log, 2);
        log = Open();
        ASSERT_EQ(ReadAll(*log).size(), all.size() + 2);
      }
    }
  }
  EXPECT_GT(cuts, 150);
}

// Any one byte of any file of a small log: it opens, loses one block at most, and goes on.
TEST_F(DamageTest, AFlippedBitAnywhere) {
  for (const bool sealed : {false, true}) {
    options_.directory = sealed ? "/sealed" : "/plain";
    if (sealed) options_.key = crypto::Secret32::Generate(random_);
    options_.segment_bytes = 300;
    {
      auto log = Open();
      for (int block = 0; block < 6; ++block) Fill(*log, 3);
    }
    auto names = *fs_.List(options_.directory);
    for (const std::string& name : names) {
      const std::string path = sys::JoinPath(options_.directory, name);
      const size_t size = sys::ReadFile(fs_, path)->size();
      for (size_t at = 0; at < size; ++at) {
        const Bytes good = *sys::ReadFile(fs_, path);
        ASSERT_TRUE(fs_.Corrupt(path, at, static_cast<uint8_t>(1 << at % 8)).ok());
        {
          auto log = Open();
          ASSERT_NE(log, nullptr) << path << " " << at;
          const auto all = ReadAll(*log);
          ASSERT_GE(all.size(), 15u) << path << " " << at;
          ASSERT_GE(log->next(), 16u);
          const LogStats stats = log->stats();
          const uint64_t counted = stats.damaged_blocks + stats.torn_bytes +
                                   stats.damaged_segments + stats.foreign_segments;
          ASSERT_TRUE(all.size() == 18 || counted > 0) << path << " " << at;
        }
        auto file = fs_.OpenForWrite(path, sys::WriteMode::kTruncate);
        ASSERT_TRUE((*file)->Append(good).ok());
      }
    }
  }
}

TEST_F(DamageTest, AFileCutOffAnywhere) {
  {
    auto log = Open();
    for (int block = 0; block < 5; ++block) Fill(*log, 3);
  }
  const std::string path = Files().at(0);
  const Bytes whole = *sys::ReadFile(fs_, path);
  size_t most = 0;
  for (size_t size = 0; size <= whole.size(); ++size) {
    {
      auto file = fs_.OpenForWrite(path, sys::WriteMode::kTruncate);
      ASSERT_TRUE((*file)->Append(ByteView(whole).first(size)).ok());
    }
    const size_t events = ReadAll(*Open()).size();
    ASSERT_EQ(events % 3, 0u);
    ASSERT_GE(events, most);
    most = events;
  }
  EXPECT_EQ(most, 15u);
}

TEST_F(DamageTest, MissingAndForeignSegments) {
  options_.segment_bytes = 100;
  {
    auto log = Open();
    for (int block = 0; block < 5; ++block) Fill(*log, 10);
  }
  options_.directory = "/other";
  Fill(*Open(), 10);
  const Bytes foreign = *sys::ReadFile(fs_, Files().at(0));
  options_.directory = "/log";
  const auto files = Files();
  ASSERT_EQ(files.size(), 5u);
  ASSERT_TRUE(fs_.Remove(files[1]).ok());
  ASSERT_TRUE(sys::WriteFileAtomically(fs_, files[3], foreign).ok());
  auto log = Open();
  EXPECT_EQ(ReadAll(*log).size(), 30u);
  EXPECT_EQ(log->stats().missing_events, 20u);
  EXPECT_EQ(log->stats().foreign_segments, 1u);
  ASSERT_TRUE(log->Erase().ok());
  EXPECT_EQ(*sys::ReadFile(fs_, files[3]), foreign);  // not ours to remove
}

// Without both copies of its identity the old log is another's: it begins anew beside it.
TEST_F(DamageTest, ALostIdentity) {
  Fill(*Open(), 10);
  for (const char* name : {"/log/identity.a", "/log/identity.b"})
    ASSERT_TRUE(fs_.Corrupt(name, 20, 1).ok());
  options_.next_at_least = 11;
  auto log = Open();
  EXPECT_EQ(log->stats().foreign_segments, 1u);
  Fill(*log, 5);
  EXPECT_EQ(ReadAll(*Open()).size(), 5u);
}

TEST_F(DamageTest, AFullDiskKeepsEventsWaiting) {
  auto log = Open();
  Fill(*log, 100);
  const uint64_t number = *log->Append(NumberedEvent(101), ArrivalOf(101));
  fs_.SetCapacity(0);
  EXPECT_EQ(log->WaitDurable(number).code(), Code::kDiskFull);
  EXPECT_EQ(log->durable(), 100u);
  EXPECT_GT(log->due_ns(), clock_.ns);  // later, not at once
  EXPECT_EQ(*log->Append(NumberedEvent(102), ArrivalOf(102)), 102u);
  fs_.SetCapacity(UINT64_MAX);
  ASSERT_TRUE(log->WaitDurable(102).ok());
  EXPECT_EQ(ReadAll(*log).size(), 102u);
  EXPECT_EQ(ReadAll(*Open()).size(), 102u);
}

// A write that failed is written again into a new segment; should both be there, one counts.
TEST_F(DamageTest, AFailedWriteIsNotDoubled) {
  auto log = Open();
  Fill(*log, 10);
  int syncs = 0;
  fs_.SetFault([&](const std::string& what, const std::string&) {
    return what == "sync" && syncs++ < 2 ? Status(Code::kIo, "injected") : OkStatus();
  });
  const uint64_t number = *log->Append(NumberedEvent(11), ArrivalOf(11));
  EXPECT_EQ(log->WaitDurable(number).code(), Code::kIo);
  EXPECT_EQ(log->WaitDurable(number).code(), Code::kIo);
  ASSERT_TRUE(log->WaitDurable(number).ok());
  fs_.SetFault(nullptr);
  Fill(*log, 5);
  EXPECT_EQ(ReadAll(*log).size(), 16u);
  log = Open();
  EXPECT_EQ(ReadAll(*log).size(), 16u);
  EXPECT_EQ(log->stats().missing_events, 0u);
}

}  // namespace
}  // namespace ferry::log

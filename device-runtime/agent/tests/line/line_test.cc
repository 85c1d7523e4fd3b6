// Lost lines, cut downloads, a server that is away.
#include <set>

#include "common/base/json.h"
#include "device-runtime/agent/line/link.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

TEST(Line, DownloadGoesOnAfterCuts) {
  Fixture f(3);
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  sys::SimLine line;
  line.cut_per_piece = 0.3;
  f.network.SetLine(line);
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0", 3'600'000));
  // Went on from where it stopped: what came in all is about one file.
  const uint64_t length = f.gateway.targets.entries["digits/1.0.0/full"].length;
  EXPECT_EQ(f.agent->StatusJson()["bytes"]["full"].get<uint64_t>(), length);
}

TEST(Line, PartialDownloadSurvivesARestart) {
  Fixture f(4);
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  const auto& entry = f.gateway.targets.entries["digits/1.0.0/full"];
  // Half of it lies there already.
  const Bytes sealed = sys::ReadFile(f.gateway.disk, "/content/" + ToHex(entry.sha256)).value();
  f.Kill();
  const std::string part = std::string(kState) + "/downloads/" + ToHex(entry.sha256) + ".part";
  ASSERT_TRUE(f.disk.MakeDirectories(std::string(kState) + "/downloads").ok());
  ASSERT_TRUE(sys::WriteFileAtomically(f.disk, part, ByteView(sealed).first(9'000)).ok());
  ASSERT_TRUE(f.Start().ok());
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  EXPECT_EQ(f.agent->StatusJson()["bytes"]["full"].get<uint64_t>(), entry.length - 9'000);
}

TEST(Line, FrameCutsNeverInstallTwiceOrNotAtAll) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Fixture f(seed);
    sys::SimLine line;
    line.cut_per_frame = 0.05;
    f.network.SetLine(line);
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Sign();
    f.gateway.Assign("1.0.0");
    ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0", 3'600'000)) << "seed " << seed;
    f.world.RunFor(600'000);
    EXPECT_EQ(f.Version(), "1.0.0");
    std::set<uint64_t> confirmed;
    for (const auto& report : f.gateway.reports) {
      if (report.step() == proto::Report::CONFIRMED) confirmed.insert(report.seq());
    }
    EXPECT_EQ(confirmed.size(), 1u) << "seed " << seed;
    EXPECT_EQ(f.agent->StatusJson()["reports"]["queued"], 0);
  }
}

TEST(Line, ServerAwayMeansLocalOnlyAndNothingIsLost) {
  Fixture f(5);
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }));
  EXPECT_EQ(f.agent->StatusJson()["mode"], "local_only");
  for (int i = 0; i < 100; ++i) {
    f.Event();
    ASSERT_TRUE(f.outbox->Append({{"digits.result", i, "{\"n\":" + std::to_string(i) + "}"}}).ok());
    f.world.RunFor(500);
  }
  EXPECT_EQ(f.outcomes.size(), 100u);
  EXPECT_EQ(f.agent->StatusJson()["outbox"]["queued"], 100);
  f.network.SetReachable("server", true);
  ASSERT_TRUE(f.Until([&] { return f.outbox->stats().waiting == 0; }));
  ASSERT_EQ(f.gateway.records.size(), 1u);
  EXPECT_EQ(f.gateway.records.begin()->second.size(), 100u);
  // The reports of that time came too.
  EXPECT_TRUE(f.UntilStep(Step::kHealthy, "1.0.0"));
}

TEST(Line, RowsWaitForTheQuotaAndAllElseGoesOn) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  int batches = 0;
  bool used_up = true;
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope* answer) {
    if (!request.has_tunnel_batch()) return false;
    ++batches;
    if (!used_up) return false;
    proto::TunnelAck* ack = answer->mutable_tunnel_ack();
    ack->set_outbox_id(request.tunnel_batch().outbox_id());
    ack->set_retry_after_ms(600'000);
    return true;
  };
  ASSERT_TRUE(f.outbox->Append({{"s", 1, "{}"}}).ok());
  ASSERT_TRUE(f.Until([&] { return batches > 0; }));
  f.world.RunFor(1'000);
  EXPECT_EQ(f.LastErrorName(), "quota_used");
  const Json outbox = f.agent->StatusJson()["outbox"];
  EXPECT_GT(outbox["wait_ms"].get<int64_t>(), 590'000);
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0", 500'000));
  EXPECT_EQ(batches, 1);
  used_up = false;
  ASSERT_TRUE(f.Until([&] { return f.outbox->stats().waiting == 0; }, 800'000));
  EXPECT_EQ(f.gateway.records.begin()->second.size(), 1u);
}

TEST(Line, AsksWhatToRunBeforeItSendsRows) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }));
  ASSERT_TRUE(f.outbox->Append({{"s", 1, "{}"}}).ok());
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  std::vector<bool> polls;  // of polls and batches, in order
  f.gateway.bend = [&polls](const proto::Envelope& request, proto::Envelope*) {
    if (request.has_poll() || request.has_tunnel_batch()) polls.push_back(request.has_poll());
    return false;
  };
  f.network.SetReachable("server", true);
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  ASSERT_GE(polls.size(), 2u);
  EXPECT_TRUE(polls[0]);
  EXPECT_FALSE(polls[1]);
}

// The server keeps one report of each number: a journal that the disk never took, or lost, must not
// make new reports look like old ones.
TEST(Line, ReportNumbersAreNeverUsedTwice) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Publish("2.0.0", 2, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  f.disk.SetFault([](const char*, const std::string& path) {
    const bool hit = path.find(kJournalFile) != std::string::npos;
    return hit ? Status::Of(Code::kDiskFull, "{}: no space left", path) : OkStatus();
  });
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
  f.Kill();
  f.disk.SetFault(nullptr);
  ASSERT_TRUE(f.Start().ok());
  f.gateway.Publish("3.1.0", 4, "load");
  f.gateway.Sign();
  f.gateway.Assign("3.1.0");
  EXPECT_TRUE(f.UntilStep(Step::kFailed, "3.1.0"));
  f.Kill();
  for (const char* copy : {"", kSecondCopy}) {
    ASSERT_TRUE(f.disk.Remove(sys::JoinPath(kState, kJournalFile) + copy).ok());
  }
  ASSERT_TRUE(f.Start().ok());
  f.gateway.Publish("4.0.0", 5, "good");
  f.gateway.Sign();
  f.gateway.Assign("4.0.0");
  EXPECT_TRUE(f.UntilStep(Step::kConfirmed, "4.0.0"));
}

TEST(Journal, StaysSmallEnoughToBeReadBack) {
  sys::SimFileSystem disk;
  ASSERT_TRUE(disk.MakeDirectories(kState).ok());
  Journal journal = Journal::Open(disk, kState).value();
  for (int i = 0; i < 18; ++i) {
    Report report;
    report.previous_version.assign(1 << 20, 'x');
    ASSERT_TRUE(journal.Add(std::move(report)).ok());
  }
  const auto again = Journal::Open(disk, kState);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->waiting().back().seq, 18u);
  Json status;
  again->AddTo(&status);
  EXPECT_GT(status["reports"]["dropped"], 0);
}

TEST(Line, RecordsArriveThroughFrameCuts) {
  Fixture f(6);
  sys::SimLine line;
  line.cut_per_frame = 0.05;
  f.network.SetLine(line);
  ASSERT_TRUE(f.Start().ok());
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(f.outbox->Append({{"s", i, std::to_string(i)}}).ok());
    f.world.RunFor(200);
  }
  ASSERT_TRUE(f.Until([&] { return f.outbox->stats().waiting == 0; }, 3'600'000));
  ASSERT_EQ(f.gateway.records.size(), 1u);
  uint64_t seq = 1;
  for (const auto& [number, json] : f.gateway.records.begin()->second) {
    EXPECT_EQ(number, seq);
    EXPECT_EQ(json, std::to_string(seq - 1));
    ++seq;
  }
  EXPECT_EQ(seq, 301u);
}

TEST(Line, SilentServerIsLeftAfterTheDeadline) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  bool mute = true;
  f.gateway.bend = [&](const proto::Envelope&, proto::Envelope*) { return mute; };
  ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }, 3 * kPingMs));
  EXPECT_EQ(f.LastErrorName(), "deadline_exceeded");
  mute = false;
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
}

TEST(Line, ReconnectsStayUnderTheCap) {
  Fixture f;
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(3'600'000);
  f.network.SetReachable("server", true);
  // A dial that began before may still wait for its own time-out.
  constexpr int64_t kDialMs = 10'000;
  EXPECT_TRUE(
      f.Until([&] { return f.agent->connected(); }, f.options.backoff.cap_ms + kDialMs + 1'000));
}

TEST(Backoff, WindowDoublesUpToTheCapWithFullJitter) {
  sys::SeededRandom random(9);
  Backoff backoff({100, 3'000}, random);
  for (int64_t window : {100, 200, 400, 800, 1'600, 3'000, 3'000, 3'000}) {
    int64_t delay = backoff.NextMs();
    EXPECT_GE(delay, 0);
    EXPECT_LE(delay, window);
  }
  backoff.Reset();
  EXPECT_LE(backoff.NextMs(), 100);
  // Spread over the window, not piled up at its end.
  int low = 0;
  for (int i = 0; i < 1'000; ++i) {
    Backoff one({1'000, 1'000}, random);
    if (one.NextMs() < 500) ++low;
  }
  EXPECT_NEAR(low, 500, 80);
}

}  // namespace
}  // namespace ferry::agent

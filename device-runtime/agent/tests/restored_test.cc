// A device whose state directory comes from an old copy.
#include "device-runtime/agent/line/backoff.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

TEST(Restored, EachStartSaysItsIdAndTheOneBefore) {
  Fixture f(11);
  std::vector<std::pair<std::string, std::string>> said;
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope*) {
    if (request.has_auth())
      said.emplace_back(request.auth().start_id(), request.auth().previous_start_id());
    return false;
  };
  for (int start = 0; start < 3; ++start) {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.Kill();
  }
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0].first.size(), kStartIdBytes);
  EXPECT_EQ(said[0].second, "");
  EXPECT_EQ(said[1].second, said[0].first);
  EXPECT_EQ(said[2].second, said[1].first);
  EXPECT_NE(said[2].first, said[0].first);
}

TEST(Restored, ReportsWhoseNumbersAreTakenGoOutUnderOthers) {
  sys::SimFileSystem fs;
  ASSERT_TRUE(fs.MakeDirectories("/state").ok());
  Journal journal = Journal::Open(fs, "/state").value();
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(journal.Add(Report()).ok());
  EXPECT_FALSE(journal.Acknowledge(1).value());
  EXPECT_EQ(journal.waiting().front().seq, 2u);
  EXPECT_TRUE(journal.Acknowledge(40).value());  // never given here
  ASSERT_EQ(journal.waiting().size(), 2u);
  EXPECT_EQ(journal.waiting()[0].seq, 41u);
  EXPECT_EQ(journal.waiting()[1].seq, 42u);
  Journal again = Journal::Open(fs, "/state").value();
  ASSERT_TRUE(again.Add(Report()).ok());
  EXPECT_EQ(again.waiting().back().seq, 43u);
  EXPECT_FALSE(again.Acknowledge(43).value());
  EXPECT_TRUE(again.waiting().empty());
}

// A line that did something counts, however short: else each loss of a server that is started again
// every few seconds doubles the wait, up to a minute.
TEST(Backoff, StaysShortWhereEachLineDidSomething) {
  sys::SeededRandom random(1);
  Backoff backoff({}, random);
  for (int kill = 0; kill < 200; ++kill) {
    backoff.Ease();
    EXPECT_LE(backoff.NextMs(), 2'000);  // the line broke
    EXPECT_LE(backoff.NextMs(), 4'000);  // the server was not up yet
    EXPECT_LE(backoff.tries(), 4);
  }
  for (int k = 0; k < 10; ++k) backoff.NextMs();
  EXPECT_GE(backoff.tries(), 10);
}

}  // namespace
}  // namespace ferry::agent

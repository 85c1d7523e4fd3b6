// The pure function of campaigns, over a simple world of releases: what each order does to a
// release is a line here, so that random runs can be checked against the rules.
#include "cloud-server/campaign/move.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace ferry::server {
namespace {

using testing::HasSubstr;

CampaignSpec SpecOf(size_t releases, After after = After::kComplete,
                    OnStop on_stop = OnStop::kStop) {
  CampaignSpec spec;
  spec.name = "c";
  spec.on_stop = on_stop;
  for (size_t i = 0; i < releases; ++i) {
    CampaignRelease release;
    release.release.package = fmt::format("p{}", i);
    release.after = after;
    spec.releases.push_back(release);
  }
  return spec;
}

// Releases as simple as they can be.
struct World {
  CampaignSpec spec;
  CampaignRow row;
  std::vector<ReleaseSeen> seen;
  std::vector<Action> done;
  int64_t now_ms = 1'000;

  ReleaseSeen* Find(const std::string& id) {
    for (ReleaseSeen& release : seen)
      if (release.id == id) return &release;
    return nullptr;
  }
  void Perform(const Action& action) {
    done.push_back(action);
    if (action.act == Act::kCreate) {
      ReleaseSeen made;
      made.id = fmt::format("r{}", seen.size());
      seen.push_back(made);
      row.releases.push_back(made.id);
      return;
    }
    ReleaseState& state = Find(action.release)->state;
    switch (action.act) {
      case Act::kStart:
        if (state == ReleaseState::kDraft) state = ReleaseState::kSimulating;
        break;
      case Act::kPause:
        state = ReleaseState::kPaused;
        break;
      case Act::kResume:
        if (state == ReleaseState::kPaused) state = ReleaseState::kGray;
        break;
      case Act::kHalt:
        state = ReleaseState::kStopped;
        break;
      case Act::kRollback:
        state = state == ReleaseState::kDraft || state == ReleaseState::kSimulating
                    ? ReleaseState::kStopped
                    : ReleaseState::kRollingBack;
        break;
      case Act::kKill:
        state = ReleaseState::kKilled;
        break;
      case Act::kCreate:
        break;
    }
  }
  void Apply(const Move& move) {
    const std::vector<std::string> releases = row.releases;
    for (const Action& action : move.actions) Perform(action);
    const std::vector<std::string> made = row.releases;
    row = move.row;
    row.releases = made;
  }
  // Until nothing is due.
  void Settle() {
    for (int step = 0; step < 200; ++step) {
      const Move move = MoveOf(spec, row, seen, now_ms);
      if (move.actions.empty() && move.row == row) return;
      Apply(move);
    }
    FAIL() << "it never ends";
  }
  // And until all that goes back went back.
  void SettleBack() {
    for (int step = 0; step < 10; ++step) {
      Settle();
      for (ReleaseSeen& release : seen)
        if (release.state == ReleaseState::kRollingBack) release.state = ReleaseState::kRolledBack;
    }
  }
  Status Order(server::Order order) {
    const auto move = MoveByOrder(spec, row, seen, order, "ann", "so", now_ms);
    if (!move.ok()) return move.status();
    Apply(*move);
    Settle();
    return OkStatus();
  }
  std::string States() {
    std::string text;
    for (const ReleaseSeen& release : seen) text += std::string(NameOf(release.state)) + " ";
    return text + "| " + std::string(NameOf(row.state));
  }
};

TEST(CampaignMove, OneAfterTheOther) {
  World world{SpecOf(3), {}, {}, {}};
  world.spec.start_ms = 5'000;
  world.Settle();
  EXPECT_EQ(world.States(), "| waiting");
  world.now_ms = 5'000;
  world.Settle();
  EXPECT_EQ(world.States(), "simulating | running");
  world.seen[0].state = ReleaseState::kGray;
  world.seen[0].past_first_stage = true;
  world.Settle();
  EXPECT_EQ(world.States(), "gray | running");
  EXPECT_EQ(world.row.reason, "release 1 of 3: r0 is gray");
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(world.seen.size(), i + 1);
    world.seen[i].state = ReleaseState::kComplete;
    world.Settle();
  }
  EXPECT_EQ(world.States(), "complete complete complete | complete");
}

TEST(CampaignMove, TheNextMayStartAfterTheFirstStage) {
  World world{SpecOf(2, After::kFirstStage), {}, {}, {}};
  world.Settle();
  world.seen[0].state = ReleaseState::kBeta;
  world.Settle();
  EXPECT_EQ(world.States(), "beta | running");
  world.seen[0].past_first_stage = true;
  world.Settle();
  EXPECT_EQ(world.States(), "beta simulating | running");
}

TEST(CampaignMove, OneThatStopsStopsTheCampaign) {
  World world{SpecOf(3, After::kFirstStage), {}, {}, {}};
  world.Settle();
  world.seen[0].state = ReleaseState::kGray;
  world.seen[0].past_first_stage = true;
  world.Settle();
  world.seen[1].state = ReleaseState::kRollingBack;
  world.seen[1].reason = "9 of 100 devices failed";
  world.Settle();
  EXPECT_EQ(world.States(), "paused rolling_back | stopped");
  EXPECT_THAT(world.row.reason, HasSubstr("release r1 is rolling_back: 9 of 100 devices failed"));
  world.now_ms += 1'000'000;
  world.Settle();
  EXPECT_EQ(world.seen.size(), 2u) << "the third is never made";
  // Afterwards all of it may be taken back.
  ASSERT_TRUE(world.Order(Order::kRollback).ok());
  EXPECT_EQ(world.States(), "rolling_back rolling_back | rolling_back");
  for (ReleaseSeen& release : world.seen) release.state = ReleaseState::kRolledBack;
  world.Settle();
  EXPECT_EQ(world.States(), "rolled_back rolled_back | rolled_back");
}

TEST(CampaignMove, AllGoBackWhereTheFileSaysSo) {
  World world{SpecOf(3, After::kComplete, OnStop::kRollbackAll), {}, {}, {}};
  world.Settle();
  world.seen[0].state = ReleaseState::kComplete;
  world.Settle();
  world.seen[1].state = ReleaseState::kFailedSimulation;
  world.Settle();
  EXPECT_EQ(world.States(), "rolling_back failed_simulation | rolling_back");
  world.seen[0].state = ReleaseState::kRolledBack;
  world.Settle();
  EXPECT_EQ(world.States(), "rolled_back failed_simulation | rolled_back");
}

TEST(CampaignMove, AnOlderReleaseOfThePackageGoesBackAfterTheNewer) {
  World world{SpecOf(2, After::kComplete, OnStop::kRollbackAll), {}, {}, {}};
  world.Settle();
  world.seen[0].state = ReleaseState::kComplete;
  world.Settle();
  world.seen[0].state = ReleaseState::kSuperseded;
  world.seen[1].state = ReleaseState::kComplete;
  world.Settle();
  ASSERT_EQ(world.States(), "superseded complete | complete");
  ASSERT_TRUE(world.Order(Order::kRollback).ok());
  EXPECT_EQ(world.States(), "superseded rolling_back | rolling_back");
  world.seen[0].state = ReleaseState::kComplete;  // it stands again
  world.seen[1].state = ReleaseState::kRolledBack;
  world.Settle();
  EXPECT_EQ(world.States(), "rolling_back rolled_back | rolling_back");
}

TEST(CampaignMove, TheDeadlineEndsIt) {
  World world{SpecOf(2), {}, {}, {}};
  world.spec.deadline_ms = 9'000;
  world.Settle();
  world.now_ms = 8'999;
  world.Settle();
  EXPECT_EQ(world.States(), "simulating | running");
  world.now_ms = 9'000;
  world.Settle();
  EXPECT_EQ(world.States(), "paused | stopped");
  EXPECT_EQ(world.row.reason, "the deadline has passed");
}

TEST(CampaignMove, APausePausesItsReleasesAndResumesThoseAlone) {
  World world{SpecOf(3, After::kFirstStage), {}, {}, {}};
  world.Settle();
  world.seen[0].state = ReleaseState::kGray;
  world.seen[0].past_first_stage = true;
  world.Settle();
  world.seen[0].state = ReleaseState::kPaused;  // by a person
  ASSERT_TRUE(world.Order(Order::kPause).ok());
  world.Settle();
  EXPECT_EQ(world.States(), "paused paused | paused");
  EXPECT_EQ(world.row.reason, "paused by ann: so");
  ASSERT_TRUE(world.Order(Order::kResume).ok());
  world.Settle();
  EXPECT_EQ(world.States(), "paused gray | running");
  EXPECT_EQ(world.Order(Order::kResume).code(), Code::kFailedPrecondition);
}

TEST(CampaignMove, HaltAndKill) {
  World world{SpecOf(2), {}, {}, {}};
  world.Settle();
  world.seen[0].state = ReleaseState::kComplete;
  world.Settle();
  world.seen[1].state = ReleaseState::kFull;
  World other = world;
  ASSERT_TRUE(world.Order(Order::kHalt).ok());
  EXPECT_EQ(world.States(), "complete stopped | halted");
  EXPECT_EQ(world.Order(Order::kPause).code(), Code::kFailedPrecondition);
  ASSERT_TRUE(other.Order(Order::kKill).ok());
  EXPECT_EQ(other.States(), "killed killed | killed");
  ASSERT_TRUE(other.Order(Order::kRollback).ok());
  EXPECT_EQ(other.States(), "rolling_back rolling_back | rolling_back");
}

// Random lives of releases and random orders: the rules hold at every step, and a move that is made
// twice, as after a crash, changes nothing more.
TEST(CampaignMove, RulesHoldWhateverHappens) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    uint64_t state = seed * 7919;
    const auto draw = [&state](uint64_t below) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<size_t>((state >> 33) % below);
    };
    const bool overlaps = draw(2) == 0;
    const OnStop on_stop = draw(2) == 0 ? OnStop::kStop : OnStop::kRollbackAll;
    const size_t releases = 1 + draw(4);
    World world{
        SpecOf(releases, overlaps ? After::kFirstStage : After::kComplete, on_stop), {}, {}, {}};
    if (draw(3) == 0) world.spec.deadline_ms = 1'000 + static_cast<int64_t>(draw(60'000));
    bool was_bad = false;
    for (int step = 0; step < 80; ++step) {
      world.now_ms += 1'000;
      if (draw(12) == 0) (void)world.Order(static_cast<Order>(draw(5)));
      for (ReleaseSeen& release : world.seen) {
        const size_t dice = draw(8);
        if (release.state == ReleaseState::kSimulating && dice < 4)
          release.state =
              dice == 0 && draw(6) == 0 ? ReleaseState::kFailedSimulation : ReleaseState::kBeta;
        else if (release.state == ReleaseState::kBeta && dice < 3)
          release = {release.id, ReleaseState::kGray, true, ""};
        else if (release.state == ReleaseState::kGray && dice < 3)
          release.state = draw(8) == 0 ? ReleaseState::kRollingBack : ReleaseState::kComplete;
        else if (release.state == ReleaseState::kRollingBack && dice < 3)
          release.state = ReleaseState::kRolledBack;
      }
      const size_t before = world.seen.size();
      const bool bad = std::any_of(world.seen.begin(), world.seen.end(), [](const auto& each) {
        return !IsInMotion(each.state) && each.state != ReleaseState::kComplete;
      });
      was_bad = was_bad || bad;
      // One move, perhaps made twice.
      const Move move = MoveOf(world.spec, world.row, world.seen, world.now_ms);
      const bool creates = !move.actions.empty() && move.actions[0].act == Act::kCreate;
      if (!creates && draw(4) == 0) {
        World crashed = world, straight = world;
        for (const Action& action : move.actions) crashed.Perform(action);
        crashed.SettleBack();
        straight.SettleBack();
        ASSERT_EQ(crashed.row.state, straight.row.state) << "seed " << seed;
      }
      if (creates) {
        ASSERT_EQ(move.actions.size(), 1u);
        ASSERT_EQ(world.row.state, CampaignState::kRunning);
      }
      world.Apply(move);
      ASSERT_LE(world.seen.size(), releases);
      const size_t most = was_bad ? before : before + 1;
      ASSERT_LE(world.seen.size(), most) << "made after a stop; seed " << seed;
      size_t in_motion = 0;
      for (size_t i = 0; i < world.seen.size(); ++i) {
        in_motion += IsInMotion(world.seen[i].state) ? 1 : 0;
        if (i == 0 || was_bad || world.row.state != CampaignState::kRunning) continue;
        const ReleaseSeen& earlier = world.seen[i - 1];
        ASSERT_TRUE(earlier.state == ReleaseState::kComplete ||
                    (overlaps && earlier.past_first_stage))
            << "seed " << seed;
      }
      ASSERT_LE(in_motion, overlaps ? releases : 1u) << "seed " << seed;
    }
    // Whatever happened, rolling all of it back ends.
    if (world.row.state == CampaignState::kRolledBack) continue;
    (void)world.Order(Order::kRollback);
    world.SettleBack();
    ASSERT_EQ(world.row.state, CampaignState::kRolledBack) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ferry::server

// What is known of the device's user goes at the server's wish or the app's; the server is told of
// it until it has answered.
#include <gmock/gmock.h>

#include "common/base/json.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

struct EraseData : testing::Test {
  void SetUp() override {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    store::StateChanges state;
    state.Put("x/known", "something private");
    ASSERT_TRUE(f.outbox->Commit({.state = &state}).ok());
  }
  Json Status() { return f.agent->StatusJson(); }
  bool Told(size_t times) {
    return f.Until([&] { return f.gateway.erased.size() >= times; });
  }

  Fixture f;
};

TEST_F(EraseData, TheServerAsksAndHearsWhatWent) {
  f.gateway.AskErase(7);
  ASSERT_TRUE(Told(1));
  EXPECT_EQ(f.gateway.erased[0].request(), 7u);
  EXPECT_EQ(f.gateway.erased[0].number(), 1u);
  const auto receipt = ParseJson(f.gateway.erased[0].receipt());
  ASSERT_TRUE(receipt.ok());
  EXPECT_GT((*receipt)["state_pairs"], 0);
  EXPECT_TRUE(f.outbox->LoadState("x/")->empty());
  ASSERT_TRUE(f.Until([&] { return !Status()["erasure"]["cloud"].is_null(); }));
  EXPECT_EQ(Status()["erasure"]["cloud"]["records"], 4);
  EXPECT_EQ(Status()["erasure"]["asked"], "server:7");
  // A server that forgot the answer hears it again, and nothing is erased twice.
  store::StateChanges state;
  state.Put("x/later", "y");
  ASSERT_TRUE(f.outbox->Commit({.state = &state}).ok());
  f.gateway.AskErase(7);
  ASSERT_TRUE(Told(2));
  EXPECT_EQ(f.gateway.erased[1].number(), 1u);
  EXPECT_EQ(f.outbox->LoadState("x/")->size(), 1u);
  f.gateway.AskErase(8);
  ASSERT_TRUE(Told(3));
  EXPECT_EQ(f.gateway.erased[2].number(), 2u);
  EXPECT_TRUE(f.outbox->LoadState("x/")->empty());
}

// The line is away when the app asks, and the process ends before it is back.
TEST_F(EraseData, ADeviceThatWasOfflineTellsItLater) {
  f.gateway.erases = false;  // as good as away: it is not told
  f.Kill();
  f.give_token = false;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  const auto number = f.outbox->BeginErase("app", 5);
  ASSERT_TRUE(number.ok());
  ASSERT_TRUE(f.agent->Erase(0).ok());
  ASSERT_TRUE(f.outbox->NoteErased(*number, "{}", "").ok());
  f.agent->TellErased();
  f.world.RunFor(60'000);
  EXPECT_TRUE(f.gateway.erased.empty());
  EXPECT_TRUE(f.agent->connected());
  f.Kill();
  f.gateway.erases = true;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(Told(1));
  EXPECT_EQ(f.gateway.erased[0].request(), 0u);
  ASSERT_TRUE(f.Until([&] { return !Status()["erasure"]["cloud"].is_null(); }));
}

}  // namespace
}  // namespace ferry::agent

// A device that has nothing to do is not woken for it: each step here wakes a telephone.
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

// Looks and pings; polls and connection lives come beside them.
constexpr uint64_t kStepsOfAnHour = 1'500;

TEST(IdleAgent, IsSeldomWoken) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  f.gateway.Wake();
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  f.world.RunFor(600'000);
  const uint64_t before = f.world.steps();
  f.world.RunFor(3'600'000);
  EXPECT_TRUE(f.agent->connected());
  EXPECT_LT(f.world.steps() - before, kStepsOfAnHour);
}

}  // namespace
}  // namespace ferry::agent

// How packages do, as the gates hear of it.
#include <gtest/gtest.h>

#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

struct Measured {
  Fixture f;

  Measured() {
    f.options.resident_bytes = [] { return int64_t{123'456}; };
    f.gateway.Publish("1.0.0", 1, "good");
    EXPECT_TRUE(f.Start().ok());
    EXPECT_TRUE(f.Until([this] { return f.agent->connected(); }));
    f.gateway.Sign();
    f.gateway.Assign("1.0.0");
    EXPECT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  }
  // Virtual time goes on.
  void Wait(int64_t ms) {
    f.Until([] { return false; }, ms);
  }
  int sent() const { return f.gateway.Count(Step::kMeasured, "1.0.0"); }
  const proto::Report* LastSent() const {
    const proto::Report* last = nullptr;
    for (const proto::Report& report : f.gateway.reports)
      if (report.step() == proto::Report::MEASURED) last = &report;
    return last;
  }
};

TEST(Measure, OnceAfterTheFirstEventWithTheNumbersOfTheScript) {
  Measured m;
  m.f.Event();
  m.f.Event();
  m.Wait(kFirstMeasureMs - 10'000);
  EXPECT_EQ(m.sent(), 0) << "it is too early";
  m.Wait(20'000);
  ASSERT_EQ(m.sent(), 1);
  const proto::Report& report = *m.LastSent();
  EXPECT_EQ(report.package(), "digits");
  const std::map<std::string, double> got(report.metrics().begin(), report.metrics().end());
  // A name of the runtime's own stays the runtime's.
  const std::map<std::string, double> wanted = {{"error_rate", 0},     {"latency_ms", 2.5},
                                                {"latency_p99_ms", 0}, {"memory_bytes", 123'456},
                                                {"seen", 2},           {"depth", 2.5}};
  EXPECT_EQ(got, wanted);
  m.f.Event();
  m.Wait(kFirstMeasureMs * 30);
  EXPECT_EQ(m.sent(), 1) << "the next one is due after an hour";
  m.Wait(kFirstMeasureMs * 31);
  ASSERT_EQ(m.sent(), 2);
  EXPECT_EQ(m.LastSent()->metrics().at("seen"), 3);
  m.Wait(kFirstMeasureMs * 200);
  EXPECT_EQ(m.sent(), 2) << "without new runs there is nothing to say";
}

TEST(Measure, NothingWithoutEvents) {
  Measured m;
  m.Wait(kFirstMeasureMs * 130);
  EXPECT_EQ(m.sent(), 0);
}

TEST(Measure, ANewVersionIsMeasuredAnew) {
  Measured m;
  m.f.Event();
  m.Wait(2 * kFirstMeasureMs);
  ASSERT_EQ(m.sent(), 1);
  m.f.gateway.Publish("1.1.0", 2, "good", "", "1.0.0");
  m.f.gateway.Sign();
  m.f.gateway.Assign("1.1.0");
  ASSERT_TRUE(m.f.UntilStep(Step::kConfirmed, "1.1.0"));
  m.f.Event();
  m.Wait(2 * kFirstMeasureMs);
  EXPECT_EQ(m.sent(), 1);
  ASSERT_EQ(m.f.gateway.Count(Step::kMeasured, "1.1.0"), 1);
  EXPECT_EQ(m.LastSent()->metrics().at("seen"), 1) << "of the version that runs";
}

TEST(Measure, IsInNoFileAndNoTimeline) {
  Measured m;
  m.f.gateway.bend = [](const proto::Envelope& request, proto::Envelope*) {
    return request.has_report() && request.report().step() == proto::Report::MEASURED;
  };
  m.f.Event();
  m.Wait(2 * kFirstMeasureMs);
  const Json status = m.f.agent->StatusJson();
  EXPECT_EQ(status["reports"]["queued"], 1);
  for (const Json& step : status["timeline"]) EXPECT_NE(step["step"], "measured");
  // A program of before, which knows no such step, reads the journal.
  const auto journal = Journal::Open(m.f.disk, kState);
  ASSERT_TRUE(journal.ok());
  EXPECT_FALSE(journal->lost());
  EXPECT_TRUE(journal->waiting().empty());
}

}  // namespace
}  // namespace ferry::agent

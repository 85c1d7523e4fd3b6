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
  for (int i = 0; i < 3; ++i) m.f.Event();
  m.Wait(kFirstMeasureMs - 10'000);
  EXPECT_EQ(m.sent(), 0) << "it is too early";
  m.Wait(20'000);
  ASSERT_EQ(m.sent(), 1);
  const proto::Report& report = *m.LastSent();
  EXPECT_EQ(report.package(), "digits");
  const std::map<std::string, double> got(report.metrics().begin(), report.metrics().end());
  // A name of the runtime's own stays the runtime's. The first run is not in it.
  const std::map<std::string, double> wanted = {
      {"error_rate", 0}, {"latency_ms", 2.5}, {"latency_p99_ms", 2.5}, {"memory_bytes", 123'456},
      {"seen", 2},       {"level", 30},       {"depth", 2.5}};
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(report.use().events(), 3u) << "all of them";
  EXPECT_EQ(report.use().starts(), 3u);
  EXPECT_EQ(report.use().failures(), 0u);
  m.f.Event();
  m.Wait(kFirstMeasureMs * 30);
  EXPECT_EQ(m.sent(), 1) << "the next one is due after an hour";
  m.Wait(kFirstMeasureMs * 31);
  ASSERT_EQ(m.sent(), 2);
  EXPECT_EQ(m.LastSent()->metrics().at("seen"), 1) << "of what came since";
  EXPECT_EQ(m.LastSent()->use().starts(), 1u) << "nothing is told twice";
  m.Wait(kFirstMeasureMs * 200);
  EXPECT_EQ(m.sent(), 2) << "without new runs there is nothing to say";
}

TEST(Measure, OneRunAloneIsNoMeasurement) {
  Measured m;
  m.f.Event();
  m.Wait(2 * kFirstMeasureMs);
  EXPECT_EQ(m.sent(), 0);
  m.f.Event();
  m.Wait(2 * kFirstMeasureMs);
  EXPECT_EQ(m.sent(), 1);
}

TEST(Measure, NothingWithoutEvents) {
  Measured m;
  m.Wait(kFirstMeasureMs * 130);
  EXPECT_EQ(m.sent(), 0);
}

TEST(Measure, ANewVersionIsMeasuredAnew) {
  Measured m;
  m.f.Event();
  m.f.Event();
  m.Wait(2 * kFirstMeasureMs);
  ASSERT_EQ(m.sent(), 1);
  m.f.gateway.Publish("1.1.0", 2, "good", "", "1.0.0");
  m.f.gateway.Sign();
  m.f.gateway.Assign("1.1.0");
  ASSERT_TRUE(m.f.UntilStep(Step::kConfirmed, "1.1.0"));
  m.f.Event();
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

// A device that is held back from a release: what runs is measured and told as the release would
// be, for as long and from the same moment of its life.
struct Observing {
  Fixture f;

  Observing() {
    f.gateway.Publish("1.0.0", 1, "raise");
    EXPECT_TRUE(f.Start().ok());
    EXPECT_TRUE(f.Until([this] { return f.agent->connected(); }));
    f.gateway.Sign();
    f.gateway.Want("digits", Wish(""));
    EXPECT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  }
  trust::DesiredPackage Wish(const std::string& observe) {
    trust::DesiredPackage wish = f.gateway.Run("digits", "1.0.0", "old");
    wish.observe = observe;
    return wish;
  }
  void Wait(int64_t ms) {
    f.Until([] { return false; }, ms);
  }
  // Steps that were reported of a release, in order.
  std::vector<std::string> Of(const std::string& release) {
    std::vector<std::string> steps;
    for (const proto::Report& report : f.gateway.reports)
      if (report.release_id() == release) steps.push_back(proto::Report::Step_Name(report.step()));
    return steps;
  }
};

TEST(Observe, FailuresAreToldOfEachReleaseThatItIsHeldBackFrom) {
  Observing o;
  o.f.Event();
  o.Wait(1000);
  EXPECT_EQ(o.f.gateway.Count(Step::kTaskFailed, "1.0.0"), 1);
  o.f.gateway.Want("digits", o.Wish("new"));
  ASSERT_TRUE(o.f.Until([&] { return !o.Of("new").empty(); }));
  o.f.Event();
  o.f.Event();
  o.Wait(kFirstMeasureMs + 10'000);
  EXPECT_EQ(o.Of("new"), (std::vector<std::string>{"OBSERVING", "TASK_FAILED", "MEASURED"}));
  EXPECT_EQ(o.Of("old").back(), "TASK_FAILED") << "and nothing of it is new to the old one";
  o.f.gateway.Want("digits", o.Wish("newer"));
  ASSERT_TRUE(o.f.Until([&] { return !o.Of("newer").empty(); }));
  o.f.Event();
  o.Wait(1000);
  EXPECT_EQ(o.Of("newer"), (std::vector<std::string>{"OBSERVING", "TASK_FAILED"}));
  EXPECT_EQ(o.f.gateway.Count(Step::kConfirmed, "1.0.0"), 1) << "it is installed once";
}

TEST(Observe, TheWindowBeginsWhenItIsToldAndIsAsLongAsOfAnInstallation) {
  Observing o;
  for (int i = 0; i < 5; ++i) o.f.Event();
  o.Wait(kFirstMeasureMs * 3);  // measured for itself; the next time would be after an hour
  o.f.gateway.Want("digits", o.Wish("new"));
  ASSERT_TRUE(o.f.Until([&] { return !o.Of("new").empty(); }));
  for (int i = 0; i < 4; ++i) o.f.Event();
  o.Wait(kFirstMeasureMs - 10'000);
  EXPECT_EQ(o.f.gateway.reports.back().step(), proto::Report::TASK_FAILED);
  o.Wait(20'000);
  const proto::Report& report = o.f.gateway.reports.back();
  ASSERT_EQ(report.step(), proto::Report::MEASURED);
  EXPECT_EQ(report.release_id(), "new");
  EXPECT_EQ(report.version(), "1.0.0");
  EXPECT_EQ(report.metrics().at("seen"), 3) << "runs of before are not in it";
  EXPECT_EQ(report.metrics().at("error_rate"), 1);
}

TEST(Observe, HoldsOverARestartAndEndsWithTheDocument) {
  Observing o;
  o.f.gateway.Want("digits", o.Wish("new"));
  ASSERT_TRUE(o.f.Until([&] { return !o.Of("new").empty(); }));
  o.f.Kill();
  ASSERT_TRUE(o.f.Start().ok());
  ASSERT_TRUE(o.f.Until([&] { return o.Of("new").size() == 2; })) << "said again";
  o.f.Event();
  o.Wait(1000);
  EXPECT_EQ(o.Of("new").back(), "TASK_FAILED");
  o.f.Kill();
  ASSERT_TRUE(o.f.Start().ok());
  ASSERT_TRUE(o.f.Until([&] { return o.f.agent->connected(); }));
  o.f.Event();
  o.Wait(1000);
  EXPECT_EQ(o.Of("new").size(), 3) << "it was told";
  o.f.gateway.Want("digits", o.Wish(""));
  o.Wait(1000);
  for (int i = 0; i < 3; ++i) o.f.Event();
  o.Wait(kFirstMeasureMs * 2);
  EXPECT_EQ(o.Of("new").size(), 3);
}

}  // namespace
}  // namespace ferry::agent

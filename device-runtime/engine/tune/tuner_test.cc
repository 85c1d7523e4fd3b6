#include "device-runtime/engine/tune/tuner.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/ir/text.h"

namespace ferry::engine {
namespace {

// Keeps the processor busy for a while.
std::function<void()> Busy(int64_t us) {
  return [us] {
    const int64_t end = sys::SystemClock().MonotonicNs() + us * 1000;
    while (sys::SystemClock().MonotonicNs() < end) {
    }
  };
}

std::vector<CandidateReport> Three() {
  return {{"indirect", 100, -1, 0, 0, true},
          {"winograd4", 120, -1, 1e-5, 1, true},
          {"winograd6", 80, -1, 1e-3, 2, false}};
}

TuningOptions Options(bool measure) {
  return {.measure = measure, .cache_file = "/tuning", .seconds = 5, .candidates = 4};
}

TEST(Tuner, TakesTheFastestAdmissibleAndRemembersIt) {
  sys::SimFileSystem disk;
  {
    Tuner tuner(Options(true), "here", "avx2 t1", disk);
    auto candidates = Three();
    const size_t chosen = tuner.Pick("conv a", candidates, [](size_t i) {
      EXPECT_NE(i, 2u);
      return Busy(i == 1 ? 200 : 2000);
    });
    EXPECT_EQ(chosen, 1u);
    EXPECT_GE(candidates[1].tuned_us, 200);
    EXPECT_LT(candidates[1].tuned_us, candidates[0].tuned_us);
    EXPECT_LT(candidates[2].tuned_us, 0);
    tuner.Save();
  }
  // Another process takes the same without measuring, asked to or not.
  for (bool measure : {false, true}) {
    Tuner tuner(Options(measure), "here", "avx2 t1", disk);
    auto candidates = Three();
    EXPECT_EQ(tuner.Pick("conv a", candidates,
                         [](size_t) -> std::function<void()> {
                           ADD_FAILURE() << "measured";
                           return nullptr;
                         }),
              1u);
  }
  // What is not admissible any more is not taken; nothing is known of another number of threads.
  for (const char* where : {"avx2 t1", "avx2 t2"}) {
    Tuner tuner(Options(false), "here", where, disk);
    auto candidates = Three();
    if (where[6] == '1') candidates[1].admissible = false;
    EXPECT_EQ(tuner.Pick("conv a", candidates, [](size_t) { return Busy(1); }), 0u) << where;
  }
}

TEST(Tuner, NeverPassesItsTimeByMuch) {
  sys::SimFileSystem disk;
  TuningOptions options = Options(true);
  options.seconds = 0.05;
  Tuner tuner(options, "here", "avx2 t1", disk);
  int measured = 0;
  for (int i = 0; i < 50; ++i) {
    auto candidates = Three();
    tuner.Pick("conv " + std::to_string(i), candidates, [](size_t) { return Busy(3000); });
    measured += candidates[0].tuned_us >= 0 ? 1 : 0;
  }
  EXPECT_GE(measured, 1);
  EXPECT_LE(measured, 3);
}

TEST(Tuner, WithoutMemoryThePredictionStands) {
  sys::SimFileSystem disk;
  Tuner tuner(Options(true), "here", "avx2 t1", disk);
  auto candidates = Three();
  EXPECT_EQ(tuner.Pick("conv a", candidates, [](size_t) { return std::function<void()>(); }), 0u);
}

constexpr const char* kTunerNetwork = R"(graph small
input x f32 [1,16,24,24]
input w f32 [16,16,3,3]
node Conv a (x, w) -> (h) pads=I[1,1,1,1]
node Conv b (h, w) -> (y) pads=I[1,1,1,1]
output y
)";

Tensor TunerRamp(std::initializer_list<int64_t> dims) {
  Tensor t = Tensor::Allocate(DType::kF32, Shape::Make(dims).value()).value();
  for (int64_t i = 0; i < t.elements(); ++i) t.SetNumber(i, static_cast<double>(i % 7) - 3);
  return t;
}

TEST(Tuner, ATunedSessionAgreesAndReports) {
  auto model = Model::FromGraph(ir::Parse(kTunerNetwork).value());
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const std::vector<NamedTensor> inputs = {{"x", TunerRamp({1, 16, 24, 24})},
                                           {"w", TunerRamp({16, 16, 3, 3})}};
  auto plain = Session::Create(*model);
  SessionOptions options;
  options.tuning.measure = true;
  options.time_steps = true;
  auto tuned = Session::Create(*model, options);
  ASSERT_TRUE(plain.ok() && tuned.ok());
  const auto a = (*plain)->Run(inputs);
  const auto b = (*tuned)->Run(inputs);
  ASSERT_TRUE(a.ok() && b.ok());
  const auto difference = tensor::Compare((*a)[0].tensor, (*b)[0].tensor);
  EXPECT_LE(difference->max_abs, 1e-4 * difference->max_reference);
  int convolutions = 0;
  for (const StepReport& report : (*tuned)->Explain()) {
    EXPECT_GE(report.measured_us, 0) << report.node;
    EXPECT_EQ(report.runs, 1);
    EXPECT_GT(report.predicted_us, 0);
    if (report.primitive != "conv") continue;
    ++convolutions;
    EXPECT_GT(report.tuned_us, 0);
    EXPECT_FALSE(report.rejected.empty());
    EXPECT_EQ(report.flops, 2.0 * 24 * 24 * 16 * 16 * 9);
  }
  EXPECT_EQ(convolutions, 2);
  for (const StepReport& report : (*plain)->Explain()) EXPECT_LT(report.measured_us, 0);
}

TEST(Tuner, TheErrorBoundRulesApproximationsOut) {
  auto model = Model::FromGraph(ir::Parse(kTunerNetwork).value());
  ASSERT_TRUE(model.ok());
  SessionOptions options;
  options.error_bound = 0;
  auto session = Session::Create(*model, options);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->plan().text.find("winograd"), std::string::npos);
}

TEST(Tuner, PlansDoNotDependOnThreads) {
  auto model = Model::FromGraph(ir::Parse(kTunerNetwork).value());
  ASSERT_TRUE(model.ok());
  const std::vector<NamedTensor> inputs = {{"x", TunerRamp({1, 16, 24, 24})},
                                           {"w", TunerRamp({16, 16, 3, 3})}};
  auto one = Session::Create(*model);
  ASSERT_TRUE(one.ok());
  const auto expected = (*one)->Run(inputs);
  for (int threads : {2, 3}) {
    const auto pool = sys::StartThreadPool(threads);
    SessionOptions options;
    options.parallel = pool.get();
    auto session = Session::Create(*model, options);
    ASSERT_TRUE(session.ok());
    const auto outputs = (*session)->Run(inputs);
    EXPECT_EQ(tensor::Compare((*expected)[0].tensor, (*outputs)[0].tensor)->max_abs, 0);
  }
}

// What is written into parts of other buffers is measured on buffers of its own.
TEST(Tuner, MeasuresStepsOfASharedBuffer) {
  auto model = Model::FromGraph(ir::Parse(R"(graph g
input x f32 [1,16,9,9]
input w f32 [32,16,1,1]
input v f32 [48,16,3,3]
input u f32 [8,80,1,1]
node Conv a (x, w) -> (p)
node Conv b (x, v) -> (q) pads=I[1,1,1,1]
node Concat c (p, q) -> (j) axis=i1
node Conv d (j, u) -> (y)
output y
)")
                                    .value());
  ASSERT_TRUE(model.ok());
  const std::vector<NamedTensor> inputs = {{"x", TunerRamp({1, 16, 9, 9})},
                                           {"w", TunerRamp({32, 16, 1, 1})},
                                           {"v", TunerRamp({48, 16, 3, 3})},
                                           {"u", TunerRamp({8, 80, 1, 1})}};
  const auto expected = (*Session::Create(*model))->Run(inputs);
  ASSERT_TRUE(expected.ok());
  SessionOptions options;
  options.tuning = {.measure = true, .cache_file = "", .seconds = 5, .candidates = 100};
  auto session = Session::Create(*model, options);
  ASSERT_TRUE(session.ok());
  const auto outputs = (*session)->Run(inputs);
  const auto difference = tensor::Compare((*expected)[0].tensor, (*outputs)[0].tensor);
  EXPECT_LE(difference->max_abs, 1e-4 * difference->max_reference);
}

}  // namespace
}  // namespace ferry::engine

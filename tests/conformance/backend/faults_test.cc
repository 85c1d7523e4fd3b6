// Devices that fail or lie: the CPU's results with a reason, or an error that names the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/explain/report.h"
#include "device-runtime/ir/graph.h"
#include "device-runtime/ir/text.h"
#include "tests/conformance/backend/test_backend.h"

namespace ferry::test {
namespace {

using engine::Model;
using engine::Session;
using engine::SessionOptions;
using tensor::DType;
using tensor::Tensor;
using testing::HasSubstr;

std::shared_ptr<const Model> FaultsModel() {
  return Model::FromGraph(ir::Parse(R"(graph faults
input x f32 [1,2,4,4]
const w f32 [2,2,1,1] = 1 2 3 4
const v f32 [4,4] = 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0
node Conv a (x, w) -> (p)
node Softmax b (p) -> (q) axis=i3
node MatMul c (q, v) -> (r)
node Concat d (p, r) -> (y) axis=i1
output y
)")
                              .value())
      .value();
}

Tensor FaultsInput(double first) {
  Tensor x = Tensor::Allocate(DType::kF32, {1, 2, 4, 4}).value();
  for (int64_t i = 0; i < x.elements(); ++i) x.SetNumber(i, first + static_cast<double>(i) / 10);
  return x;
}

std::unique_ptr<Session> FaultsSession(const TestBackend& backend) {
  SessionOptions options;
  options.backends = {&backend};
  return Session::Create(FaultsModel(), options).value();
}

void ExpectCpusResults(Session& session) {
  const auto plain = Session::Create(FaultsModel()).value();
  for (double first : {1.0, 2.0}) {
    const auto got = session.Run({{"x", FaultsInput(first)}});
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    const auto wanted = plain->Run({{"x", FaultsInput(first)}}).value();
    EXPECT_EQ(tensor::Compare((*got)[0].tensor, wanted[0].tensor)->max_abs, 0);
  }
}

struct PlanFault {
  Fault fault;
  const char* reason;
};
class FaultsOfPlans : public testing::TestWithParam<PlanFault> {};

TEST_P(FaultsOfPlans, LeaveStepsToTheCpuWithAReason) {
  TestBackend backend;
  backend.primitives = {"conv", "matmul"};
  backend.fault = GetParam().fault;
  for (const int good_calls : {0, 1, 2, 3, 4}) {
    SCOPED_TRACE(good_calls);
    TestBackend one;
    one.primitives = backend.primitives;
    one.fault = backend.fault;
    one.good_calls = good_calls;
    const auto session = FaultsSession(one);
    ASSERT_NO_FATAL_FAILURE(ExpectCpusResults(*session));
    size_t reasons = 0;
    for (const auto& report : session->Explain()) {
      if (report.fallback.empty()) continue;
      ++reasons;
      EXPECT_EQ(report.backend, "cpu");
      EXPECT_THAT(report.fallback, HasSubstr(GetParam().reason));
    }
    const auto& fallbacks = session->plan().fallbacks;
    EXPECT_EQ(reasons, fallbacks.size());  // parts of one step
    for (const std::string& line : fallbacks) {
      EXPECT_THAT(line, HasSubstr("1 step from "));
      EXPECT_THAT(line, HasSubstr("backend 'test': "));
      EXPECT_THAT(line, HasSubstr(GetParam().reason));
    }
    if (good_calls == 0) {
      EXPECT_EQ(fallbacks.size(), 2u);
      // The plan is as without the device.
      const auto plain = Session::Create(FaultsModel()).value();
      EXPECT_EQ(session->plan().text, plain->plan().text);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultsOfPlans,
    testing::Values(PlanFault{Fault::kPrepareFails, "the compiler gave up"},
                    PlanFault{Fault::kPrepareGivesNothing, "it prepared nothing"},
                    PlanFault{Fault::kUploadFails, "no room for weights"},
                    PlanFault{Fault::kUploadGivesNothing, "brought up as nothing"},
                    PlanFault{Fault::kAllocateFails, "no memory on the device"},
                    PlanFault{Fault::kAllocateGivesNothing, "it gave 0 bytes of memory for"},
                    PlanFault{Fault::kAllocateGivesLess, "of memory for"}));

// However many parts a device has no memory for, a plan is made soon.
TEST(FaultsOfBackends, ManyPartsWithoutMemory) {
  constexpr int kSteps = 4000;
  std::string text = "graph long\ninput v0 f32 [2,2]\n";
  for (int i = 0; i < kSteps; ++i) {
    text += i % 2 == 0 ? fmt::format("node Tanh n{} (v{}) -> (v{})\n", i, i, i + 1)
                       : fmt::format("node Softmax n{} (v{}) -> (v{}) axis=i1\n", i, i, i + 1);
  }
  text += fmt::format("output v{}\n", kSteps);
  TestBackend backend;
  backend.primitives = {"softmax"};
  backend.step_us = backend.copy_us = 0;
  backend.fault = Fault::kAllocateFails;
  SessionOptions options;
  options.backends = {&backend};
  const auto model = Model::FromGraph(ir::Parse(text).value()).value();
  for (const int good_calls : {0, 10}) {
    backend.good_calls = good_calls;
    const auto session = Session::Create(model, options).value();
    EXPECT_EQ(session->plan().fallbacks.size(), static_cast<size_t>(kSteps / 2));
    EXPECT_EQ(session->plan().text, Session::Create(model).value()->plan().text);
  }
}

struct RunFault {
  Fault fault;
  const char* reason;
};
class FaultsOfRuns : public testing::TestWithParam<RunFault> {};

TEST_P(FaultsOfRuns, AreErrorsThatNameTheDevice) {
  TestBackend backend;
  backend.primitives = {"conv", "matmul"};
  const auto session = FaultsSession(backend);
  backend.fault = GetParam().fault;
  for (int i = 0; i < 2; ++i) {
    const auto got = session->Run({{"x", FaultsInput(1)}});
    ASSERT_FALSE(got.ok());
    EXPECT_THAT(got.status().ToString(), HasSubstr("backend 'test', part from '"));
    EXPECT_THAT(got.status().ToString(), HasSubstr(GetParam().reason));
  }
  backend.fault = Fault::kNone;  // and it works again
  ASSERT_NO_FATAL_FAILURE(ExpectCpusResults(*session));
}

INSTANTIATE_TEST_SUITE_P(All, FaultsOfRuns,
                         testing::Values(RunFault{Fault::kCopyInFails, "the way in is broken"},
                                         RunFault{Fault::kRunFails, "the device was lost"},
                                         RunFault{Fault::kRunWritesNothing,
                                                  "output 0 of 1 was not written"},
                                         RunFault{Fault::kCopyOutFails, "the way out is broken"}));

TEST(FaultsOfBackends, NamesAreKnownOrRefused) {
  TestBackend good("good"), absent("absent");
  absent.available = Status(Code::kUnsupported, "there is no such card");
  const auto session = [&](const char* names) {
    SessionOptions options;
    options.backends = {&good, &absent};
    options.backend_names = names;
    return Session::Create(FaultsModel(), options);
  };
  const auto prepared = [&](const char* names) {
    const int before = good.counts().prepared;
    auto made = session(names);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return good.counts().prepared - before;
  };
  EXPECT_GT(prepared("good"), 0);
  EXPECT_GT(prepared("cpu,good,good"), 0);
  EXPECT_EQ(prepared("cpu"), 0);
  EXPECT_EQ(session("good,nope").status().code(), Code::kUnsupported);
  EXPECT_THAT(session("nope").status().ToString(),
              HasSubstr("no backend 'nope' in this library; it has: cpu, good, absent"));
  EXPECT_THAT(session("absent").status().ToString(), HasSubstr("there is no such card"));
  EXPECT_EQ(session(",good").status().code(), Code::kUnsupported);
  ::setenv("FERRY_BACKEND", "cpu", 1);
  EXPECT_EQ(prepared("good"), 0);
  ::setenv("FERRY_BACKEND", "other", 1);
  EXPECT_THAT(session("good").status().ToString(), HasSubstr("FERRY_BACKEND: no backend 'other'"));
  ::unsetenv("FERRY_BACKEND");
}

}  // namespace
}  // namespace ferry::test

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include "common/base/memory.h"
#include "common/sys/executor.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/text.h"

namespace ferry::engine {
namespace {

constexpr const char* kSessionNetwork = R"(graph small
input x f32 [n,1,4,4]
const w f32 [2,1,3,3] = 1 2 3 4 5 6 7 8 9 -1 -2 -3 -4 -5 -6 -7 -8 -9
const v f32 [2,2,1,1] = 1 2 3 4
const m f32 [2,3] = 1 0 1 0 1 1
node Conv a (x, w) -> (h) pads=I[1,1,1,1]
node Relu b (h) -> (r)
node Conv c (r, v) -> (s)
node Add d (r, s) -> (t)
node GlobalAveragePool e (t) -> (g)
node Flatten f (g) -> (k)
node Gemm i (k, m) -> (y)
output y
)";

constexpr int64_t kManyRows = 16384;  // work for several threads

std::shared_ptr<const Model> SmallModel() {
  auto model = Model::FromGraph(ir::Parse(kSessionNetwork).value());
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *model;
}

Tensor SessionRamp(int64_t batch) {
  Tensor t = Tensor::Allocate(DType::kF32, {batch, 1, 4, 4}).value();
  for (int64_t i = 0; i < t.elements(); ++i) t.SetNumber(i, static_cast<double>(i % 7) - 3);
  return t;
}

TEST(Session, SteadyStateAllocatesNothing) {
  auto session = Session::Create(SmallModel());
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const std::vector<NamedTensor> inputs = {{"x", SessionRamp(1)}};
  ASSERT_TRUE((*session)->Execute(inputs).ok());
  const int64_t blocks = CurrentMemoryUse().blocks;
  {
    FailAllocations none(1, /*sticky=*/true);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE((*session)->Execute(inputs).ok());
    EXPECT_FALSE(none.fired());
  }
  EXPECT_EQ(CurrentMemoryUse().blocks, blocks);
}

TEST(Session, ResizeGivesTheSameRows) {
  auto session = Session::Create(SmallModel());
  ASSERT_TRUE(session.ok());
  const Tensor two = SessionRamp(2);
  auto together = (*session)->Run({{"x", two}});
  ASSERT_TRUE(together.ok()) << together.status().ToString();
  ASSERT_EQ((*together)[0].tensor.shape(), (Shape{2, 3}));
  for (int64_t row = 0; row < 2; ++row) {
    const Tensor one = Tensor::View(DType::kF32, {1, 1, 4, 4}, two.data<float>().data() + row * 16);
    auto alone = (*session)->Run({{"x", one}});
    ASSERT_TRUE(alone.ok());
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_FLOAT_EQ(static_cast<float>((*alone)[0].tensor.Number(i)),
                      static_cast<float>((*together)[0].tensor.Number(row * 3 + i)));
    }
  }
}

TEST(Session, SessionsShareAModelOnManyThreads) {
  auto model = SmallModel();
  auto expected = Session::Create(model).value()->Run({{"x", SessionRamp(1)}}).value();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      auto session = Session::Create(model);
      for (int run = 0; session.ok() && run < 20; ++run) {
        auto outputs = (*session)->Run({{"x", SessionRamp(1)}});
        if (!outputs.ok() ||
            tensor::Compare((*outputs)[0].tensor, expected[0].tensor)->max_abs != 0) {
          ++wrong;
        }
      }
      if (!session.ok()) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// Counts what is given to its threads, of which there are none.
class CountedRounds : public sys::Parallel {
 public:
  int width() const override { return 4; }
  void For(int64_t count, int64_t, const std::function<void(int64_t, int64_t)>& body) override {
    ++rounds;
    body(0, count);
  }
  int rounds = 0;
};

TEST(Session, PlansOfFewMicrosecondsRunAlone) {
  CountedRounds parallel;
  auto session = Session::Create(SmallModel(), {.parallel = &parallel});
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->Run({{"x", SessionRamp(64)}}).ok());
  EXPECT_EQ(parallel.rounds, 0);
  ASSERT_TRUE((*session)->Run({{"x", SessionRamp(kManyRows)}}).ok());
  EXPECT_GT(parallel.rounds, 0);
}

TEST(Session, PlansOfUnknownWorkDoNotRunAlone) {
  auto graph = ir::Parse(R"(graph sorts
input x f32 [64,512]
const k i64 [1] = 512
node TopK a (x, k) -> (y, at)
output y
)");
  auto model = Model::FromGraph(*std::move(graph));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  CountedRounds parallel;
  auto session = Session::Create(*model, {.parallel = &parallel});
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->Run({{"x", Tensor::Zeros(DType::kF32, {64, 512}).value()}}).ok());
  EXPECT_GT(parallel.rounds, 0);
}

TEST(Session, ThreadsDoNotChangeBits) {
  auto model = SmallModel();
  auto pool = sys::StartThreadPool(3);
  auto serial = Session::Create(model).value()->Run({{"x", SessionRamp(kManyRows)}}).value();
  auto parallel = Session::Create(model, {.parallel = pool.get()})
                      .value()
                      ->Run({{"x", SessionRamp(kManyRows)}})
                      .value();
  EXPECT_EQ(tensor::Compare(serial[0].tensor, parallel[0].tensor)->max_abs, 0);
}

TEST(Session, WrongInputs) {
  auto session = Session::Create(SmallModel());
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->Run({}).code(), Code::kInvalidArgument);
  EXPECT_EQ((*session)->Run({{"z", SessionRamp(1)}}).code(), Code::kInvalidArgument);
  EXPECT_EQ((*session)->Run({{"x", SessionRamp(1)}, {"x", SessionRamp(1)}}).code(),
            Code::kInvalidArgument);
  Tensor other = Tensor::Zeros(DType::kI64, {1, 1, 4, 4}).value();
  EXPECT_EQ((*session)->Run({{"x", other}}).code(), Code::kShapeMismatch);
  Tensor flat = Tensor::Zeros(DType::kF32, {16}).value();
  auto result = (*session)->Run({{"x", flat}});
  EXPECT_EQ(result.code(), Code::kShapeMismatch);
  EXPECT_NE(result.status().message().find("input 'x'"), std::string::npos);
  // It still works afterwards.
  EXPECT_TRUE((*session)->Run({{"x", SessionRamp(1)}}).ok());
}

TEST(Session, EmptyBatch) {
  auto session = Session::Create(SmallModel());
  ASSERT_TRUE(session.ok());
  Tensor none = Tensor::Zeros(DType::kF32, {0, 1, 4, 4}).value();
  auto outputs = (*session)->Run({{"x", none}});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ((*outputs)[0].tensor.shape(), (Shape{0, 3}));
}

TEST(Session, MemoryLimitIsAStatus) {
  auto budget = std::make_shared<tensor::MemoryBudget>(2000);
  auto session = Session::Create(SmallModel(), {.budget = budget});
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_EQ((*session)->Run({{"x", SessionRamp(1000)}}).code(), Code::kOutOfMemory);
  EXPECT_TRUE((*session)->Run({{"x", SessionRamp(1)}}).ok());
  session->reset();
  EXPECT_EQ(budget->used(), 0);
}

TEST(Session, FailingAllocations) {
  const std::vector<NamedTensor> inputs = {{"x", SessionRamp(1)}};
  ir::Graph graph = ir::Parse(kSessionNetwork).value();
  for (int64_t nth = 1;; ++nth) {
    FailAllocations fail(nth);
    auto model = Model::FromGraph(graph);
    Status status = AsStatus(model);
    if (status.ok()) {
      auto session = Session::Create(*model);
      status = AsStatus(session);
      if (status.ok()) status = AsStatus((*session)->Run(inputs));
    }
    if (status.ok()) {
      EXPECT_FALSE(fail.fired());
      EXPECT_GT(nth, 3);  // packed weights, arena, output
      break;
    }
    ASSERT_EQ(status.code(), Code::kOutOfMemory) << status.ToString();
  }
}

TEST(Session, UnknownIsa) {
  if (std::getenv("FERRY_ISA") != nullptr) GTEST_SKIP() << "SKIPPED: FERRY_ISA wins over options";
  EXPECT_EQ(Session::Create(SmallModel(), {.isa = "mmx"}).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ferry::engine

// What crosses to a device, and what stays there.
#include <gtest/gtest.h>

#include <thread>

#include "device-runtime/engine/engine.h"
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

// Softmaxes are steps of their own kind; products have weights.
std::shared_ptr<const Model> MemoryModel() {
  return Model::FromGraph(ir::Parse(R"(graph memory
input x f32 [4,4]
const w f32 [4,4] = 1 2 3 4 5 6 7 8 8 7 6 5 4 3 2 1
const v f32 [4,4] = 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0
node MatMul a (x, w) -> (p)
node Softmax b (p) -> (q) axis=i1
node MatMul c (q, v) -> (r)
node MatMul d (p, r) -> (y)
output y
)")
                              .value())
      .value();
}

Tensor MemoryInput() {
  Tensor x = Tensor::Allocate(DType::kF32, {4, 4}).value();
  for (int64_t i = 0; i < x.elements(); ++i) x.SetNumber(i, static_cast<double>(i) / 10);
  return x;
}

std::unique_ptr<Session> MemorySession(const std::shared_ptr<const Model>& model,
                                       const TestBackend& backend) {
  SessionOptions options;
  options.backends = {&backend};
  return Session::Create(model, options).value();
}

TEST(BackendMemory, PartsOfOneDeviceHandOverThere) {
  TestBackend backend;
  backend.primitives = {"matmul"};
  const auto session = MemorySession(MemoryModel(), backend);
  const Tensor x = MemoryInput();
  ASSERT_TRUE(session->Run({{"x", x}}).ok());  // looks at what is written, too
  TestBackend::Counts& counts = backend.counts();
  EXPECT_EQ(counts.prepared, 2);
  const int in = counts.copies_in, out = counts.copies_out;
  ASSERT_TRUE(session->Run({{"x", x}}).ok());
  EXPECT_EQ(counts.copies_in - in, 2);    // x and q; p lies there
  EXPECT_EQ(counts.copies_out - out, 2);  // p for the softmax, and y
  EXPECT_EQ(counts.runs, 4);
}

TEST(BackendMemory, WeightsGoUpOnceAModel) {
  TestBackend backend;
  TestBackend::Counts& counts = backend.counts();
  {
    const auto model = MemoryModel();
    for (int i = 0; i < 5; ++i) {
      const auto session = MemorySession(model, backend);
      ASSERT_TRUE(session->Run({{"x", MemoryInput()}}).ok());
      EXPECT_EQ(counts.uploads, 2);
    }
    EXPECT_EQ(counts.live_bytes, 2 * 64);  // the weights are the model's
    const auto session = MemorySession(model, backend);
    EXPECT_GT(counts.live_bytes, 2 * 64);
  }
  EXPECT_EQ(counts.live_bytes, 0);
}

TEST(BackendMemory, SessionsThatComeAndGoLeaveNothing) {
  TestBackend backend;
  const auto model = MemoryModel();
  int64_t first = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto session = MemorySession(model, backend);
    if (i % 1000 == 0) {
      ASSERT_TRUE(session->Run({{"x", MemoryInput()}}).ok());
    }
    if (i == 0) first = backend.counts().live_bytes;
    ASSERT_EQ(backend.counts().live_bytes, first);
  }
  EXPECT_EQ(backend.counts().uploads, 2);
}

TEST(BackendMemory, SessionsOfManyThreadsShareWhatWentUp) {
  TestBackend backend;
  const auto model = MemoryModel();
  const auto wanted = Session::Create(model).value()->Run({{"x", MemoryInput()}}).value();
  std::atomic<int> agree = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        const auto got = MemorySession(model, backend)->Run({{"x", MemoryInput()}});
        if (got.ok() && tensor::Compare((*got)[0].tensor, wanted[0].tensor)->max_abs == 0) ++agree;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(agree, 80);
  EXPECT_EQ(backend.counts().uploads, 2);
}

TEST(BackendMemory, SettingsReachTheDevice) {
  TestBackend backend;
  const std::atomic<bool> cancel = false;
  SessionOptions options;
  options.backends = {&backend};
  options.precision = backends::Precision::kFast;
  options.error_bound = 1e-3;
  options.cache_folder = "kept";
  options.cancel = &cancel;
  options.budget = std::make_shared<tensor::MemoryBudget>(1 << 20);
  const auto session = Session::Create(MemoryModel(), options).value();
  const backends::BackendSettings got = backend.last_settings();
  EXPECT_EQ(got.precision, backends::Precision::kFast);
  EXPECT_EQ(got.error_bound, 1e-3);
  EXPECT_EQ(got.cache_folder, "kept");
  EXPECT_EQ(got.cancel, &cancel);
  EXPECT_EQ(got.budget, options.budget);
  EXPECT_GT(options.budget->used(), 0);
}

// The host's arena holds only what the host sees.
TEST(BackendMemory, WhatStaysThereTakesNoRoomHere) {
  TestBackend backend;
  const auto model = MemoryModel();
  const auto session = MemorySession(model, backend);
  const auto plain = Session::Create(model).value();
  EXPECT_LT(session->plan().arena_bytes, plain->plan().arena_bytes);
}

}  // namespace
}  // namespace ferry::test

// A run through ferry.h asks the system for no memory once planned: no new, no malloc.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "device-runtime/api/ferry.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/text.h"

// Sanitizers bring their own malloc, which cannot be replaced.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define FERRY_COUNTS_CALLS 0
#else
#define FERRY_COUNTS_CALLS 1
#endif

namespace {
std::atomic<int64_t> asked = 0;
}  // namespace

#if FERRY_COUNTS_CALLS
extern "C" {
void* __libc_malloc(size_t bytes);
void* malloc(size_t bytes) {
  ++asked;
  return __libc_malloc(bytes);
}
}  // extern "C"
#endif

namespace ferry::api {
namespace {

TEST(ApiAllocations, NoneInSteadyState) {
#if FERRY_COUNTS_CALLS
  const Bytes file = engine::Compile(ir::Parse(R"(graph a
input image_with_a_long_name f32 [1,4]
input b f32 [1,4]
node Add add (image_with_a_long_name, b) -> (y)
output y
)")
                                         .value(),
                                     {"a"})
                         .value();
  ferry_engine* engine = nullptr;
  ferry_engine_session* session = nullptr;
  ASSERT_EQ(ferry_engine_open_memory(file.data(), file.size(), nullptr, nullptr, nullptr, &engine),
            FERRY_kOk);
  ASSERT_EQ(ferry_engine_session_create(engine, nullptr, &session), FERRY_kOk);
  float x[4] = {1, 2, 3, 4}, y[4] = {};
  ferry_tensor inputs[2] = {
      {sizeof(ferry_tensor), "image_with_a_long_name", FERRY_TYPE_F32, 2, {1, 4}, x, sizeof(x)},
      {sizeof(ferry_tensor), "b", FERRY_TYPE_F32, 2, {1, 4}, x, sizeof(x)}};
  ferry_tensor own = {sizeof(ferry_tensor), "y", 0, 0, {}, y, sizeof(y)};
  ferry_tensor sessions = {sizeof(ferry_tensor), "y"};
  const auto run = [&](ferry_tensor& output) {
    return ferry_engine_run(session, inputs, 2, &output, 1) == FERRY_kOk ? 0 : 1;
  };
  ASSERT_EQ(run(own) + run(sessions), 0);
  const int64_t before = asked;
  int failures = 0;
  for (int i = 0; i < 1000; ++i) failures += run(own) + run(sessions);
  EXPECT_EQ(asked - before, 0);
  EXPECT_EQ(failures, 0);
  const std::vector<int> probe(100);
  EXPECT_EQ(asked - before, 1) << "the hook does not see " << probe.data();
  ferry_engine_session_destroy(session);
  ferry_engine_close(engine);
#else
  GTEST_SKIP() << "this build's malloc cannot be counted";
#endif
}

}  // namespace
}  // namespace ferry::api

// A planned network runs without asking the system for memory: no new, no malloc, on any thread.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "common/sys/executor.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/text.h"

// Sanitizers bring their own malloc, which cannot be replaced.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define FERRY_COUNTS_ALLOCATIONS 0
#else
#define FERRY_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<int64_t> allocations = 0;  // of the whole program since it started
}  // namespace

#if FERRY_COUNTS_ALLOCATIONS
// operator new ends here too.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) {
  ++allocations;
  return __libc_realloc(block, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  ++allocations;
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? 12 : 0;  // ENOMEM
}
}  // extern "C"
#endif

namespace ferry::engine {
namespace {

// A convolution of each algorithm, pools, products, movers, maps, a reduction and a softmax; large
// enough that two threads share the work. Random weights would be zeros here: values do not matter.
constexpr const char* kAllocationsNetwork = R"(graph wide
input x f32 [1,3,64,64]
input stem f32 [32,3,3,3]
const shape i64 [3] = 1 64 -1
input up f32 [64,32,1,1]
input depth f32 [64,1,3,3]
input mix f32 [64,64,3,3]
input gate f32 [64,64,1,1]
input right f32 [256,32]
node Conv a (x, stem) -> (a) pads=I[1,1,1,1] strides=I[2,2]
node HardSwish b (a) -> (b)
node Conv c (b, up) -> (c)
node Conv d (c, depth) -> (d) pads=I[1,1,1,1] group=i64
node Sigmoid e (d) -> (s)
node Mul f (d, s) -> (e)
node Conv g (e, mix) -> (f) pads=I[1,1,1,1]
node GlobalAveragePool h (f) -> (g)
node Conv i (g, gate) -> (h)
node HardSigmoid j (h) -> (i)
node Mul k (f, i) -> (j)
node MaxPool l (j) -> (k) kernel_shape=I[2,2] strides=I[2,2]
node Reshape m (k, shape) -> (l)
node MatMul n (l, right) -> (m)
node Softmax o (m) -> (n) axis=i-1
node Transpose p (n) -> (y) perm=I[0,2,1]
output y
)";

void CheckRuns(sys::Parallel* parallel) {
  auto graph = ir::Parse(kAllocationsNetwork);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  auto model = Model::FromGraph(*std::move(graph));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  SessionOptions options;
  options.parallel = parallel;
  auto session = Session::Create(*model, options);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  std::vector<NamedTensor> inputs;
  for (const IoInfo& info : (*model)->inputs()) {
    inputs.push_back(
        {info.name, Tensor::Zeros(info.dtype, Shape::Make(info.dims).value()).value()});
  }
  ASSERT_TRUE((*session)->Execute(inputs).ok());
  ASSERT_TRUE((*session)->plan().is_static);
  const int64_t before = allocations;
  int64_t failures = 0;
  for (int i = 0; i < 100; ++i) failures += (*session)->Execute(inputs).ok() ? 0 : 1;
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(failures, 0);
}

TEST(Allocations, NoneInSteadyState) {
#if FERRY_COUNTS_ALLOCATIONS
  const int64_t before = allocations;
  const auto probe = std::make_unique<std::vector<int>>(100);
  ASSERT_EQ(allocations - before, 2) << "the hook does not see " << probe.get();
  CheckRuns(nullptr);
  for (int threads : {1, 2}) CheckRuns(sys::StartThreadPool(threads).get());
#else
  GTEST_SKIP() << "this build's malloc cannot be counted";
#endif
}

}  // namespace
}  // namespace ferry::engine

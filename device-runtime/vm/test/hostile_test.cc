// Programs under cases/hostile/: each does its worst and must end in one of the ways that its line
// `#---- name: way|way` allows, in bounded time, with all memory of the process within the limit
// and a mebibyte. "raised" is an exception, "syntax" a refusal of the compiler, the others are
// names of limits.
#include <gtest/gtest.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "device-runtime/vm/isolate.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FERRY_COUNT_MALLOC 1
#endif

namespace {
std::atomic<int64_t> live_bytes{0}, peak_bytes{0};
}  // namespace

#ifdef FERRY_COUNT_MALLOC
// Counts what the whole process takes from malloc, whoever asks.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

static void* Counted(void* memory) {
  if (memory == nullptr) return nullptr;
  const int64_t now = live_bytes += static_cast<int64_t>(malloc_usable_size(memory));
  if (now > peak_bytes) peak_bytes = now;
  return memory;
}
void* malloc(size_t size) {
  return Counted(__libc_malloc(size));
}
void* calloc(size_t count, size_t size) {
  return Counted(__libc_calloc(count, size));
}
void* aligned_alloc(size_t alignment, size_t size) {
  return Counted(__libc_memalign(alignment, size));
}
void* memalign(size_t alignment, size_t size) {
  return Counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  *memory = Counted(__libc_memalign(alignment, size));
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  if (memory != nullptr) live_bytes -= static_cast<int64_t>(malloc_usable_size(memory));
  __libc_free(memory);
}
void* realloc(void* memory, size_t size) {
  const size_t before = memory == nullptr ? 0 : malloc_usable_size(memory);
  void* after = __libc_realloc(memory, size);
  if (after != nullptr || size == 0) live_bytes -= static_cast<int64_t>(before);
  return Counted(after);
}
}
#endif

namespace ferry::vm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDivider = "#---- ";
constexpr Limits kLimits = {.steps = 3'000'000,
                            .memory_bytes = 8 << 20,
                            .depth = 200,
                            .wall_ns = 20'000'000'000,
                            .output_bytes = 1 << 20};
constexpr int64_t kMostBeside = 1 << 20;  // beside the limit of memory
constexpr double kMostSeconds = 4;        // of the processor, for three million instructions

struct Program {
  std::string name;
  std::string ways;
  std::string text;
};

std::vector<Program> Programs(const fs::path& path) {
  std::vector<Program> programs;
  std::ifstream in(path, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kDivider)) {
      const size_t colon = line.rfind(": ");
      programs.push_back(
          {line.substr(kDivider.size(), colon - kDivider.size()), line.substr(colon + 2), ""});
    } else {
      programs.back().text += line + "\n";
    }
  }
  return programs;
}

std::vector<std::string> Topics() {
  std::vector<std::string> topics;
  for (const auto& entry :
       fs::directory_iterator(fs::path(FERRY_SOURCE_DIR) / "device-runtime/vm/cases/hostile"))
    if (entry.path().extension() == ".py") topics.push_back(entry.path().stem().string());
  std::sort(topics.begin(), topics.end());
  return topics;
}

std::string WayOf(const Status& status) {
  if (status.ok()) return "ok";
  if (!LimitName(status).empty()) return std::string(LimitName(status));
  if (status.code() == Code::kScriptSyntax) return "syntax";
  return status.code() == Code::kScriptRaised ? "raised" : status.ToString();
}

double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Hostile : public testing::TestWithParam<std::string> {};

TEST_P(Hostile, EndsCleanly) {
  const fs::path path =
      fs::path(FERRY_SOURCE_DIR) / "device-runtime/vm/cases/hostile" / (GetParam() + ".py");
  for (const Program& program : Programs(path)) {
    ASSERT_TRUE(Isolate::Create({}).ok());  // what is shared is there
    const int64_t before = live_bytes;
    peak_bytes = before;
    const double start = ProcessorSeconds();
    Status status;
    {
      auto isolate = Isolate::Create({.limits = kLimits, .print = [](std::string_view) {}});
      ASSERT_TRUE(isolate.ok());
      status = (*isolate)->RunSource(program.text, "__main__").status();
      EXPECT_LE((*isolate)->usage().peak_memory_bytes, kLimits.memory_bytes) << program.name;
    }
    const double seconds = ProcessorSeconds() - start;
    const std::string way = WayOf(status);
    EXPECT_NE(("|" + program.ways + "|").find("|" + way + "|"), std::string::npos)
        << program.name << ": " << way << ", not " << program.ways << "\n"
        << status.ToString().substr(0, 300);
#ifdef FERRY_COUNT_MALLOC
    EXPECT_LE(peak_bytes - before, kLimits.memory_bytes + kMostBeside) << program.name;
    EXPECT_LE(live_bytes - before, 4096 + static_cast<int64_t>(status.message().size()) * 2)
        << program.name << " leaks";
#endif
    EXPECT_LE(seconds, kMostSeconds) << program.name << " (" << way << ")";
  }
}

INSTANTIATE_TEST_SUITE_P(Vm, Hostile, testing::ValuesIn(Topics()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ferry::vm

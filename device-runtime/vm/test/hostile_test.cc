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

#include "device-runtime/vm/embed/desk.h"
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
// Time only ends what steps do not; under sanitizers three million steps take many times as long.
#ifdef FERRY_SANITIZED
constexpr int64_t kWallNs = 120'000'000'000;
#else
constexpr int64_t kWallNs = 20'000'000'000;
#endif
constexpr Limits kLimits = {.steps = 3'000'000,
                            .memory_bytes = 8 << 20,
                            .depth = 200,
                            .wall_ns = kWallNs,
                            .output_bytes = 1 << 20};
constexpr int64_t kEndlessNs = 1'000'000'000;  // the wall time of programs that may use it up
constexpr int64_t kMostBeside = 1 << 20;       // beside the limit of memory
// Of the processor, for three million instructions.
#ifdef FERRY_SANITIZED
constexpr double kMostSeconds = 120;
#elif defined(NDEBUG)
constexpr double kMostSeconds = 4;
#else
constexpr double kMostSeconds = 20;  // nothing is inlined, and every cast is checked
#endif

struct Program {
  std::string name;
  std::string ways;
  std::string text;
};
// Some programs of one file, few enough that they end within seconds.
constexpr size_t kPart = 6;
struct Part {
  std::string name;  // "modules_2": the third of modules.py
  std::vector<Program> programs;
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

std::vector<Part> Parts() {
  std::vector<Part> parts;
  for (const auto& entry :
       fs::directory_iterator(fs::path(FERRY_SOURCE_DIR) / "device-runtime/vm/cases/hostile")) {
    if (entry.path().extension() != ".py") continue;
    const std::vector<Program> programs = Programs(entry.path());
    for (size_t i = 0; i < programs.size(); ++i) {
      if (i % kPart == 0)
        parts.push_back({entry.path().stem().string() + "_" + std::to_string(i / kPart), {}});
      parts.back().programs.push_back(programs[i]);
    }
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.name < b.name; });
  return parts;
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

void PrintTo(const Part& part, std::ostream* out) {  // for the test framework
  *out << part.name;
}

class Hostile : public testing::TestWithParam<Part> {};

TEST_P(Hostile, EndsCleanly) {
  RuntimeLibrary().Unpack();
  DeskLibrary().Unpack();
  for (const Program& program : GetParam().programs) {
    ASSERT_TRUE(Isolate::Create({}).ok());  // what is shared is there
    const int64_t before = live_bytes;
    peak_bytes = before;
    const double start = ProcessorSeconds();
    Limits limits = kLimits;
    if (("|" + program.ways + "|").find("|time|") != std::string::npos) limits.wall_ns = kEndlessNs;
    Status status;
    {
      auto isolate = Isolate::Create(
          {.limits = limits, .print = [](std::string_view) {}, .desk = &DeskLibrary()});
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

std::string Times(std::string_view piece, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += piece;
  return out;
}
// Pieces with their number where they say #.
std::string Numbered(std::string_view piece, int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    for (const char c : piece) out += c == '#' ? std::to_string(i) : std::string(1, c);
  return out;
}
// `count` blocks in one another.
std::string Nested(std::string_view head, std::string_view tail, int count) {
  std::string out, after;
  for (int i = 0; i < count; ++i) {
    const std::string indent(static_cast<size_t>(i), ' ');
    out += indent + std::string(head) + "\n";
    after = indent + std::string(tail) + "\n" + after;
  }
  return out + std::string(static_cast<size_t>(count), ' ') + "pass\n" + after;
}

std::vector<std::pair<std::string, std::string>> LargeSources() {
  return {{"a list", "x = [" + Times("1,", 1'500'000) + "]"},
          {"lists", Times("x = [[[[1]]]]\n", 250'000)},
          {"statements", Times("x=1\n", 900'000)},
          {"semicolons", Times("a;", 1'900'000)},
          {"functions", Numbered("def f#(a, b=1): return a\n", 120'000)},
          {"parameters", "def f(" + Numbered("a#,", 400'000) + "): pass"},
          {"parameters of a call", "f(" + Numbered("a#=1,", 300'000) + ")"},
          {"names", Numbered("a#=1\n", 300'000)},
          {"names of a function", "def f():\n" + Numbered(" a#=1\n", 300'000)},
          {"globals", "def f():\n global " + Numbered("a#,", 400'000) + "z"},
          {"imports", "import " + Numbered("a#,", 400'000) + "z"},
          {"names imported", "from a import " + Numbered("a#,", 400'000) + "z"},
          {"literals", Numbered("'text # of a line that is as long as some lines are'\n", 60'000)},
          {"numbers", Times("x = 1234567890123456789012345678901234567890\n", 80'000)},
          {"a string", "x = '" + Times("a", 4'000'000) + "'"},
          {"half a string", "x = '" + Times("a", 1'900'000) + "'"},
          {"a string of escapes", "x = '" + Times("\\n", 2'000'000) + "'"},
          {"strings beside each other", "x = " + Times("'a'", 1'000'000)},
          {"an f-string", "x = f'" + Times("{a}", 1'200'000) + "'"},
          {"f-strings", Times("f'{a!r:>{w}}'\n", 250'000)},
          {"sums", Times("x = " + Times("a+", 500) + "a\n", 3'000)},
          {"comparisons", "x = " + Times("a<", 1'500'000) + "a"},
          {"conditions", "if a: pass\n" + Times("elif a: pass\n", 300'000)},
          {"decorators", Times("@a\n", 1'000'000) + "def f(): pass"},
          {"lambdas", Times("lambda: a\n", 400'000)},
          {"comprehensions", Times("[a for a in b if c]\n", 200'000)},
          {"classes", Numbered("class A#:\n x: int = 1\n", 120'000)},
          {"cases", "match a:\n" + Times(" case [1, {'a': b, **c}]: pass\n", 120'000)},
          {"withs", Times("with a as b, c as d: pass\n", 150'000)},
          {"blocks", Nested("if a:", "x = 1", 90)},
          {"tries", Nested("try:", "finally: x = 1", 90)},
          {"tries in functions",
           Times("def f():\n" + Times(" try: return\n finally: pass\n", 90), 900)},
          {"brackets", Times("(", 1'000'000)},
          {"signs", "x = " + Times("-", 3'000'000) + "1"},
          {"nots", "x = " + Times("not ", 900'000) + "1"},
          {"attributes", "x = a" + Times(".b", 1'900'000)},
          {"calls", "x = a" + Times("()", 1'900'000)},
          {"indents", Times("if a:\n  b\n", 350'000)},
          {"comments", Times("# a line\n", 400'000)},
          {"blank lines", Times("\r\n", 1'900'000)}};
}

// Sources of up to four megabytes: what compiling them takes is counted.
TEST(HostileSource, CompilingStaysWithinTheMemory) {
  ASSERT_TRUE(Isolate::Create({}).ok());
  for (const auto& [name, source] : LargeSources()) {
    const int64_t before = live_bytes;
    peak_bytes = before;
    const double start = ProcessorSeconds();
    Status status;
    {
      auto isolate = Isolate::Create({.limits = kLimits});
      ASSERT_TRUE(isolate.ok());
      status = (*isolate)->RunSource(source, "large").status();
      EXPECT_LE((*isolate)->usage().peak_memory_bytes, kLimits.memory_bytes) << name;
      // The isolate goes on.
      EXPECT_TRUE((*isolate)->RunSource("x = 1\n", "small").ok()) << name;
    }
    const std::string way = WayOf(status);
    EXPECT_TRUE(way == "memory" || way == "syntax" || way == "raised" || way == "ok")
        << name << ": " << way;
#ifdef FERRY_COUNT_MALLOC
    EXPECT_LE(peak_bytes - before, kLimits.memory_bytes + kMostBeside) << name << ": " << way;
    EXPECT_LE(live_bytes - before, 4096 + static_cast<int64_t>(status.message().size()) * 2)
        << name << " leaks";
#endif
    EXPECT_LE(ProcessorSeconds() - start, kMostSeconds) << name << ": " << way;
  }
}

// Modules that fail leave no code behind; those that compile again and again are counted.
TEST(HostileSource, ImportingAgainAndAgainIsCounted) {
  const std::string broken = Numbered("def f#(a): return a\n", 200) + "x = = 1\n";
  const std::string raises = Numbered("def f#(a): return a\n", 200) + "raise ValueError\n";
  for (const bool compiles : {false, true}) {
    Limits limits = kLimits;
    limits.steps = 100'000'000;
    auto isolate = Isolate::Create({.limits = limits, .loader = [&](std::string_view) {
                                      return Result<ModuleFile>(compiles ? raises : broken);
                                    }});
    ASSERT_TRUE(isolate.ok());
    const Status status = (*isolate)
                              ->RunSource(
                                  "for i in range(400):\n"
                                  "    try: import other\n"
                                  "    except (SyntaxError, ValueError): pass\n",
                                  "main")
                              .status();
    EXPECT_EQ(WayOf(status), compiles ? "memory" : "ok");
  }
}

INSTANTIATE_TEST_SUITE_P(Vm, Hostile, testing::ValuesIn(Parts()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ferry::vm

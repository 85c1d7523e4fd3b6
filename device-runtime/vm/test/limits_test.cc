// What stops a script: steps, memory, depth, interruption, failing allocations; and that many run
// at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "common/base/json.h"
#include "common/base/memory.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::vm {
namespace {

constexpr Limits kSmall = {.steps = 2'000'000, .memory_bytes = 8 << 20, .depth = 100};

Status RunLimited(std::string_view source, Limits limits = kSmall) {
  auto isolate = Isolate::Create({.limits = limits});
  EXPECT_TRUE(isolate.ok());
  const Status status = (*isolate)->RunSource(source, "script").status();
  // Whatever happened, the isolate goes on.
  Result<Value> after = (*isolate)->RunSource("x = sum(range(10))", "after");
  EXPECT_TRUE(after.ok() || status.code() == Code::kScriptMemory) << after.status().ToString();
  return status;
}

TEST(Limits, StepsEndEndlessWork) {
  for (const char* source :
       {"while True: pass", "while True:\n try:\n  while True: pass\n except BaseException: pass",
        "def f():\n while True: yield 1\nsum(f())", "for i in range(10**15): pass",
        "list(iter(int, 1))", "x = 3\nwhile True: x = pow(x, 2, 10**300 + 1)", "sum(range(10**12))",
        "any(map(lambda x: 0, range(10**12)))", "[i for i in range(10**9) if i < 0]",
        "'x' * 1000 in [str(i) for i in range(10**9)]", "max(x % 7 for x in range(10**12))"}) {
    const Code code = RunLimited(source).code();
    EXPECT_TRUE(code == Code::kScriptTime || code == Code::kScriptMemory)
        << source << ": " << static_cast<int>(code);
  }
  EXPECT_EQ(RunLimited("while True: pass").code(), Code::kScriptTime);
}

// What the programs below may use: room for their keys, and the steps that a task has by default,
// of which sanitizers take minutes.
#ifdef FERRY_SANITIZED
constexpr Limits kRoomForKeys = {.steps = 30'000'000, .memory_bytes = 256 << 20};
#else
constexpr Limits kRoomForKeys = {.memory_bytes = 256 << 20};
#endif

// Each program chooses keys that meet in a table; what it asks for is as much work as the square of
// their number, and the default limits end it long before.
TEST(Limits, CollidingKeysPayForTheirSearches) {
  // All of one hash; all of one place of a table (the hash of dicts is a product that is undone).
  constexpr char kSame[] = "keys = [i * (2**61 - 1) for i in range(1, 1000001)]\n";
  constexpr char kPlace[] =
      "back = pow(0xFF51AFD7ED558CCD, -1, 2**64)\n"
      "def undo(h):\n x = (h ^ (h >> 33)) * back % 2**64\n return x ^ (x >> 33)\n"
      "keys = []\nfor i in range(500000):\n k = undo(i << 24)\n"
      " if k < 2**60: keys.append(k)\n";
  for (const char* work : {"d = {}\nfor k in keys: d[k] = 1", "d = dict.fromkeys(keys)",
                           "d = {k: 1 for k in keys}", "d = dict(zip(keys, keys))"}) {
    EXPECT_EQ(RunLimited(std::string(kSame) + work, kRoomForKeys).code(), Code::kScriptTime)
        << work;
    EXPECT_EQ(RunLimited(std::string(kPlace) + work, kRoomForKeys).code(), Code::kScriptTime)
        << work;
  }
  for (const char* work : {"s = set()\nfor k in keys: s.add(k)", "s = set(keys)",
                           "s = frozenset(keys)", "s = {k for k in keys}"}) {
    EXPECT_EQ(RunLimited(std::string(kSame) + work, kRoomForKeys).code(), Code::kScriptTime)
        << work;
  }
  // Looking for a key costs what adding it costs.
  for (const char* work :
       {"for i in range(10**6): d.get(last)", "for i in range(10**6): last in d",
        "for i in range(10**6): d[last]", "for i in range(10**6): d.pop(last); d[last] = 1"}) {
    EXPECT_EQ(RunLimited(std::string(kPlace) +
                             "d = {k: 1 for k in keys[:4000]}\n"
                             "last = keys[3999]\n" +
                             work,
                         kRoomForKeys)
                  .code(),
              Code::kScriptTime)
        << work;
  }
}

TEST(Limits, MemoryEndsHoarding) {
  for (const char* source :
       {"x = []\nwhile True: x.append('a' * 1000)", "x = 'a'\nwhile True: x += x",
        "x = [0] * 10**9", "'a' * 10**10", "x = {}\ni = 0\nwhile True:\n x[i] = [i]\n i += 1",
        "b = bytes(10**9)", "l = [1]\nfor i in range(60): l = l + l",
        "'{:100000}'.format(1) * 100000", "x = ()\nwhile True: x = (x, x, [0] * 100)",
        "'a'.ljust(10**9)", "list(range(10**9))", "'ab'.replace('', 'x' * 10**6) * 1000"}) {
    EXPECT_EQ(
        RunLimited(source, {.steps = 100'000'000, .memory_bytes = 4 << 20, .depth = 100}).code(),
        Code::kScriptMemory)
        << source;
  }
  EXPECT_TRUE(RunLimited("for i in range(20000): x = [0] * 1000", {.memory_bytes = 4 << 20})
                  .ok());  // garbage is no hoard
  EXPECT_TRUE(
      RunLimited("x = sum(len([i] * 100) for i in range(20000))", {.memory_bytes = 4 << 20}).ok());
  EXPECT_TRUE(
      RunLimited("class A: pass\nfor i in range(20000):\n a = A()\n a.me = a\n a.data = [0] * 100",
                 {.memory_bytes = 4 << 20})
          .ok());
}

TEST(Limits, DepthEndsRecursion) {
  for (const char* source :
       {"def f(): f()\nf()", "def f(): return sorted([2, 1], key=lambda x: f())\nf()",
        "class A:\n def __getattr__(self, n): return getattr(self, n)\nA().x",
        "class A:\n def __eq__(self, o): return self == o\nA() == A()",
        "def g(): yield from g()\nlist(g())",
        "class A:\n def __repr__(self): return repr(self)\nrepr(A())",
        "x = []\nfor i in range(100000): x = [x]\nrepr(x)",
        "x = []\ny = []\nfor i in range(20000):\n x = [x]\n y = [y]\nx == y",
        "x = ()\nfor i in range(100000): x = (x,)\nhash(x)",
        "def f():\n try: f()\n except BaseException: f()\nf()",
        "class A:\n def __init__(self): A()\nA()",
        "e = Exception()\nfor i in range(40000): e = Exception(e)\nstr(e)",
        "class A: pass\nA.__call__ = A()\nA()()"}) {
    const Code code = RunLimited(source).code();
    EXPECT_TRUE(code == Code::kScriptDepth || code == Code::kScriptRaised)
        << source << ": " << static_cast<int>(code);
  }
  EXPECT_EQ(RunLimited("def f(n): return n and f(n - 1)\nf(90)").code(), Code::kOk);
  EXPECT_EQ(RunLimited("def f(n): return n and f(n - 1)\nf(110)").code(), Code::kScriptDepth);
}

// What a hostile script tries: each ends well or with the code of a limit, fast.
TEST(Limits, BuiltInsCountTheirWork) {
  const std::string shared = "t = ()\nu = ()\nfor i in range(60):\n t = (t, t)\n u = (u, u)\n";
  for (const std::string& source :
       {shared + "hash(t)", shared + "t == u", shared + "t < u",
        std::string("s = 'a' * 600000\ns.rfind('a' * 300000 + 'b')"),
        std::string("l = [0] * 400000\nwhile l: del l[0]"),
        std::string("l = [0] * 400000\nwhile True: l.count(1)"),
        std::string("s = set(range(50000))\nwhile s: s.pop()\nwhile True: pass")})
    EXPECT_EQ(RunLimited(source).code(), Code::kScriptTime) << source;
  // From the left the work is that of reading the text once.
  for (const char* source :
       {"s.find('a' * 300000 + 'b')", "('a' * 300000 + 'b') in s", "s.count('a' * 300000 + 'ba')",
        "s.replace('a' * 300000 + 'b', '')", "s.find('a' * 1000 + 'ba' + 'a' * 1000)"})
    EXPECT_EQ(RunLimited(std::string("s = 'a' * 600000\n") + source).code(), Code::kOk) << source;
  EXPECT_EQ(RunLimited(shared + "repr(t)").code(), Code::kScriptMemory);
  for (const char* source :
       {"('{0:100000}' * 30000).format(1)", "'%100000d' * 20000 % ((1,) * 20000)",
        "s = 'a' * 3000000\nprint(*[s] * 1000)", "s = 'a' * 3000000\nf'{s}{s}{s}{s}'"})
    EXPECT_EQ(RunLimited(source, {.memory_bytes = 8 << 20}).code(), Code::kScriptMemory) << source;
}

TEST(Limits, SharedPartsDoNotGrowAsJson) {
  auto isolate = Isolate::Create({.limits = kSmall});
  ASSERT_TRUE(
      (*isolate)
          ->RunSource("def f():\n x = []\n for i in range(40): x = [x, x]\n return x\n", "m")
          .ok());
  EXPECT_EQ((*isolate)->CallJson("m", "f", {}).status().code(), Code::kScriptMemory);
}

TEST(Limits, StepsAreTheSameEachTime) {
  int64_t first = 0;
  for (int i = 0; i < 3; ++i) {
    auto isolate = Isolate::Create({});
    ASSERT_TRUE(
        (*isolate)->RunSource("x = [str(i) for i in range(1000)]\ny = sorted(x)", "s").ok());
    const int64_t steps = (*isolate)->usage().steps;
    if (i > 0) {
      EXPECT_EQ(steps, first);
    }
    first = steps;
  }
  EXPECT_GT(first, 1000);
}

TEST(Limits, InterruptEndsAScript) {
  auto isolate = Isolate::Create({.limits = {.steps = INT64_MAX / 2}});
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    (*isolate)->Interrupt();
  });
  EXPECT_EQ((*isolate)->RunSource("while True: pass", "s").status().code(), Code::kCancelled);
  other.join();
}

TEST(Limits, TheStatusNamesTheLimit) {
  const auto name = [](const char* source, Limits limits) {
    return std::string(LimitName(RunLimited(source, limits)));
  };
  EXPECT_EQ(name("while True: pass", {.steps = 1000}), "instructions");
  EXPECT_EQ(name("x = [0] * 10**7", {.memory_bytes = 4 << 20}), "memory");
  EXPECT_EQ(name("def f(): f()\nf()", {.depth = 50}), "recursion");
  EXPECT_EQ(name("while True: print('x' * 100)", {.output_bytes = 10'000}), "output");
  Limits late = Limits::None();
  late.wall_ns = 20'000'000;
  EXPECT_EQ(name("while True: pass", late), "time");
  EXPECT_EQ(name("while True:\n try: f()\n except BaseException: pass", late), "time");
  EXPECT_EQ(name("raise ValueError()", {}), "");
  EXPECT_EQ(name("x = 1", {}), "");
}

TEST(Limits, RecursionWithoutALimitIsAnException) {
  std::string out;
  auto isolate = Isolate::Create(
      {.limits = Limits::None(), .print = [&](std::string_view text) { out += text; }});
  ASSERT_TRUE((*isolate)
                  ->RunSource("n = 0\ndef f():\n global n\n n += 1\n f()\ntry: f()\n"
                              "except RecursionError as e: print(n, e)\n",
                              "m")
                  .ok());
  EXPECT_EQ(out, "999 maximum recursion depth exceeded\n");
}

TEST(Limits, ObjectsLargerThanAnyMayBeAreAnExceptionWithoutALimit) {
  for (const char* object :
       {"[0] * (1 << 60)", "(1, 2) * (1 << 40)", "'ab' * (1 << 40)", "b'a' * (1 << 40)",
        "bytearray(1 << 50)", "list(range(1 << 50))", "[*range(1 << 50)]", "1 << (1 << 50)",
        "3 ** (1 << 50)", "'x'.center(1 << 50)", "'%0*d' % (1 << 31, 1)", "f'{1:>{1 << 50}}'",
        "''.join(['a' * (1 << 20)] * (1 << 11))", "int('1' * 5).to_bytes(1 << 40, 'big')"}) {
    const std::string source =
        fmt::format("try: {}\nexcept MemoryError as e: print(repr(e))", object);
    std::string out;
    auto isolate = Isolate::Create(
        {.limits = Limits::None(), .print = [&](std::string_view text) { out += text; }});
    EXPECT_TRUE((*isolate)->RunSource(source, "m").ok()) << object;
    EXPECT_EQ(out, "MemoryError()\n") << object;
    Limits limits = Limits::None();
    limits.memory_error = false;
    limits.memory_bytes = 64 << 20;
    EXPECT_EQ(LimitName(RunLimited(source, limits)), "memory") << object;
  }
}

// Memory of one size that became free serves all others, and the machine never gives more than the
// limit: what the heap has taken is what the limit counts.
TEST(Limits, FreedMemoryServesOtherSizes) {
  auto isolate = Isolate::Create({.limits = {.steps = INT64_MAX / 2, .memory_bytes = 8 << 20}});
  const auto run = (*isolate)->RunSource(
      "for size in range(1, 60):\n"
      "  keep = [(0,) * size for i in range(4000000 // (8 * size + 16))]\n"
      "  keep = None\n"
      "  keep = [{i: 1} for i in range(4000)]\n"
      "  keep = None\n",
      "m");
  EXPECT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_LE((*isolate)->usage().peak_memory_bytes, 8 << 20);
}

TEST(Limits, WideAndDeepValuesAreTracedInBoundedMemory) {
  auto isolate = Isolate::Create({.limits = {.memory_bytes = 32 << 20}});
  const auto run = (*isolate)->RunSource(
      "wide = [[i] for i in range(100000)]\n"
      "wider = [[x] for x in wide]\n"
      "deep = None\n"
      "for i in range(100000): deep = [deep, [i]]\n"
      "for i in range(40): garbage = [[j] for j in range(10000)]\n"
      "assert sum(x[0][0] for x in wider) == 4999950000\n"
      "n = 0\n"
      "while deep is not None:\n  n += deep[1][0]\n  deep = deep[0]\n"
      "assert n == 4999950000\n",
      "m");
  EXPECT_TRUE(run.ok()) << run.status().ToString();
}

TEST(Limits, ExternalMemoryCounts) {
  auto isolate = Isolate::Create({.limits = {.memory_bytes = 8 << 20}});
  EXPECT_TRUE((*isolate)->ChargeExternal(6 << 20).ok());
  EXPECT_EQ((*isolate)->ChargeExternal(6 << 20).code(), Code::kScriptMemory);
  EXPECT_EQ((*isolate)->RunSource("x = [0] * 500000", "s").status().code(), Code::kScriptMemory);
  EXPECT_TRUE((*isolate)->ChargeExternal(-(6 << 20)).ok());
  EXPECT_EQ((*isolate)->usage().external_bytes, 0);
}

TEST(Limits, FailingAllocationsAreErrors) {
  const char* source =
      "import json, math\nclass A:\n def __init__(self, x): self.x = x\n"
      "def f(n):\n for i in range(n): yield {'k': [i, str(i) * 200], 'a': A(i)}\n"
      "try:\n x = [sorted(d['k'], key=str) for d in f(300)]\n y = "
      "json.loads(json.dumps(x))\nexcept Exception: pass\n";
  ASSERT_TRUE(Isolate::Create({}).ok());  // what is shared is there
  const int64_t blocks = CurrentMemoryUse().blocks;
  bool fired = true;
  for (int64_t nth = 1; fired && nth < 2000; ++nth) {
    FailAllocations fail(nth);
    auto isolate = Isolate::Create({});
    Status status = isolate.ok() ? (*isolate)->RunSource(source, "s").status() : isolate.status();
    fired = fail.fired();
    // The collector does without the memory that it asks for.
    EXPECT_TRUE(status.ok() || (fired && status.code() == Code::kScriptMemory))
        << nth << ": " << status.ToString();
  }
  EXPECT_FALSE(fired);
  EXPECT_EQ(CurrentMemoryUse().blocks, blocks);
}

TEST(Limits, ManyIsolatesOnManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 20; ++i) {
        auto isolate = Isolate::Create({.limits = {.memory_bytes = 4 << 20}});
        Result<Value> run = (*isolate)->RunSource(
            "def f(n):\n d = {str(i): [i] * 50 for i in range(n)}\n return sum(len(v) for v in "
            "d.values())\n",
            "m");
        ASSERT_TRUE(run.ok());
        Result<Json> out = (*isolate)->CallJson("m", "f", std::vector<Json>{Json(100 + t)});
        ASSERT_TRUE(out.ok()) << out.status().ToString();
        EXPECT_EQ(*out, Json((100 + t) * 50));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Isolate, ModulesOfThePackageAndTracebacks) {
  Isolate::Options options;
  options.loader = [](std::string_view name) -> Result<ModuleFile> {
    if (name == "helper")
      return std::string(
          "def twice(x):\n    return x * 2\ndef fail():\n    raise ValueError('no')\n");
    if (name == "broken") return std::string("def f(a b):\n    pass\n");
    return Status(Code::kNotFound, "none");
  };
  auto isolate = Isolate::Create(std::move(options));
  ASSERT_TRUE((*isolate)
                  ->RunSource("import helper\nfrom helper import twice as t\ndef run(x): return "
                              "t(x) + helper.twice(1)\ndef bad(): helper.fail()\n",
                              "task")
                  .ok());
  EXPECT_EQ((*isolate)->CallJson("task", "run", std::vector<Json>{Json(20)}).value(), Json(42));
  EXPECT_EQ(
      (*isolate)->CallJson("task", "bad", {}).status().message(),
      "ValueError: no\nTraceback (most recent call last):\n  File \"task.py\", line 4, in bad\n"
      "    def bad(): helper.fail()\n               ^^^^^^^^^^^^^\n"
      "  File \"helper.py\", line 4, in fail\n    raise ValueError('no')\nValueError: no");
  const Status syntax = (*isolate)->Import("broken").status();
  EXPECT_EQ(syntax.code(), Code::kScriptSyntax);
  EXPECT_EQ(syntax.message(), "broken.py:1:9: invalid syntax\n    def f(a b):\n            ^");
  EXPECT_EQ((*isolate)->Import("nowhere").status().code(), Code::kScriptRaised);
}

}  // namespace
}  // namespace ferry::vm

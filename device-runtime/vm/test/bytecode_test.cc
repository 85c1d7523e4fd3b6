// Bytecode files: what the compiler writes runs as the source does; what is broken is refused.
#include "device-runtime/vm/bytecode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "device-runtime/vm/embed/desk.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::vm {
namespace {

const std::filesystem::path kRoom = std::filesystem::path(FERRY_SOURCE_DIR) / "device-runtime/vm";

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Every script of cases/, cut at its `#----` lines.
std::vector<std::string> Programs() {
  std::vector<std::string> programs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoom / "cases")) {
    if (entry.path().extension() != ".py" || entry.path().filename() == "make.py") continue;
    // Those of hostile/ run until a limit ends them.
    if (entry.path().parent_path().filename() == "hostile") continue;
    std::istringstream lines(ReadAll(entry.path()));
    std::string program;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#----")) programs.push_back(std::move(program)), program.clear();
      program += line + "\n";
    }
    programs.push_back(std::move(program));
  }
  return programs;
}

struct Outcome {
  std::string out;
  int64_t steps = 0;
};

Outcome RunProgram(std::string_view bytes) {
  Outcome outcome;
  Isolate::Options options;
  options.limits.steps = 3'000'000;
  options.limits.depth = 2000;  // more than a script's own recursion limit
  options.desk = &DeskLibrary();
  options.print = options.print_error = [&](std::string_view text) { outcome.out += text; };
  auto isolate = Isolate::Create(std::move(options));
  const Result<int> status = (*isolate)->RunMain(bytes, "program.py");
  outcome.out += status.ok() ? fmt::format("status {}", *status) : status.status().ToString();
  outcome.steps = (*isolate)->usage().steps;
  return outcome;
}

TEST(Bytecode, RunsAsItsSource) {
  int compiled = 0;
  for (const std::string& program : Programs()) {
    const Result<std::string> bytes = CompileToBytecode(program, "program.py");
    if (!bytes.ok()) continue;  // the program is about that
    // How often asyncio's loop looks at the clock while it sleeps is no property of the program.
    if (program.find("asyncio") != std::string::npos) continue;
    // unittest says how many seconds its tests took.
    if (program.find("unittest") != std::string::npos) continue;
    // Files of bytecode hold the names of parameters, not of other locals.
    if (program.find("co_cellvars") != std::string::npos) continue;
    if (program.find("f_locals") != std::string::npos) continue;
    ++compiled;
    ASSERT_TRUE(IsBytecode(*bytes));
    const Status checked = CheckBytecode(*bytes);
    ASSERT_TRUE(checked.ok()) << checked.ToString() << "\n" << program;
    const Outcome source = RunProgram(program), file = RunProgram(*bytes);
    ASSERT_EQ(source.out, file.out) << program;
    ASSERT_EQ(source.steps, file.steps) << program;
    ASSERT_EQ(*bytes, *CompileToBytecode(program, "program.py"));
  }
  EXPECT_GT(compiled, 100);
}

TEST(Bytecode, EveryCutIsRefused) {
  const std::string bytes = *CompileToBytecode(
      "def f(a, *b):\n  return [a, b, 'x' * 3, 2.5, 1 << 99]\nprint(f(1))\n", "f.py");
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(CheckBytecode(std::string_view(bytes).substr(0, size)).ok()) << size;
  EXPECT_EQ(CheckBytecode(bytes + "x").code(), Code::kMalformed);
  std::string other = bytes;
  other[4] = 9;
  EXPECT_EQ(CheckBytecode(other).code(), Code::kUnsupported);
  other = bytes;
  other[5] = static_cast<char>(other[5] ^ 1);
  EXPECT_EQ(CheckBytecode(other).code(), Code::kUnsupported);
}

// Whatever passes the verifier may be run: every byte changed in many ways, always the same ones.
TEST(Bytecode, ChangedBytesNeverBreakAnything) {
  std::mt19937 random(7);
  int accepted = 0;
  static const char* const kPrograms[] = {
      "def f(a, *b, c=1, **d):\n  for i in range(3):\n    yield i, a, b, c, d\nprint(list(f(1, 2, "
      "k=3)))\n",
      "class A:\n  x = 1\n  def m(self):\n    return lambda: (self, A.x)\ntry:\n  A().m()()[2]\n"
      "except IndexError as e:\n  print(f'{e!r:>30}')\nfinally:\n  print('end')\n",
      "def outer():\n  n = 0\n  def inner():\n    nonlocal n\n    n += 1\n    return [n, {n: 'a', "
      "**{}}, {1, n}, (1,)[0:1]]\n"
      "  return inner\nf = outer()\na, *b = f()\nprint(a, b, [x for x in 'abc' if x > 'a'], "
      "max(*[1, 2]))\n"};
  for (const char* program : kPrograms) {
    const std::string bytes = *CompileToBytecode(program, "p.py");
    for (int round = 0; round < 4000; ++round) {
      std::string changed = bytes;
      for (uint32_t n = random() % 3 + 1; n > 0; --n) {
        const size_t at = 9 + random() % (changed.size() - 9);
        if (random() % 4 == 0)
          changed[at] = static_cast<char>(changed[at] + random() % 3 - 1);
        else
          changed[at] = static_cast<char>(random() % 48);
      }
      Isolate::Options options;
      options.limits = {.steps = 20'000, .memory_bytes = 4 << 20, .depth = 50};
      auto isolate = Isolate::Create(std::move(options));
      const Result<int> ran = (*isolate)->RunMain(changed, "p.py");
      accepted += ran.ok();
      (*isolate)->Collect();
    }
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace ferry::vm

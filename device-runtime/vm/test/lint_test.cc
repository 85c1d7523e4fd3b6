// What `check` says about sources that compile.
#include "device-runtime/vm/compile/lint.h"

#include <gtest/gtest.h>

namespace ferry::vm {
namespace {

std::string Said(std::string_view source) {
  auto findings = Lint(source, "s.py");
  if (!findings.ok()) return std::string(findings.status().message());
  std::string out;
  for (const Finding& one : *findings)
    out += std::to_string(one.line) + ":" + std::to_string(one.column) + ": " + one.message + "\n";
  return out;
}

TEST(Lint, UndefinedNames) {
  EXPECT_EQ(Said("def f(a):\n    return a + b\n"), "2:16: undefined name 'b'\n");
  EXPECT_EQ(Said("def f():\n    return later()\ndef later(): return len([])\n"), "");
  EXPECT_EQ(Said("def f():\n    global g\n    g = 1\nprint(g, __name__)\n"), "");
  EXPECT_EQ(Said("from x import *\nprint(anything)\n"), "");
  EXPECT_EQ(Said("class A:\n    x = 1\n    def f(self): return x\n"), "3:25: undefined name 'x'\n");
}

TEST(Lint, UnusedNames) {
  EXPECT_EQ(Said("import math\n"), "1:1: 'math' is imported but not used\n");
  EXPECT_EQ(Said("import math\n__all__ = ['math']\n"), "");
  EXPECT_EQ(Said("import math\nprint(math.pi)\n"), "");
  EXPECT_EQ(Said("def f():\n    x = 1\n    _y = 2\n    z = 3\n    return z\n"),
            "2:5: variable 'x' is never used\n");
  EXPECT_EQ(Said("def f():\n    import math\n"), "2:5: 'math' is imported but not used\n");
  EXPECT_EQ(
      Said("def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    g()\n"), "");
  EXPECT_EQ(Said("def f(p):\n    a, b = p\n    for i in p: pass\n"), "");
}

TEST(Lint, SyntaxErrorsComeFirst) {
  EXPECT_EQ(Said("x = 1 +\n").substr(0, 24), "s.py:1:8: invalid syntax");
}

}  // namespace
}  // namespace ferry::vm

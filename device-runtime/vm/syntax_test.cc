// Syntax errors: what is said and where; and mutated sources, which may do anything but crash.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "device-runtime/vm/isolate.h"

namespace ferry::vm {
namespace {

struct SyntaxCase {
  const char* source;
  const char* message;  // up to the end of its first line
};
const SyntaxCase kSyntaxCases[] = {
    {"x = 1 +\n", "s.py:1:8: expected an expression, found the end of the line"},
    {"def f():\nx = 1\n", "s.py:2:1: expected an indented block"},
    {"if x:\n    a\n  b\n", "s.py:3:3: unindent does not match any outer indentation level"},
    {"x = (1,\n", "s.py:1:5: '(' was never closed"},
    {"x = 'abc\n", "s.py:1:5: unterminated string"},
    {"f() = 3\n", "s.py:1:1: cannot assign to function call"},
    {"return 1\n", "s.py:1:1: 'return' outside function"},
    {"break\n", "s.py:1:1: 'break' outside loop"},
    {"x = f'{1 +}'\n", "s.py:1:11: expected an expression, found the end of the file"},
    {"x = f'{'\n", "s.py:1:8: f-string: expecting '}'"},
    {"def f(a, a): pass\n", "s.py:1:10: duplicate argument 'a' in function definition"},
    {"f(a=1, 2)\n", "s.py:1:8: positional argument follows keyword argument"},
    {"x = 012\n",
     "s.py:1:5: leading zeros in decimal integers are not permitted; use 0o for octal"},
    {"x = $\n", "s.py:1:5: unexpected character '$'"},
    {"try:\n    pass\n", "s.py:3:1: expected 'except' or 'finally' block"},
    {"nonlocal x\n", "s.py:1:1: nonlocal declaration not allowed at module level"},
    {"  x = 1\n", "s.py:1:3: unexpected indent"},
    {"a, *b, *c = x\n", "s.py:1:8: multiple starred expressions in assignment"},
    {"async def f(): pass\n", "s.py:1:1: async functions are not supported"},
    {"from x import *\n", "s.py:1:15: 'import *' is not supported: name what is imported"},
};

TEST(Syntax, ErrorsNameThePlace) {
  for (const SyntaxCase& one : kSyntaxCases) {
    const Status status = CheckSyntax(one.source, "s.py");
    EXPECT_EQ(status.code(), Code::kScriptSyntax) << one.source;
    EXPECT_EQ(status.message().substr(0, status.message().find('\n')), one.message) << one.source;
  }
}

TEST(Syntax, DeepNestingIsAnError) {
  for (const char* piece :
       {"(", "[", "-", "not ", "lambda: ", "f(", "x[", "{1:", "1 if 1 else ", "a**", "f'{"}) {
    std::string source;
    for (int i = 0; i < 5000; ++i) source += piece;
    EXPECT_EQ(CheckSyntax(source + "1", "s.py").code(), Code::kScriptSyntax) << piece;
  }
  std::string blocks, chain = "if x:\n    pass\n";
  for (int i = 0; i < 500; ++i) blocks += std::string(static_cast<size_t>(i), ' ') + "if 1:\n";
  EXPECT_EQ(CheckSyntax(blocks + std::string(501, ' ') + "pass\n", "s.py").code(),
            Code::kScriptSyntax);
  for (int i = 0; i < 300; ++i) chain += "elif x:\n    pass\n";
  EXPECT_TRUE(CheckSyntax(chain, "s.py").ok());
}

std::vector<std::string> Sources() {
  std::vector<std::string> sources;
  const auto folder = std::filesystem::path(FERRY_SOURCE_DIR) / "device-runtime/vm/cases";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".py") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    sources.push_back(text.str());
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

// Few lines of a case with some bytes, tokens or lines changed, run under small limits.
TEST(Fuzz, MutatedSourcesDoNotCrash) {
  const std::vector<std::string> sources = Sources();
  const char* const pieces[] = {"(",         ")",        "[",        "]",          ":",
                                "\n",        "    ",     "yield ",   "lambda: ",   "*",
                                "**",        "not ",     "del ",     "return ",    "0",
                                "-1",        "None",     "''",       "f'{x}'",     " = ",
                                ",",         "self",     "raise ",   "try:\n",     "finally:\n",
                                "for i in ", "while 1:", "class A:", "2**70",      "1.5",
                                "[]",        "{}",       "super()",  "global x\n", "nonlocal n\n",
                                ".x",        "@"};
  std::mt19937 random(7);
  int fine = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string source = sources[random() % sources.size()];
    std::vector<std::string> lines;
    std::stringstream stream(source);
    for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
    for (int change = static_cast<int>(random() % 4); change >= 0; --change) {
      const size_t at = random() % lines.size();
      std::string& line = lines[at];
      switch (random() % 5) {
        case 0:
          line[random() % line.size()] = static_cast<char>(random() % 256);
          break;
        case 1:
          line.insert(random() % line.size(), pieces[random() % std::size(pieces)]);
          break;
        case 2:
          line.erase(random() % line.size(), random() % 5 + 1);
          break;
        case 3:
          line = lines[random() % lines.size()];
          break;
        default:
          std::swap(line, lines[random() % lines.size()]);
      }
      if (line.empty()) line = "\n";
    }
    source.clear();
    for (const std::string& line : lines) source += line;
    auto isolate = Isolate::Create(
        {.limits = {.steps = round % 4 == 0 ? 5000 : 100'000, .memory_bytes = 2 << 20, .depth = 50},
         .collect_always = round % 4 == 0});
    ASSERT_TRUE(isolate.ok());
    fine += (*isolate)->RunSource(source, "fuzz").ok();
    (*isolate)->Collect();
  }
  EXPECT_GT(fine, 20);
}

}  // namespace
}  // namespace ferry::vm

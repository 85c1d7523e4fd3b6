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
    {"x = 1 +\n", "s.py:1:8: invalid syntax"},
    {"def f():\nx = 1\n",
     "s.py:2:1: expected an indented block after function definition on line 1"},
    {"if x:\n    a\n  b\n", "s.py:3:4: unindent does not match any outer indentation level"},
    {"x = (1,\n", "s.py:1:5: '(' was never closed"},
    {"x = 'abc\n", "s.py:1:5: unterminated string literal (detected at line 1)"},
    {"f() = 3\n",
     "s.py:1:1: cannot assign to function call here. Maybe you meant '==' instead of '='?"},
    {"return 1\n", "s.py:1:1: 'return' outside function"},
    {"break\n", "s.py:1:1: 'break' outside loop"},
    {"def f(a, a): pass\n", "s.py:1:10: duplicate argument 'a' in function definition"},
    {"f(a=1, 2)\n", "s.py:1:9: positional argument follows keyword argument"},
    {"x = 012\n",
     "s.py:1:5: leading zeros in decimal integer literals are not permitted; use an 0o prefix for "
     "octal integers"},
    {"x = $\n", "s.py:1:5: invalid syntax"},
    {"try:\n    pass\n", "s.py:2:9: expected 'except' or 'finally' block"},
    {"nonlocal x\n", "s.py:1:1: nonlocal declaration not allowed at module level"},
    {"  x = 1\n", "s.py:1:2: unexpected indent"},
    {"a, *b, *c = x\n", "s.py:1:1: multiple starred expressions in assignment"},
    {"from x import a,\n", "s.py:1:17: trailing comma not allowed without surrounding parentheses"},
    {"(a b)\n", "s.py:1:2: invalid syntax. Perhaps you forgot a comma?"},
    {"print 'x'\n", "s.py:1:1: Missing parentheses in call to 'print'. Did you mean print(...)?"},
    {"if x = 3: pass\n", "s.py:1:4: invalid syntax. Maybe you meant '==' or ':=' instead of '='?"},
    {"x = (1]\n", "s.py:1:7: closing parenthesis ']' does not match opening parenthesis '('"},
    {"x = 1 if 2\n", "s.py:1:5: expected 'else' after 'if' expression"},
    {"None = 1\n", "s.py:1:1: cannot assign to None"},
    {"del f()\n", "s.py:1:5: cannot delete function call"},
    {"def f(a=1, b): pass\n", "s.py:1:12: non-default argument follows default argument"},
    {"def f():\n    x = 1\n    global x\n",
     "s.py:3:5: name 'x' is assigned to before global declaration"},
    {"a = 1\nb = '\xff\xfe'\n", "s.py:2:1: the source is not UTF-8 here"},
    {"\xff\xfe", "s.py:1:1: the source is not UTF-8 here"},
    {"await x\n", "s.py:1:1: 'await' outside function"},
    {"async def f(): yield from x\n", "s.py:1:16: 'yield from' inside async function"},
    {"match x:\n    case a: pass\n    case b: pass\n",
     "s.py:2:10: name capture 'a' makes remaining patterns unreachable"},
    {"match x:\n    case a | b: pass\n",
     "s.py:2:10: name capture 'a' makes remaining patterns unreachable"},
    {"[x := 1 for x in y]\n",
     "s.py:1:2: assignment expression cannot rebind comprehension iteration variable 'x'"},
    {"x = {1: 2, 3}\n", "s.py:1:12: ':' expected after dictionary key"},
    {"try:\n    pass\nexcept A, B:\n    pass\n",
     "s.py:3:8: multiple exception types must be parenthesized"},
    {"a + 1 += x\n", "s.py:1:1: 'expression' is an illegal expression for augmented assignment"},
    {"(a, b): int\n", "s.py:1:1: only single target (not tuple) can be annotated"},
    {"with x as 1: pass\n", "s.py:1:11: cannot assign to literal"},
    {"x = f'{1 +}'\n", "s.py:1:11: invalid syntax"},
    {"x = f'{'\n", "s.py:1:8: f-string: expecting '}'"},
    {"x = eval('1')\n",
     "s.py:1:5: 'eval' is not supported: tasks run only the code of their package"},
    {"import os.path\n", "s.py:1:1: module 'os.path' is not supported: tasks reach no files"},
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
  const auto folder = std::filesystem::path(FERRY_SOURCE_DIR) / "device-runtime/vm/cases/language";
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

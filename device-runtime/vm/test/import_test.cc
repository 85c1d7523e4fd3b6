// Packages, relative imports, cycles and import * over a loader.
#include <gtest/gtest.h>

#include <map>

#include "device-runtime/vm/isolate.h"

namespace ferry::vm {
namespace {

struct Source {
  const char* text;
  bool package = false;
};
using Sources = std::map<std::string, Source>;

std::string RunWith(const Sources& sources, std::string_view main) {
  std::string out;
  Isolate::Options options;
  options.print = [&out](std::string_view text) { out += text; };
  options.loader = [&sources](std::string_view name) -> Result<ModuleFile> {
    auto found = sources.find(std::string(name));
    if (found == sources.end()) return Status(Code::kNotFound, "no module");
    ModuleFile file(found->second.text);
    file.package = found->second.package;
    return file;
  };
  auto isolate = Isolate::Create(std::move(options));
  EXPECT_TRUE(isolate.ok());
  const Status status = (*isolate)->RunSource(main, "__main__").status();
  if (!status.ok())
    out += "raised: " + status.message().substr(0, status.message().find('\n')) + "\n";
  return out;
}

const Sources kPackage = {
    {"pkg", {"from . import a\nfrom .sub import deep\nname = 'pkg'\n", true}},
    {"pkg.a", {"x = 1\n_hidden = 2\nfrom .b import y\n"}},
    {"pkg.b", {"y = 2\nprint(__name__, __package__)\n"}},
    {"pkg.sub", {"", true}},
    {"pkg.sub.deep", {"from ..a import x\nfrom .. import a as again\nz = x + again.y\n"}},
    {"pkg.far", {"from ... import nothing\n"}},
    {"listed", {"__all__ = ['p', '_q']\np, _q, r = 1, 2, 3\n"}},
    {"wrong", {"__all__ = ['missing']\n"}},
    {"one", {"import two\nx = 1\n"}},
    {"two", {"import one\nprint(hasattr(one, 'x'))\ndef f(): return one.x\n"}},
    {"broken", {"x = (\n"}},
    {"fails", {"1 / 0\n"}},
};

TEST(Imports, PackagesAndRelativeNames) {
  EXPECT_EQ(RunWith(kPackage, "import pkg.sub.deep\nprint(pkg.name, pkg.sub.deep.z, pkg.a.y)\n"),
            "pkg.b pkg\npkg 3 2\n");
  EXPECT_EQ(
      RunWith(kPackage, "import pkg.sub.deep as d\nfrom pkg.sub import deep\nprint(d is deep)"),
      "pkg.b pkg\nTrue\n");
  EXPECT_EQ(RunWith(kPackage, "try: import pkg.far\nexcept ImportError as e: print(e)"),
            "pkg.b pkg\nattempted relative import beyond top-level package\n");
  EXPECT_EQ(RunWith(kPackage, "try: from . import a\nexcept ImportError as e: print(e)"),
            "attempted relative import with no known parent package\n");
}

TEST(Imports, Star) {
  EXPECT_EQ(RunWith(kPackage,
                    "from listed import *\nprint(p, _q)\ntry: r\nexcept NameError: print('no r')"),
            "1 2\nno r\n");
  EXPECT_EQ(
      RunWith(kPackage,
              "from pkg.a import *\nprint(x, y)\ntry: _hidden\nexcept NameError: print('hidden')"),
      "pkg.b pkg\n1 2\nhidden\n");
  EXPECT_EQ(RunWith(kPackage, "try: from wrong import *\nexcept AttributeError as e: print(e)"),
            "module 'wrong' has no attribute 'missing'\n");
}

// As sys.path has the script's folder first: before the library, but not before what is built in; a
// folder without __init__.py comes last.
TEST(Imports, TheTasksModulesComeBeforeTheLibrarys) {
  const Sources sources = {
      {"queue", {"name = 'mine'\n"}},
      {"math", {"name = 'mine'\n"}},
      {"json", {"", true}},
      {"json.more", {"name = 'more'\n"}},
      {"statistics", {"name = 'mine'", true}},
      {"asks", {"def __getattr__(n): raise AttributeError(n)"}},
  };
  EXPECT_EQ(RunWith(sources, "import queue, statistics\nprint(queue.name, statistics.name)"),
            "mine mine\n");
  EXPECT_EQ(RunWith(sources, "import math\nprint(hasattr(math, 'name'), math.sqrt(4))"),
            "False 2.0\n");
  EXPECT_EQ(RunWith(sources,
                    "import json\nfrom json import more, decoder\n"
                    "print(json.loads('[1]'), more.name, decoder.__name__)"),
            "[1] more json.decoder\n");
  EXPECT_EQ(RunWith(sources, "try: from asks import x\nexcept ImportError as e: print(e.name)"),
            "asks\n");
}

// Built-in types ask these modules themselves.
TEST(Imports, ATasksModuleInPlaceOfOneThatTypesAskHarmsNothing) {
  const Sources sources = {{"typing", {"def _parameters(x): return 5\n_subscribed = 7\n"}},
                           {"copyreg", {"_reduce = 5\n"}},
                           {"warnings", {"warn = None\n"}}};
  EXPECT_EQ(RunWith(sources,
                    "import typing, copyreg, warnings\n"
                    "print(list[5, ()].__parameters__)\n"
                    "class I(int): pass\n"
                    "class J:\n  def __int__(self): return I(5)\n"
                    "for f in (lambda: list[5.5][int], lambda: object().__reduce_ex__(2),\n"
                    "          lambda: int(J())):\n"
                    "  try: print(f())\n"
                    "  except TypeError as e: print(e)\n"),
            "5\n'int' object is not callable\n'int' object is not callable\n"
            "'NoneType' object is not callable\n");
}

TEST(Imports, CyclesAndFailures) {
  EXPECT_EQ(RunWith(kPackage, "import one, two\nprint(two.f())\n"), "False\n1\n");
  EXPECT_EQ(
      RunWith(kPackage,
              "try: import broken\nexcept SyntaxError as e: print(e.msg, e.lineno, e.offset)"),
      "'(' was never closed 1 5\n");
  EXPECT_EQ(
      RunWith(kPackage,
              "for _ in range(2):\n try: import fails\n except ZeroDivisionError: print('z')"),
      "z\nz\n");
  EXPECT_EQ(
      RunWith(kPackage, "try: import nowhere.at_all\nexcept ModuleNotFoundError as e: print(e)"),
      "No module named 'nowhere'\n");
  EXPECT_EQ(RunWith(kPackage, "try: from one import nothing\nexcept ImportError as e: print(e)"),
            "False\ncannot import name 'nothing' from 'one' (one.py)\n");
}

TEST(Imports, TracebacksShowLinesAndCarets) {
  const Sources sources = {{"m", {"def f(a):\n    return a['k'] + 1\n"}}};
  Isolate::Options options;
  options.loader = [&sources](std::string_view name) -> Result<ModuleFile> {
    auto found = sources.find(std::string(name));
    if (found == sources.end()) return Status(Code::kNotFound, "no module");
    return ModuleFile(found->second.text);
  };
  auto isolate = Isolate::Create(std::move(options));
  ASSERT_TRUE(isolate.ok());
  const Status status =
      (*isolate)->RunSource("import m\nprint('x', m.f({'k': 'v'}))\n", "__main__").status();
  EXPECT_EQ(status.message(),
            "TypeError: can only concatenate str (not \"int\") to str\n"
            "Traceback (most recent call last):\n"
            "  File \"__main__.py\", line 2, in <module>\n"
            "    print('x', m.f({'k': 'v'}))\n"
            "               ^^^^^^^^^^^^^^^\n"
            "  File \"m.py\", line 2, in f\n"
            "    return a['k'] + 1\n"
            "           ~~~~~~~^~~\n"
            "TypeError: can only concatenate str (not \"int\") to str");
}

}  // namespace
}  // namespace ferry::vm

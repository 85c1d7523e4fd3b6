// What Imports finds in a source without running it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device-runtime/vm/compile/imports.h"

namespace ferry::vm {
namespace {

std::string Found(std::string_view source) {
  const auto imports = Imports(source, "s.py");
  if (!imports.ok()) return imports.status().ToString();
  std::string out;
  for (const ImportStatement& one : *imports) {
    out += fmt::format("{}:{} {}{}", one.line, one.column, std::string(one.level, '.'), one.module);
    for (const std::string& name : one.names) out += " " + name;
    out += one.may_fail ? " may fail\n" : "\n";
  }
  return out;
}

TEST(ImportStatements, OfASource) {
  EXPECT_EQ(Found("import a.b as c, d\nfrom . import e\nfrom ..f import (g, h as i)\n"
                  "from j import *\n"),
            "1:1 a.b\n1:1 d\n2:1 . e\n3:1 ..f g h\n4:1 j *\n");
  EXPECT_EQ(Found("def f():\n  async def g(): import a\n  class C:\n    from b import c\n"),
            "2:18 a\n4:5 b c\n");
  EXPECT_EQ(Found("for i in ():\n  import a\nelse:\n  import b\n"
                  "while 0: import c\nwith f: import d\n"
                  "if x: import e\nelif y: import f\nelse: import g\n"
                  "match x:\n  case 1: import h\n"),
            "2:3 a\n4:3 b\n5:10 c\n6:9 d\n7:7 e\n8:9 f\n9:7 g\n11:11 h\n");
}

TEST(ImportStatements, ThatMayFailOrNeverRun) {
  EXPECT_EQ(Found("try: import a\nexcept ImportError: import b\nelse: import c\nfinally: import d\n"
                  "try: import e\nfinally: pass\n"
                  "try:\n  def f(): import g\nexcept* OSError: pass\n"),
            "1:6 a may fail\n2:21 b\n3:7 c\n4:10 d\n5:6 e\n8:12 g may fail\n");
  EXPECT_EQ(Found("if __name__ == '__main__':\n  import a\nelse:\n  import b\n"
                  "if '__main__' == __name__: import c\nif __name__ != '__main__': import d\n"
                  "if TYPE_CHECKING: import e\nif typing.TYPE_CHECKING: import f\n"),
            "4:3 b\n6:28 d\n");
  EXPECT_EQ(Found("\xEF\xBB\xBFimport a\r\nif x:\r  import b\r\n"), "1:1 a\n3:3 b\n");
  EXPECT_EQ(Found("x = = 1\n").substr(0, 14), "script_syntax:");
}

}  // namespace
}  // namespace ferry::vm

// Values that go from one isolate to another.
#include "device-runtime/vm/host/transfer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ferry::vm {
namespace {

// Copies the variable x that `source` sets into another isolate as y, and runs `check` there.
Status Move(const std::string& source, const std::string& check, Limits limits = {}) {
  auto from = Isolate::Create({});
  auto to = Isolate::Create({.limits = limits});
  FERRY_TRY(AsStatus((*from)->RunSource(source, "m")));
  FERRY_ASSIGN_OR_RETURN(const Value x, (*from)->GetGlobal("m", "x"));
  FERRY_TRY(AsStatus((*to)->RunSource("def check(y):\n" + check, "m")));
  FERRY_ASSIGN_OR_RETURN(const Value function, (*to)->GetGlobal("m", "check"));
  FERRY_ASSIGN_OR_RETURN(const Value y, CopyValue(**from, x, **to));
  (*from) = nullptr;  // nothing of the copy lies there
  return (*to)->Call(function, std::span(&y, 1)).status();
}

TEST(Transfer, PlainValues) {
  for (const char* value :
       {"None", "True", "5", "-2.5", "10 ** 40", "-(10 ** 40)", "'a\\u00e9\\U0001f600' * 50", "''",
        "b'\\x00\\xff'", "[]", "[1, [2, 'x']]", "(1, ('a', 2.5), ())",
        "{'a': 1, 2: [3], (4, 5): None}", "{1, 'b', (2, 3)}", "frozenset([1, 2])",
        "list(range(1000))", "{str(i): i * 10 ** 18 for i in range(100)}"}) {
    const Status status = Move(std::string("x = ") + value,
                               fmt::format("  assert y == {0} and type(y) is type({0})", value));
    EXPECT_TRUE(status.ok()) << value << ": " << status.ToString();
  }
}

TEST(Transfer, SharedPartsAndCyclesStay) {
  Status status = Move("a = [1]\nx = [a, a, (a, a)]",
                       "  assert y[0] is y[1] is y[2][0]\n  y[0].append(2)\n"
                       "  assert y == [[1, 2], [1, 2], ([1, 2], [1, 2])]");
  EXPECT_TRUE(status.ok()) << status.ToString();
  status = Move("x = []\nx.append({'me': x, 't': (x,)})",
                "  assert y[0]['me'] is y and y[0]['t'][0] is y");
  EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST(Transfer, CopiesAreApart) {
  auto from = Isolate::Create({});
  auto to = Isolate::Create({});
  ASSERT_TRUE((*from)->RunSource("x = [1, 2]", "m").ok());
  const auto copy = CopyValue(**from, *(*from)->GetGlobal("m", "x"), **to);
  ASSERT_TRUE(copy.ok());
  (*to)->Pin(*copy);
  ASSERT_TRUE((*from)->RunSource("import m\nm.x.append(3)", "n").ok());
  (*to)->Collect();
  EXPECT_EQ((*to)->Repr(*copy).value(), "[1, 2]");
}

TEST(Transfer, WhatBelongsToAnIsolateIsRefused) {
  for (const char* value : {"lambda: 0", "len", "type('A', (), {})", "type('A', (), {})()",
                            "iter([])", "ValueError()", "[1, [len]]", "{'a': (i for i in [])}"}) {
    const Status status = Move(std::string("x = ") + value, "  pass");
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << value << ": " << status.ToString();
  }
  EXPECT_EQ(Move("x = []\nfor i in range(1000): x = [x]", "  pass").code(), Code::kMalformed);
  EXPECT_EQ(
      Move("x = ['a' * 1000 + str(i) for i in range(9000)]", "  pass", {.memory_bytes = 4 << 20})
          .code(),
      Code::kScriptMemory);
}

}  // namespace
}  // namespace ferry::vm

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

// Values of all kinds in one another, by seed; most byte arrays are large enough to be moved.
constexpr char kRandomValues[] = R"py(
import random

def value(r, depth=0):
    kind = r.randrange(13 if depth < 4 else 8)
    if kind == 0: return r.choice([None, True, False])
    if kind == 1: return r.randrange(-5, 5)
    if kind == 2: return r.randrange(-10 ** 40, 10 ** 40)
    if kind == 3: return r.uniform(-1e9, 1e9)
    if kind == 4: return complex(r.random(), r.random())
    if kind == 5: return "".join(chr(r.choice([65, 233, 0x1F600])) for _ in range(r.randrange(40)))
    if kind == 6: return r.randbytes(r.randrange(100))
    if kind == 7: return bytearray(r.randbytes(r.randrange(3000)))
    n = r.randrange(6)
    if kind == 8: return [value(r, depth + 1) for _ in range(n)]
    if kind == 9: return tuple(value(r, depth + 1) for _ in range(n))
    if kind == 10: return {r.randrange(100): value(r, depth + 1) for _ in range(n)}
    # The order of larger sets depends on how they grew.
    if kind == 11: return {str(r.random()) for _ in range(min(n, 1))}
    return frozenset(r.randrange(100) for _ in range(min(n, 1)))

def make(seed):
    return value(random.Random(seed), -1)
)py";

int64_t MemoryOf(Isolate& isolate) {
  isolate.Collect();
  return isolate.usage().memory_bytes;
}

Value Made(Isolate& isolate, int seed) {
  const Value argument = Value::SmallInt(seed);
  return isolate.Call(*isolate.GetGlobal("m", "make"), std::span(&argument, 1)).value();
}

TEST(Transfer, WhatArrivesIsEqualAndNothingIsKept) {
  auto from = Isolate::Create({}).value();
  auto to = Isolate::Create({}).value();
  ASSERT_TRUE(from->RunSource(kRandomValues, "m").ok());
  ASSERT_TRUE(to->RunSource("y = 0", "m").ok());
  Made(*from, 0);
  ASSERT_TRUE(CopyValue(*from, Made(*from, 9), *to).ok());
  const int64_t from_before = MemoryOf(*from), to_before = MemoryOf(*to);
  for (int seed = 0; seed < 400; ++seed) {
    const Value made = Made(*from, seed);
    const std::string text = from->Repr(made).value();
    const auto copy = CopyValue(*from, made, *to);
    ASSERT_TRUE(copy.ok()) << copy.status().ToString();
    EXPECT_EQ(to->Repr(*copy).value(), text) << seed;
    EXPECT_EQ(from->Repr(made).value(), text) << seed;  // a copy leaves all as it was
    const auto moved = MoveValue(*from, made, *to);
    ASSERT_TRUE(moved.ok()) << moved.status().ToString();
    EXPECT_EQ(to->Repr(*moved).value(), text) << seed;
  }
  EXPECT_LE(MemoryOf(*from), from_before + 4096);  // its scripts ran meanwhile, and may keep caches
  EXPECT_EQ(MemoryOf(*to), to_before);
  EXPECT_EQ(to->usage().external_bytes, 0);
}

TEST(Transfer, MovedContentsAreCountedOnce) {
  constexpr int64_t kSize = 3 << 20;
  auto from = Isolate::Create({.limits = {.memory_bytes = 8 << 20}}).value();
  auto to = Isolate::Create({.limits = {.memory_bytes = 8 << 20}}).value();
  ASSERT_TRUE(
      from->RunSource("x = bytearray(3 << 20)\nx[-1] = 7\nv = memoryview(x)\nz = [x, x]", "m")
          .ok());
  const int64_t from_before = MemoryOf(*from), to_before = MemoryOf(*to);
  const auto moved = MoveValue(*from, *from->GetGlobal("m", "z"), *to);
  ASSERT_TRUE(moved.ok());
  to->Pin(*moved);
  EXPECT_LE(MemoryOf(*from), from_before - kSize);
  EXPECT_GE(MemoryOf(*to), to_before + kSize);
  // A view of what has left finds nothing, and says so.
  EXPECT_TRUE(from->RunSource("import m\nassert len(m.x) == 0 and m.z[1] is m.x\n"
                              "try: m.v[0]\nexcept (IndexError, ValueError, BufferError): pass\n"
                              "else: assert False\nm.x.append(1)\nassert m.x == b'\\x01'",
                              "n")
                  .ok());
  to->Unpin(*moved);
  EXPECT_LE(MemoryOf(*to), to_before + 4096);
}

TEST(Transfer, WhatDoesNotFitStays) {
  auto from = Isolate::Create({}).value();
  auto to = Isolate::Create({.limits = {.memory_bytes = 4 << 20}}).value();
  ASSERT_TRUE(from->RunSource("x = [bytearray(3 << 20), bytearray(3 << 20)]", "m").ok());
  const Value x = *from->GetGlobal("m", "x");
  EXPECT_EQ(MoveValue(*from, x, *to).code(), Code::kScriptMemory);
  EXPECT_TRUE(from->RunSource("import m\nassert [len(b) for b in m.x] == [3 << 20] * 2", "n").ok());
  ASSERT_TRUE(from->RunSource("import m\nm.x[0] = len", "o").ok());
  EXPECT_EQ(MoveValue(*from, x, *to).code(), Code::kInvalidArgument);
  EXPECT_TRUE(from->RunSource("import m\nassert len(m.x[1]) == 3 << 20", "p").ok());
}

TEST(Transfer, TheHostTakesAndGivesBytes) {
  auto one = Isolate::Create({}).value();
  auto other = Isolate::Create({}).value();
  ASSERT_TRUE(one->RunSource("x = bytearray(b'abc' * 100000)\ny = bytearray(b'few')", "m").ok());
  const int64_t before = MemoryOf(*one);
  for (const char* name : {"x", "y"}) {
    auto bytes = TakeBytes(*one, *one->GetGlobal("m", name));
    ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
    bytes->data()[0] = 'A';
    const auto given = GiveBytes(*other, std::move(*bytes));
    ASSERT_TRUE(given.ok());
    EXPECT_EQ(other->Repr(*given)->substr(0, 14),
              name[0] == 'x' ? "bytearray(b'Ab" : "bytearray(b'Ae");
  }
  EXPECT_LE(MemoryOf(*one), before - 300'000);
  EXPECT_TRUE(one->RunSource("import m\nassert m.x == m.y == b''", "n").ok());
  EXPECT_EQ(TakeBytes(*one, Value::None()).code(), Code::kInvalidArgument);
  auto fresh = MovedBytes::Allocate(0);
  ASSERT_TRUE(fresh.ok());
  EXPECT_EQ(other->Repr(*GiveBytes(*other, std::move(*fresh))).value(), "bytearray(b'')");
  auto small = Isolate::Create({.limits = {.memory_bytes = 1 << 20}}).value();
  EXPECT_EQ(GiveBytes(*small, *MovedBytes::Allocate(2 << 20)).code(), Code::kScriptMemory);
}

}  // namespace
}  // namespace ferry::vm

// Graphs that run in parts: the session agrees with the naive path, on every instruction set, over
// and over.
#include "device-runtime/engine/run/runner.h"

#include <gtest/gtest.h>
#include "common/sys/random.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/engine/value_testing.h"
#include "device-runtime/ir/text.h"

namespace ferry::engine {
namespace {

using tensor::MemoryBudget;
using tensor::Value;

constexpr double kTolerance = 1e-4;

ir::Graph GraphOf(std::string_view text) {
  auto graph = ir::Parse(text);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_TRUE(ir::Verify(*graph).ok()) << ir::Verify(*graph).ToString();
  return *std::move(graph);
}

std::unique_ptr<Session> SessionOf(const ir::Graph& graph, SessionOptions options = {}) {
  auto model = Model::FromGraph(graph);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  auto session = Session::Create(*model, options);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  return *std::move(session);
}

std::vector<NamedValue> Feeds(std::vector<std::pair<std::string, std::string>> texts) {
  std::vector<NamedValue> feeds;
  for (const auto& [name, text] : texts) {
    auto value = ParseValue(text);
    EXPECT_TRUE(value.ok()) << text << ": " << value.status().ToString();
    feeds.push_back({name, *value});
  }
  return feeds;
}

// Runs `feeds` one after the other in one session an instruction set, and each by the naive path.
void ExpectAgreement(std::string_view text, const std::vector<std::vector<NamedValue>>& feeds) {
  const ir::Graph graph = GraphOf(text);
  for (const std::string& isa : AvailableIsas()) {
    SCOPED_TRACE(isa);
    SessionOptions options;
    options.isa = isa;
    auto session = SessionOf(graph, options);
    for (size_t i = 0; i < feeds.size(); ++i) {
      SCOPED_TRACE(i);
      auto naive = RunReference(graph, feeds[i]);
      ASSERT_TRUE(naive.ok()) << naive.status().ToString();
      auto outputs = session->RunValues(feeds[i]);
      ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
      ASSERT_EQ(outputs->size(), naive->size());
      for (size_t k = 0; k < naive->size(); ++k) {
        EXPECT_EQ(ValueDifference((*outputs)[k].value, (*naive)[k].value, kTolerance), "")
            << (*naive)[k].name;
      }
    }
  }
}

// Grows a tensor with each step; what follows the Concat has another shape each time.
constexpr std::string_view kGrowing = R"(graph growing
input m i64 []
input x f32 [2,3]
const w f32 [3,3] = 1 2 3 4 5 6 7 8 9
const tenth f32 [] = 0.1
node Loop l (m, -, x, w, tenth) -> (y, all) captured 2 body=g
{
graph body captured 2
input i i64 []
input go bool []
input s f32
input w f32 [3,3]
input tenth f32 []
const first i64 [1] = 0
const one i64 [1] = 1
const axis i64 [1] = 0
node Identity keep (go) -> (go_on)
node MatMul p (s, w) -> (q)
node Mul r (q, tenth) -> (t)
node Tanh h (t) -> (u)
node Concat c (s, u) -> (v) axis=i0
node Slice d (u, first, one, axis) -> (row)
output go_on
output v
output row
}
node MatMul last (y, w) -> (z)
output z
output all
)";

TEST(GraphRunner, ShapesThatChangeWithEachStep) {
  const std::string x = "f32 [2,3] = 0.1 0.2 0.3 -0.1 0.4 0";
  ExpectAgreement(kGrowing,
                  {Feeds({{"m", "i64 [] = 3"}, {"x", x}}), Feeds({{"m", "i64 [] = 9"}, {"x", x}}),
                   Feeds({{"m", "i64 [] = 3"}, {"x", x}})});
}

// A value pinned that changes with each step, far more often than plans are kept.
constexpr std::string_view kCounter = R"(graph counter
input m i64 []
input x f32 [n,2]
node Loop l (m, -, x, x) -> (all, sizes) captured 2 body=g
{
graph body captured 2
input i i64 []
input go bool []
input x f32
input same f32
const one i64 [1] = 1
const zero i64 [1] = 0
node Reshape r (i, one) -> (start)
node Add a (start, one) -> (end)
node Slice s (x, start, end, zero) -> (row)
node Slice head (same, zero, end, zero) -> (rows)
node ReduceSum sum (rows) -> (total) keepdims=i0
node Exp e (row) -> (f)
node Add g (f, total) -> (h)
node Shape n (rows) -> (size)
output go
output h
output size
}
output all
output sizes
)";

TEST(GraphRunner, PinnedValuesThatChangeWithEachStep) {
  std::string x = "f32 [300,2] =";
  for (int i = 0; i < 600; ++i) x += " " + std::to_string(0.01 * (i % 80));
  ExpectAgreement(
      kCounter, {Feeds({{"m", "i64 [] = 300"}, {"x", x}}), Feeds({{"m", "i64 [] = 5"}, {"x", x}})});
}

TEST(GraphRunner, PlansAreKept) {
  auto session = SessionOf(GraphOf(kCounter));
  const auto feeds = Feeds({{"m", "i64 [] = 3"}, {"x", "f32 [3,2] = 1 2 3 4 5 6"}});
  ASSERT_TRUE(session->RunValues(feeds).ok());
  const std::string text = session->plan().text;
  EXPECT_FALSE(text.empty());
  ASSERT_TRUE(session->RunValues(feeds).ok());
  EXPECT_EQ(session->plan().text, text);
  const auto more = Feeds({{"m", "i64 [] = 40"}, {"x", "f32 [40,2] =" + [] {
                                                    std::string s;
                                                    for (int i = 0; i < 80; ++i) s += " 1";
                                                    return s;
                                                  }()}});
  ASSERT_TRUE(session->RunValues(more).ok());
  int parts = 0;
  for (size_t at = 0; (at = session->plan().text.find("part of", at)) != std::string::npos; ++at) {
    ++parts;
  }
  // At most so many plans for each node that a part can begin at.
  EXPECT_LE(parts, static_cast<int>(kMaxPlansPerPlace) * 10);
}

// What one part makes is read after other parts, by names for inputs and in sequences.
TEST(GraphRunner, ValuesOutliveTheirMakers) {
  const std::string_view text = R"(graph lives
input x f32 [4]
const shape i64 [2] = 2 2
const flat i64 [1] = -1
const zero i64 [] = 0
node Relu r (x) -> (a)
node SequenceConstruct c (a, x) -> (s)
node SequenceAt at (s, zero) -> (first)
node Reshape v (first, shape) -> (square)
node SequenceErase gone (s) -> (shorter)
node Reshape f (square, flat) -> (line)
node SequenceInsert in (shorter, line) -> (s2)
node Identity i (line) -> (same)
node ConcatFromSequence cat (s2) -> (all) axis=i0
node Add sum (same, first) -> (y)
output all
output y
output s2
output same
)";
  ExpectAgreement(text,
                  {Feeds({{"x", "f32 [4] = 1 -2 3 -4"}}), Feeds({{"x", "f32 [4] = 5 6 7 8"}})});
}

// The naive Split of strings makes texts, plans move them, and what made them goes.
TEST(GraphRunner, TextsOutliveTheirMakers) {
  const std::string_view text = R"(graph texts
input m i64 []
input x string [2]
const flat i64 [1] = -1
node Loop l (m, -, x, x) -> (s, all) captured 1 body=g
{
graph body captured 1
input i i64 []
input go bool []
input s string
input x string [2]
const flat i64 [1] = -1
const tail string [1] = " and some more words"
node StringSplit a (s) -> (p, -) delimiter=s" "
node Transpose b (p) -> (q) perm=I[1,0]
node StringConcat c (q, tail) -> (r)
node Reshape d (r, flat) -> (t)
node SequenceConstruct e (t, x) -> (seq)
node ConcatFromSequence f (seq) -> (u) axis=i0
output go
output u
output x
}
node StringSplit k (s) -> (pieces, counts) delimiter=s"long"
node Reshape v (pieces, flat) -> (y)
output y
output counts
output all
)";
  const std::string x = R"(string [2] = "a longer text than fits " "another text, long enough")";
  ExpectAgreement(text,
                  {Feeds({{"m", "i64 [] = 3"}, {"x", x}}), Feeds({{"m", "i64 [] = 1"}, {"x", x}}),
                   Feeds({{"m", "i64 [] = 3"}, {"x", x}})});
}

// Fibonacci of tensors: a swap, a body output that is its input, two levels of bodies that read
// values of the outermost graph.
TEST(GraphRunner, SwapsAndTwoLevels) {
  const std::string_view text = R"(graph fib
input m i64 []
input x f32 [3]
input odd bool []
node Loop l (m, -, x, x, odd, x, m) -> (a, b, flag, sums) captured 2 body=g
{
graph body captured 2
input i i64 []
input go bool []
input a f32
input b f32
input flag bool
input x f32
input m i64 []
node Add s (a, b) -> (c)
node Not n (flag) -> (flip)
node If pick (flag, c, m, x, x, a) -> (d) captured 5 else_branch=g then_branch=g
{
graph no captured 3
input c f32
input m i64 []
input x f32
node Loop inner (m, -, c, x) -> (e) captured 1 body=g
{
graph inner captured 1
input j i64 []
input go2 bool []
input e f32
input x f32
node Sub sub (e, x) -> (f)
output go2
output f
}
output e
}
{
graph yes captured 2
input x f32
input a f32
output a
}
output go
output b
output c
output flip
output d
}
output a
output b
output flag
output sums
)";
  const std::string x = "f32 [3] = 1 2 3";
  ExpectAgreement(text, {Feeds({{"m", "i64 [] = 5"}, {"x", x}, {"odd", "bool [] = 1"}}),
                         Feeds({{"m", "i64 [] = 6"}, {"x", x}, {"odd", "bool [] = 0"}}),
                         Feeds({{"m", "i64 [] = 1"}, {"x", x}, {"odd", "bool [] = 1"}})});
}

// Outputs of Execute stay valid until the next call, also where they are inputs by another name.
TEST(GraphRunner, ExecuteKeepsOutputs) {
  auto session = SessionOf(GraphOf(R"(graph keep
input x f32 [2]
input c bool []
node If n (c, x, x) -> (y) captured 2 else_branch=g then_branch=g
{
graph no captured 1
input x f32
node Neg m (x) -> (y)
output y
}
{
graph yes captured 1
input x f32
output x
}
node Mul sq (y, y) -> (z)
output y
output z
)"));
  for (int i = 0; i < 4; ++i) {
    const std::string c = i % 2 == 0 ? "bool [] = 0" : "bool [] = 1";
    std::vector<NamedTensor> inputs = {{"x", ir::ParseTensor("f32 [2] = 2 3").value()},
                                       {"c", ir::ParseTensor(c).value()}};
    ASSERT_TRUE(session->Execute(inputs).ok());
    EXPECT_EQ(ir::PrintTensor(session->output(0)),
              i % 2 == 0 ? "f32 [2] = -2 -3" : "f32 [2] = 2 3");
    EXPECT_EQ(ir::PrintTensor(session->output(1)), "f32 [2] = 4 9");
  }
}

TEST(GraphRunner, MemoryBudget) {
  const ir::Graph graph = GraphOf(kGrowing);
  const auto feeds = [](int64_t steps) {
    return Feeds(
        {{"m", "i64 [] = " + std::to_string(steps)}, {"x", "f32 [2,3] = 0.1 0.2 0.3 -0.1 0.4 0"}});
  };
  SessionOptions options;
  options.budget = std::make_shared<MemoryBudget>(64 << 10);
  {
    auto session = SessionOf(graph, options);
    EXPECT_TRUE(session->RunValues(feeds(4)).ok());
    auto failed = session->RunValues(feeds(30));  // 2^31 rows
    EXPECT_EQ(failed.code(), Code::kOutOfMemory) << failed.status().ToString();
    EXPECT_TRUE(session->RunValues(feeds(4)).ok());  // the session goes on
  }
  EXPECT_EQ(options.budget->used(), 0);
}

// Plans of shapes that are gone make room for new ones.
TEST(GraphRunner, IdlePlansMakeRoom) {
  const ir::Graph graph = GraphOf(R"(graph rows
input x f32 [n,64]
node Split s (x) -> (a, b) axis=i1 num_outputs=i2
node SequenceConstruct q (a, b) -> (seq)
node ConcatFromSequence c (seq) -> (y) axis=i1
node Exp e (y) -> (z)
node ReduceSum r (z) -> (t)
output t
)");
  SessionOptions options;
  options.budget = std::make_shared<MemoryBudget>(160 << 10);
  auto session = SessionOf(graph, options);
  for (int64_t rows = 100; rows < 140; rows += 5) {
    auto x = Tensor::Zeros(DType::kF32, {rows, 64});
    ASSERT_TRUE(x.ok());
    auto outputs = session->Run({{"x", *x}});
    ASSERT_TRUE(outputs.ok()) << rows << ": " << outputs.status().ToString();
    EXPECT_EQ((*outputs)[0].tensor.Number(0), static_cast<double>(rows * 64));
  }
}

TEST(GraphRunner, SeedlessRandomNumbersComeFromTheSession) {
  const ir::Graph graph = GraphOf(R"(graph random
node RandomUniform u () -> (y) shape=I[4]
output y
)");
  const auto run = [&](uint64_t seed) {
    sys::SeededRandom random(seed);
    SessionOptions options;
    options.random = &random;
    auto session = SessionOf(graph, options);
    std::string texts;
    for (int i = 0; i < 2; ++i) texts += ir::PrintTensor((*session->Run({}))[0].tensor) + "; ";
    return texts;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  const std::string both = run(1);
  EXPECT_NE(both.substr(0, both.find(';')), both.substr(both.find(';') + 2, both.find(';')));
}

}  // namespace
}  // namespace ferry::engine

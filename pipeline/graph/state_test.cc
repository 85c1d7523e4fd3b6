// State: a graph that is written out and read again after every row gives the rows of one that was
// never stopped.
#include <gmock/gmock.h>

#include <map>
#include <random>

#include "pipeline/graph/graph.h"
#include "pipeline/operator/table_reader.h"

namespace ferry::graph {
namespace {

class MemoryState : public event::StateWriter {
 public:
  void Put(std::string_view key, std::string_view value) override {
    pairs_[std::string(key)] = value;
    ++writes;
  }
  void Delete(std::string_view key) override {
    EXPECT_EQ(pairs_.erase(std::string(key)), 1u);
    ++writes;
  }
  std::vector<Graph::Pair> pairs() const { return {pairs_.begin(), pairs_.end()}; }
  std::map<std::string, std::string>& map() { return pairs_; }
  int writes = 0;

 private:
  std::map<std::string, std::string> pairs_;
};

class Items : public operators::TableReader {
 public:
  Result<Json> Get(std::string_view table, const Json& key) const override {
    if (table != "items") return Status::Of(Code::kNotFound, "there is no table {}", table);
    const int64_t id = key[0].is_number_integer() ? key[0].get<int64_t>() : -1;
    return id % 2 == 0 ? Json{{"price", id * 10}} : Json();
  }
};

constexpr char kStreams[] = R"([
  {"name":"raw","source":["a","b"],"operators":[{"op":"filter","where":"_event != \"never\""},
    {"op":"dedupe","key":["k","v"],"within_ms":40},{"op":"sample","one_in":2}]},
  {"name":"tumbling","source":"a","operators":[{"op":"window","size_ms":50,"key":["k"],
    "allowed_lateness_ms":30,"aggregates":[{"op":"sum","field":"v","as":"sum"},
    {"op":"mean","field":"v","as":"mean"},{"op":"min","field":"v","as":"min"},
    {"op":"max","field":"v","as":"max"},{"op":"count","as":"n"}]}]},
  {"name":"sliding","source":"a","operators":[{"op":"window","kind":"sliding","size_ms":90,
    "step_ms":30,"key":["k"],"aggregates":[{"op":"first","field":"k","as":"first"},
    {"op":"last","field":"v","as":"last"},{"op":"distinct","field":"v","as":"d"}]}]},
  {"name":"session","source":"b","operators":[{"op":"window","kind":"session","gap_ms":25,
    "allowed_lateness_ms":30,"emit":"updates","key":["k"],"aggregates":[
    {"op":"top_k","field":"v","as":"top","k":2},{"op":"quantile","field":"v","as":"q","q":0.5}]},
    {"op":"map","fields":{"top":"top","q":"q"}}]},
  {"name":"count","source":"a","operators":[{"op":"window","kind":"count","size":3,"key":["k"],
    "allowed_lateness_ms":30,"aggregates":[{"op":"sum","field":"v","as":"sum"}]}]},
  {"name":"page","source":["a","page_enter","page_exit"],"operators":[{"op":"window","kind":"page",
    "timeout_ms":200,"allowed_lateness_ms":30,"aggregates":[{"op":"count","as":"n"}]}]},
  {"name":"join","source":"a","operators":[{"op":"join","with":"b","key":["k"],"lower_ms":-20,
    "upper_ms":20,"allowed_lateness_ms":30},{"op":"lookup","table":"items","key":["k"]}]},
  {"name":"windows of windows","source":"tumbling","operators":[{"op":"window","size_ms":200,
    "aggregates":[{"op":"max","field":"sum","as":"most"}]}]}])";

std::string Spec() {
  std::string text = kStreams;
  const size_t at = text.find("windows of windows");
  return text.replace(at, 18, "outer");
}

std::unique_ptr<Graph> BuildWith(const std::string& text, const Items* items) {
  auto graph = Graph::Build(Json::parse(text), {items});
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  return std::move(*graph);
}

struct Step {
  std::string source;
  event::Row row;
};

std::vector<Step> RandomSteps(std::mt19937& random) {
  std::vector<Step> steps;
  int64_t now = 1000;
  for (int k = 0; k < 120; ++k) {
    now += random() % 12;
    static const char* kSources[] = {"a", "a", "b", "b", "page_enter", "page_exit"};
    Step step;
    step.source = kSources[random() % 6];
    step.row.time_ms = now - static_cast<int64_t>(random() % 45);
    step.row.origin = std::make_shared<const event::Origin>(
        event::Origin{step.source, std::string(1, 'p' + random() % 2)});
    step.row.fields["k"] = random() % 3;
    if (random() % 4 > 0) step.row.fields["v"] = static_cast<double>(random() % 1000) / 7;
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<std::string> Texts(const std::vector<Output>& out) {
  std::vector<std::string> texts;
  for (const Output& one : out)
    texts.push_back(one.stream + " " + std::to_string(one.row.time_ms) + " " +
                    WriteJson(one.row.fields));
  return texts;
}

TEST(GraphState, SavedAndLoadedAfterEveryRowGivesTheSameRows) {
  const Items items;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::vector<Step> steps = RandomSteps(random);
    std::vector<Output> expected, out;
    auto whole = BuildWith(Spec(), &items);
    auto part = BuildWith(Spec(), &items);
    MemoryState state;
    for (const Step& step : steps) {
      (void)whole->Push(step.source, step.row, 0, &expected);
      (void)part->Push(step.source, step.row, 0, &out);
      part->SaveChanges(state);
      part = BuildWith(Spec(), &items);
      part->Load(state.pairs());
    }
    whole->Flush(&expected);
    part->Flush(&out);
    ASSERT_EQ(Texts(out), Texts(expected));
    const auto stats = part->stats(), wanted = whole->stats();
    for (size_t k = 0; k < stats.size(); ++k) {
      EXPECT_EQ(stats[k].rows_in, wanted[k].rows_in);
      EXPECT_EQ(stats[k].rows_out, wanted[k].rows_out);
      EXPECT_EQ(stats[k].late, wanted[k].late) << stats[k].stream;
      EXPECT_EQ(stats[k].missing_exits, wanted[k].missing_exits);
      EXPECT_EQ(stats[k].state_reset, 0);
    }
    // What is open no more is not kept.
    part->SaveChanges(state);
    for (const auto& [key, value] : state.map())
      EXPECT_TRUE(key.back() == 'w' || key.back() == 'n' || key.find("raw") == 0 ||
                  key[key.find('\0') + 1] == '\x7f')
          << key;
  }
}

TEST(GraphState, ACommitCostsWhatChangedNotWhatIsHeld) {
  auto graph = BuildWith(R"([{"name":"w","source":"a","operators":[{"op":"window","size_ms":1000,
    "key":["k"],"aggregates":[{"op":"count","as":"n"}]}]}])",
                         nullptr);
  std::vector<Output> out;
  for (int k = 0; k < 5000; ++k) ASSERT_TRUE(graph->Push("a", {1, {{"k", k}}}, 0, &out).ok());
  MemoryState state;
  graph->SaveChanges(state);
  state.writes = 0;
  graph->SaveChanges(state);
  EXPECT_EQ(state.writes, 0);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(graph->Push("a", {1, {{"k", k / 2}}}, 0, &out).ok());
  graph->SaveChanges(state);
  EXPECT_EQ(state.writes, 6);  // five panes and the stream's counts
}

TEST(GraphState, WindowsOutliveACleanStop) {
  const std::string spec = R"([{"name":"w","source":"a","idle_ms":500,"operators":[{"op":"window",
    "size_ms":100,"aggregates":[{"op":"count","as":"n"}]}]}])";
  std::vector<Output> out;
  MemoryState state;
  auto graph = BuildWith(spec, nullptr);
  ASSERT_TRUE(graph->Push("a", {10, {}}, 7'000'000, &out).ok());
  graph->SaveChanges(state);
  graph = BuildWith(spec, nullptr);
  graph->Load(state.pairs());
  // The host's clock began anew: the pause counts from its first reading.
  graph->Advance(10, &out);
  graph->Advance(509, &out);
  ASSERT_TRUE(graph->Push("a", {20, {}}, 509, &out).ok());
  EXPECT_TRUE(out.empty());
  graph->Advance(1009, &out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].row.fields["n"], 2);
}

TEST(GraphState, AChangedDefinitionStartsAnewAndIsCounted) {
  const std::string two = R"([{"name":"w","source":"a","operators":[{"op":"window","size_ms":100,
    "aggregates":[{"op":"count","as":"n"}]}]},{"name":"x","source":"w","operators":[{"op":"window",
    "size_ms":1000,"aggregates":[{"op":"count","as":"n"}]}]},{"name":"same","source":"a",
    "operators":[{"op":"window","size_ms":100,"aggregates":[{"op":"count","as":"n"}]}]}])";
  std::vector<Output> out;
  MemoryState state;
  auto graph = BuildWith(two, nullptr);
  ASSERT_TRUE(graph->Push("a", {10, {}}, 0, &out).ok());
  graph->SaveChanges(state);
  std::string changed = two;
  changed.replace(changed.find("\"size_ms\":100,"), 14, "\"size_ms\":200,");
  changed.replace(changed.find("\"source\":\"a\""), 12, "\"upload\":true,\"source\":\"a\"");
  graph = BuildWith(changed, nullptr);
  state.Put("gone", "no stream has this");
  state.Put(std::string("old\0", 4) + "12345678901", "nor this");
  graph->Load(state.pairs());
  const auto stats = graph->stats();
  EXPECT_EQ(stats[0].state_reset, 1);
  EXPECT_EQ(stats[1].state_reset, 1);  // it counts rows of the first
  EXPECT_EQ(stats[2].state_reset, 0);
  graph->SaveChanges(state);
  graph->Flush(&out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].stream, "same");
  for (const auto& [key, value] : state.map()) EXPECT_EQ(key.find("gone"), std::string::npos);
}

TEST(GraphState, DamagedStateIsDroppedAndCounted) {
  const Items items;
  std::mt19937 random(4);
  const std::vector<Step> steps = RandomSteps(random);
  MemoryState state;
  auto graph = BuildWith(Spec(), &items);
  std::vector<Output> out;
  for (const Step& step : steps) (void)graph->Push(step.source, step.row, 0, &out);
  graph->SaveChanges(state);
  for (int round = 0; round < 300; ++round) {
    auto pairs = state.pairs();
    std::string& value = pairs[random() % pairs.size()].second;
    if (value.empty()) continue;
    if (round % 2 == 0)
      value.pop_back();
    else
      value[random() % value.size()] = static_cast<char>(random());
    auto other = BuildWith(Spec(), &items);
    other->Load(pairs);
    int64_t resets = 0;
    for (const StreamStats& one : other->stats()) resets += one.state_reset;
    if (round % 2 == 0) {
      EXPECT_EQ(resets, 1);
    }
    out.clear();
    for (const Step& step : steps) (void)other->Push(step.source, step.row, 0, &out);
    other->Flush(&out);
  }
}

}  // namespace
}  // namespace ferry::graph

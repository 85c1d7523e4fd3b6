#include "pipeline/graph/graph.h"

#include <gmock/gmock.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "pipeline/operator/table_reader.h"

namespace ferry::graph {
namespace {

using testing::HasSubstr;

std::string Rest(std::istringstream& in) {
  std::string rest;
  std::getline(in, rest);
  return rest;
}

// The table "items": each key's row says its price and name.
class CaseItems : public operators::TableReader {
 public:
  Result<Json> Get(std::string_view table, const Json& key) const override {
    if (table != "items") return Status::Of(Code::kNotFound, "there is no table {}", table);
    if (key == Json{1}) return Json{{"price", 10}, {"name", "one"}};
    if (key == Json{2}) return Json{{"price", 20}, {"name", "two"}};
    return Json();
  }
};

class CaseRunner {
 public:
  void Line(const std::string& line) {
    SCOPED_TRACE(line);
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "=>") return Expect(in);
    ASSERT_TRUE(out_.empty()) << "unexpected " << out_[0].stream << " "
                              << WriteJson(out_[0].row.fields);
    if (word == "spec") {
      auto json = ParseJson(Rest(in));
      ASSERT_TRUE(json.ok());
      auto graph = Graph::Build(*json, {&items_});
      ASSERT_TRUE(graph.ok()) << graph.status().ToString();
      graph_ = std::move(*graph);
      return;
    }
    std::vector<Output> out;
    int64_t time = 0;
    in >> time;
    if (word == "arrival")
      arrival_ms_ = time;
    else if (word == "advance")
      graph_->Advance(time, &out);
    else if (word == "watermark")
      graph_->AdvanceWatermark(time, &out);
    else if (word == "flush")
      graph_->Flush(&out);
    else {
      auto fields = ParseJson(Rest(in));
      ASSERT_TRUE(fields.ok());
      event::Row row{time, *fields};
      if (const size_t at = word.find('@'); at != word.npos) {
        row.origin = std::make_shared<const event::Origin>(
            event::Origin{word.substr(0, at), word.substr(at + 1)});
        word.resize(at);
      }
      const Status status = graph_->Push(word, row, 0, &out, arrival_ms_);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
    out_.insert(out_.end(), out.begin(), out.end());
  }
  bool empty() const { return out_.empty(); }

 private:
  void Expect(std::istringstream& in) {
    ASSERT_FALSE(out_.empty());
    std::string stream;
    int64_t time = 0;
    in >> stream >> time;
    auto fields = ParseJson(Rest(in));
    ASSERT_TRUE(fields.ok());
    EXPECT_EQ(out_[0].stream, stream);
    EXPECT_EQ(out_[0].row.time_ms, time);
    EXPECT_EQ(out_[0].row.fields, *fields) << WriteJson(out_[0].row.fields);
    out_.pop_front();
  }

  CaseItems items_;
  std::unique_ptr<Graph> graph_;
  std::deque<Output> out_;
  int64_t arrival_ms_ = kNoArrival;
};

TEST(Graph, Cases) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(FERRY_SOURCE_DIR "/pipeline/graph/cases")) {
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    std::ifstream in(entry.path());
    CaseRunner runner;
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#') runner.Line(line);
    EXPECT_TRUE(runner.empty());
  }
  EXPECT_GE(files, 3);
}

std::unique_ptr<Graph> Build(const std::string& text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json.ok());
  auto graph = Graph::Build(*json);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  return std::move(*graph);
}

TEST(Graph, AnErrorInOneStreamLeavesTheOthersGoing) {
  auto graph = Build(R"([{"name":"bad","source":"r","operators":[{"op":"filter","where":"n > 1"}]},
    {"name":"good","source":"r","upload":true}])");
  std::vector<Output> out;
  const Status status = graph->Push("r", {1, {{"n", "text"}}}, 0, &out);
  EXPECT_THAT(status.message(), HasSubstr("stream bad: operator 1: column 3: > does not take"));
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out[0].upload);
  const auto stats = graph->stats();
  EXPECT_EQ(stats[0].errors, 1);
  EXPECT_EQ(stats[0].rows_in, 1);
  EXPECT_EQ(stats[0].rows_out, 0);
  EXPECT_EQ(stats[1].rows_out, 1);
  EXPECT_EQ(graph->Push("other", {1, {}}, 0, &out).code(), Code::kNotFound);
  EXPECT_TRUE(graph->HasSource("r"));
  EXPECT_FALSE(graph->HasSource("other"));
}

TEST(Graph, LateRowsShowInTheStats) {
  auto graph = Build(R"([{"name":"w","source":"r","operators":[{"op":"window","size_ms":10,
    "aggregates":[{"op":"count","as":"n"}]}]}])");
  std::vector<Output> out;
  ASSERT_TRUE(graph->Push("r", {25, {}}, 0, &out).ok());
  ASSERT_TRUE(graph->Push("r", {3, {}}, 0, &out).ok());
  EXPECT_EQ(graph->stats()[0].late, 1);
}

TEST(Graph, BadSpecs) {
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "no array"},
      {"[3]", "stream 1 is no object"},
      {R"([{"source":"a"}])", "stream 1"},
      {R"([{"name":"a b","source":"a"}])", "name has the byte 0x20"},
      {R"([{"name":"a"}])", "stream a"},
      {R"([{"name":"a","source":"x"},{"name":"a","source":"x"}])", "two streams are named a"},
      {R"([{"name":"a","source":"x","colour":1}])", "stream a: there is no member \"colour\""},
      {R"([{"name":"a","source":"x","upload":"yes"}])", "upload"},
      {R"([{"name":"a","source":"x","idle_ms":0}])", "idle_ms"},
      {R"([{"name":"a","sources":"x"}])", "no member \"sources\"; \"source\" is near"},
      {R"([{"name":"a","source":"x","upload":"soon"}])", "upload is \"soon\""},
      {R"([{"name":"a","source":"x","into":"a b"}])", "into has the byte"},
      {R"([{"name":"a","source":["x","x"]}])", "source names x twice"},
      {R"([{"name":"a","source":["x",1]}])", "source"},
      {R"([{"name":"a","source":"b"},{"name":"b","source":"c"},{"name":"c","source":"a"}])",
       "in a circle: a reads b reads c reads a"},
      {R"([{"name":"d","source":"b"},{"name":"a","source":"x","operators":[{"op":"join","with":"b",
        "lower_ms":0,"upper_ms":1}]},{"name":"b","source":"a"}])",
       "in a circle: b reads a reads b"},
      {R"([{"name":"a","source":"x","operators":[{"op":"window","size_ms":5,"emit":"updates",
        "aggregates":[{"op":"count","as":"n"}]},{"op":"dedupe","key":["n"],"within_ms":3}]}])",
       "stream a: operator 2: it does not take the updates"},
      {R"([{"name":"a","source":"b","operators":[{"op":"window","size_ms":5,
        "aggregates":[{"op":"count","as":"n"}]}]},{"name":"b","source":"x","operators":[
        {"op":"window","size_ms":5,"emit":"updates","aggregates":[{"op":"count","as":"n"}]}]}])",
       "stream a: operator 1: it does not take the updates"},
      {R"([{"name":"a","source":"x","operators":[{"op":"filter","where":"1"},{"op":"sort"}]}])",
       "stream a: operator 2: there is no operator \"sort\""}};
  for (const auto& [text, part] : cases) {
    auto json = ParseJson(text);
    ASSERT_TRUE(json.ok());
    auto graph = Graph::Build(*json);
    ASSERT_FALSE(graph.ok()) << text;
    EXPECT_THAT(graph.status().message(), HasSubstr(part));
  }
  EXPECT_TRUE(Graph::Build(nullptr).ok());
}

TEST(Graph, OneRowDatedFarAheadMakesNoOtherLate) {
  constexpr char kSpec[] = R"([{"name":"w","source":"r","operators":[{"op":"window","size_ms":10,
    "aggregates":[{"op":"count","as":"n"}]}]}])";
  auto graph = Build(kSpec);
  std::vector<Output> out;
  constexpr int64_t kNow = 1'700'000'000'000;
  const auto push = [&](int64_t time) { return graph->Push("r", {time, {}}, 0, &out, kNow).ok(); };
  EXPECT_TRUE(push(kNow + kDefaultMaxAheadMs));  // the limit itself is within it
  EXPECT_EQ(graph->stats()[0].future, 0);
  graph = Build(kSpec);
  EXPECT_TRUE(push(kNow - 5));
  EXPECT_TRUE(push(kNow + kDefaultMaxAheadMs + 1));
  EXPECT_TRUE(push(event::kMaxTimeMs));
  EXPECT_TRUE(push(kNow));
  graph->Flush(&out);
  EXPECT_EQ(graph->stats()[0].future, 2);
  EXPECT_EQ(graph->stats()[0].late, 0);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[1].row.fields["n"], 3);
  EXPECT_EQ(graph->Push("r", {event::kMaxTimeMs + 1, {}}, 0, &out).code(), Code::kMalformed);
}

TEST(Graph, OutputsSayWhereRowsGo) {
  auto graph = Build(R"([{"name":"a","source":"r","upload":"realtime","into":"visits"},
    {"name":"b","source":"r","to":"other/on_row","app":true,"upload":false}])");
  std::vector<Output> out;
  ASSERT_TRUE(graph->Push("r", {1, {}}, 0, &out).ok());
  ASSERT_EQ(out.size(), 2u);
  EXPECT_TRUE(out[0].upload && out[0].realtime && !out[0].app && out[0].to.empty());
  EXPECT_EQ(out[0].into, "visits");
  EXPECT_TRUE(!out[1].upload && !out[1].realtime && out[1].app && out[1].into.empty());
  EXPECT_EQ(out[1].to, "other/on_row");
}

TEST(Graph, CheckNamesStreamsThatLeadNowhere) {
  const Json streams = Json::parse(R"([{"name":"a","source":"r"},{"name":"b","source":"a"},
    {"name":"c","source":"r","operators":[{"op":"join","with":"d","lower_ms":0,"upper_ms":1}],
    "app":true},{"name":"d","source":"r"},{"name":"e","source":"r"}])");
  const std::vector<std::string> rules = {"e"};
  auto found = Graph::Check(streams, rules);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_THAT((*found)[0], HasSubstr("stream b without a reader"));
  EXPECT_FALSE(Graph::Check(Json::parse("[1]")).ok());
}

TEST(Graph, Limits) {
  Json streams = Json::array();
  for (size_t k = 0; k < kMaxStreams; ++k)
    streams.push_back({{"name", "s" + std::to_string(k)}, {"source", "r"}});
  EXPECT_TRUE(Graph::Build(streams).ok());
  streams.push_back({{"name", "more"}, {"source", "r"}});
  EXPECT_EQ(Graph::Build(streams).code(), Code::kLimitExceeded);
  Json chain = Json::array();
  for (size_t k = 0; k < kMaxOperators; ++k) chain.push_back({{"op", "filter"}, {"where", "true"}});
  EXPECT_TRUE(Graph::Build({{{"name", "a"}, {"source", "r"}, {"operators", chain}}}).ok());
  chain.push_back(chain[0]);
  EXPECT_EQ(Graph::Build({{{"name", "a"}, {"source", "r"}, {"operators", chain}}}).code(),
            Code::kLimitExceeded);
}

// The host is to call Advance then, and not before.
TEST(Graph, SaysWhenAnIdleWindowCloses) {
  const auto graph = graph::Graph::Build(*ParseJson(R"([{"name":"v","idle_ms":20,
    "source":["page_enter","page_exit"],"operators":[
    {"op":"window","kind":"page","allowed_lateness_ms":15,
     "aggregates":[{"op":"count","as":"n"}]}]}])"));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  std::vector<Output> out;
  const auto push = [&](const char* id, int64_t time_ms, int64_t host_ms) {
    event::Event event;
    event.id = id;
    event.page = "item";
    event.time_ms = time_ms;
    ASSERT_TRUE((*graph)->Push(id, event::RowOfEvent(event), host_ms, &out).ok());
  };
  EXPECT_EQ((*graph)->next_idle_ms(), INT64_MAX);
  push("page_enter", 1'000, 50);
  push("page_exit", 1'100, 150);
  EXPECT_EQ((*graph)->next_idle_ms(), 170);
  (*graph)->Advance(169, &out);
  EXPECT_TRUE(out.empty());
  (*graph)->Advance(170, &out);
  EXPECT_EQ(out.size(), 1u);
  EXPECT_EQ((*graph)->next_idle_ms(), INT64_MAX);
}

}  // namespace
}  // namespace ferry::graph

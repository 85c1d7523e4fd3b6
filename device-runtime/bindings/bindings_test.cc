#include <gmock/gmock.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/bindings/modules.h"
#include "device-runtime/llm/testing/tiny_model.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::bindings {
namespace {

using testing::HasSubstr;

// One random language model for all tests.
std::shared_ptr<const llm::Model> Tiny() {
  static const auto model = [] {
    sys::SimFileSystem fs;
    EXPECT_TRUE(llm::testing::WriteTinyModel(fs, "tiny").ok());
    auto loaded = llm::Model::Load(fs, "tiny");
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    return *loaded;
  }();
  return model;
}

// Two tables in memory, and the changes of one run.
class FakeTables {
 public:
  FakeTables() {
    EXPECT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK);
    EXPECT_TRUE(tables_.Load(db_, &lock_).ok());
    for (const char* json : {R"({"name":"items","key":["shop","item"],
              "columns":{"shop":"text","item":"int","price":"float","more":"json"}})",
                             R"({"name":"seen","key":["at"],"columns":{"at":"int"}})"}) {
      const auto definition = table::DefinitionFromJson(*ParseJson(json));
      EXPECT_TRUE(definition.ok() && tables_.Declare(*definition).ok());
    }
  }
  ~FakeTables() { sqlite3_close_v2(db_); }
  table::Batch batch{tables_};

 private:
  sqlite3* db_ = nullptr;
  std::recursive_mutex lock_;
  table::Tables tables_;
};

class FakeHost : public Host {
 public:
  Result<std::shared_ptr<const engine::Model>> LoadModel(std::string_view name) override {
    return Status::Of(Code::kNotFound, "the task has no model \"{}\"", name);
  }
  Result<std::shared_ptr<const llm::Model>> LoadLanguageModel(std::string_view name) override {
    if (name == "tiny") return Tiny();
    return Host::LoadLanguageModel(name);
  }
  void CountInference(int64_t) override { ++inferences; }
  Status Emit(std::string_view stream, Json row) override {
    if (stream == "closed") return Status(Code::kFailedPrecondition, "the stream is closed");
    rows.push_back(std::move(row));
    return OkStatus();
  }
  std::vector<std::string> FileNames() override { return {"gain.json", "labels.txt"}; }
  Result<ByteView> ReadFile(std::string_view name) override {
    static constexpr std::string_view kLabels("zero\none\n\xff\0", 11);
    if (name == "labels.txt") return AsBytes(kLabels);
    if (name == "gain.json") return ByteView();
    return Host::ReadFile(name);
  }
  int64_t NowMs() override { return 1234; }
  void Log(LogLevel level, std::string_view line) override {
    logged.push_back(fmt::format("{} {}", static_cast<int>(level), line));
  }
  Status Metric(MetricKind kind, std::string_view name, double value) override {
    return metrics.Record(kind, name, value);
  }
  std::shared_ptr<tensor::MemoryBudget> Budget() override { return budget; }

  Result<Json> TableGet(std::string_view table, const std::vector<Json>& key) override {
    if (table == "none") return Host::TableGet(table, key);
    return tables.batch.Get(table, key);
  }
  Status TablePut(std::string_view table, const Json& row) override {
    return tables.batch.Put(table, row);
  }
  Status TableDelete(std::string_view table, const std::vector<Json>& key) override {
    return tables.batch.Delete(table, key);
  }
  Result<std::vector<Json>> TableRange(std::string_view table,
                                       const table::RangeQuery& query) override {
    return tables.batch.Range(table, query);
  }

  FakeTables tables;
  std::vector<std::string> logged;
  Metrics metrics;
  std::vector<Json> rows;
  int inferences = 0;
  std::shared_ptr<tensor::MemoryBudget> budget =
      std::make_shared<tensor::MemoryBudget>(int64_t{64} << 20);
};

Status RunScript(FakeHost* host, const std::string& source, const vm::Limits& limits = {}) {
  vm::Isolate::Options options;
  options.limits = limits;
  options.modules = AllModules();
  options.host = static_cast<Host*>(host);
  auto isolate = vm::Isolate::Create(std::move(options));
  if (!isolate.ok()) return isolate.status();
  return (*isolate)->RunSource(source, "case").status();
}

TEST(Bindings, LogAndMetricsReachTheHost) {
  FakeHost host;
  const Status status = RunScript(&host,
                                  "from ferry import log, metrics\n"
                                  "log.warning('low', level=0.25)\n"
                                  "for i in range(3): metrics.count('runs')\n"
                                  "metrics.observe('ms', 4)\nmetrics.observe('ms', 2.5)\n");
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(host.logged, std::vector<std::string>{"2 low level=0.25"});
  EXPECT_EQ(host.metrics.ToJson(),
            Json::parse(R"({"runs":3.0,"ms":{"count":2,"sum":6.5,"min":2.5,"max":4.0}})"));
  const Status many =
      RunScript(&host, "from ferry import metrics\nfor i in range(1000): metrics.count(str(i))\n");
  EXPECT_THAT(many.message(), HasSubstr("256 metrics are the limit"));
}

// Every file under cases/ runs to its end without an exception.
TEST(Bindings, Cases) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(FERRY_SOURCE_DIR "/device-runtime/bindings/cases")) {
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    FakeHost host;
    const Status status = RunScript(&host, text.str());
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(host.budget->used(), 0);  // all tensors died with the isolate
  }
  EXPECT_GE(files, 3);
}

// Who packs a task gets what its script declares, with the places of the calls.
TEST(Bindings, DeclarationsReachWhoAsks) {
  class Packer : public FakeHost {
   public:
    std::vector<Declaration>* Declarations() override { return &declared; }
    std::vector<Declaration> declared;
  } host;
  const Status status = RunScript(&host,
                                  "from ferry import stream\n"
                                  "items = stream.table('items', 'item', {'item': 'text'})\n"
                                  "@stream.rule('cart { a: view }', app=True)\n"
                                  "@stream.stream('visits')\n"
                                  "def on_cart(match):\n"
                                  "    return 1\n"
                                  "stream.rule('left', per='user', steps=[stream.step('a')])\n"
                                  "stream.field('age')\n");
  ASSERT_TRUE(status.ok()) << status.ToString();
  std::vector<std::string> got;
  for (const Declaration& one : host.declared)
    got.push_back(fmt::format("{} {}:{} {} {}", static_cast<int>(one.kind), one.file, one.line,
                              WriteJson(one.spec), one.function));
  EXPECT_THAT(got, testing::ElementsAre(
                       R"(2 case.py:2 {"columns":{"item":"text"},"key":["item"],"name":"items"} )",
                       R"(0 case.py:3 {"app":true,"text":"cart { a: view }"} on_cart)",
                       R"(1 case.py:4 {"name":"visits","source":"visits"} on_cart)",
                       R"(0 case.py:7 {"name":"left","per":["user"],"steps":[{"name":"a"}]} )",
                       R"(3 case.py:8 {"class":"local","name":"age"} )"));
  EXPECT_EQ(host.declared[1].value, host.declared[2].value);
}

TEST(Bindings, ADecoratorServesOneFunction) {
  class Packer : public FakeHost {
   public:
    std::vector<Declaration>* Declarations() override { return &declared; }
    std::vector<Declaration> declared;
  } host;
  const Status status = RunScript(&host,
                                  "from ferry import stream\n"
                                  "mark = stream.rule('cart { a: view }')\n"
                                  "@mark\ndef f(m): pass\n@mark\ndef g(m): pass\n");
  EXPECT_THAT(status.message(), HasSubstr("it leads to f already"));
}

TEST(Bindings, EmittedRowsReachTheHost) {
  FakeHost host;
  const Status status =
      RunScript(&host, "from ferry import events\nevents.emit('r', {'a': [1, 2.5, 'x', None]})\n");
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(host.rows.size(), 1u);
  EXPECT_EQ(host.rows[0], (Json{{"a", {1, 2.5, "x", nullptr}}}));
}

TEST(Bindings, TensorsCountAgainstTheMemoryOfTheScript) {
  FakeHost host;
  vm::Limits limits;
  limits.memory_bytes = 4 << 20;
  const std::string keep = R"(
from ferry import engine
row = [0.0] * 1000
kept = []
while True:
    kept.append(engine.tensor(row))
)";
  EXPECT_EQ(RunScript(&host, keep, limits).code(), Code::kScriptMemory);
  const std::string drop = R"(
from ferry import engine
row = [0.0] * 1000
for k in range(5000):
    t = engine.tensor(row)
)";
  const Status status = RunScript(&host, drop, limits);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(host.budget->used(), 0);
}

TEST(Bindings, WorkOnTensorsCountsSteps) {
  FakeHost host;
  vm::Limits limits;
  limits.steps = 1'000'000;
  const std::string text = R"(
from ferry import engine
t = engine.tensor([0.0] * 10000)
while True:
    t.argmax()
)";
  EXPECT_EQ(RunScript(&host, text, limits).code(), Code::kScriptTime);
}

TEST(Bindings, AHostWithoutTablesSaysSo) {
  FakeHost host;
  const std::string text = R"(
from ferry import tables
try:
    tables.get("none", 1)
    assert False
except RuntimeError as error:
    assert "nothing keeps tables here" in str(error), error
)";
  const Status status = RunScript(&host, text);
  EXPECT_TRUE(status.ok()) << status.ToString();
}

// Rows cost steps, whether or not the loop around them does anything else.
TEST(Bindings, TablesCountSteps) {
  FakeHost host;
  vm::Limits limits;
  limits.steps = 100'000;
  const std::string fill =
      "from ferry import tables\nfor k in range(500): tables.put('seen', {'at': k})\n";
  Status status = RunScript(&host, fill, limits);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_GT(host.tables.batch.bytes(), 500u);
  const std::string read = "from ferry import tables\nwhile True: tables.range('seen')\n";
  EXPECT_EQ(RunScript(&host, read, limits).code(), Code::kScriptTime);
}

// Each token counts, so that no loop of generations outlives the limit; no `except` helps.
TEST(Bindings, GenerationsCountSteps) {
  FakeHost host;
  vm::Limits limits;
  limits.steps = 100'000;
  const std::string text = R"(
from ferry import llm
m = llm.load("tiny")
while True:
    try:
        m.generate("x", max_new=20)
    except Exception:
        pass
)";
  EXPECT_EQ(RunScript(&host, text, limits).code(), Code::kScriptTime);
  EXPECT_LE(host.inferences, 5);
  EXPECT_EQ(host.budget->used(), 0);
  // Amid one long generation, and amid one long prompt.
  const std::string one = "from ferry import llm\nllm.load('tiny').generate('x', max_new=400)\n";
  EXPECT_EQ(RunScript(&host, one, limits).code(), Code::kScriptTime);
  const std::string prompt =
      "from ferry import llm\nllm.load('tiny').generate([1] * 400, max_new=1)\n";
  EXPECT_EQ(RunScript(&host, prompt, limits).code(), Code::kScriptTime);
  EXPECT_EQ(host.budget->used(), 0);
}

TEST(Bindings, GenerationsCountAsInferences) {
  FakeHost host;
  const Status status = RunScript(
      &host, "from ferry import llm\nm = llm.load('tiny')\nm.generate('a')\nm.generate('b')\n");
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(host.inferences, 2);
}

// KV caches count against the script's memory and the task's budget, for as long as they live.
TEST(Bindings, SequencesCountAgainstTheMemoryOfTheTask) {
  const std::string keep = R"(
from ferry import llm
m = llm.load("tiny")
kept = []
while True:
    kept.append(m.session(context=512))
)";
  FakeHost host;
  vm::Limits limits;
  limits.memory_bytes = 4 << 20;
  EXPECT_EQ(RunScript(&host, keep, limits).code(), Code::kScriptMemory);
  EXPECT_EQ(host.budget->used(), 0);
  host.budget = std::make_shared<tensor::MemoryBudget>(int64_t{1} << 20);
  limits.memory_bytes = 64 << 20;
  EXPECT_EQ(RunScript(&host, keep, limits).code(), Code::kScriptMemory);
  EXPECT_EQ(host.budget->used(), 0);
  const std::string drop = R"(
from ferry import llm
m = llm.load("tiny")
for k in range(50):
    s = m.session(context=512)
    s.append("x")
)";
  host.budget = std::make_shared<tensor::MemoryBudget>(int64_t{64} << 20);
  limits.memory_bytes = 8 << 20;
  const Status status = RunScript(&host, drop, limits);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(host.budget->used(), 0);
}

}  // namespace
}  // namespace ferry::bindings

// Whole tasks with scripts and no model; the ones with models are in tests/tasks.
#include "device-runtime/task/host.h"

#include <gmock/gmock.h>

#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/world.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/testing/tiny_model.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/task_spec.h"

namespace ferry::task {
namespace {

using testing::HasSubstr;

constexpr char kScript[] = R"py(
from ferry import events
import helper

seen = []

def on_trigger(matched):
    data = matched[-1]["data"]
    what = data.get("do", "")
    if what == "raise":
        raise ValueError("bad form " + str(data["n"]))
    if what == "loop":
        while True:
            pass
    if what == "eat":
        big = []
        while True:
            big.append("x" * 1000)
    if what == "recurse":
        return on_trigger(matched)
    if what == "late":
        events.emit("out", {"n": data["n"]})
        raise KeyError("after a row")
    if what == "nest":
        deep = []
        for i in range(63):
            deep = [deep]
        events.emit("out", {"n": data["n"], "deep": deep})
    if what == "nowhere":
        events.emit("elsewhere", {"n": 1})
    seen.append(data["n"])
    events.emit("out", {"n": data["n"]})
    return {"double": helper.double(data["n"]), "seen": len(seen), "events": len(matched)}
)py";

constexpr char kTask[] =
    R"({"name":"t","version":"1.0.0","script":"task.py","modules":["helper.py"],
  "trigger":{"sequence":[{"event":"go","page":"p"},{"event":"do"}],"after_match":"keep"},
  "streams":[{"name":"rows","source":"out","upload":true},
    {"name":"w","source":"out","upload":true,"operators":[{"op":"window","size_ms":1000,
      "aggregates":[{"op":"count","as":"count"},{"op":"mean","field":"n","as":"mean"}]}]},
    {"name":"kept","source":"out"}],
  "limits":{"steps":200000,"memory_bytes":4000000,"depth":50}})";

constexpr char kCases[] = R"({"cases":[{"name":"two","events":[{"id":"go","page":"p","time_ms":1},
  {"id":"do","time_ms":2,"data":{"n":2}}],"expect":{"double":4}},
  {"name":"bad","events":[{"id":"go","page":"p","time_ms":1},
  {"id":"do","time_ms":2,"data":{"n":2,"do":"raise"}}],"error":"bad form 2"}]})";

struct Pieces {
  std::string script = kScript;
  std::string task = kTask;
  std::string cases = kCases;
  std::string content = "task";
};

class HostTest : public testing::Test {
 protected:
  std::shared_ptr<const package::Package> MakePackage(const Pieces& pieces = {}) {
    package::Manifest manifest;
    manifest.name = "t";
    manifest.version = "1.0.0";
    manifest.content = pieces.content;
    auto task = ParseJson(pieces.task);
    EXPECT_TRUE(task.ok());
    manifest.task = *task;
    manifest.probe = {{"cases", "cases.json"}, {"count", 1}};
    manifest.simulation = {{"cases", "cases.json"}};
    const std::string helper = "def double(n):\n    return 2 * n\n";
    auto bytes = package::WritePackage(manifest, {{"task.py", AsBytes(pieces.script)},
                                                  {"helper.py", AsBytes(helper)},
                                                  {"cases.json", AsBytes(pieces.cases)}});
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    files_.push_back(std::make_unique<Bytes>(std::move(*bytes)));
    auto package = package::Package::Open(*files_.back());
    EXPECT_TRUE(package.ok()) << package.status().ToString();
    return std::make_shared<const package::Package>(std::move(*package));
  }

  Result<std::unique_ptr<TaskHost>> Load(const Pieces& pieces = {}) {
    HostOptions options;
    options.clock = &world_.clock();
    options.outbox = outbox_.get();
    options.collect_rows = true;
    return TaskHost::Load(MakePackage(pieces), options);
  }

  static event::Event Do(int n, const std::string& what = "", int64_t time_ms = 0) {
    event::Event event;
    event.id = "do";
    event.time_ms = time_ms;
    event.data = {{"n", n}};
    if (!what.empty()) event.data["do"] = what;
    return event;
  }
  static event::Event Go() {
    event::Event event;
    event.id = "go";
    event.page = "p";
    return event;
  }

  std::vector<store::Record> Waiting() {
    std::vector<store::Record> all;
    while (true) {  // a batch may hold fewer than there are
      auto batch = outbox_->Read(all.size() + 1, 1000, 1 << 20);
      EXPECT_TRUE(batch.ok());
      if (!batch.ok() || batch->records.empty()) return all;
      all.insert(all.end(), batch->records.begin(), batch->records.end());
    }
  }

  sys::SimWorld world_{1};
  std::unique_ptr<store::Outbox> outbox_ =
      std::move(*store::OpenOutbox(":memory:", world_.random()));
  std::vector<std::unique_ptr<Bytes>> files_;
};

TEST_F(HostTest, EventsTriggerTheScriptAndRowsReachTheOutbox) {
  auto host = Load();
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  EXPECT_FALSE((*host)->OnEvent(Do(1)).fired);
  EXPECT_FALSE((*host)->OnEvent(Go()).fired);
  EventOutcome outcome = (*host)->OnEvent(Do(3, "", 5000));
  ASSERT_TRUE(outcome.error.ok()) << outcome.error.ToString();
  EXPECT_TRUE(outcome.fired);
  EXPECT_EQ(outcome.result, (Json{{"double", 6}, {"seen", 1}, {"events", 2}}));
  ASSERT_EQ(outcome.rows.size(), 2u);  // rows and kept; the window is still open
  EXPECT_TRUE((*host)->OnEvent(Do(5, "", 6000)).error.ok());
  std::vector<store::Record> waiting = Waiting();
  ASSERT_EQ(waiting.size(), 3u);
  EXPECT_EQ(waiting[0].stream, "rows");
  EXPECT_EQ(waiting[0].json, R"({"n":3})");
  EXPECT_EQ(waiting[0].time_ms, 5000);
  EXPECT_EQ(waiting[2].stream, "w");
  EXPECT_THAT(waiting[2].json, HasSubstr(R"("count":1,"mean":3.0)"));
  (*host)->Close();
  EXPECT_EQ(Waiting().size(), 4u);
  EXPECT_EQ((*host)->stats().fired, 2);
  EXPECT_EQ((*host)->stats().events, 4);
  EXPECT_EQ((*host)->stats().rows_uploaded, 4);
}

TEST_F(HostTest, WindowsCloseByTheClockWhenRowsStop) {
  auto host = Load();
  ASSERT_TRUE(host.ok());
  (*host)->OnEvent(Go());
  (*host)->OnEvent(Do(3));
  EXPECT_EQ(Waiting().size(), 1u);
  world_.RunFor(graph::kDefaultIdleMs + 2000);
  (*host)->Advance();
  EXPECT_EQ(Waiting().size(), 2u);
}

TEST_F(HostTest, FailuresCostOneRunAndNameThePlace) {
  auto host = Load();
  ASSERT_TRUE(host.ok());
  (*host)->OnEvent(Go());
  const std::pair<const char*, Code> failures[] = {
      {"raise", Code::kScriptRaised}, {"loop", Code::kScriptTime},
      {"eat", Code::kScriptMemory},   {"recurse", Code::kScriptDepth},
      {"late", Code::kScriptRaised},  {"nowhere", Code::kScriptRaised}};
  int64_t errors = 0;
  for (const auto& [what, code] : failures) {
    SCOPED_TRACE(what);
    const EventOutcome outcome = (*host)->OnEvent(Do(7, what));
    EXPECT_TRUE(outcome.fired);
    EXPECT_EQ(outcome.error.code(), code) << outcome.error.ToString();
    EXPECT_TRUE(outcome.rows.empty());
    EXPECT_EQ((*host)->stats().errors, ++errors);
    EXPECT_THAT((*host)->stats().last_error, HasSubstr(InfoOf(code).name));
    const EventOutcome good = (*host)->OnEvent(Do(1));
    EXPECT_TRUE(good.error.ok()) << good.error.ToString();
    EXPECT_EQ(good.result["double"], 2);
  }
  const EventOutcome raised = (*host)->OnEvent(Do(7, "raise"));
  EXPECT_THAT(raised.error.message(), HasSubstr("ValueError"));
  EXPECT_THAT(raised.error.message(), HasSubstr("bad form 7"));
  EXPECT_THAT(raised.error.message(), HasSubstr("task.py"));
}

// Modules of the desk library are in no runtime; a script may ask.
TEST_F(HostTest, DevicesDoNotHaveTheDeskLibrary) {
  const auto refused = Load({.script = "import pickle\n" + std::string(kScript)});
  EXPECT_EQ(refused.code(), Code::kScriptRaised);
  EXPECT_THAT(refused.status().message(), HasSubstr("task.py\", line 1"));
  EXPECT_THAT(refused.status().message(),
              HasSubstr("ModuleNotFoundError: No module named 'pickle': it is only on the desk"));
  const auto asks = Load({.script = "try:\n    from unittest import mock\n"
                                    "except ImportError:\n    mock = None\n" +
                                    std::string(kScript)});
  ASSERT_TRUE(asks.ok()) << asks.status().ToString();
  (*asks)->OnEvent(Go());
  EXPECT_EQ((*asks)->OnEvent(Do(2)).result["double"], 4);
}

// A record with a number that no server can read would stand before all later ones for ever.
TEST_F(HostTest, ARowThatNoServerTakesStaysOutOfTheOutbox) {
  auto host = Load();
  ASSERT_TRUE(host.ok());
  (*host)->OnEvent(Go());
  const EventOutcome outcome = (*host)->OnEvent(Do(1, "nest"));
  EXPECT_TRUE(outcome.error.ok()) << outcome.error.ToString();
  EXPECT_EQ(outcome.result["double"], 2);
  EXPECT_EQ(outcome.stream_error.code(), Code::kLimitExceeded);
  EXPECT_THAT(outcome.stream_error.message(), HasSubstr("stream rows: JSON nested deeper than 64"));
  const std::vector<store::Record> waiting = Waiting();  // the other row of the run went in
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].json, R"({"n":1})");
  EXPECT_EQ((*host)->stats().rows_refused, 1);
  EXPECT_EQ((*host)->stats().rows_uploaded, 1);
  EXPECT_THAT((*host)->stats().last_error, HasSubstr("nested deeper than 64"));
}

TEST_F(HostTest, AFullOutboxIsNoFaultOfTheScript) {
  outbox_ = std::move(*store::OpenOutbox(":memory:", world_.random(), {.max_records = 1}));
  auto host = Load();
  ASSERT_TRUE(host.ok());
  (*host)->OnEvent(Go());
  EXPECT_TRUE((*host)->OnEvent(Do(1)).stream_error.ok());
  const EventOutcome outcome = (*host)->OnEvent(Do(2));
  EXPECT_TRUE(outcome.error.ok());
  EXPECT_EQ(outcome.result["double"], 4);
  EXPECT_EQ(outcome.stream_error.code(), Code::kLimitExceeded);
  EXPECT_EQ((*host)->stats().rows_refused, 1);
  EXPECT_EQ((*host)->stats().errors, 0);
}

TEST_F(HostTest, ProbeAndSimulationLeaveTheRunningCopyAlone) {
  auto host = Load();
  ASSERT_TRUE(host.ok());
  EXPECT_TRUE((*host)->Probe().ok()) << (*host)->Probe().ToString();
  const Json report = (*host)->Simulate();
  EXPECT_EQ(report["passed"], true) << WriteJson(report);
  EXPECT_EQ(report["cases"], 2);
  EXPECT_TRUE(Waiting().empty());
  (*host)->OnEvent(Go());
  EXPECT_EQ((*host)->OnEvent(Do(1)).result["seen"], 1);
}

TEST_F(HostTest, ASimulationSaysWhatEachCaseGave) {
  Pieces pieces;
  pieces.cases = R"({"cases":[{"name":"one","events":[{"id":"go","page":"p","time_ms":1},
    {"id":"do","time_ms":2,"data":{"n":1}}],"expect":null},
    {"name":"raises","events":[{"id":"go","page":"p","time_ms":1},
    {"id":"do","time_ms":2,"data":{"n":2,"do":"raise"}}],"error":"x","tolerance":0.5}]})";
  auto other = Load(pieces);
  auto own = Load();
  ASSERT_TRUE(own.ok() && other.ok()) << own.status().ToString() << other.status().ToString();
  const Json plain = (*own)->Simulate();
  EXPECT_FALSE(plain.contains("outputs"));
  const Json outputs = (*own)->Simulate({.outputs = true})["outputs"];
  ASSERT_EQ(outputs.size(), 2u) << WriteJson(outputs);
  SimulationOptions options{MakePackage(pieces), true};
  const Json others = (*own)->Simulate(options);
  EXPECT_EQ(others["cases"], 2);
  EXPECT_EQ(others["outputs"][0]["case"], "one");
  EXPECT_THAT(others["outputs"][0]["output"].get<std::string>(), HasSubstr("\"double\":2"));
  EXPECT_THAT(others["outputs"][1]["output"].get<std::string>(), HasSubstr("error: "));
  EXPECT_EQ(others["outputs"][1]["tolerance"], 0.5);
  EXPECT_EQ(others["outputs"], (*other)->Simulate({.outputs = true})["outputs"]);
}

TEST_F(HostTest, ASimulationTellsItsDetails) {
  Pieces pieces;
  pieces.script =
      "def on_trigger(matched):\n    n = matched[-1][\"data\"][\"n\"]\n"
      "    print(\"seen\", n)\n    return 12 // n\n";
  pieces.cases = R"({"cases":[{"name":"good","events":[{"id":"go","page":"p","time_ms":1},
    {"id":"do","time_ms":2,"data":{"n":4}}],"expect":3},
    {"name":"zero","events":[{"id":"go","page":"p","time_ms":1},
    {"id":"do","time_ms":2,"data":{"n":0}}],"expect":3},
    {"name":"silent","events":[{"id":"go","page":"p","time_ms":1}],"expect":3},
    {"name":"whatever","events":[{"id":"go","page":"p","time_ms":1},
    {"id":"do","time_ms":2,"data":{"n":2}}],"any":true}]})";
  std::string printed;
  HostOptions options;
  options.print = [&](std::string_view text) { printed += text; };
  auto host = TaskHost::Load(MakePackage(pieces), options);
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  SimulationOptions simulation;
  simulation.details = true;
  simulation.take_printed = [&] { return std::exchange(printed, {}); };
  const Json details = (*host)->Simulate(simulation)["details"];
  ASSERT_EQ(details.size(), 4u) << WriteJson(details);
  EXPECT_EQ(details[3]["passed"], true);
  EXPECT_EQ(details[3]["result"], "6");
  EXPECT_EQ(details[0]["result"], "3");
  EXPECT_EQ(details[0]["printed"], "seen 4\n");
  EXPECT_EQ(details[0]["passed"], true);
  EXPECT_GT(details[0]["ms"].get<double>(), 0);
  EXPECT_THAT(details[1]["error"].get<std::string>(), HasSubstr("line 4"));
  EXPECT_FALSE(details[1].contains("result"));
  EXPECT_EQ(details[1]["printed"], "seen 0\n");
  EXPECT_EQ(details[2]["started"], false);
  EXPECT_THAT(details[2]["error"].get<std::string>(), HasSubstr("did not start"));
}

TEST_F(HostTest, AWrongOutputFailsProbeAndSimulation) {
  Pieces pieces;
  pieces.script.replace(pieces.script.find("helper.double(data[\"n\"])"), 24, "5");
  auto host = Load(pieces);
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  const Status probe = (*host)->Probe();
  EXPECT_EQ(probe.code(), Code::kProbeFailed);
  EXPECT_THAT(probe.message(), HasSubstr("two: "));
  EXPECT_THAT(probe.message(), HasSubstr("double: expected 4, got 5"));
  const Json report = (*host)->Simulate();
  EXPECT_EQ(report["passed"], false);
  EXPECT_EQ(report["failed"], 1);
  EXPECT_EQ(report["first_failure"]["name"], "two");
}

TEST_F(HostTest, CasesThatProveNothingDoNotPass) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"cases":[]})", "no simulation cases"},
      {"{", "cases.json"},
      {R"({"cases":[{"events":[{"id":"do"}],"expect":1}]})", "did not start the task"},
      {R"({"cases":[{"events":[],"expect":1}]})", "case 1: events is empty"},
      {R"({"cases":[{"events":[{"id":"do"}]}]})",
       "one of expect, error, functions and any is needed"},
      {R"({"cases":[{"events":[{"id":""}],"expect":1}]})", "event 1: id is empty"}};
  for (const auto& [text, part] : cases) {
    Pieces pieces;
    pieces.cases = text;
    auto host = Load(pieces);
    ASSERT_TRUE(host.ok());
    const Json report = (*host)->Simulate();
    EXPECT_EQ(report["passed"], false) << text;
    EXPECT_THAT(WriteJson(report), HasSubstr(part));
  }
}

TEST_F(HostTest, PackagesThatDoNotLoad) {
  const auto load = [this](const Pieces& pieces) {
    auto host = Load(pieces);
    EXPECT_FALSE(host.ok());
    return host.status();
  };
  Pieces pieces;
  pieces.script = "def on_trigger(matched:\n    return 1\n";
  EXPECT_EQ(load(pieces).code(), Code::kScriptSyntax);
  EXPECT_THAT(load(pieces).message(), HasSubstr("package t 1.0.0"));
  EXPECT_THAT(load(pieces).message(), HasSubstr("task.py:1"));
  pieces.script = "x = 1\n";
  EXPECT_THAT(load(pieces).ToString(), HasSubstr("on_trigger"));
  pieces.script = "import nothing\n";
  EXPECT_THAT(load(pieces).ToString(), HasSubstr("nothing"));
  pieces.script = "while True: pass\n";
  EXPECT_EQ(load(pieces).code(), Code::kScriptTime);
  pieces = {};
  pieces.content = "model";
  pieces.task = "{}";
  EXPECT_EQ(load(pieces).code(), Code::kInvalidArgument);
}

TEST_F(HostTest, AFlippedByteIsFound) {
  auto good = MakePackage();
  Bytes bytes = ToBytes(good->bytes());
  const std::string_view text = AsText(bytes);
  bytes[text.find("def on_trigger")] ^= 1;
  auto package = package::Package::Open(bytes);
  ASSERT_TRUE(package.ok());
  auto host = TaskHost::Load(std::make_shared<const package::Package>(std::move(*package)), {});
  EXPECT_EQ(host.code(), Code::kCorruptContent) << host.status().ToString();
  EXPECT_THAT(host.status().message(), HasSubstr("task.py"));
}

constexpr char kAskScript[] = R"py(
from ferry import llm

model = llm.load("draft")

def on_trigger(matched):
    data = matched[-1]["data"]
    return {"text": model.generate(data["prompt"], max_new=data.get("max_new", 8))}
)py";

constexpr char kAskTask[] = R"({"script":"task.py","models":{"draft":"draft.flm"},
  "trigger":{"sequence":[{"event":"ask"}]},"limits":{"memory_bytes":8000000}})";

// A package file of the task above, on a disk in memory, as devices have it: mapped.
class LanguageTaskTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(llm::testing::WriteTinyModel(disk_, "tiny").ok());
    const auto model = llm::Model::Load(disk_, "tiny");
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    ASSERT_TRUE(llm::WriteModelFile(disk_, **model, "draft.flm", kernels::WeightType::kBF16).ok());
    Write(sys::ReadFile(disk_, "draft.flm").value());
  }
  void Write(ByteView model, const std::string& script = kAskScript) {
    package::Manifest manifest;
    manifest.name = "pair";
    manifest.version = "1.0.0";
    manifest.task = *ParseJson(kAskTask);
    const Status written = package::WritePackageFile(
        disk_, "pair.fpk", manifest, {{"task.py", AsBytes(script)}, {"draft.flm", model}});
    ASSERT_TRUE(written.ok()) << written.ToString();
  }
  static event::Event Ask(const Json& data) {
    event::Event event;
    event.id = "ask";
    event.data = data;
    return event;
  }
  sys::SimFileSystem disk_;
};

TEST_F(LanguageTaskTest, AScriptGeneratesWithTheModelOfItsPackage) {
  auto host = TaskHost::LoadFile(disk_, "pair.fpk", {});
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  const EventOutcome first = (*host)->OnEvent(Ask({{"prompt", "once"}}));
  ASSERT_TRUE(first.error.ok()) << first.error.ToString();
  EXPECT_FALSE(first.result["text"].get<std::string>().empty());
  EXPECT_EQ((*host)->OnEvent(Ask({{"prompt", "once"}})).result, first.result);
  EXPECT_EQ((*host)->stats().inferences, 2);
  // What a task passes in by mistake costs one run.
  const EventOutcome bad = (*host)->OnEvent(Ask({{"prompt", 5}}));
  EXPECT_EQ(bad.error.code(), Code::kScriptRaised) << bad.error.ToString();
  EXPECT_EQ((*host)->OnEvent(Ask({{"prompt", "once"}})).result, first.result);
}

TEST_F(LanguageTaskTest, AModelOutlivesItsTask) {
  auto host = TaskHost::LoadFile(disk_, "pair.fpk", {});
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  auto model = (*host)->LanguageModel("draft");
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const auto none = (*host)->LanguageModel("other");
  EXPECT_EQ(none.code(), Code::kNotFound);
  EXPECT_THAT(none.status().message(), HasSubstr("it has: draft"));
  host->reset();
  ASSERT_TRUE(disk_.Remove("pair.fpk").ok());
  EXPECT_EQ((*model)->config().architecture, "qwen3");
  EXPECT_TRUE((*model)->tokenizer().ok());
}

TEST_F(LanguageTaskTest, DamagedModelsAreNamed) {
  Bytes model = sys::ReadFile(disk_, "draft.flm").value();
  model[model.size() / 2] ^= 1;
  Write(model);
  auto host = TaskHost::LoadFile(disk_, "pair.fpk", {});
  ASSERT_FALSE(host.ok());
  EXPECT_THAT(host.status().message(), HasSubstr("model draft (draft.flm)"));
  Write(ByteView(model).first(100));
  EXPECT_FALSE(TaskHost::LoadFile(disk_, "pair.fpk", {}).ok());
  Write({});
  EXPECT_FALSE(TaskHost::LoadFile(disk_, "pair.fpk", {}).ok());
}

// A language model is no graph of the engine, and the other way round.
TEST_F(LanguageTaskTest, KindsOfModelsAreApart) {
  Write(sys::ReadFile(disk_, "draft.flm").value(),
        "from ferry import engine\nengine.load(\"draft\")\ndef on_trigger(m): pass\n");
  auto host = TaskHost::LoadFile(disk_, "pair.fpk", {});
  ASSERT_FALSE(host.ok());
  EXPECT_THAT(host.status().message(), HasSubstr("no model \"draft\""));
}

TEST_F(HostTest, TasksShareTheTurnsOfAScheduler) {
  vm::Scheduler scheduler({.slots = 1});
  HostOptions options;
  options.clock = &world_.clock();
  options.scheduler = &scheduler;
  auto host = TaskHost::Load(MakePackage({.script = R"(
from ferry import log, metrics

def on_trigger(matched):
    n = matched[-1]["data"]["n"]
    log.debug("run", n=n)
    metrics.count("runs")
    while n < 0: pass
    return sum(range(n))
)"}),
                             options);
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  const auto run = [&](int n) {
    (*host)->OnEvent(Go());
    return (*host)->OnEvent(Do(n));
  };
  EXPECT_EQ(run(10).result, Json(45));
  EXPECT_EQ(run(-1).error.code(), Code::kScriptTime);
  EXPECT_EQ(run(3).result, Json(3));
  EXPECT_EQ((*host)->stats().metrics, Json({{"runs", 3.0}}));
  EXPECT_EQ(scheduler.jobs(), 0u);
}

TEST(TaskSpec, BadJson) {
  const std::string trigger = R"("trigger":{"sequence":[{"event":"a"}]})";
  const std::pair<std::string, const char*> cases[] = {
      {"[]", "JSON object"},
      {"{}", "script"},
      {R"({"script":"task.js",)" + trigger + "}", "does not end with .py"},
      {R"({"script":"task.py"})", "trigger"},
      {R"({"script":"task.py","trigger":{"sequence":[]}})", "trigger: sequence has no step"},
      {R"({"script":"task.py","colour":1,)" + trigger + "}", "no member \"colour\""},
      {R"({"script":"task.py","models":{"a":3},)" + trigger + "}", "models"},
      {R"({"script":"task.py","streams":[{"name":"x"}],)" + trigger + "}", "streams: stream x"},
      {R"({"script":"task.py","limits":{"steps":0},)" + trigger + "}", "steps 0"},
      {R"({"script":"task.py","limits":{"depth":1001},)" + trigger + "}", "depth 1001"},
      {R"({"script":"task.py","limits":{"wall_ms":0},)" + trigger + "}", "wall_ms 0"},
      {R"({"script":"task.py","grants":["network"],)" + trigger + "}", "no \"network\""},
      {R"({"script":"task.py","limits":{"cpu":1},)" + trigger + "}", "no member \"cpu\""}};
  for (const auto& [text, part] : cases) {
    auto json = ParseJson(text);
    ASSERT_TRUE(json.ok()) << text;
    auto spec = ParseTask(*json);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_THAT(spec.status().message(), HasSubstr(part));
  }
}

TEST(CompareExpected, NamesThePlace) {
  const Json expected = {{"a", {1, 2.5}}, {"b", {{"c", "x"}}}};
  EXPECT_TRUE(
      CompareExpected(expected, {{"a", {1, 2.6}}, {"b", {{"c", "x"}}}, {"d", 1}}, 0.11).ok());
  const auto text = [&](const Json& got) { return CompareExpected(expected, got, 0.01).message(); };
  EXPECT_THAT(text({{"a", {1, 2.6}}, {"b", {{"c", "x"}}}}),
              HasSubstr("a[1]: expected 2.5, got 2.6"));
  EXPECT_THAT(text({{"a", {1, 2.5}}, {"b", {{"c", "y"}}}}),
              HasSubstr("b.c: expected \"x\", got \"y\""));
  EXPECT_THAT(text({{"a", {1, 2.5}}}), HasSubstr("b: expected {\"c\":\"x\"}, but it is missing"));
  EXPECT_THAT(text({{"a", {1}}, {"b", 1}}), HasSubstr("a: expected [1,2.5], got [1]"));
  EXPECT_TRUE(CompareExpected(1, 1.0, 0).ok());
  EXPECT_FALSE(CompareExpected(true, 1, 0).ok());
}

}  // namespace
}  // namespace ferry::task

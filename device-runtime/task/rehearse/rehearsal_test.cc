#include "device-runtime/task/rehearse/rehearsal.h"

#include <gmock/gmock.h>

#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"
#include "device-runtime/task/host.h"

namespace ferry::task {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kShop[] = R"py(
from ferry import events, stream

@stream.rule("other { a: the_package_has_the_rules }")
def on_cart(match):
    data = match["steps"]["add"][0]["data"]
    if data.get("bad"):
        raise ValueError("bad cart")
    events.emit("carts", {"price": data["price"]})
    return [match["rule"], match["key"], match["time_ms"]]

def on_visit(row):
    return [row["stream"], row["time_ms"], row["row"]]

def on_left(match):
    return match["time_ms"]
)py";

Json ShopTask() {
  return Json::parse(
      R"j({"name":"shop","version":"1.0.0","script":"task.py","fields":{"who":"local"},
    "rules":[{"name":"cart","per":["user"],"to":"on_cart","app":true,
      "steps":[{"name":"seen","event":"view"},
       {"name":"add","event":"add","where":"price == seen.price"}]},
     {"name":"left","per":["user"],"within_ms":1000,"to":"on_left",
      "steps":[{"name":"seen","event":"view"},{"name":"no","event":"add","not":true}]}],
    "streams":[{"name":"prices","source":"price","into":"items"},
     {"name":"visits","source":"carts","to":"on_visit","upload":true,"operators":[
      {"op":"map","fields":{"item":"\"a\"","price":"bucket(price, 5)","h":"keyed_hash(price)"}},
      {"op":"lookup","table":"items","key":["item"],"as":"known","inner":true},
      {"op":"map","fields":{"price":"price","hash":"len(h)","n":"bucket(known.n, 1)"}}]}],
    "tables":[{"name":"items","key":["item"],"columns":{"item":"text","n":"int"}}]})j");
}

std::shared_ptr<const package::Package> Packed(const Json& task, const std::string& script,
                                               const std::string& cases = "") {
  static std::vector<std::unique_ptr<Bytes>> kept;  // packages borrow their bytes
  package::Manifest manifest;
  manifest.name = "shop";
  manifest.version = "1.0.0";
  manifest.content = "task";
  manifest.task = task;
  std::vector<package::SourceFile> files = {{"task.py", AsBytes(script)}};
  if (!cases.empty()) {
    manifest.simulation = {{"cases", "cases.json"}};
    files.push_back({"cases.json", AsBytes(cases)});
  }
  auto bytes = package::WritePackage(manifest, std::move(files));
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  kept.push_back(std::make_unique<Bytes>(std::move(*bytes)));
  auto package = package::Package::Open(*kept.back());
  EXPECT_TRUE(package.ok()) << package.status().ToString();
  return std::make_shared<const package::Package>(std::move(*package));
}

std::vector<std::string> RunsOf(const Rehearsal::Happened& happened) {
  std::vector<std::string> out;
  for (const Rehearsal::FunctionRun& one : happened.runs)
    out.push_back(one.function + " " +
                  (one.outcome.error.ok() ? WriteJson(one.outcome.result) : "failed"));
  return out;
}

flow::EventPtr EventOf(const char* id, int64_t time_ms, Json data) {
  auto event = std::make_shared<event::Event>();
  event->id = id;
  event->time_ms = time_ms;
  event->data = std::move(data);
  return event;
}

TEST(Rehearsal, EventsGoThroughRulesFunctionsStreamsAndTables) {
  const auto program = LoadProgram(Packed(ShopTask(), kShop), nullptr);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  const auto instance = Instance::Create(*program, {&sys::SystemClock(), nullptr, nullptr, ""});
  ASSERT_TRUE(instance.ok()) << instance.status().ToString();
  auto made = Rehearsal::Create(*program, instance->get());
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  Rehearsal& shop = **made;
  EXPECT_THAT(RunsOf(shop.OnEvent(EventOf("price", 5, {{"item", "a"}, {"n", 3}}))), ElementsAre());
  EXPECT_THAT(RunsOf(shop.OnEvent(EventOf("view", 10, {{"user", 1}, {"price", 7}}))),
              ElementsAre());
  const auto carts = shop.OnEvent(EventOf("add", 20, {{"user", 1}, {"price", 7}}));
  EXPECT_THAT(RunsOf(carts), ElementsAre(R"(on_cart ["cart",[1],20])",
                                         R"(on_visit ["visits",20,{"hash":16,"n":3,"price":5}])"));
  ASSERT_EQ(carts.matches.size(), 1u);
  EXPECT_TRUE(carts.error.ok()) << carts.error.ToString();
  // What a failed run emitted is not there.
  shop.OnEvent(EventOf("view", 30, {{"user", 2}, {"price", 1}}));
  EXPECT_THAT(RunsOf(shop.OnEvent(EventOf("add", 40, {{"user", 2}, {"price", 1}, {"bad", true}}))),
              ElementsAre("on_cart failed"));
  shop.OnEvent(EventOf("view", 50, {{"user", 3}, {"price", 1}}));
  EXPECT_THAT(RunsOf(shop.End()), ElementsAre("on_left 1050"));
  // From the beginning: the table is empty, so the visit has no row.
  auto again = Rehearsal::Create(*program, instance->get());
  ASSERT_TRUE(again.ok());
  (*again)->OnEvent(EventOf("view", 10, {{"user", 1}, {"price", 7}}));
  EXPECT_THAT(RunsOf((*again)->OnEvent(EventOf("add", 20, {{"user", 1}, {"price", 7}}))),
              ElementsAre(R"(on_cart ["cart",[1],20])"));
}

TEST(Rehearsal, CasesExpectResultsOfFunctions) {
  const std::string events = R"("events":[{"id":"view","time_ms":1,"data":{"user":1,"price":2}},
    {"id":"add","time_ms":2,"data":{"user":1,"price":2}}])";
  const auto simulate = [&](const std::string& expect) {
    const std::string cases = R"({"cases":[{"name":"one",)" + events + "," + expect + "}]}";
    auto host = TaskHost::Load(Packed(ShopTask(), kShop, cases), {});
    EXPECT_TRUE(host.ok()) << host.status().ToString();
    const Json report = (*host)->Simulate();
    return report["passed"] == true ? "passed" : report["first_failure"]["text"].get<std::string>();
  };
  EXPECT_EQ(simulate(R"("functions":{"on_cart":[["cart",[1],2]],"on_left":[]})"), "passed");
  EXPECT_THAT(simulate(R"("expect":["cart"],"functions":{"on_left":[]})"), HasSubstr("expected"));
  EXPECT_THAT(simulate(R"("functions":{"on_cart":[]})"),
              HasSubstr("on_cart: expected 0 runs, got 1"));
  EXPECT_THAT(simulate(R"("functions":{"on_cart":[["cart",[2],2]]})"),
              HasSubstr("on_cart: [0][1][0]: expected 2, got 1"));
  EXPECT_THAT(simulate(R"("functions":{"on_cart":1})"), HasSubstr("a list of results"));
  EXPECT_THAT(simulate(R"("tolerance":0)"), HasSubstr("one of expect, error, functions and any"));
}

TEST(Rehearsal, FunctionsOfRulesAndStreamsMustExist) {
  Json task = ShopTask();
  task["rules"][0]["to"] = "on_car";
  const auto host = TaskHost::Load(Packed(task, kShop), {});
  EXPECT_EQ(host.status().code(), Code::kNotFound);
  EXPECT_THAT(host.status().message(), HasSubstr("on_car"));
}

TEST(Rehearsal, LocalFieldsDoNotLeave) {
  Json task = ShopTask();
  task["streams"][0]["upload"] = true;
  const auto refused = TaskHost::Load(Packed(task, kShop), {});
  EXPECT_EQ(refused.status().code(), Code::kPermissionDenied);
  EXPECT_THAT(refused.status().message(), HasSubstr("stream prices: field who carries who"));
  // A script that gets them may not emit where rows leave as they are.
  task = ShopTask();
  task["streams"][1]["operators"] = Json::parse(R"([{"op":"map","fields":{"price":"price"}}])");
  const auto program = LoadProgram(Packed(task, kShop), nullptr);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  EXPECT_THAT((*program)->spec.privacy.closed_sources, ElementsAre("carts"));
  const auto instance = Instance::Create(*program, {&sys::SystemClock(), nullptr, nullptr, ""});
  ASSERT_TRUE(instance.ok()) << instance.status().ToString();
  auto made = Rehearsal::Create(*program, instance->get());
  ASSERT_TRUE(made.ok());
  (*made)->OnEvent(EventOf("view", 10, {{"user", 1}, {"price", 7}}));
  const auto happened = (*made)->OnEvent(EventOf("add", 20, {{"user", 1}, {"price", 7}}));
  ASSERT_EQ(happened.runs.size(), 1u);
  EXPECT_THAT(happened.runs[0].outcome.error.message(), HasSubstr("leads up as it is"));
  EXPECT_TRUE(happened.rows.empty());
}

}  // namespace
}  // namespace ferry::task

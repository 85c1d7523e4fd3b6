#include <map>

#include "common/base/check.h"
#include "common/base/json.h"
#include "common/sys/random.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// Events that the definition names, with fields that the seeds use.
std::vector<flow::EventPtr> EventsFor(const flow::Definition& definition) {
  std::vector<std::string> ids = {"view", "add", "other"};
  for (const flow::RuleUse& use : definition.rules)
    if (ids.size() < 12) ids.push_back(use.rule.steps[0].fits.event);
  std::vector<flow::EventPtr> out;
  for (size_t k = 0; k < 30; ++k) {
    auto event = std::make_shared<event::Event>();
    event->id = ids[k * 5 % ids.size()];
    event->page = k % 2 == 0 ? "item" : "";
    event->time_ms = static_cast<int64_t>(700 * k);
    event->data = {{"user", k % 3}, {"price", k % 7}, {"items", {1, 2}}};
    event->number = k + 1;
    out.push_back(std::move(event));
  }
  return out;
}

// What is accepted runs, and goes on from its state.
void RunFlowDefinition(ByteView bytes) {
  const auto json = ParseJson(AsText(bytes));
  if (!json.ok()) return;
  auto read = flow::DefinitionFromJson(*json);
  if (!read.ok()) return;
  (void)flow::LeadsNowhere(*read);
  (void)read->Functions();
  const auto definition = std::make_shared<const flow::Definition>(std::move(*read));
  const auto events = EventsFor(*definition);
  sys::SeededRandom random(1);
  auto outbox = store::OpenOutbox(":memory:", random);
  CHECK(outbox.ok());
  std::map<std::string, std::string> pairs;
  flow::FlowOptions options;
  options.tables = &(*outbox)->tables();
  options.all_rows = options.all_matches = true;
  options.stored = [&pairs](std::string_view prefix) {
    std::vector<rule::StatePair> out;
    for (const auto& pair : pairs)
      if (pair.first.starts_with(prefix)) out.push_back(pair);
    return out;
  };
  options.resolver = [&events](uint64_t number) {
    return number == 0 || number > events.size() ? nullptr : events[number - 1];
  };
  flow::Effects effects;
  for (size_t half = 0; half < 2; ++half) {
    flow::Flow flow(options);
    if (!flow.Use("task", definition).ok()) return;
    flow.DropUnclaimed();
    for (size_t k = half * 15; k < half * 15 + 15; ++k) {
      effects.Clear();
      flow.OnEvent(events[k], events[k]->time_ms, 0, &effects);
    }
    store::StateChanges changes;
    flow.SaveChanges(changes);
    for (const auto& [key, value] : changes.changes()) {
      if (value)
        pairs[key] = *value;
      else
        pairs.erase(key);
    }
    flow.Flush(&effects);
  }
}

std::vector<Bytes> FlowDefinitionSeeds() {
  std::vector<Bytes> seeds;
  for (
      const std::string_view task :
      {R"({"trigger":{"sequence":[{"event":"view","page":"item"},{"event":"add"}],"within_ms":9000},
        "rules":[{"name":"cart","per":["user"],"to":"on_cart","app":true,"steps":[{"name":"seen",
        "event":"view"},{"name":"add","event":"add","where":"price > seen.price"}]}],
        "streams":[{"name":"n","source":"cart","upload":"realtime","operators":[{"op":"window",
        "size_ms":2000,"key":["user"],"aggregates":[{"op":"count","as":"n"}]}]}]})",
       R"({"rules":"rule ticks { t: \"every:1000\" } rule big { b: dear }","tables":[{"name":"t",
        "key":["user"],"columns":{"user":"int","price":"float"},"retention":{"rows":5}}],"streams":
        [{"name":"dear","source":["view","add"],"operators":[{"op":"filter","where":"price > 2"}]},
        {"name":"last","source":"dear","operators":[{"op":"map","fields":{"user":"user","price":
        "price"}}],"into":"t"},{"name":"joined","source":"view","operators":[{"op":"join","with":
        "add","key":["user"],"lower_ms":-2000,"upper_ms":2000,"as":"a"},{"op":"lookup","table":"t",
        "key":["user"],"as":"t"}],"to":"f"}]})"}) {
    const auto json = ParseJson(task);
    CHECK(json.ok()) << json.status().ToString();
    const auto read = flow::DefinitionFromJson(*json);
    CHECK(read.ok()) << read.status().ToString();
    seeds.push_back(ToBytes(AsBytes(task)));
  }
  return seeds;
}

}  // namespace

const Target kFlowDefinitionTarget = {"flow_definition", RunFlowDefinition, FlowDefinitionSeeds};

}  // namespace ferry::fuzz

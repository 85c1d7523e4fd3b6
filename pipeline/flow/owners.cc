// Definitions that come and go, and their state.
#include <algorithm>
#include <charconv>

#include "common/base/json.h"
#include "pipeline/flow/flow_impl.h"
#include "pipeline/flow/keys.h"
#include "pipeline/store/state.h"

namespace ferry::flow {
namespace {

std::set<std::string, std::less<>> StreamNamesOf(const Definition& definition) {
  std::set<std::string, std::less<>> out;
  if (definition.streams != nullptr && definition.streams->is_array())
    for (const Json& stream : *definition.streams)
      out.insert(GetStringOr(stream, "name", "").value_or(""));
  return out;
}

std::vector<rule::Condition*> ConditionsOf(rule::Rule* rule) {
  std::vector<rule::Condition*> out;
  for (rule::Step& step : rule->steps) {
    out.push_back(&step.fits);
    if (step.until) out.push_back(&*step.until);
  }
  return out;
}

// Whether the event is "OWNER/STREAM" of some task.
bool NamesStream(std::string_view event) {
  return event.find('/') != event.npos;
}

void AddSources(const Json& streams, std::set<std::string, std::less<>>* out) {
  if (!streams.is_array()) return;
  for (const Json& stream : streams) {
    if (const auto source = stream.find("source"); source != stream.end()) {
      if (source->is_string()) out->insert(*source);
      if (source->is_array())
        for (const Json& one : *source)
          if (one.is_string()) out->insert(one);
    }
    const auto operators = stream.find("operators");
    if (operators == stream.end() || !operators->is_array()) continue;
    for (const Json& one : *operators)
      if (std::string with = GetStringOr(one, "with", "").value_or(""); !with.empty())
        out->insert(std::move(with));
  }
}

int64_t PeriodOf(std::string_view event) {
  const std::string_view prefix = kEveryPrefix;
  if (!event.starts_with(prefix)) return 0;
  event.remove_prefix(prefix.size());
  int64_t every_ms = 0;
  const auto [end, error] = std::from_chars(event.data(), event.data() + event.size(), every_ms);
  if (error != std::errc() || end != event.data() + event.size()) return 0;
  return every_ms >= kMinEveryMs ? every_ms : 0;
}

}  // namespace

Result<Json> BatchReader::Get(std::string_view table, const Json& key) const {
  return batch_.Get(table, key.get<std::vector<Json>>());
}

std::vector<rule::StatePair> Flow::Impl::Stored(std::string_view prefix) const {
  if (!options.stored) return {};
  std::vector<rule::StatePair> pairs = options.stored(prefix);
  // What goes with the next commit is gone already.
  std::erase_if(pairs,
                [this](const rule::StatePair& pair) { return deletes.contains(pair.first); });
  for (rule::StatePair& pair : pairs) pair.first.erase(0, prefix.size());
  return pairs;
}

std::string Flow::Impl::PublicName(std::string_view owner, std::string_view stream) {
  std::string out(owner);
  if (!out.empty()) out += '/';
  return out.append(stream);
}

Flow::Impl::Impl(const FlowOptions& given) : options(given) {
  if (options.tables != nullptr) {
    batch = std::make_unique<table::Batch>(*options.tables);
    reader = std::make_unique<BatchReader>(*batch);
  }
  if (!options.resolver) {
    plain.matcher.KeepByValue();
    rows.matcher.KeepByValue();
  }
  // Pairs that a matcher does not know are damage, which its rules count as state that is gone.
  (void)plain.matcher.Load(Stored(kPlainRulesKey), options.resolver);
  (void)rows.matcher.Load(Stored(kRowRulesKey), options.resolver);
}

Status Flow::Impl::UseTrigger(Owner* owner, const Definition& definition) {
  const auto& before = owner->definition;
  if (before != nullptr && before->trigger.has_value() == definition.trigger.has_value() &&
      (!definition.trigger ||
       trigger::TriggerToJson(*before->trigger) == trigger::TriggerToJson(*definition.trigger)))
    return OkStatus();
  std::optional<size_t> added;
  if (definition.trigger) {
    FERRY_ASSIGN_OR_RETURN(added, triggers.Add(*definition.trigger));
  }
  const bool replaces = owner->trigger.has_value();
  RemoveTrigger(owner);
  owner->trigger = added;
  if (!added) return OkStatus();
  trigger_owners.resize(std::max(trigger_owners.size(), *added + 1));
  trigger_owners[*added] = &owner->name;
  if (replaces) return OkStatus();
  for (const auto& [rest, state] : Stored(kTriggerKey + owner->name))
    if (rest.empty() && !triggers.Load(*added, state).ok())
      deletes.insert(kTriggerKey + owner->name);
  return OkStatus();
}

void Flow::Impl::RemoveTrigger(Owner* owner) {
  if (!owner->trigger) return;
  triggers.Remove(*owner->trigger);
  owner->trigger.reset();
  deletes.insert(kTriggerKey + owner->name);
}

void Flow::Impl::RemoveRule(const OwnRule& rule) {
  RuleSet& set = rule.reads_rows ? rows : plain;
  set.matcher.Remove(rule.number);
  set.uses[rule.number] = {};
}

Status Flow::Impl::UseRules(Owner* owner, const Definition& definition) {
  const std::set<std::string, std::less<>> own = StreamNamesOf(definition);
  std::vector<OwnRule> wanted;
  for (const RuleUse& use : definition.rules) {
    OwnRule rule{use, use.rule};
    for (rule::Condition* condition : ConditionsOf(&rule.seen)) {
      const bool is_own = own.contains(condition->event);
      rule.reads_rows = rule.reads_rows || is_own || NamesStream(condition->event);
      if (is_own) condition->event = PublicName(owner->name, condition->event);
    }
    wanted.push_back(std::move(rule));
  }
  // Those that stay as they are keep their numbers, and with them what they have seen.
  std::map<std::string_view, OwnRule*> before;
  for (OwnRule& rule : owner->rules) before[rule.use.rule.name] = &rule;
  std::vector<OwnRule*> fresh;
  for (OwnRule& rule : wanted) {
    const auto found = before.find(rule.use.rule.name);
    if (found == before.end() || !(found->second->seen == rule.seen) ||
        found->second->reads_rows != rule.reads_rows) {
      fresh.push_back(&rule);
      continue;
    }
    rule.number = found->second->number;
    before.erase(found);
  }
  for (const OwnRule& rule : wanted)
    FERRY_TRY(rule::CheckRule(rule.seen).Context("rule {}", rule.use.rule.name));
  for (const auto& [name, rule] : before) RemoveRule(*rule);
  for (OwnRule* rule : fresh) {
    RuleSet& set = rule->reads_rows ? rows : plain;
    FERRY_ASSIGN_OR_RETURN(rule->number, set.matcher.Add(rule->seen, owner->name));
    set.uses.resize(std::max<size_t>(set.uses.size(), rule->number + 1));
  }
  for (const OwnRule& rule : wanted)
    (rule.reads_rows ? rows : plain).uses[rule.number] = {
        owner, std::make_shared<const rule::Rule>(rule.use.rule), rule.use.to, rule.use.app};
  owner->rules = std::move(wanted);
  return OkStatus();
}

void Flow::Impl::Index() {
  wanted_rows.clear();
  sources.clear();
  std::set<std::string, std::less<>> events;
  for (const auto& [name, owner] : owners) {
    for (const OwnRule& rule : owner->rules) {
      rule::Rule seen = rule.seen;
      for (const rule::Condition* condition : ConditionsOf(&seen)) {
        events.insert(condition->event);
        if (rule.reads_rows) wanted_rows.insert(condition->event);
      }
    }
    for (const OwnRule& rule : owner->rules)
      (rule.reads_rows ? this->rows : plain).uses[rule.number].is_source =
          owner->graph->HasSource(rule.use.rule.name);
    if (owner->definition->trigger)
      for (const trigger::Step& step : owner->definition->trigger->steps) events.insert(step.event);
    std::set<std::string, std::less<>> read;
    if (owner->definition->streams != nullptr) AddSources(*owner->definition->streams, &read);
    for (const std::string& source : read)
      if (owner->graph->HasSource(source)) sources[source].push_back(owner.get());
    events.insert(read.begin(), read.end());
  }
  std::map<int64_t, Clock> wanted;
  for (const std::string& event : events)
    if (const int64_t every_ms = PeriodOf(event); every_ms > 0) wanted[every_ms] = clocks[every_ms];
  for (const auto& [every_ms, clock] : clocks)
    if (!wanted.contains(every_ms)) deletes.insert(kClockKey + std::to_string(every_ms));
  for (auto& [every_ms, clock] : wanted) {
    if (clock.last_ms >= 0) continue;
    for (const auto& [rest, value] : Stored(kClockKey + std::to_string(every_ms)))
      if (rest.empty()) std::from_chars(value.data(), value.data() + value.size(), clock.last_ms);
  }
  clocks = std::move(wanted);
}

Flow::Flow(const FlowOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Flow::~Flow() = default;

Status Flow::Use(const std::string& owner, std::shared_ptr<const Definition> definition) {
  Impl& impl = *impl_;
  if (!definition->tables.empty() && impl.options.tables == nullptr)
    return Status(Code::kUnavailable, "there are no tables here");
  for (const table::Definition& table : definition->tables)
    FERRY_TRY(impl.options.tables->Declare(table).Context("table {}", table.name));
  auto fresh = std::make_unique<Owner>();
  fresh->name = owner;
  const auto found = impl.owners.find(owner);
  Owner* one = found == impl.owners.end() ? fresh.get() : found->second.get();
  auto into = std::make_unique<IntoTables>(impl.batch.get(), one);
  operators::Surroundings around;
  around.tables = impl.reader.get();
  around.writer = into.get();
  around.hash_key = impl.options.hash_key;
  static const Json kNoStreams = Json::array();
  auto built = graph::Graph::Build(
                   definition->streams == nullptr ? kNoStreams : *definition->streams, around)
                   .Context("streams");
  FERRY_ASSIGN_OR_RETURN(auto graph, std::move(built));
  graph->Load(impl.Stored(GraphKeyOf(owner)));
  if (Status used = impl.UseTrigger(one, *definition); !used.ok()) return used;
  if (Status used = impl.UseRules(one, *definition); !used.ok()) {
    if (one == fresh.get()) impl.RemoveTrigger(one);
    return used;
  }
  one->graph = std::move(graph);
  one->into = std::move(into);
  one->definition = std::move(definition);
  if (one == fresh.get()) impl.owners[owner] = std::move(fresh);
  impl.Index();
  return OkStatus();
}

void Flow::Remove(const std::string& owner) {
  Impl& impl = *impl_;
  const auto found = impl.owners.find(owner);
  if (found == impl.owners.end()) return;
  Owner& one = *found->second;
  for (const OwnRule& rule : one.rules) impl.RemoveRule(rule);
  impl.RemoveTrigger(&one);
  for (const auto& [rest, value] : impl.Stored(GraphKeyOf(owner)))
    impl.deletes.insert(GraphKeyOf(owner) + rest);
  impl.owners.erase(found);
  impl.Index();
}

bool Flow::Has(std::string_view owner) const {
  return impl_->owners.contains(owner);
}

void Flow::SaveChanges(event::StateWriter& out) {
  Impl& impl = *impl_;
  for (const std::string& key : impl.deletes) out.Delete(key);
  impl.deletes.clear();
  store::PrefixedState plain(out, kPlainRulesKey), rows(out, kRowRulesKey);
  impl.plain.matcher.SaveChanges(plain);
  impl.rows.matcher.SaveChanges(rows);
  impl.triggers.SaveChanges(
      [&impl](size_t trigger) { return kTriggerKey + *impl.trigger_owners[trigger]; }, out);
  for (const auto& [name, owner] : impl.owners) {
    store::PrefixedState own(out, GraphKeyOf(name));
    owner->graph->SaveChanges(own);
  }
  impl.SaveTicks(out);
}

void Flow::DropUnclaimed() {
  Impl& impl = *impl_;
  impl.plain.matcher.DropUnclaimed();
  impl.rows.matcher.DropUnclaimed();
  for (const auto& [rest, value] : impl.Stored(kGraphKey))
    if (!impl.owners.contains(std::string_view(rest).substr(0, rest.find('\0'))))
      impl.deletes.insert(kGraphKey + rest);
  for (const auto& [owner, value] : impl.Stored(kTriggerKey))
    if (!impl.owners.contains(owner)) impl.deletes.insert(kTriggerKey + owner);
}

}  // namespace ferry::flow

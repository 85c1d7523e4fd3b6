#include "pipeline/flow/flow.h"

#include "common/base/json.h"
#include "pipeline/flow/flow_impl.h"

namespace ferry::flow {
namespace {

uint32_t PlaceIn(const Effects& effects) {
  return static_cast<uint32_t>(effects.rows.size() + effects.matches.size());
}

}  // namespace

void Effects::Clear() {
  starts.clear();
  rows.clear();
  matches.clear();
  error = OkStatus();
}

// ---- rows and matches on their way

void Flow::Impl::Fail(Owner& owner, const Status& status, Effects* out) {
  owner.last_error = status.ToString();
  if (out->error.ok()) out->error = status;
}

void Flow::Impl::TakeMatch(RuleSet& set, rule::Match&& match, Effects* out) {
  const RuleSet::Use& use = set.uses[match.rule];
  Owner& owner = *use.owner;
  if (use.is_source) queue.push_back({&owner, use.rule->name, MatchToRow(*use.rule, match)});
  const bool leaves = use.app || options.all_matches;
  const auto start = [&](rule::Match started) {
    if (!use.to.empty())
      out->starts.push_back({owner.name, use.to, RuleStart{use.rule, std::move(started)}, number});
  };
  if (!leaves) return start(std::move(match));
  if (!use.to.empty()) start(match);
  out->matches.push_back({owner.name, use.rule, std::move(match), use.app, PlaceIn(*out)});
}

void Flow::Impl::TakeOutput(Owner& owner, graph::Output output, Effects* out) {
  const std::string public_name = PublicName(owner.name, output.stream);
  if (wanted_rows.contains(public_name)) queue.push_back({&owner, output.stream, output.row, true});
  if (!output.to.empty())
    out->starts.push_back({owner.name, output.to, RowStart{output.stream, output.row}, number});
  if (output.upload || output.app || options.all_rows)
    out->rows.push_back({owner.name, std::move(output), PlaceIn(*out)});
}

void IntoTables::Put(std::string_view stream, std::string_view table, const Json& row) {
  Status put = batch_ == nullptr ? Status(Code::kUnavailable, "there are no tables here")
                                 : batch_->Put(table, row);
  if (put.ok()) return;
  put = put.Context("stream {}", stream);
  ++owner_->table_errors;
  owner_->last_error = put.ToString();
  if (error_.ok()) error_ = std::move(put);
}

void Flow::Impl::TakeOutputs(Owner& owner, Effects* out) {
  if (const Status put = owner.into->TakeError(); !put.ok() && out->error.ok()) out->error = put;
  // Emptied first: what is done with an output may lead to more.
  std::vector<graph::Output> rows = std::exchange(outputs, {});
  for (graph::Output& row : rows) TakeOutput(owner, std::move(row), out);
  rows.clear();
  if (outputs.empty()) outputs = std::move(rows);  // its memory
}

void Flow::Impl::PushRow(Owner& owner, std::string_view source, const event::Row& row,
                         Effects* out) {
  const Status pushed = owner.graph->Push(source, row, host_ms, &outputs, arrival_ms);
  if (!pushed.ok() && pushed.code() != Code::kNotFound) Fail(owner, pushed, out);
  TakeOutputs(owner, out);
}

void Flow::Impl::MatchEvent(RuleSet& set, const EventPtr& event, Effects* out) {
  set.matches.clear();
  set.matcher.OnEvent(event, &set.matches);
  for (rule::Match& match : set.matches) TakeMatch(set, std::move(match), out);
}

void Flow::Impl::Drain(Effects* out) {
  for (size_t steps = 0; !queue.empty(); ++steps) {
    const Step step = std::move(queue.front());
    queue.pop_front();
    if (steps >= kMaxCascade) {
      ++step.owner->cascades;
      Fail(*step.owner,
           Status::Of(Code::kLimitExceeded,
                      "an event led to {} rows and matches, "
                      "the limit",
                      kMaxCascade),
           out);
      continue;
    }
    if (!step.is_row) {
      PushRow(*step.owner, step.name, step.row, out);
      continue;
    }
    auto event = std::make_shared<event::Event>();
    event->id = PublicName(step.owner->name, step.name);
    if (step.row.origin != nullptr) event->page = step.row.origin->page;
    event->time_ms = step.row.time_ms;
    event->data = step.row.fields;
    MatchEvent(rows, event, out);
  }
}

// ---- entries

void Flow::OnEvent(const EventPtr& event, int64_t arrival_ms, int64_t host_ms, Effects* out,
                   const Blind& blind) {
  Impl& impl = *impl_;
  impl.arrival_ms = arrival_ms;
  impl.host_ms = host_ms;
  impl.number = event->number;
  impl.triggered.clear();
  const auto is_blind = [&](size_t trigger) { return blind(*impl.trigger_owners[trigger]); };
  if (blind)
    impl.triggers.OnEvent(event, &impl.triggered, is_blind);
  else
    impl.triggers.OnEvent(event, &impl.triggered);
  for (trigger::Match& match : impl.triggered)
    out->starts.push_back({*impl.trigger_owners[match.trigger], "",
                           TriggerStart{std::move(match.events)}, impl.number});
  impl.MatchEvent(impl.plain, event, out);
  if (!impl.rows.uses.empty()) impl.MatchEvent(impl.rows, event, out);
  if (const auto readers = impl.sources.find(event->id); readers != impl.sources.end()) {
    const event::Row row = event::RowOfEvent(*event);
    for (Owner* owner : readers->second) impl.PushRow(*owner, event->id, row, out);
  }
  impl.Drain(out);
}

Status Flow::Emit(const std::string& owner, std::string_view source, const event::Row& row,
                  int64_t arrival_ms, int64_t host_ms, Effects* out) {
  Impl& impl = *impl_;
  const auto found = impl.owners.find(owner);
  if (found == impl.owners.end() || !found->second->graph->HasSource(source))
    return Status::Of(Code::kNotFound, "no stream of {} has the source \"{}\"", owner, source);
  impl.arrival_ms = arrival_ms;
  impl.host_ms = host_ms;
  impl.number = 0;
  impl.PushRow(*found->second, source, row, out);
  impl.Drain(out);
  return OkStatus();
}

void Flow::Advance(int64_t now_ms, int64_t host_ms, Effects* out, const Blind& busy) {
  Impl& impl = *impl_;
  impl.arrival_ms = now_ms;
  impl.host_ms = host_ms;
  impl.number = 0;
  impl.Tick(now_ms, [&](const EventPtr& event) { OnEvent(event, now_ms, host_ms, out); });
  for (auto& [name, owner] : impl.owners) {
    if (busy && busy(name)) continue;
    owner->graph->Advance(host_ms, &impl.outputs);
    impl.TakeOutputs(*owner, out);
  }
  for (RuleSet* set : {&impl.plain, &impl.rows}) {
    set->matches.clear();
    set->matcher.AdvanceTo(now_ms, &set->matches);
    for (rule::Match& match : set->matches) impl.TakeMatch(*set, std::move(match), out);
  }
  impl.Drain(out);
}

int64_t Flow::next_idle_ms(int64_t below_ms) const {
  int64_t next = std::numeric_limits<int64_t>::max();
  for (const auto& [name, owner] : impl_->owners)
    next = std::min(next, owner->graph->next_idle_ms(below_ms));
  return next;
}

bool Flow::keeps_time() const {
  return !impl_->clocks.empty() ||
         std::any_of(impl_->owners.begin(), impl_->owners.end(), [](const auto& entry) {
           const Definition& definition = *entry.second->definition;
           return definition.streams != nullptr || !definition.rules.empty();
         });
}

void Flow::AdvanceEventTime(int64_t time_ms, Effects* out) {
  Impl& impl = *impl_;
  impl.arrival_ms = graph::kNoArrival;
  impl.number = 0;
  for (auto& [name, owner] : impl.owners) {
    owner->graph->AdvanceWatermark(time_ms, &impl.outputs);
    impl.TakeOutputs(*owner, out);
  }
  for (RuleSet* set : {&impl.plain, &impl.rows}) {
    set->matches.clear();
    set->matcher.AdvanceTo(time_ms, &set->matches);
    for (rule::Match& match : set->matches) impl.TakeMatch(*set, std::move(match), out);
  }
  impl.Drain(out);
}

void Flow::Flush(Effects* out) {
  Impl& impl = *impl_;
  impl.arrival_ms = graph::kNoArrival;
  impl.number = 0;
  for (auto& [name, owner] : impl.owners) {
    owner->graph->Flush(&impl.outputs);
    impl.TakeOutputs(*owner, out);
  }
  impl.Drain(out);
}

table::Batch& Flow::batch() {
  return *impl_->batch;
}

uint64_t Flow::oldest() const {
  const uint64_t plain = impl_->plain.matcher.oldest(), rows = impl_->rows.matcher.oldest();
  return plain == 0 || rows == 0 ? std::max(plain, rows) : std::min(plain, rows);
}

OwnerStats Flow::stats(std::string_view owner) const {
  OwnerStats out;
  const auto found = impl_->owners.find(owner);
  if (found == impl_->owners.end()) return out;
  const Owner& one = *found->second;
  out.streams = one.graph->stats();
  for (const OwnRule& rule : one.rules)
    out.rules.push_back(
        {rule.use.rule.name,
         (rule.reads_rows ? impl_->rows : impl_->plain).matcher.stats(rule.number)});
  out.table_errors = one.table_errors;
  out.cascades = one.cascades;
  out.last_error = one.last_error;
  return out;
}

}  // namespace ferry::flow

// The state of one key: events, each once, then runs that refer to them by place.
#include <algorithm>
#include <map>

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/rule/match/bytes.h"
#include "pipeline/rule/match/runs.h"

namespace ferry::rule {
namespace {

constexpr uint64_t kStateVersion = 1;

// An event of a state: by number, or as JSON text.
struct StoredEvent {
  uint64_t seq = 0;
  bool by_value = false;
  EventPtr event;  // null: the log has it no more
};

void PutEvent(const Link& link, std::string* out) {
  PutNumber(link.seq, out);
  PutNumber(link.by_value ? 1 : 0, out);
  PutNumber(link.event->number, out);
  if (link.by_value) PutText(WriteJson(event::EventToJson(*link.event)), out);
}

Result<StoredEvent> ReadEvent(ByteReader* reader, const Resolver& resolver) {
  StoredEvent out;
  out.seq = reader->Number();
  out.by_value = reader->Number() != 0;
  const uint64_t number = reader->Number();
  if (!out.by_value) {
    if (reader->ok()) out.event = resolver(number);
    return out;
  }
  FERRY_ASSIGN_OR_RETURN(event::Event event, event::ParseEvent(reader->Text()));
  event.number = number;
  out.event = std::make_shared<const event::Event>(std::move(event));
  return out;
}

}  // namespace

std::string StateOf(const KeyRuns& key) {
  std::map<uint64_t, const Link*> events;  // by seq
  for (const Run& run : key.runs)
    for (const Link* at = run.last.get(); at != nullptr; at = at->before.get())
      events[at->seq] = at;
  std::string out;
  PutNumber(kStateVersion, &out);
  PutNumber(key.changed_seq, &out);
  PutNumber(events.size(), &out);
  std::map<uint64_t, size_t> places;
  for (const auto& [seq, link] : events) {
    places.emplace(seq, places.size());
    PutEvent(*link, &out);
  }
  PutNumber(key.runs.size(), &out);
  for (const Run& run : key.runs) {
    PutNumber(run.alive, &out);
    PutNumber(run.waits ? 1 : 0, &out);
    std::vector<const Link*> chain;
    for (const Link* at = run.last.get(); at != nullptr; at = at->before.get()) chain.push_back(at);
    PutNumber(chain.size(), &out);
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      PutNumber(places[(*at)->seq], &out);
      PutNumber((*at)->step, &out);
    }
  }
  return out;
}

namespace {

// One run; `last` stays null when one of its events is gone. False: no run of these steps.
bool ReadRun(ByteReader* reader, const std::vector<StoredEvent>& events, size_t steps, Run* out) {
  const uint64_t alive = reader->Number();
  const uint64_t all = steps == 32 ? UINT32_MAX : (uint64_t{1} << steps) - 1;
  out->waits = reader->Number() != 0;
  const uint64_t positions = reader->Number();
  if (!reader->ok() || (alive & ~all) != 0 || positions == 0 || positions > kMaxPositions)
    return false;
  out->alive = static_cast<StepMask>(alive);
  bool whole = true;
  uint64_t seq = 0, before = 0;
  for (uint64_t k = 0; k < positions; ++k) {
    const uint64_t place = reader->Number(), step = reader->Number();
    if (!reader->ok() || place >= events.size() || step >= steps || step < before) return false;
    const StoredEvent& one = events[place];
    if (k > 0 && one.seq <= seq) return false;
    out->count = k > 0 && step == before ? out->count + 1 : 1;
    seq = one.seq;
    before = step;
    whole = whole && one.event != nullptr;
    if (!whole) continue;
    if (k == 0) out->first_seq = one.seq, out->first_ms = one.event->time_ms;
    out->last = std::make_shared<const Link>(
        Link{one.event, one.seq, static_cast<uint32_t>(step), one.by_value, std::move(out->last)});
  }
  if (!whole) out->last = nullptr;
  return true;
}

}  // namespace

void RuleRuns::SaveChanges(
    const std::function<void(const std::string& key, const std::string& state)>& put) {
  for (const std::string& key : gone_)
    if (const KeyRuns* again = Find(key); again == nullptr) put(key, "");
  gone_.clear();
  for (KeyRuns* const key : dirty_) {
    put(key->key, StateOf(*key));
    key->dirty = false;
    key->stored = true;
  }
  dirty_.clear();
}

bool ReadState(std::string_view state, size_t steps, const Resolver& resolver, KeyRuns* out,
               uint64_t* lost) {
  ByteReader reader(state);
  if (reader.Number() != kStateVersion) return false;
  out->changed_seq = reader.Number();
  const uint64_t count = reader.Number();
  if (count > reader.left()) return false;
  std::vector<StoredEvent> events;
  for (uint64_t k = 0; k < count; ++k) {
    auto event = ReadEvent(&reader, resolver);
    if (!event.ok()) return false;
    events.push_back(std::move(*event));
  }
  const uint64_t runs = reader.Number();
  if (!reader.ok() || runs > reader.left()) return false;
  for (uint64_t k = 0; k < runs; ++k) {
    Run run;
    if (!ReadRun(&reader, events, steps, &run)) return false;
    if (run.last == nullptr)
      ++*lost;
    else
      out->runs.push_back(std::move(run));
  }
  return reader.at_end();
}

Status RuleRuns::Load(const std::string& key, std::string_view state, const Resolver& resolver) {
  KeyRuns read;
  uint64_t lost = 0;
  if (!ReadState(state, rule_.steps.size(), resolver, &read, &lost))
    return Status::Of(Code::kMalformed, "state of rule {} is damaged", rule_.rule.name);
  counts_.dropped_runs += lost;
  read.key = key;
  read.stored = true;
  read.dirty = lost > 0;
  Take(std::move(read));
  return OkStatus();
}

void RuleRuns::Take(KeyRuns runs) {
  if (runs.runs.empty()) {
    if (runs.stored) gone_.push_back(std::move(runs.key));
    return;
  }
  KeyRuns& into = Make(runs.key);
  runs_ += runs.runs.size();
  into.runs = std::move(runs.runs);
  into.changed_seq = runs.changed_seq;
  into.stored = runs.stored;
  if (runs.dirty) MarkDirty(into);
  SetDue(into);
}

void RuleRuns::Loaded() {
  by_change_.sort([](const KeyRuns* a, const KeyRuns* b) {
    return a->changed_seq != b->changed_seq ? a->changed_seq < b->changed_seq : a->key < b->key;
  });
  KeepMaxKeys();
}

std::vector<std::string> RuleRuns::StoredKeys() const {
  std::vector<std::string> out = gone_;
  for (const auto& [name, key] : keys_)
    if (key.stored) out.push_back(name);
  return out;
}

}  // namespace ferry::rule

#include "pipeline/trigger/matcher_impl.h"

#include "common/base/json.h"

namespace ferry::trigger {
namespace {

constexpr char kOf[] = "of", kReached[] = "reached";

// A chain as the list of its events, the first one first; null for none.
Json ChainToJson(const Chain* chain) {
  if (chain == nullptr) return nullptr;
  Json events = Json::array();
  for (const Chain* at = chain; at != nullptr; at = at->before.get()) {
    Json event = event::EventToJson(*at->event);
    event["number"] = at->event->number;
    events.push_back(std::move(event));
  }
  std::reverse(events.begin(), events.end());
  return events;
}

Result<ChainPtr> ChainFromJson(const Json& json, size_t events) {
  if (json.is_null()) return ChainPtr();
  if (!json.is_array() || json.size() != events)
    return Status::Of(Code::kMalformed, "a begun sequence is not {} events", events);
  ChainPtr chain;
  for (const Json& one : json) {
    FERRY_ASSIGN_OR_RETURN(const int64_t number, GetIntOr(one, "number", 0));
    Json plain = one;
    plain.erase("number");
    FERRY_ASSIGN_OR_RETURN(event::Event event, event::EventFromJson(std::move(plain)));
    event.number = static_cast<uint64_t>(number);
    auto next = std::make_shared<Chain>();
    next->first_ms = chain == nullptr ? event.time_ms : chain->first_ms;
    next->before = std::move(chain);
    next->event = std::make_shared<const event::Event>(std::move(event));
    chain = std::move(next);
  }
  return chain;
}

}  // namespace

void Matcher::SaveChanges(const std::function<std::string(size_t)>& name, event::StateWriter& out) {
  for (const size_t trigger : impl_->changed) {
    const Running& running = impl_->triggers[trigger];
    if (running.spec.steps.empty()) continue;
    Json reached = Json::array();
    bool begun = false;
    for (const ChainPtr& chain : running.reached) {
      reached.push_back(ChainToJson(chain.get()));
      begun = begun || chain != nullptr;
    }
    if (begun)
      out.Put(name(trigger), WriteJson({{kOf, TriggerToJson(running.spec)}, {kReached, reached}}));
    else
      out.Delete(name(trigger));
  }
  impl_->changed.clear();
}

Status Matcher::Load(size_t trigger, std::string_view state) {
  Running& running = impl_->triggers[trigger];
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(state));
  FERRY_ASSIGN_OR_RETURN(const Json* of, GetObject(json, kOf));
  if (*of != TriggerToJson(running.spec))
    return Status(Code::kMalformed, "the state belongs to another trigger");
  FERRY_ASSIGN_OR_RETURN(const Json* reached, GetArray(json, kReached));
  if (reached->size() != running.reached.size())
    return Status(Code::kMalformed, "the state has another number of steps");
  std::vector<ChainPtr> chains;
  for (size_t k = 0; k < reached->size(); ++k) {
    FERRY_ASSIGN_OR_RETURN(ChainPtr chain, ChainFromJson((*reached)[k], k + 1));
    chains.push_back(std::move(chain));
  }
  running.reached = std::move(chains);
  return OkStatus();
}

}  // namespace ferry::trigger

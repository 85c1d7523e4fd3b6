// Rules: patterns over events. A rule takes the events of one key (the values of `per`) in order of
// arrival and finds matches: every step gets a list of positions in that order, as many as `least`
// and `most` allow (an optional step: or none), increasing through the match. Each event fits its
// step's event, page and `where`. Every rule below counts for a match as a whole:
//
//   * Between neighbours p < q, by the contiguity of q's step (by `inner` when p is of the same
//     step): strict: q = p + 1; relaxed: no event between fits q's step; any: free.
//   * A `not` step between steps: no event between the neighbours around it fits it. As the last
//     step, with within_ms: no event after the last position fits it until an event (of any key) or
//     the clock shows a time after first + within_ms; then the match leaves.
//   * greedy: no event between the step's last position and the next fits the step, unless the
//     step has `most` positions. until: no event from the step's first to its last position fits.
//   * within_ms: time of the last position minus time of the first is at most that.
//   * `where` may use captures: fields of the match's events before the tested one, by step name:
//     a.price is a's last; count(a), sum(a.price), min(a.price), max(a.price) are over all of a.
//
// Matches leave at their last position, ordered by their positions one after another. `skip` then
// drops later matches by where they start: see SkipKind. A `where` that cannot be computed for an
// event (a string compared with a number) does not fit. A missing `per` field is null; 1 and 1.0
// are one value. Pure data and functions; any thread.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::event {
struct Event;
}

namespace ferry::rule {

inline constexpr size_t kMaxRuleTextBytes = 4 << 20;  // of the text of a list of rules
inline constexpr size_t kMaxRules = 100'000;          // of one list, of one matcher
inline constexpr size_t kMaxSteps = 32;               // of one rule
inline constexpr size_t kMaxPer = 8;                  // values of one key
inline constexpr uint32_t kMaxTimes = 1'000;          // positions of one step
inline constexpr uint32_t kMaxPositions = 4'000;      // of one match: the sum of all `most`
inline constexpr int64_t kMaxWithinMs = int64_t{366} * 24 * 3600 * 1000;
inline constexpr uint32_t kMaxRunsLimit = 100'000, kDefaultMaxRuns = 10'000;
inline constexpr uint32_t kMaxKeysLimit = 1'000'000, kDefaultMaxKeys = 10'000;

enum class Contiguity { kStrict, kRelaxed, kAny };

// Which later matches a match drops when it leaves: none; those with the same first position; those
// that start at or before its last position; those that start before the first or the last position
// of a step (none when that step has no position).
enum class SkipKind { kNone, kNext, kPastLast, kFirst, kLast };

// What one event must be. Empty members take any event.
struct Condition {
  std::string event;
  std::string page;
  std::string where;  // an expression

  bool operator==(const Condition&) const = default;
};

struct Step {
  std::string name;
  Condition fits;
  uint32_t least = 1, most = 1;  // `times`
  bool optional = false;
  bool negated = false;  // `not`
  bool greedy = false;
  std::optional<Condition> until;
  Contiguity contiguity = Contiguity::kRelaxed;
  Contiguity inner = Contiguity::kRelaxed;

  bool operator==(const Step&) const = default;
};

struct Rule {
  std::string name;
  std::vector<std::string> per;  // fields ("user.id") or _page, _event; empty: one key for all
  std::vector<Step> steps;
  int64_t within_ms = 0;  // 0: no limit
  SkipKind skip = SkipKind::kPastLast;
  std::string skip_to;  // kFirst, kLast: the step's name
  uint32_t max_runs = kDefaultMaxRuns;
  uint32_t max_keys = kDefaultMaxKeys;

  bool operator==(const Rule&) const = default;
};

using EventPtr = std::shared_ptr<const event::Event>;

// One match. `events` has the events of all steps one after another; step k has those from
// ends[k - 1] (0 for the first) to before ends[k].
struct Match {
  Match() {}  // without `= default`, which would fill it with zeroes first

  uint32_t rule = 0;
  std::string key = "[]";  // JSON array text of the values of `per`
  boost::container::small_vector<EventPtr, 4> events;
  boost::container::small_vector<uint32_t, 4> ends;
  int64_t time_ms = 0;  // of the last event; with `not` last: of the first plus within_ms

  std::span<const EventPtr> step(size_t k) const {
    const size_t begin = k == 0 ? 0 : ends[k - 1];
    return {events.data() + begin, events.data() + ends[k]};
  }
  size_t steps() const { return ends.size(); }
};

// ---- check.cc

// What a rule must keep beside its form: limits above, names given once, `not` neither first nor,
// without within_ms, last, expressions that parse and use captures of earlier steps only (of the
// step itself where it repeats). kMalformed or kLimitExceeded name step and member.
Status CheckRule(const Rule& rule);

// ---- json.cc

// {"name":..,"per":[..],"steps":[{"name":..,"event":..,"page":..,"where":..,"times":[a,b],
// "optional":b,"not":b,"greedy":b,"until":text or {"event","page","where"},"contiguity":"strict"|
// "relaxed"|"any","inner":the same}],"within_ms":n,"skip":"none"|"next"|"past_last"|"first:NAME"|
// "last:NAME","max_runs":n,"max_keys":n}. An unknown member is an error that names the nearest
// known one. The rule is checked.
Result<Rule> RuleFromJson(const Json& json);
// Members that have their defaults are left out.
Json RuleToJson(const Rule& rule);
// {"rules":[..]}, or an array of rules, as text. Names are given once.
Result<std::vector<Rule>> RulesFromJson(const Json& json);

// ---- enumerate.cc

// All matches of a rule over the events in order of arrival, in the order in which they leave:
// brute force, straight from the definition above, exponential; for tests and short streams.
// `rule` of the matches is 0. max_runs and max_keys do not count here. A rule that CheckRule
// refuses has none.
std::vector<Match> Enumerate(const Rule& rule, std::span<const EventPtr> events);

// ---- key.cc

// The JSON array text of a rule's key for an event; equal numbers have equal text.
std::string KeyText(std::span<const std::string> per, const event::Event& event);

}  // namespace ferry::rule

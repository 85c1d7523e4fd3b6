// Why a rule fired over some events, or how far it came.
#pragma once

#include <span>
#include <string>

#include "common/base/json_fwd.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {

// {"fired":bool,"steps":{NAME:[numbers of events]},"waiting_for":NAME or null,"ended_by":text or
// null}: of the last match, else of the run that came furthest (to the latest step, with the most
// events, then the newest). ended_by is such as "within_ms passed at event 17", "`not c` by event
// 9", "strict: event 5 does not fit b"; null while the run could go on. With a `key`, as KeyText
// gives it, only its matches and runs are looked at. CheckRule's errors.
Result<Json> Explain(const Rule& rule, std::span<const EventPtr> events,
                     const std::string& key = "");

}  // namespace ferry::rule

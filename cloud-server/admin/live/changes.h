// What a reader of live events is told of one thing: all of it at first, then what is new.
#pragma once

#include <string>

#include "common/base/json.h"

namespace ferry::server {

inline constexpr size_t kLiveReleaseEvents = 20;  // the newest that a release is told with
inline constexpr size_t kLiveGates = 100;         // those nearest to where they stop

// `release` (GET /releases/{id}) as it is told: without members and exclusive files, which have
// pages of their own, with the newest of its events, and with the gates that a person would look
// at; "gates_left_out" says how many more there are.
void TrimRelease(Json* release);

// The members of `now` that differ from `then`, null for those that went; of "events" those that
// came. Empty when nothing differs but the time of the look. `id` is kept where there is one.
Json DifferenceOf(const Json& then, const Json& now);

// All of one thing, marked as such: a reader shall not keep what it has besides. ("events" it may:
// there are more than are told.)
Json WholeOf(Json now);

// An event as it is sent (WHATWG HTML, section 9.2.6).
std::string EventText(const std::string& id, const std::string& kind, const Json& data);

}  // namespace ferry::server

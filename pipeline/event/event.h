// Events: what the app tells the runtime, and rows: what tasks emit and streams turn into features.
// Pure data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace ferry::event {

inline constexpr size_t kMaxEventBytes = 1 << 20;  // of the JSON text of one event
inline constexpr size_t kMaxNameBytes = 128;       // of an event id, a page, a stream name
inline constexpr size_t kMaxRowBytes = 64 << 10;   // of the JSON text of one row
inline constexpr int64_t kMaxTimeMs = int64_t{1} << 53;
// An event may be dated so far ahead of its arrival; one that is dated later gets the time of its
// arrival, because windows of all later rows would otherwise be closed.
inline constexpr int64_t kMaxAheadMs = 300'000;

struct Event {
  std::string id;       // "page_enter", "image", ...
  std::string page;     // where it happened; may be empty
  int64_t time_ms = 0;  // event time, milliseconds on the app's clock; 0: the host stamps it
  Json data = Json::object();
  uint64_t number = 0;  // in the log that gives it again after a kill; 0: nothing does
  size_t bytes = 0;     // of the JSON text that it was read from, for bounds of queues
};

// {"id":..,"page":..,"time_ms":..,"data":any}; id is needed. kMalformed or kLimitExceeded name the
// member. The data is moved out of `json`: it may be most of a megabyte.
Result<Event> EventFromJson(Json json);
Result<Event> ParseEvent(std::string_view text);
Json EventToJson(const Event& event);

// Gives an event without time, or one dated more than kMaxAheadMs ahead, the time of its arrival.
// True when it was ahead.
bool StampArrival(int64_t arrival_ms, Event* event);

// Letters, digits, and _ - . : / are allowed in ids, pages and stream names; 1 to kMaxNameBytes.
Status CheckName(std::string_view what, std::string_view name);

// What a row was made of, where that was an event. Expressions and keys read it as _event and
// _page, beside the row's fields.
struct Origin {
  std::string event;  // its id
  std::string page;
};

// One row of a stream.
struct Row {
  int64_t time_ms = 0;  // event time; _time_ms in expressions and keys
  Json fields = Json::object();
  std::shared_ptr<const Origin> origin = nullptr;  // null: made of no event
};

// The row of an event: its data where that is an object, else {"value": data}.
Row RowOfEvent(const Event& event);

}  // namespace ferry::event

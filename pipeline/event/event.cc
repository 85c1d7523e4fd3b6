#include "pipeline/event/event.h"

namespace ferry::event {
namespace {

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':' || c == '/';
}

}  // namespace

bool StampArrival(int64_t arrival_ms, Event* event) {
  const bool ahead = event->time_ms > arrival_ms + kMaxAheadMs;
  if (ahead || event->time_ms == 0) event->time_ms = arrival_ms;
  return ahead;
}

Status CheckName(std::string_view what, std::string_view name) {
  if (name.empty()) return Status::Of(Code::kMalformed, "{} is empty", what);
  if (name.size() > kMaxNameBytes)
    return Status::Of(Code::kLimitExceeded, "{} has {} bytes, the limit is {}", what, name.size(),
                      kMaxNameBytes);
  for (const char c : name)
    if (!IsNameByte(c))
      return Status::Of(Code::kMalformed,
                        "{} has the byte 0x{:02x}; letters, digits and _ - . : / are allowed", what,
                        static_cast<unsigned char>(c));
  return OkStatus();
}

Result<Event> EventFromJson(Json json) {
  if (!json.is_object()) return Status(Code::kMalformed, "an event is a JSON object");
  Event event;
  FERRY_ASSIGN_OR_RETURN(event.id, GetString(json, "id"));
  FERRY_TRY(CheckName("id", event.id));
  FERRY_ASSIGN_OR_RETURN(event.page, GetStringOr(json, "page", ""));
  if (!event.page.empty()) FERRY_TRY(CheckName("page", event.page));
  FERRY_ASSIGN_OR_RETURN(event.time_ms, GetIntOr(json, "time_ms", 0));
  if (event.time_ms < 0 || event.time_ms > kMaxTimeMs)
    return Status::Of(Code::kMalformed, "time_ms {} is not from 0 to 2^53", event.time_ms);
  if (const auto data = json.find("data"); data != json.end()) event.data = std::move(*data);
  return event;
}

Result<Event> ParseEvent(std::string_view text) {
  if (text.size() > kMaxEventBytes)
    return Status::Of(Code::kLimitExceeded, "the event has {} bytes, the limit is {}", text.size(),
                      kMaxEventBytes);
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(text));
  FERRY_ASSIGN_OR_RETURN(Event event, EventFromJson(std::move(json)));
  event.bytes = text.size();
  return event;
}

Json EventToJson(const Event& event) {
  return {{"id", event.id}, {"page", event.page}, {"time_ms", event.time_ms}, {"data", event.data}};
}

Row RowOfEvent(const Event& event) {
  Row row;
  row.time_ms = event.time_ms;
  if (event.data.is_object())
    row.fields = event.data;
  else
    row.fields["value"] = event.data;
  row.origin = std::make_shared<const Origin>(Origin{event.id, event.page});
  return row;
}

}  // namespace ferry::event

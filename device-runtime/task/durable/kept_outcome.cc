#include "device-runtime/task/durable/kept_outcome.h"

#include "device-runtime/task/outcome.h"

namespace ferry::task {
namespace {

Status Read(std::string_view text, EventOutcome* out) {
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(text));
  FERRY_ASSIGN_OR_RETURN(out->latency_ns, GetInt(json, "latency_ns"));
  FERRY_ASSIGN_OR_RETURN(const int64_t code, GetIntOr(json, "code", 0));
  if (code != 0) {
    FERRY_ASSIGN_OR_RETURN(const std::string why, GetString(json, "text"));
    out->error = Status(CodeFromNumber(static_cast<int>(code)).value_or(Code::kInternal), why);
  } else if (const auto result = json.find("result"); result != json.end()) {
    out->result = std::move(*result);
  }
  return OkStatus();
}

}  // namespace

std::string TextOf(const EventOutcome& outcome) {
  Json json = {{"latency_ns", outcome.latency_ns}};
  if (outcome.error.ok()) {
    json["result"] = outcome.result;
  } else {
    json["code"] = static_cast<int>(outcome.error.code());
    json["text"] = outcome.error.message();
  }
  std::string text = WriteJson(json);
  if (text.size() > kMaxKeptOutcome) text.clear();
  return text;
}

EventOutcome OutcomeFromText(std::string_view text) {
  EventOutcome out;
  out.fired = out.again = true;
  out.unknown = text.empty();
  if (out.unknown) return out;
  const Status read = Read(text, &out);
  if (!read.ok()) out.error = read.Context("what was kept of a run");
  return out;
}

}  // namespace ferry::task

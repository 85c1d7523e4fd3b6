#include "device-runtime/task/rehearse/details.h"

#include "device-runtime/task/host.h"

namespace ferry::task {
namespace {

constexpr double kNsOfMs = 1e6;

// Cut at the start of a character of UTF-8, so that it stays text.
std::string Shortened(std::string text) {
  if (text.size() <= kMaxDetailBytes) return text;
  size_t end = kMaxDetailBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text + "...";
}

}  // namespace

Json DetailsOf(const Case& one, const Status& status, const EventOutcome& seen,
               const std::function<std::string()>& take_printed) {
  Json details = {{"case", one.name},
                  {"passed", status.ok()},
                  {"started", seen.fired},
                  {"printed", take_printed ? Shortened(take_printed()) : ""},
                  {"ms", static_cast<double>(seen.latency_ns) / kNsOfMs}};
  if (seen.fired && seen.error.ok()) details["result"] = Shortened(WriteJson(seen.result));
  if (!status.ok()) details["error"] = Shortened(status.ToString());
  return details;
}

}  // namespace ferry::task

#include "tools/ferry/serve/stop_filter.h"

#include <algorithm>
#include <utility>

namespace ferry::cli {
namespace {

// The longest end of `text` that begins `stop`, but is not all of it.
size_t PartialEnd(std::string_view text, std::string_view stop) {
  for (size_t size = std::min(text.size(), stop.size() - 1); size > 0; --size) {
    if (stop.starts_with(text.substr(text.size() - size))) return size;
  }
  return 0;
}

}  // namespace

std::string StopFilter::Push(std::string_view text) {
  if (stopped_) return {};
  held_ += text;
  size_t first = std::string::npos;
  size_t waits = 0;
  for (const std::string& stop : stops_) {
    first = std::min(first, held_.find(stop));
    waits = std::max(waits, PartialEnd(held_, stop));
  }
  if (first != std::string::npos) {
    stopped_ = true;
    return std::exchange(held_, {}).substr(0, first);
  }
  std::string shown = held_.substr(0, held_.size() - waits);
  held_.erase(0, shown.size());
  return shown;
}

std::string StopFilter::Finish() {
  return std::exchange(held_, {});
}

}  // namespace ferry::cli

// Text up to the first stop sequence, as it comes: what may be the beginning of one waits. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ferry::cli {

class StopFilter {
 public:
  explicit StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // What can be shown now. After a stop sequence came, nothing more.
  std::string Push(std::string_view text);
  // What still waited, at the end.
  std::string Finish();
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::string> stops_;  // none empty
  std::string held_;                // the beginning of a stop sequence, perhaps
  bool stopped_ = false;
};

}  // namespace ferry::cli

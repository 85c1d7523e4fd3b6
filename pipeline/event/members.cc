#include "pipeline/event/members.h"

#include <algorithm>
#include <vector>

#include "common/base/json.h"

namespace ferry::event {
namespace {

// How many letters are to be changed, put in or taken out.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t changed = diagonal + (a[i - 1] != b[k - 1] ? 1 : 0);
      diagonal = row[k];
      row[k] = std::min({row[k] + 1, row[k - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

// A member that is the beginning of a known one means it; else the one with the fewest changes.
std::string_view Nearest(std::string_view name, std::span<const std::string_view> known) {
  constexpr size_t kLongestName = 64;
  std::string_view best = known[0];
  size_t least = SIZE_MAX;
  for (const std::string_view one : known) {
    const bool begins = one.substr(0, name.size()) == name;
    const size_t distance = begins ? 0 : Distance(name.substr(0, kLongestName), one);
    if (distance < least) least = distance, best = one;
  }
  return best;
}

}  // namespace

Status CheckMembers(const Json& object, std::span<const std::string_view> known) {
  for (const auto& [name, value] : object.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Status::Of(Code::kMalformed, "there is no member \"{}\"; did you mean \"{}\"?",
                        name.substr(0, 64), Nearest(name, known));
  return OkStatus();
}

}  // namespace ferry::event

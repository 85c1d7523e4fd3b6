#include "common/base/nearest.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ferry {
namespace {

constexpr size_t kLongestName = 64;
constexpr size_t kShortName = 4;  // under that one letter may differ

// How many letters are to be changed, put in or taken out.
size_t Changes(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t replaced = diagonal + (a[i - 1] == b[k - 1] ? 0 : 1);
      diagonal = row[k];
      row[k] = std::min({row[k] + 1, row[k - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// The letters by which the nearest name may differ to be named at all.
size_t NearLimit(std::string_view name) {
  return name.size() < kShortName ? 1 : std::max<size_t>(2, name.size() / 3);
}

template <typename Name>
std::string_view Nearest(std::string_view name, std::span<const Name> known) {
  std::string_view best = known[0];
  size_t least = SIZE_MAX;
  for (const std::string_view one : known) {
    const bool begins = one.starts_with(name);
    const size_t changes = begins ? 0 : Changes(name.substr(0, kLongestName), one);
    if (changes < least) least = changes, best = one;
  }
  return best;
}

}  // namespace

std::string_view NearestName(std::string_view name, std::span<const std::string_view> known) {
  return Nearest(name, known);
}

std::string_view NearestName(std::string_view name, std::span<const std::string> known) {
  return Nearest(name, known);
}

std::optional<std::string_view> NearName(std::string_view name,
                                         std::span<const std::string> known) {
  if (known.empty() || name.empty()) return std::nullopt;
  const std::string_view nearest = NearestName(name, known);
  const bool is_near = nearest.starts_with(name) ||
                       Changes(name.substr(0, kLongestName), nearest) <= NearLimit(name);
  return is_near ? std::optional(nearest) : std::nullopt;
}

}  // namespace ferry

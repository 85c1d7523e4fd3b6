#include "device-runtime/llm/arch/describe/nearest.h"

#include <algorithm>
#include <vector>

namespace ferry::llm {
namespace {

constexpr size_t kLongestName = 64;

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

}  // namespace

std::string NearestName(std::string_view name, std::span<const std::string> known) {
  const std::string_view part = name.substr(0, kLongestName);
  return *std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return Changes(part, a) < Changes(part, b);
  });
}

}  // namespace ferry::llm

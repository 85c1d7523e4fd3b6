#include "device-runtime/llm/batch/share.h"

#include <algorithm>

namespace ferry::llm {

std::vector<int64_t> ShareTokens(std::span<const int64_t> remaining, int64_t budget) {
  std::vector<int64_t> shares(remaining.size(), 0);
  if (remaining.empty()) return shares;
  const auto dealt = [&](int64_t level) {
    int64_t sum = 0;
    for (int64_t tokens : remaining) sum += std::min(tokens, level);
    return sum;
  };
  int64_t assured = kAssuredTokens;
  while (assured > 1 && dealt(assured) > budget) --assured;
  for (const int64_t most : {assured, budget}) {
    for (size_t i = 0; i < remaining.size() && budget > 0; ++i) {
      const int64_t more = std::min({remaining[i], most, budget + shares[i]}) - shares[i];
      shares[i] += more;
      budget -= more;
    }
  }
  return shares;
}

}  // namespace ferry::llm

// A model's logits without a session, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/workspace.h"

namespace ferry::llm::testing {

// Logits of all `ids`, [ids.size()][vocabulary], read in chunks of `chunk` tokens.
inline std::vector<float> AllLogits(const Model& model, std::span<const TokenId> ids,
                                    int64_t chunk = kMaxChunkTokens,
                                    sys::Parallel& parallel = sys::SerialParallel(),
                                    const AdapterSet* adapters = nullptr,
                                    const KvOptions& kv_options = {}) {
  const int64_t vocabulary = model.config().vocabulary;
  std::vector<float> logits(ids.size() * static_cast<size_t>(vocabulary));
  auto pool = KvPool::Create(model.config(), kv_options);
  auto workspace = Workspace::Create(model.config(), chunk);
  EXPECT_TRUE(pool.ok() && workspace.ok());
  KvSequence kv = (*pool)->NewSequence();
  for (size_t begin = 0; begin < ids.size(); begin += static_cast<size_t>(chunk)) {
    const auto tokens =
        ids.subspan(begin, std::min(static_cast<size_t>(chunk), ids.size() - begin));
    EXPECT_TRUE(model.CheckTokens(tokens, kv.length()).ok());
    EXPECT_TRUE(kv.Reserve(static_cast<int64_t>(tokens.size())).ok());
    const Chunk one{&kv, tokens, 0, logits.data() + begin * static_cast<size_t>(vocabulary),
                    adapters};
    model.Forward({&one, 1}, *workspace, parallel);
  }
  EXPECT_EQ(kv.length(), static_cast<int64_t>(ids.size()));
  return logits;
}

// The largest difference over the largest |wanted|; infinite where something is not finite.
inline double LargestError(const std::vector<float>& found, const std::vector<float>& wanted) {
  EXPECT_EQ(found.size(), wanted.size());
  double difference = 0;
  double largest = 0;
  for (size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
    if (!std::isfinite(found[i])) return HUGE_VAL;
    difference = std::max<double>(difference, std::abs(found[i] - wanted[i]));
    largest = std::max<double>(largest, std::abs(wanted[i]));
  }
  return difference / largest;
}

}  // namespace ferry::llm::testing

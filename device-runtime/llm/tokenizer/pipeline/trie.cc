#include "device-runtime/llm/tokenizer/pipeline/trie.h"

#include <algorithm>

namespace ferry::llm {

TokenTrie::TokenTrie(std::vector<std::pair<std::string_view, uint32_t>> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  struct Range {  // the entries below a node
    size_t begin, end, depth;
  };
  std::vector<Range> level = {{0, entries.size(), 0}};
  labels_.push_back(0);
  tokens_.push_back(kNone);
  while (!level.empty()) {
    std::vector<Range> below;
    size_t node = tokens_.size() - level.size();
    for (const Range& range : level) {
      first_child_.push_back(static_cast<uint32_t>(tokens_.size() + below.size()));
      size_t at = range.begin;
      for (; at < range.end && entries[at].first.size() == range.depth; ++at) {
        if (range.depth > 0 && tokens_[node] == kNone) tokens_[node] = entries[at].second;
      }
      while (at < range.end) {
        const char label = entries[at].first[range.depth];
        size_t end = at;
        while (end < range.end && entries[end].first[range.depth] == label) ++end;
        below.push_back({at, end, range.depth + 1});
        at = end;
      }
      ++node;
    }
    for (const Range& range : below) {
      labels_.push_back(static_cast<uint8_t>(entries[range.begin].first[range.depth - 1]));
      tokens_.push_back(kNone);
    }
    level = std::move(below);
  }
  first_child_.push_back(static_cast<uint32_t>(tokens_.size()));
  std::fill(std::begin(from_root_), std::end(from_root_), kNone);
  for (uint32_t child = first_child_[0]; child < first_child_[1]; ++child) {
    from_root_[labels_[child]] = child;
  }
}

}  // namespace ferry::llm

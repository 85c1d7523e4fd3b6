// Which tokens a text begins with: a trie over bytes, compact and read in order. Immutable once
// made.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry::llm {

class TokenTrie {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  TokenTrie() = default;
  // Texts (borrowed only now) and what they stand for, in any order; of equal texts the first
  // counts. Empty texts are left out.
  explicit TokenTrie(std::vector<std::pair<std::string_view, uint32_t>> entries);

  // Calls use(length, token) for each entry that `text` begins with, shortest first.
  template <typename Use>
  void ForEachPrefix(std::string_view text, Use use) const {
    uint32_t node = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      node = Child(node, static_cast<uint8_t>(text[i]));
      if (node == kNone) return;
      if (tokens_[node] != kNone) use(i + 1, tokens_[node]);
    }
  }

 private:
  uint32_t Child(uint32_t node, uint8_t byte) const {
    if (node == 0) return from_root_[byte];
    for (uint32_t child = first_child_[node]; child < first_child_[node + 1]; ++child) {
      if (labels_[child] == byte) return child;
    }
    return kNone;
  }

  // Nodes in breadth-first order: the children of one lie next to each other.
  std::vector<uint32_t> first_child_;
  std::vector<uint8_t> labels_;
  std::vector<uint32_t> tokens_;
  uint32_t from_root_[256];
};

}  // namespace ferry::llm

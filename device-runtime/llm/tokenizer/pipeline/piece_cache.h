// The ids of pieces seen before in the same text: words repeat.
#pragma once

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "device-runtime/llm/tokenizer/pipeline/vocabulary.h"

namespace ferry::llm {

// Keeps no text and no ids of its own: pieces and the list of ids outlive it. One thread. A new
// piece takes the place of another of the same slot.
class PieceCache {
 public:
  static constexpr size_t kLongestPiece = 32;

  // For a text of so many bytes; none for a short one.
  explicit PieceCache(size_t text_bytes) {
    if (text_bytes >= kShortestText) {
      slots_.resize(std::bit_ceil(std::min(text_bytes / 16, kMostSlots)));
    }
  }
  // Appends the ids of `piece` to `ids`: copied from before, or by `make`.
  template <typename Make>
  void Append(std::string_view piece, std::vector<TokenId>& ids, Make make) {
    if (slots_.empty() || piece.size() > kLongestPiece) return make();
    Slot& slot = slots_[HashBytes(piece) >> 20 & (slots_.size() - 1)];
    if (slot.piece == piece) {
      const size_t begin = ids.size();
      ids.resize(begin + slot.count);
      std::copy_n(ids.begin() + slot.first, slot.count, ids.begin() + begin);
      return;
    }
    const size_t first = ids.size();
    make();
    slot = {piece, static_cast<uint32_t>(first), static_cast<uint32_t>(ids.size() - first)};
  }

 private:
  static constexpr size_t kShortestText = 1 << 10;
  static constexpr size_t kMostSlots = 1 << 15;
  struct Slot {
    std::string_view piece;
    uint32_t first = 0;  // where its ids stand
    uint32_t count = 0;
  };
  std::vector<Slot> slots_;
};

}  // namespace ferry::llm

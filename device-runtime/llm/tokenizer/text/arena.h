// Texts that live until the end of one encoding, without a block of memory for each.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

namespace ferry::llm {

// One thread. What it hands out never moves.
class TextArena {
 public:
  // `before` and `text` behind each other.
  std::string_view Join(std::string_view before, std::string_view text) {
    char* at = Take(before.size() + text.size());
    std::copy(before.begin(), before.end(), at);
    std::copy(text.begin(), text.end(), at + before.size());
    return {at, before.size() + text.size()};
  }
  std::string_view Keep(std::string&& text) { return strings_.emplace_back(std::move(text)); }

 private:
  static constexpr size_t kChunkBytes = 64 << 10;

  char* Take(size_t size) {
    if (size > left_) {
      left_ = std::max(size, kChunkBytes);
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      next_ = chunks_.back().get();
    }
    left_ -= size;
    next_ += size;
    return next_ - size;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::deque<std::string> strings_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace ferry::llm

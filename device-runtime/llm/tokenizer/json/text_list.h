// Many short texts in one block of memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::llm {

class TextList {
 public:
  void Add(std::string_view text) {
    block_ += text;
    ends_.push_back(block_.size());
  }
  size_t size() const { return ends_.size(); }
  std::string_view operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(block_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string block_;
  std::vector<size_t> ends_;
};

}  // namespace ferry::llm

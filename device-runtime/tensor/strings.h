// The elements of string tensors: each is a pointer to text that a pool keeps, so that operators
// that only move elements move strings as any others.
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace ferry::tensor {

// What a string tensor's element holds; null stands for "".
using StringRef = const std::string*;
static_assert(sizeof(StringRef) <= 8);

// Keeps texts until it goes. One thread at a time.
class StringPool {
 public:
  StringRef Add(std::string_view text);
  size_t bytes() const { return bytes_; }

 private:
  std::deque<std::string> texts_;
  size_t bytes_ = 0;
};

}  // namespace ferry::tensor

// Memory that reading or compiling code takes for a while, counted in an isolate's limit.
#pragma once

#include <algorithm>

#include "device-runtime/vm/exec/heap/heap.h"
#include "device-runtime/vm/syntax/token.h"

namespace ferry::vm {

// Takes memory in pieces, and gives all back when it goes.
class CodeMemory : public Meter {
 public:
  explicit CodeMemory(Heap& heap) : heap_(heap) {}
  ~CodeMemory() override { heap_.Release(held_); }
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  // Counts bytes that are about to be taken; false: past the limit, and from then on always.
  bool Take(int64_t bytes) override {
    if (bytes > left_ && !More(bytes - left_)) return false;
    left_ -= bytes;
    return true;
  }

 private:
  static constexpr int64_t kPiece = 16 << 10;  // of what is asked of the heap

  bool More(int64_t bytes) {
    if (full_) return false;
    int64_t piece = std::max(bytes, kPiece);
    if (!heap_.Hold(piece)) {
      piece = bytes;
      full_ = !heap_.Hold(piece);
      if (full_) return false;
    }
    held_ += piece;
    left_ += piece;
    return true;
  }

  Heap& heap_;
  int64_t held_ = 0, left_ = 0;
  bool full_ = false;
};

}  // namespace ferry::vm

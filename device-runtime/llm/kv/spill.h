// Pages of a KV cache that do not fit in memory: in a file without a name, layer by layer, so that
// a pass has one layer of them in memory at a time. Source: own.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/sys/files/scratch_file.h"

namespace ferry::llm {

// What one layer keeps of a page.
struct PageLayer {
  int64_t begin = 0;  // in its part of a page in memory
  int64_t bytes = 0;
  bool window = false;  // which part: that of layers that see a window
};

// All layers of a page, and bytes of its two parts.
struct PageShape {
  std::vector<PageLayer> layers;
  int64_t bytes = 0;
  int64_t window = 0;

  int64_t both() const { return bytes + window; }
  void Add(int64_t layer_bytes, bool in_window) {
    int64_t& part = in_window ? window : bytes;
    layers.push_back({part, layer_bytes, in_window});
    part += layer_bytes;
  }
  int64_t LargestLayer() const;
};

// A page's place: number `index` of its block, whose layers begin at block + regions[layer].
struct SpillSlot {
  uint8_t* block = nullptr;
  const std::vector<int64_t>* regions = nullptr;
  int64_t index = 0;
  uint8_t* At(int64_t layer_bytes, size_t layer) const {
    return block + (*regions)[layer] + index * layer_bytes;
  }
};

// Take and Return: one thread at a time. Leave: any thread beside them.
class KvSpill {
 public:
  KvSpill() = default;  // no file: no slots
  // At most `pages` pages in a file of `folder`, which is made when the first is taken.
  KvSpill(const PageShape& shape, std::string folder, int64_t pages);

  // A slot of no block where there is none: Trouble() then says what is wrong with the file, if
  // anything is.
  SpillSlot Take();
  void Return(const SpillSlot& slot);
  // What all blocks have of this layer leaves memory.
  void Leave(size_t layer) const;

  int64_t held_pages() const { return held_pages_; }
  int64_t limit_bytes() const { return limit_pages_ * page_bytes_; }
  // "; " and what went wrong with the file; empty: nothing did.
  std::string Trouble() const;

 private:
  struct File;

  Status AddBlock();

  int64_t page_bytes_ = 0;
  int64_t limit_pages_ = 0;
  int64_t held_pages_ = 0;
  std::vector<SpillSlot> free_;
  Status trouble_;
  std::shared_ptr<File> file_;
};

}  // namespace ferry::llm

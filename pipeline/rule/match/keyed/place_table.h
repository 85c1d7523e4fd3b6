// From numbers to places in a list, by open addressing: eight bytes a cell, half of them free.
// Internal to the room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ferry::rule {

class PlaceTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // kNone: the number has no place.
  uint32_t Find(uint32_t number) const {
    if (cells_.empty()) return kNone;
    for (size_t at = CellOf(number);; at = (at + 1) & mask_)
      if (cells_[at].number == number || cells_[at].place == kNone) return cells_[at].place;
  }
  void Prefetch(uint32_t number) const {
    if (!cells_.empty()) __builtin_prefetch(&cells_[CellOf(number)]);
  }
  // In the place of one that it has had.
  void Set(uint32_t number, uint32_t place) {
    if (2 * used_ >= cells_.size()) Grow();
    size_t at = CellOf(number);
    while (cells_[at].number != number && cells_[at].place != kNone) at = (at + 1) & mask_;
    if (cells_[at].place == kNone) ++used_;
    cells_[at] = {number, place};
  }
  void Clear() {
    cells_.clear();
    used_ = 0;
  }

 private:
  struct Cell {
    uint32_t number = kNone, place = kNone;
  };
  size_t CellOf(uint32_t number) const { return (number * 0x9E3779B1u >> 7) & mask_; }
  void Grow() {
    std::vector<Cell> before = std::exchange(cells_, {});
    cells_.resize(before.empty() ? 8 : 2 * before.size());
    mask_ = cells_.size() - 1;
    used_ = 0;
    for (const Cell& cell : before)
      if (cell.place != kNone) Set(cell.number, cell.place);
  }

  std::vector<Cell> cells_;
  size_t mask_ = 0, used_ = 0;
};

}  // namespace ferry::rule

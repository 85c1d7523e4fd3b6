// The formats of struct: what lies where.
#pragma once

#include <string_view>
#include <vector>

#include "device-runtime/vm/lib/module_error.h"

namespace ferry::vm {

extern const RecordType kStructError;

struct StructItem {
  char code;       // never 'x'
  uint8_t size;    // bytes of a number; for 's' and 'p' see `length`
  int64_t offset;  // bytes
  int64_t length;  // 's', 'p': bytes
  int64_t repeat;  // how many numbers
};
// The usual format has few: they need no memory of their own.
class StructItems {
 public:
  size_t size() const { return size_; }
  const StructItem* begin() const { return size_ <= kFew ? few_ : many_.data(); }
  const StructItem* end() const { return begin() + size_; }
  void push_back(const StructItem& item) {
    if (size_ == kFew) many_.assign(few_, few_ + kFew);
    if (size_ >= kFew)
      many_.push_back(item);
    else
      few_[size_] = item;
    ++size_;
  }

 private:
  static constexpr size_t kFew = 8;
  StructItem few_[kFew];
  std::vector<StructItem> many_;
  size_t size_ = 0;
};
struct StructLayout {
  StructItems items;
  int64_t size = 0;    // bytes
  int64_t values = 0;  // that are packed
  bool native = true, big = false;
};

// Reads a format; false: it is wrong (struct.error, TypeError). No script runs.
bool ReadLayout(Vm& vm, Value format, StructLayout* out);

// ---- pack.cc ----
// Writes the values, as many as the layout has; false: one does not fit. The errors are those of
// pack: struct.error and OverflowError. An __index__ or __float__ may run scripts.
bool PackStruct(Vm& vm, const StructLayout& layout, const Value* values, char* to);
// The tuple of the values at `from`. Empty: there is no memory.
Value UnpackStruct(Vm& vm, const StructLayout& layout, const char* from);
// A double as 16 bits, halves to even; false: it is too large.
bool ToHalf(double d, uint16_t* out);
double FromHalf(uint16_t half);

}  // namespace ferry::vm

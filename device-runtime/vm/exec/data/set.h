// How sets look for their items: see set.cc.
#pragma once

#include <cstring>

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

// Never used: neither an item nor a removed one.
inline bool Fresh(const Entry& entry) {
  return entry.key.empty() && entry.value.empty();
}

// The places of a hash in a set's table, in the order in which they are tried: runs of neighbours
// where they fit, then a jump. Source: CPython's order, which scripts see.
class Probe {
 public:
  Probe(const Dict* set, uint64_t hash)
      : mask_(set->capacity - 1), at_(hash & mask_), perturb_(hash), left_(Run()) {}
  uint64_t at() const { return at_ + step_; }
  void Next() {
    if (step_ < left_) {
      ++step_;
      return;
    }
    perturb_ >>= 5;
    at_ = (at_ * 5 + 1 + perturb_) & mask_;
    step_ = 0;
    left_ = Run();
  }

 private:
  static constexpr uint64_t kLinear = 9;
  uint64_t Run() const { return at_ + kLinear <= mask_ ? kLinear : 0; }
  uint64_t mask_, at_, perturb_, left_, step_ = 0;
};

// As QuickFind, of sets.
inline const Entry* QuickSetFind(const Dict* set, Value key, bool* known) {
  uint64_t hash;
  *known = true;
  const bool text = IsExact(key, Type::kString);
  if (text) {
    hash = As<String>(key)->hash;
  } else if (key.IsSmallInt()) {
    hash = static_cast<uint64_t>(key.AsSmallInt());
  }
  if ((!text && !key.IsSmallInt()) || hash == UINT64_MAX || (text && hash == 0)) {
    *known = false;
    return nullptr;
  }
  if (set->count == 0) return nullptr;
  for (Probe probe(set, hash);; probe.Next()) {
    const Entry& entry = set->entries[probe.at()];
    if (entry.key.empty()) {
      if (Fresh(entry)) return nullptr;
      continue;
    }
    if (entry.key == key) return &entry;
    if (entry.hash != hash) continue;
    if (!text || !IsExact(entry.key, Type::kString)) {
      *known = false;
      return nullptr;
    }
    if (Text(key) == Text(entry.key)) return &entry;
  }
}

}  // namespace ferry::vm

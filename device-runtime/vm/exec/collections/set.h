// Sets: how they look for their items, and their operations beside those of Vm.
#pragma once

#include <cstring>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Whether the place was never used: it holds neither an item nor a removed one.
inline bool Fresh(const Entry& entry) {
  return entry.key.empty() && entry.value.empty();
}

// Removes the item of the entry, which then has a hash that no item has.
inline void TakeOut(Dict* set, Entry* entry) {
  *entry = {Value(), Value::None(), UINT64_MAX};
  --set->count;
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
    } else {
      NextRun();
    }
  }
  // How many neighbours come after the first place of a run, and to the next one.
  uint64_t run() const { return left_; }
  void NextRun() {
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

// hash() of a small integer.
inline uint64_t SetHash(int64_t i) {
  return static_cast<uint64_t>(i == -1 ? -2 : i);
}

// What QuickFind does, for sets. Most keys are found, or missed, at the first place; SearchSet
// looks at the other free ones. No script runs.
const Entry* SearchSet(const Dict* set, Value key, bool* known);
inline const Entry* QuickSetFind(const Dict* set, Value key, bool* known) {
  if (key.IsSmallInt() && set->count != 0) {
    const Entry& first = set->entries[SetHash(key.AsSmallInt()) & (set->capacity - 1)];
    *known = true;
    if (first.key == key) return &first;
    if (Fresh(first)) return nullptr;
  }
  return SearchSet(set, key, known);
}

// Whether a set has the item of another one, whose hash is known. `failed`: a comparison, which may
// run scripts, has failed.
bool SetHas(Vm& vm, Dict* set, const Entry& item, bool* failed);

// The set of the values. Empty: it failed; hashing them may run scripts.
Value BuildSet(Vm& vm, const Value* items, uint32_t count);

// In the functions below false and Empty mean that it failed, and scripts may run. `a` and `set`
// are sets; `b`, `other` and `iterable` are anything to iterate over, where not said otherwise.
// Results have the kind of `a`.

// Adds the items.
bool SetUpdate(Vm& vm, Dict* set, Value iterable);
Value SetIntersection(Vm& vm, Value a, Value b);
Value SetDifference(Vm& vm, Value a, Value b);
// Removes the items.
bool SetSubtract(Vm& vm, Dict* set, Value other);
// Makes it the symmetric difference.
bool SetToggle(Vm& vm, Dict* set, Value other);
// The operator `op` of two sets.
Value SetBinary(Vm& vm, int op, Value a, Value b, bool in_place);
// Exchanges what two sets hold. Nothing runs, and it cannot fail.
void SetSwap(Dict* a, Dict* b);

}  // namespace ferry::vm

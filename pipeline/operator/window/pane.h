// Panes: the running aggregates of one key in one window or slice. They are made in blocks of one
// size, used again, and remember which of them changed since the state was written.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/event/event.h"
#include "pipeline/event/state.h"
#include "pipeline/operator/aggregate.h"
#include "pipeline/operator/fields.h"

namespace ferry::operators {

// The aggregates stand behind it in the same block.
struct alignas(kAggregateAlign) Pane {
  uint64_t id = 0;  // 0: not in use
  uint64_t hash = 0;
  int64_t start_ms = 0;
  int64_t last_ms = 0;  // what these two mean is the kind's to say
  int64_t rows = 0;     // as is this
  Json key;             // a list of canonical values
  std::string code;     // of the key, as AppendCode has it
  std::string text;     // the key's JSON
  Pane* next = nullptr;
  bool dirty = false;  // changed since the state was written
  bool saved = false;  // the state has it
};

// The values that the aggregates of a window read of a row: each field once.
class Inputs {
 public:
  explicit Inputs(const std::vector<AggregateSpec>& specs);
  // kInvalidArgument, kLimitExceeded: an aggregate does not take the row's value.
  Status Read(const Row& row);
  // Of aggregate k; nullptr: it takes nothing.
  const Json* of(size_t k) const { return slots_[k] < 0 ? nullptr : values_[size_t(slots_[k])]; }

 private:
  struct Input {
    FieldRef field;
    bool number = false;  // else any value
    std::string first;    // the first aggregate that reads it, for errors
  };
  std::vector<Input> inputs_;
  std::vector<Json> scratch_;
  std::vector<const Json*> values_;
  std::vector<int> slots_;  // by aggregate; -1: none
};

class Panes {
 public:
  explicit Panes(const std::vector<AggregateSpec>* specs);
  ~Panes();
  Panes(const Panes&) = delete;
  Panes& operator=(const Panes&) = delete;

  Pane* New();
  // Clears it for later use.
  void Free(Pane* pane);
  void Touch(Pane* pane) {
    if (!pane->dirty) Mark(pane);
  }
  size_t open() const { return open_; }

  void Add(Pane* pane, const Inputs& inputs, int64_t time_ms);
  // Adds the aggregates of `from`; it stays as it is.
  void Merge(Pane* pane, const Pane* from);
  void Reset(Pane* pane);  // the aggregates alone
  // Of aggregate k.
  Json Value(const Pane* pane, size_t k) const { return at(pane, k)->Value(); }
  // Puts the errors of aggregates that have one into a row's fields.
  void FillErrors(const Pane* pane, Json* fields) const;

  // A pane outside the count and the state, for merging.
  Pane* scratch() { return scratch_; }

  // Pairs "p" id -> pane.
  void SaveChanges(event::StateWriter& out);
  // The pane of such a pair; nullptr when it is damaged.
  Pane* Load(std::string_view key, std::string_view value);

 private:
  Aggregate* at(Pane* pane, size_t k) const {
    return reinterpret_cast<Aggregate*>(reinterpret_cast<std::byte*>(pane) + offsets_[k]);
  }
  const Aggregate* at(const Pane* pane, size_t k) const { return at(const_cast<Pane*>(pane), k); }
  Pane* Make();
  void Mark(Pane* pane);
  std::string Bytes(const Pane* pane) const;

  const std::vector<AggregateSpec>* specs_;
  std::vector<const AggregateKind*> kinds_;
  std::vector<size_t> offsets_;
  size_t block_bytes_ = 0;
  std::vector<Pane*> all_;                         // owned
  std::vector<Pane*> free_;                        // of all_
  std::vector<std::pair<Pane*, uint64_t>> dirty_;  // with their id then
  std::vector<uint64_t> gone_;                     // ids that the state still has
  Pane* scratch_ = nullptr;
  uint64_t next_id_ = 1;
  size_t open_ = 0;
};

// The hash of a key's code.
uint64_t HashCode(std::string_view code);

// Panes by key, in a table with open addressing; the panes are another's.
class PaneTable {
 public:
  // The pane with this key; nullptr when there is none.
  Pane* Find(uint64_t hash, std::string_view code) const {
    if (slots_.empty()) return nullptr;
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.pane == nullptr) return nullptr;
      if (slot.hash == hash && slot.pane->code == code) return slot.pane;
    }
  }
  Pane* Find(const Pane* like) const { return Find(like->hash, like->code); }
  // No pane of its key is in the table.
  void Insert(Pane* pane);
  void Replace(Pane* old, Pane* with);  // of the same key
  // Takes the place of the pane with its key, which then is its `next`; or is the first.
  void Push(Pane* pane);
  void Erase(const Pane* pane);
  void Clear();
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  template <typename F>
  void ForEach(F&& f) const {
    for (const Slot& slot : slots_)
      if (slot.pane != nullptr) f(slot.pane);
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    Pane* pane = nullptr;
  };
  void Grow();
  size_t IndexOf(const Pane* pane) const;

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace ferry::operators

// collections.deque: a ring of values in the buffer of a hidden list.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// ---- deque.cc ----
extern const RecordType kDeque, kDequeIterator;

// ---- ring.cc ----

// One deque; a view for the time of a call.
class Ring {
 public:
  static constexpr uint32_t kValues = 5;  // list, first place, count, maxlen or None, changes

  explicit Ring(Value deque) : record_(As<Record>(deque)) {}
  int64_t count() const { return record_->values[2].AsSmallInt(); }
  int64_t changes() const { return record_->values[4].AsSmallInt(); }
  // -1: none.
  int64_t limit() const {
    return record_->values[3].IsNone() ? -1 : record_->values[3].AsSmallInt();
  }
  // `i` is in [0, count).
  Value At(int64_t i) const { return list()->items[Place(i)]; }
  void Set(int64_t i, Value v) { list()->items[Place(i)] = v; }
  // false: there is no memory.
  bool PushBack(Vm& vm, Value v);
  bool PushFront(Vm& vm, Value v);
  Value PopBack();  // count > 0
  Value PopFront();
  void Clear();
  void Rotate(int64_t by);
  void Remove(int64_t at);
  // Appends all items (`front`: to the other end); false: it failed. Scripts may run.
  bool Extend(Vm& vm, Value iterable, bool front);
  void Changed() { Put(4, changes() + 1); }

 private:
  List* list() const { return As<List>(record_->values[0]); }
  int64_t first() const { return record_->values[1].AsSmallInt(); }
  uint32_t Place(int64_t i) const {
    return static_cast<uint32_t>((first() + i) & (list()->size - 1));
  }
  void Put(uint32_t field, int64_t v) { record_->values[field] = Value::SmallInt(v); }
  bool Grow(Vm& vm);

  Record* record_;
};

// A new deque without items; limit -1: it has none. Empty: there is no memory.
Value NewDeque(Vm& vm, int64_t limit);

}  // namespace ferry::vm

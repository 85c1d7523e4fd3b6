// Tables whose texts were made to meet: they are placed by a secret of the isolate instead of their
// hash, which anybody can compute. DESIGN.md, "Tables".
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// ---- keyed.cc ----
// Where the search for a key that can be keyed begins in a keyed table. `hash` places it elsewhere.
uint64_t KeyedHome(Vm& vm, Value key, uint64_t hash);

// Whether what equals the key is plain to see: only such keys are in a keyed table.
bool CanBeKeyed(Value key);

// Marks the table keyed after a search for `key` that was too long; false: it is keyed already, or
// has keys that cannot be. Its entries are still where their hashes place them.
bool MarkKeyed(Vm& vm, Dict* table, Value key);

// Takes the mark off for ever; the entries are still where the secret places them.
inline void MarkUnkeyed(Dict* table) {
  table->set_keying(Keying::kNever);
}

// Where the search for the key begins, not yet cut to the size of the table.
inline uint64_t HomeOf(Vm& vm, const Dict* table, Value key, uint64_t hash) {
  return table->keyed() ? KeyedHome(vm, key, hash) : hash;
}

}  // namespace ferry::vm

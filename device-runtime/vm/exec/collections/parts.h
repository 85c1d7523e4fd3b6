// Items of enumerate(), zip() and dict.items() that a loop unpacks: their parts go straight to
// registers, and no tuple is made.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Whether NextParts may know the iterator.
inline bool HasParts(IteratorKind kind) {
  return kind == IteratorKind::kEnumerate || kind == IteratorKind::kZip ||
         kind == IteratorKind::kDictItems;
}

enum class Parts : uint8_t {
  kItem,     // all parts are there
  kEnd,      // the iterator is over, or failed: then something is pending
  kUnknown,  // this is none that NextParts knows: nothing has happened
  kAsked,    // the frame of a generator was pushed, whose item is a part
};
// The next item, `count` parts of it from part `from` on, into out[from] and what follows. After
// kAsked the generator's `result` is the number of the part that its item becomes. Scripts may run:
// `out` are registers.
Parts NextParts(Vm& vm, Iterator* it, Value* out, uint32_t count, uint32_t from);

}  // namespace ferry::vm

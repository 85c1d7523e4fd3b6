// Instructions that need objects with destructors, which Vm::Run cannot have.
#pragma once

#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

Value BuildSet(Vm& vm, const Value* items, uint32_t count);
bool SetUpdate(Vm& vm, Dict* set, Value iterable);
// set.cc. `a` is a set, `b` any iterable where not said otherwise; results have the kind of `a`.
Value SetIntersection(Vm& vm, Value a, Value b);
Value SetDifference(Vm& vm, Value a, Value b);
bool SetSubtract(Vm& vm, Dict* set, Value other);
bool SetToggle(Vm& vm, Dict* set, Value other);                    // symmetric difference in place
Value SetBinary(Vm& vm, int op, Value a, Value b, bool in_place);  // two sets
void SetSwap(Dict* a, Dict* b);                                    // their items
Value FormatField(Vm& vm, Value v, Value spec, int conversion);
Value JoinStrings(Vm& vm, const Value* strings, uint32_t count);
Value SendOn(Vm& vm, Value iterator, Value sent, bool* over);
// build_class.cc. keywords: dict of those after the bases, or empty.
Value BuildClass(Vm& vm, String* name, Value bases, Value body, Value keywords);
// A call of the class as type.__call__ does it: __new__, then __init__.
Value CallConstruct(Vm& vm, Class* cls, const Value* args, size_t count,
                    const Tuple* keyword_names);
Vm::Begin BeginConstruct(Vm& vm, Class* cls, Value* args, uint32_t count,
                         const Tuple* keyword_names, Value* result);
void RaiseStatement(Vm& vm, Value v, Value cause);  // cause empty: without `from`

// list.extend of what stands after * in a display or call.
bool ExtendStar(Vm& vm, List* list, Value iterable);
// names.cc. A name in a class body whose namespace has methods: empty as it fails.
Value LoadName(Vm& vm, Value space, Value name, const Variable& variable);
// A variable that neither the module nor the built-ins have: made when it is asked for first, or
// reported.
Value LateName(Vm& vm, Module* module, uint32_t slot);
void NoName(Vm& vm, String* name);  // NameError: nothing has the name
// A local variable that is not set; free: of a function around.
void NoValue(Vm& vm, String* name, bool free);
// What the exception just raised says of itself besides its text: NameError.name,
// AttributeError.name and .obj, ImportError.name and .path. It keeps what it has already.
void TellName(Vm& vm, Error error, Value name, Value other);

// The next item of enumerate(), zip() or dict.items() of `count` parts, into registers, from part
// `from` on; kUnknown: not these. kAsked: a generator's frame was pushed, whose item is the part
// that `held` of the frame says.
// The header of a built-in iterator, outside of collections.
inline constexpr uint64_t HeadOf(IteratorKind kind) {
  constexpr uint64_t kSizeClass = (sizeof(Iterator) + kGranule - 1) / kGranule;
  return uint64_t{static_cast<uint32_t>(kind)} << 32 | kSizeClass << 16 |
         static_cast<uint64_t>(Type::kIterator);
}
inline constexpr uint64_t kRangeHead = HeadOf(IteratorKind::kRange);
inline constexpr uint64_t kListHead = HeadOf(IteratorKind::kList);
inline constexpr uint64_t kTupleHead = HeadOf(IteratorKind::kTuple);
inline bool HasParts(IteratorKind kind) {
  return kind == IteratorKind::kEnumerate || kind == IteratorKind::kZip ||
         kind == IteratorKind::kDictItems;
}
enum class Parts : uint8_t { kItem, kEnd, kUnknown, kAsked };
Parts NextParts(Vm& vm, Iterator* it, Value* out, uint32_t count, uint32_t from);
// The range of one to three small integers, or at once the iterator over it. Empty, also with
// nothing pending: the built-in class is to be called.
Value RangeOfInts(Vm& vm, const Value* args, uint32_t count, bool iterator);

// x + y of two built-in lists or two built-in tuples.
Value Joined(Vm& vm, Value x, Value y);
// The tuple of `count` values + y.
Value JoinedTuple(Vm& vm, const Value* values, size_t count, const Tuple* y);
// v[start:stop:step] of built-in lists, tuples and ASCII strings with parts that are small integers
// or None. Empty: failed, or, with nothing pending, something else, which Vm::Index knows.
Value QuickSlice(Vm& vm, Value v, const Value* parts);
Value SliceOfParts(Vm& vm, Value v, const Value* parts);
// v[start:stop:step] = value, of built-in lists alone; false as above.
bool SetSliceOfParts(Vm& vm, Value v, const Value* parts, Value value);
// The arguments of f(*list, **dict), above the top of the stack. false: no room or memory.
struct Spread {
  Value* args;
  uint32_t count;
  const Tuple* names;  // of those behind the `count` positional ones, or nullptr
};
bool SpreadArguments(Vm& vm, Value list, Value dict, Spread* out);

}  // namespace ferry::vm

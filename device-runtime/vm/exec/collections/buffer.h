// Bytes-like objects: bytes, bytearray, array and memoryview. A memory view looks at its base again
// for every access, because the base may have become shorter.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// No bytes object is larger: the isolate's limit, or that of objects.
inline int64_t LargestBytes(const Vm& vm) {
  return std::min(vm.heap.limit(), static_cast<int64_t>(kMaxStringBytes));
}
// Whether it is one of the four.
bool IsBytesLike(Value v);
// Whether it is bytes or a bytearray.
inline bool IsBytes(Value v) {
  return Is(v, Type::kBytes) || Is(v, Type::kByteArray);
}

// The functions of this header run no script, where they do not say so.

// The bytes of `v`, in `copy` when they do not lie together. false: a TypeError "a bytes-like
// object is required, not ..." (or that a view is released). Good until a script runs.
bool BytesOf(Vm& vm, Value v, std::string* copy, std::string_view* out);
// The same in place, to be written: `what` begins the TypeError. Views must be contiguous.
bool WritableBytes(Vm& vm, Value v, char** data, size_t* size);
// Where the items of a view begin; nullptr: it is released, or its base is too short by now, which
// is reported.
char* ViewData(Vm& vm, MemoryView* view);
// A memory view of all of `base`. Empty: it is not bytes-like, or there is no memory.
Value NewView(Vm& vm, Value base);

// Makes bytes or a bytearray, as `like` is. Empty: there is no memory.
Value NewBytesLike(Vm& vm, Value like, std::string_view bytes);
// Makes an array of items of `format`. Empty: there is no memory.
Value NewArray(Vm& vm, char format, std::string_view bytes);
// Makes room; new bytes are undefined. false: there is no memory, which is reported.
bool ResizeBytes(Vm& vm, ByteArray* bytes, size_t size);
// Puts `with` in place of [at, at + count); `with` is not of the same object. false: there is no
// memory.
bool SpliceBytes(Vm& vm, ByteArray* bytes, size_t at, size_t count, std::string_view with);
// A byte of an argument: an int in range(256), or an __index__, which may run scripts. false: an
// error as bytearray has it, with the text `range_error` for ints outside.
bool ToByte(Vm& vm, Value v, const char* range_error, char* out);
// Appends repr(v). false: it failed.
bool BufferRepr(Vm& vm, Value v, std::string* out);
// Appends b'...' with escapes. `both`: single quotes are escaped in double ones, too, as bytearray
// does.
void AppendBytesRepr(std::string_view bytes, std::string* out, bool both = false);

// ---- exports.cc ----
// To be asked before the size changes: false, with a BufferError, while views of it live. May
// collect; natives that do not say so get true.
bool MayResize(Vm& vm, ByteArray* bytes);
// Remembers a new view, which MayResize then knows of.
void RememberView(Vm& vm, MemoryView* view);

// ---- view_dims.cc ----
// Views of any number of dimensions.
uint32_t Dimensions(const MemoryView* view);
// Items of dimension `i`, or (`stride`) the bytes between them, as an int.
Value DimensionOf(Vm& vm, const MemoryView* view, uint32_t i, bool stride);
// Whether the items lie one behind the other.
bool Contiguous(const MemoryView* view);
// Gives the view, of one dimension, another shape, and gives it back; empty: it failed.
Value TakeShape(Vm& vm, MemoryView* view, Value shape);
// Where the item lies that `key`, a tuple of indices, names; false: it failed. An __index__ may run
// scripts.
bool ItemOfView(Vm& vm, MemoryView* view, Value key, char** item);
// All items as lists of lists; empty: it failed.
Value ListsOfView(Vm& vm, MemoryView* view);
// All items, one behind the other; false: it failed.
bool GatherView(Vm& vm, MemoryView* view, std::string* out);
// Takes `count` items of the first dimension from `start` on, by `step`; false: it failed.
bool SliceDims(Vm& vm, MemoryView* view, int64_t start, int64_t step, int64_t count);
// The first byte behind all items, counted from the first one.
int64_t EndOfDims(const MemoryView* view);

// ---- buffer_index.cc ----
// len(v), v[key], v[key] = value and (an empty value) del v[key]. An __index__ may run scripts.
bool BufferLength(Vm& vm, Value v, int64_t* length);
Value BufferIndex(Vm& vm, Value v, Value key);
bool SetBufferIndex(Vm& vm, Value v, Value key, Value value);

// ---- buffer_operator.cc ----
// a op b; *handled false: it is not for these types, and nothing has happened.
Value BufferBinary(Vm& vm, int op, Value a, Value b, bool in_place, bool* handled);
// item in v; false: it failed.
bool BufferContains(Vm& vm, Value v, Value item, bool* contains);
// Compares two bytes-like objects. *order: -1, 0, 1; 2: not to be ordered. false: it failed.
bool BufferCompare(Vm& vm, Value a, Value b, bool equality, int* order);

}  // namespace ferry::vm

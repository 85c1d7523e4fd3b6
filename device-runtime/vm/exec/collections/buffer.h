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
bool IsBytesLike(Value v);  // one of the four
// bytes and bytearray
inline bool IsBytes(Value v) {
  return Is(v, Type::kBytes) || Is(v, Type::kByteArray);
}
// The bytes of `v`, in `copy` when they do not lie together. false: a TypeError "a bytes-like
// object is required, not ..." (or that a view is released). Good until a script runs.
bool BytesOf(Vm& vm, Value v, std::string* copy, std::string_view* out);
// The same in place, to be written: `what` begins the TypeError. Views must be contiguous.
bool WritableBytes(Vm& vm, Value v, char** data, size_t* size);
// The items of a view: where they begin; nullptr: reported.
char* ViewData(Vm& vm, MemoryView* view);
Value NewView(Vm& vm, Value base);
// Before the size changes: false, with a BufferError, while views of it live. May collect; natives
// that do not say so get true. exports.cc.
bool MayResize(Vm& vm, ByteArray* bytes);
void RememberView(Vm& vm, MemoryView* view);

// Views of any number of dimensions: view_dims.cc.
uint32_t Dimensions(const MemoryView* view);
Value DimensionOf(Vm& vm, const MemoryView* view, uint32_t i, bool stride);
bool Contiguous(const MemoryView* view);
// Gives the view, of one dimension, another shape; itself, or Empty: reported.
Value TakeShape(Vm& vm, MemoryView* view, Value shape);
bool ItemOfView(Vm& vm, MemoryView* view, Value key, char** item);  // `key`: a tuple
Value ListsOfView(Vm& vm, MemoryView* view);
bool GatherView(Vm& vm, MemoryView* view, std::string* out);  // all items, one behind the other
// Takes items of the first dimension.
bool SliceDims(Vm& vm, MemoryView* view, int64_t start, int64_t step, int64_t count);
int64_t EndOfDims(const MemoryView* view);  // the first byte behind all items

// bytes or bytearray as `like` is.
Value NewBytesLike(Vm& vm, Value like, std::string_view bytes);
Value NewArray(Vm& vm, char format, std::string_view bytes);
// Makes room; new bytes are undefined. false: no memory, reported.
bool ResizeBytes(Vm& vm, ByteArray* bytes, size_t size);
// Puts `with` in place of [at, at + count); `with` is not of the same object.
bool SpliceBytes(Vm& vm, ByteArray* bytes, size_t at, size_t count, std::string_view with);

bool BufferLength(Vm& vm, Value v, int64_t* length);
Value BufferIndex(Vm& vm, Value v, Value key);
bool SetBufferIndex(Vm& vm, Value v, Value key, Value value);  // an empty value deletes
Value BufferBinary(Vm& vm, int op, Value a, Value b, bool in_place, bool* handled);
bool BufferContains(Vm& vm, Value v, Value item, bool* contains);
// Both bytes-like. *order: -1, 0, 1; 2: not to be ordered. false: reported.
bool BufferCompare(Vm& vm, Value a, Value b, bool equality, int* order);
bool BufferRepr(Vm& vm, Value v, std::string* out);
// b'...' with escapes.
// `both`: single quotes are escaped in double ones, too, as bytearray does.
void AppendBytesRepr(std::string_view bytes, std::string* out, bool both = false);
// A byte of an argument: ints in range(256); errors as bytearray has them.
bool ToByte(Vm& vm, Value v, const char* range_error, char* out);

}  // namespace ferry::vm

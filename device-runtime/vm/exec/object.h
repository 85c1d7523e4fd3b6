// The objects of an isolate's heap. Every object begins with an Object header; what owns buffers
// gives them back in Heap::Finalize. ORDER: Type, with the names of kTypeNames (types.cc), Mark and
// Finalize (collect.cc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/vm/native.h"
#include "device-runtime/vm/value.h"

namespace ferry::vm {

enum class Type : uint8_t {
  kFree,
  kString,
  kBytes,
  kBigInt,
  kList,
  kTuple,
  kDict,
  kSet,
  kFrozenSet,
  kRange,
  kSlice,
  kFunction,
  kNative,
  kBoundMethod,
  kClass,
  kInstance,
  kException,
  kModule,
  kCell,
  kGenerator,
  kIterator,
  kNativeObject,
  kSuper,
  kDescriptor,
  kEllipsis,
  kCount,
};

struct Object {
  Type type;
  bool marked;
  uint16_t size_class;  // kLargeClass: a block of its own
  uint32_t aux;         // for the type's own use
};

struct String : Object {
  uint32_t size;    // bytes
  uint32_t length;  // code points
  uint64_t hash;    // 0: not computed yet
  char data[1];     // UTF-8; aux 1: interned
  std::string_view view() const { return {data, size}; }
  bool ascii() const { return size == length; }
};
struct BytesObject : Object {
  uint32_t size;
  char data[1];
  std::string_view view() const { return {data, size}; }
};
// Sign and magnitude, least significant limb first, no leading zero; never a value that fits a
// small integer. aux 1: negative.
struct BigInt : Object {
  uint32_t size;
  uint32_t limbs[1];
};
struct List : Object {
  uint32_t size, capacity;
  Value* items;
};
struct Tuple : Object {
  uint32_t size;
  Value items[1];
};
struct Entry {
  Value key;  // empty: removed
  Value value;
  uint64_t hash;
};
// Also sets (values are None). Entries in order of insertion; index maps hash -> entry number + 1.
struct Dict : Object {
  uint32_t count;     // live entries
  uint32_t used;      // entries, removed ones too
  uint32_t capacity;  // of entries; the index has twice as many places
  Entry* entries;
  uint32_t* index;
};
struct Range : Object {
  int64_t start, stop, step;
  int64_t length;
};
struct Slice : Object {
  Value start, stop, step;
};
struct Cell : Object {
  Value value;
};
struct Class;
struct CodeObject;
struct Module;
struct Function : Object {
  CodeObject* code;
  Module* module;
  Cell** cells;
  uint32_t cell_count;
  Value defaults;          // tuple or empty
  Value keyword_defaults;  // dict or empty
  Value owner;             // class for super(), or empty
  Dict* attributes;        // or nullptr
};
struct Vm;
struct Args;
// A built-in: on failure an exception is pending and the result is empty.
using Builtin = Value (*)(Vm& vm, Args& args);
struct Native : Object {
  Builtin builtin;
  NativeFunctionPointer external;  // one of the two
  const char* name;
  Class* owner;   // methods: the class that argument 0 must be an instance of; or nullptr
  bool collects;  // it roots what it holds: the collector may run inside
};
struct BoundMethod : Object {
  Value self, function;
};
struct Class : Object {
  String* name;
  Dict* attributes;
  Class** mro;  // itself first
  uint32_t mro_count;
  Type layout;  // of its instances
  bool builtin;
  bool has_getattr;  // some class of the mro has __getattr__ or __setattr__: see attribute.cc
  uint32_t field_hint;
  const NativeType* native_type;
  String* module_name;
};
// Instances keep their attributes in a dict: see attribute.cc.
struct Instance : Object {
  Class* cls;
  Dict* attributes;  // nullptr until the first
};
struct TraceEntry {
  const CodeObject* code;
  int line;
};
struct Exception : Instance {
  Value args;  // tuple
  Value cause, context;
  bool suppress_context;
  std::vector<TraceEntry>* trace;
};
// Variables are slots: the compiler turns names into slot numbers.
struct Variable {
  Value value;
  Value builtin;  // what the name means when the module does not set it
  String* name;
};
struct Module : Object {
  String* name;
  String* file;
  Variable* slots;
  uint32_t count, capacity;
  Dict* index;  // name -> slot number
};
struct Generator : Object {
  Function* function;
  Value* registers;
  uint32_t register_count;
  uint32_t pc;
  enum State : uint8_t { kFresh, kSuspended, kRunning, kDone } state;
  Value result;  // of return
};
enum class IteratorKind : uint32_t {
  kList,
  kTuple,
  kString,
  kBytes,
  kDictKeys,
  kDictValues,
  kDictItems,
  kRange,
  kSequence,  // __getitem__
  kEnumerate,
  kZip,
  kMap,
  kFilter,
  kReversed,
  kCallable,
};
// aux is the IteratorKind.
struct Iterator : Object {
  int64_t index;
  int64_t stop, step;  // of ranges; kDict*: step is the count at the start
  Value source;
  Value extra;
  IteratorKind kind() const { return static_cast<IteratorKind>(aux); }
};
struct NativeObject : Object {
  Class* cls;
  const NativeType* native_type;
  void* payload;
  int64_t external;
};
struct Super : Object {
  Class* owner;
  Value self;
};
// aux: 0 property, 1 staticmethod, 2 classmethod.
struct Descriptor : Object {
  Value get, set;
};

template <typename T>
T* As(Value v) {
  return static_cast<T*>(v.object());
}
inline bool Is(Value v, Type type) {
  return v.IsObject() && v.object()->type == type;
}

}  // namespace ferry::vm

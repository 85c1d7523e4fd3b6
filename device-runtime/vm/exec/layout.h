// The objects of an isolate's heap. Every object begins with an Object header; what owns buffers
// gives them back in Heap::Finalize. ORDER: Type, with the names of kTypeNames (state.cc), Trace
// and Finalize (heap/collect.cc).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "device-runtime/vm/exec/check.h"
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
  kComplex,
  kByteArray,
  kMemoryView,
  kArray,
  kFloat,
  kShape,
  kMember,
  kView,
  kAlias,
  kRecord,
  kCount,
};

// `type` is the layout. An object of a script class derived from a built-in one has the layout of
// that and an Extension behind it (classes/derive.cc).
struct Object {
  Type type;
  uint8_t derived;     // 1: an Extension follows
  uint8_t size_class;  // kLargeClass: a block of its own
  bool marked;
  uint32_t aux;  // for the type's own use
};

struct BytesObject;
enum class StringFlag : uint32_t {
  kInterned = 1,
  kAppended = 2,  // the result of +: appending to it makes a buffer
  kShared = 4,    // `data` lies in `buffer`
};
// Made by Vm::NewStringObject only.
struct String : Object {
  uint32_t size;    // bytes
  uint32_t length;  // code points
  uint64_t hash;    // 0: not computed yet
  char* data;       // UTF-8, at `text` or in `buffer`; aux: the flags above
  union {
    char text[8];
    // Bytes that strings with the same beginning share; aux: bytes in use. The longest of them may
    // grow where it lies, since the shorter ones end before.
    BytesObject* buffer;
  };
  std::string_view view() const { return {data, size}; }
  bool ascii() const { return size == length; }
  bool Has(StringFlag flag) const { return (aux & static_cast<uint32_t>(flag)) != 0; }
  void Set(StringFlag flag) { aux |= static_cast<uint32_t>(flag); }
};
struct BytesObject : Object {
  uint32_t size;
  char data[1];
  std::string_view view() const { return {data, size}; }
};
// An int: sign and magnitude, least significant limb first, no leading zero; never a value that
// fits a small integer, unless derived. aux: the sign.
struct BigInt : Object {
  uint32_t size;
  uint64_t limbs[1];
  bool negative() const { return aux != 0; }
  void set_negative(bool negative) { aux = negative; }
};
struct Complex : Object {
  double real, imaginary;
};
// Bytes that may change, in a buffer: bytearray, array.array (aux: its typecode).
struct ByteArray : Object {
  uint32_t size, capacity;  // bytes
  char* data;
  std::string_view view() const { return {data, size}; }
  char typecode() const { return static_cast<char>(aux); }  // 0: of a bytearray
};
// A float of a class derived from float: other floats are no objects.
struct FloatObject : Object {
  double value;
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
// What places the entries of a table: their hashes, or a secret of the isolate
// (operators/keyed.h); kNever: hashes, for ever.
enum class Keying : uint32_t { kUnkeyed = 0, kKeyed = 1u << 31, kNever = 1u << 30 };
// A dict: entries in order of insertion; index maps hash -> entry number + 1. Sets have this
// layout, too: their values are None, and they have no index. aux: the Keying, and of sets where
// pop() goes on.
struct Dict : Object {
  uint32_t count;     // live entries
  uint32_t used;      // entries, removed ones too
  uint32_t capacity;  // of entries; the index has twice as many places
  uint32_t fill;      // of sets: see collections/set.cc
  Entry* entries;
  uint32_t* index;
  static constexpr uint32_t kKeyings = 3u << 30;
  bool keyed() const { return (aux & static_cast<uint32_t>(Keying::kKeyed)) != 0; }
  Keying keying() const { return static_cast<Keying>(aux & kKeyings); }
  void set_keying(Keying keying) { aux = (aux & ~kKeyings) | static_cast<uint32_t>(keying); }
  void set_pop_place(uint32_t place) { aux = (aux & kKeyings) | place; }
};
inline size_t DictBytes(const Dict* dict) {
  return dict->capacity * (sizeof(Entry) + (dict->type == Type::kDict ? 2 * sizeof(uint32_t) : 0));
}
// Turns what hash() gives into what places entries.
inline uint64_t MixHash(uint64_t x) {
  x ^= x >> 33;
  x *= 0xFF51AFD7ED558CCDull;
  x ^= x >> 33;
  return x;
}
// What places entries for integers below 2**61 - 1.
inline uint64_t HashOfInt(int64_t i) {
  return MixHash(static_cast<uint64_t>(i == -1 ? -2 : i));
}
// The numbers of a wide one, a WideRange, are here those of an empty range: see
// collections/wide_range.h.
enum class RangeKind : uint32_t { kPlain, kWide };
// aux is the RangeKind.
struct Range : Object {
  int64_t start, stop, step;
  int64_t length;
  RangeKind kind() const { return static_cast<RangeKind>(aux); }
};
struct WideRange : Range {
  Value part[4];  // start, stop, step, length: ints of any size
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
  Cell** cells;  // inline_cells() or a buffer
  uint32_t cell_count;
  Value defaults;                               // tuple or empty
  Value keyword_defaults;                       // dict or empty
  Dict* attributes;                             // or nullptr
  Value doc;                                    // empty: that of the code
  String *name, *qualified_name, *module_name;  // nullptr: as the code has them
  Cell** inline_cells() { return reinterpret_cast<Cell**>(this + 1); }
};
struct Vm;
struct Args;
// A built-in: on failure an exception is pending and the result is empty.
using Builtin = Value (*)(Vm& vm, Args& args);
// Natives that the loop does itself: see loop/intrinsic.h.
enum class Intrinsic : uint8_t {
  kNone,
  kAbs,
  kChr,
  kDictGet,
  kGetAttr,
  kIsInstance,
  kLen,
  kListAppend,
  kListPop,
  kMax,
  kMin,
  kOrd,
  kSetAdd,
  kSetAttr,
  kSetDiscard,
  kSetRemove,
  // Those that ask generators: see call/drain.h.
  kAll,
  kAny,
  kJoin,
  kNext,
  kSend,
  kSorted,
  kSum,
};
struct Native : Object {
  Builtin builtin;
  NativeFunctionPointer external;  // one of the two
  const char* name;
  Class* owner;  // methods: the class that argument 0 must be an instance of; or nullptr
  Intrinsic intrinsic;
  bool collects;  // it roots what it holds: the collector may run inside
  // It is a special method that does what the operator does anyway: see lib/types/wrappers.cc.
  bool wrapper;
};
struct BoundMethod : Object {
  Value self, function;
};
inline constexpr uint32_t kNoId = UINT32_MAX;  // of what inline caches do not remember
struct Shape;
struct Class : Object {
  String* name;
  String* qualified_name;
  Dict* attributes;
  Class** mro;  // itself first
  uint32_t mro_count;
  Type layout;  // of its instances
  bool builtin;
  bool has_getattr;       // __getattr__ is there
  bool has_getattribute;  // __getattribute__ other than object's
  bool has_setattr;       // __setattr__ or __delattr__ other than object's
  bool takes_dict;        // instances have a __dict__
  bool acceptable_base;
  bool remembered;       // inline caches hold plain values of it
  bool abstract;         // __abstractmethods__ names some: no instances
  bool changing;         // plain values of it change: inline caches leave them alone
  bool has_del;          // __del__ is there
  bool takes_weak;       // instances may have weak references
  uint16_t field_hint;   // inline slots of the next instance
  uint16_t members;      // slots that __slots__ of it and its bases name: the first ones
  uint32_t id;           // of the class as a receiver, in inline caches
  uint32_t instance_id;  // of its instances that have no shape
  Shape* shape;          // of fresh instances, or nullptr; built-in classes: Vm::RootShape
  Class* meta;           // its class; nullptr: type
  Value bases;           // tuple, or empty: what follows it in the mro
  Value maker;           // Native that makes a plain value of a built-in class, or empty
  // While instance_id is quick_id a call makes an instance and runs quick_init, a simple function.
  uint32_t quick_id;
  Function* quick_init;
  const NativeType* native_type;
  Value (*next)(Vm& vm,
                Value self);  // of records that are iterators: what Vm::Next calls; or nullptr
  String* module_name;        // of the module it was defined in; nullptr: builtins
};
// Which attribute lies in which slot of an instance. Shapes of a class form a tree whose root is
// what fresh instances have; every attribute added goes one step down. Instances of a dictionary
// keep a Dict in the last slot instead.
enum class ShapeKind : uint32_t { kSlots, kDictionary };
// aux is the ShapeKind.
struct Shape : Object {
  Class* cls;
  Shape* parent;  // without the last slot
  String* name;   // of the last slot
  uint32_t count;
  uint32_t id;     // in inline caches
  uint32_t made;   // of a root: shapes below it
  Shape* child;    // the first child
  Dict* children;  // name -> the others
  Shape* no_more;  // of a root: the dictionary of the class
  ShapeKind kind() const { return static_cast<ShapeKind>(aux); }
  bool dictionary() const { return kind() == ShapeKind::kDictionary; }
};
// What a script class adds to objects: attributes in slots, those of __slots__ first.
struct Extension {
  Shape* shape;
  Value* slots;
  uint32_t capacity;
};
// aux: capacity of the slots.
struct Instance : Object {
  Shape* shape;
  Value* slots;  // inline_slots or a buffer
  Value inline_slots[1];
  Class* cls() const { return shape->cls; }
  uint32_t capacity() const { return aux; }
};
struct TraceEntry {
  const CodeObject* code;
  uint32_t pc;  // of the instruction
};
// Where an exception came by, the innermost frame first: a few entries here, more in a buffer.
struct Trace {
  static constexpr uint32_t kFew = 2;
  uint32_t count, capacity;  // capacity: of the buffer
  TraceEntry* buffer;        // or nullptr
  TraceEntry few[kFew];
  const TraceEntry* begin() const { return buffer != nullptr ? buffer : few; }
  const TraceEntry* end() const { return begin() + count; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const TraceEntry& operator[](size_t i) const { return begin()[i]; }
};
struct Exception : Object {
  Class* cls;
  Shape* shape;  // nullptr until the first attribute
  Value* slots;  // a buffer of aux slots
  Value args;    // tuple
  Value cause, context;
  bool suppress_context;
  Value detail;  // by class: see lib/types/exception.cc; empty: nothing
  Trace trace;
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
  String* source;   // for tracebacks, or nullptr
  String* package;  // the name that relative imports start from; empty: no package
  Variable* slots;
  uint32_t count, capacity;
  Dict* index;  // name -> slot number
  uint32_t id;  // in inline caches
};
enum class GeneratorKind : uint32_t { kGenerator, kCoroutine, kAsyncGenerator };
// aux is the GeneratorKind, plus kAsyncRunning while an async generator is in a step.
inline constexpr uint32_t kAsyncRunning = 4;
struct Generator : Object {
  Function* function;
  Value* registers;
  uint32_t register_count;
  uint32_t pc;
  enum State : uint8_t { kFresh, kSuspended, kRunning, kDone } state;
  Value result;               // of return
  Value inline_registers[1];  // room for an even number, or a buffer
  GeneratorKind kind() const { return static_cast<GeneratorKind>(aux & 3); }
};
// Bytes of the registers: an even number of values.
inline size_t GeneratorRoom(uint32_t registers) {
  return (registers + size_t{1}) / 2 * 2 * sizeof(Value);
}
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
  kAsyncStep,  // one step of an async generator: see call/async.cc
  kAwait,      // what coroutine.__await__() gives
  kWideRange,
};
// What type() says of them. ORDER: with the names in lib/types/iterator_classes.cc.
enum class IteratorClass : uint8_t {
  kList,
  kTuple,
  kAsciiString,
  kString,
  kBytes,
  kDictKeys,
  kDictValues,
  kDictItems,
  kSet,
  kRange,
  kSequence,
  kCallable,
  kListReversed,
  kDictReversed,
  kLongRange,
  kEnumerate,  // from here on scripts make them by name
  kFilter,
  kMap,
  kReversed,
  kZip,
  kCount,
};
// aux is the IteratorKind.
struct Iterator : Object {
  int64_t index;
  // The numbers of a range; kDict*: step is the count at the start, stop the place where the last
  // of as many entries must have come.
  int64_t stop, step;
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
// A view of `base` (bytes, bytearray or array), which may shrink under it: see
// collections/buffer.h.
struct MemoryView : Object {
  Value base;
  int64_t offset;  // bytes, of the first item
  int64_t count;   // items
  int64_t stride;  // bytes between items
  char format;     // of the items, as in struct
  bool readonly, released;
  Value dims;  // empty: one dimension; else see collections/view_dims.cc
};
// Objects of the classes of library modules written in C++. aux: number of values.
struct Record : Object {
  Class* cls;
  Value values[1];
  uint32_t count() const { return aux; }
};
enum class DescriptorKind : uint32_t { kProperty, kStaticMethod, kClassMethod };
// aux is the DescriptorKind. get: the getter of a property, or the function wrapped.
struct Descriptor : Object {
  Value get, set, remove, doc;
  Value name;
  DescriptorKind kind() const { return static_cast<DescriptorKind>(aux); }
};
// What a name of __slots__ becomes in the class; aux is the slot.
struct Member : Object {
  Class* owner;
  String* name;
  uint32_t slot() const { return aux; }
};
enum class ViewKind : uint32_t { kKeys, kValues, kItems, kProxy };
// Views of a dict; aux is the ViewKind. The source of a mappingproxy may be any mapping.
struct View : Object {
  Value source;
  ViewKind kind() const { return static_cast<ViewKind>(aux); }
};
// list[int], and int | str, which has no origin.
enum class AliasKind : uint32_t { kGeneric, kUnion };
// aux is the AliasKind.
struct Alias : Object {
  Value origin;  // empty: of a union
  Value args;    // tuple
  AliasKind kind() const { return static_cast<AliasKind>(aux); }
};

// Whether an object has the layout T: LayoutOf<T>::Has.
template <typename T>
struct LayoutOf;
#define FERRY_LAYOUT(layout, ...)                           \
  template <>                                               \
  struct LayoutOf<layout> {                                 \
    static constexpr const char* kName = "As<" #layout ">"; \
    static constexpr bool Has(const Object& object) {       \
      for (const Type type : {__VA_ARGS__})                 \
        if (object.type == type) return true;               \
      return false;                                         \
    }                                                       \
  };
#include "device-runtime/vm/exec/layouts.inc"
#undef FERRY_LAYOUT
template <>
struct LayoutOf<WideRange> {
  static constexpr const char* kName = "As<WideRange>";
  static constexpr bool Has(const Object& object) {
    return object.type == Type::kRange &&
           static_cast<const Range&>(object).kind() == RangeKind::kWide;
  }
};

// The layout that an object has, for messages.
inline const char* LayoutName(const Object& object) {
#define FERRY_LAYOUT(layout, ...) \
  if (LayoutOf<layout>::Has(object)) return #layout;
#include "device-runtime/vm/exec/layouts.inc"
#undef FERRY_LAYOUT
  return object.type == Type::kEllipsis ? "Ellipsis" : "freed";
}

// The object as one of layout T, or nullptr as nullptr. Any other layout ends the program.
template <typename T, typename Known>
T* CheckedCast(Known* object, Site site = Site::Here()) {
  if (object != nullptr && !LayoutOf<std::remove_const_t<T>>::Has(*object)) [[unlikely]]
    CheckFailed(site, LayoutOf<std::remove_const_t<T>>::kName, LayoutName(*object));
  return static_cast<T*>(object);
}
// The same of a value; one that is no object ends the program, too.
template <typename T>
T* CheckedAs(Value v, Site site = Site::Here()) {
  if (!v.IsObject() || v.object() == nullptr) [[unlikely]]
    CheckFailed(site, LayoutOf<T>::kName, "no object");
  return CheckedCast<T>(v.object(), site);
}

#if FERRY_VM_CHECKS
template <typename T>
T* As(Value v, Site site = Site::Here()) {
  return CheckedAs<T>(v, site);
}
template <typename T>
T* Cast(Object* object, Site site = Site::Here()) {
  return CheckedCast<T>(object, site);
}
template <typename T>
const T* Cast(const Object* object, Site site = Site::Here()) {
  return CheckedCast<const T>(object, site);
}
#else
// The object of a value that is known to have the layout T.
template <typename T>
T* As(Value v) {
  return static_cast<T*>(v.object());
}
// The same of an object, or of nullptr.
template <typename T>
T* Cast(Object* object) {
  return static_cast<T*>(object);
}
template <typename T>
const T* Cast(const Object* object) {
  return static_cast<const T*>(object);
}
#endif
// Whether it has the layout of `type`, as instances of script classes derived from it have, too.
inline bool Is(Value v, Type type) {
  return v.IsObject() && v.object()->type == type;
}
// Whether it is of the built-in class itself: nothing of it can be overridden.
inline bool IsExact(Value v, Type type) {
  if (!v.IsObject()) return false;
  uint16_t kind;
  __builtin_memcpy(&kind, v.object(), sizeof(kind));
  return kind == static_cast<uint16_t>(type);
}
// Whether it is of a script class derived from a built-in one.
inline bool Derived(Value v) {
  return v.IsObject() && v.object()->derived != 0;
}
static_assert(std::endian::native == std::endian::little);

[[gnu::always_inline]] inline bool IsView(Value v, ViewKind kind) {
  return Is(v, Type::kView) && As<View>(v)->kind() == kind;
}
[[gnu::always_inline]] inline bool IsAlias(Value v, AliasKind kind) {
  return Is(v, Type::kAlias) && As<Alias>(v)->kind() == kind;
}
[[gnu::always_inline]] inline bool IsDescriptor(Value v, DescriptorKind kind) {
  return Is(v, Type::kDescriptor) && As<Descriptor>(v)->kind() == kind;
}

}  // namespace ferry::vm

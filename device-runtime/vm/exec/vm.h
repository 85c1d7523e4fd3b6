// Vm: the state of one isolate and the operations on its values. Functions that give a Value give
// the empty one on failure, those that give a bool false; then an exception is pending or the run
// has reached a limit (fatal). Nothing here collects except Run, Call, SafePoint and Collect.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/memory.h"
#include "device-runtime/vm/compile/code.h"
#include "device-runtime/vm/exec/heap/heap.h"
#include "device-runtime/vm/exec/heap/root_stack.h"
#include "device-runtime/vm/exec/object.h"
#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {

// Python's classes that are not the layout of a heap object have numbers after Type's.
enum ClassId : int {
  kObjectClass = static_cast<int>(Type::kCount),
  kIntClass,
  kFloatClass,
  kBoolClass,
  kNoneClass,
  kTypeClass,
  kCoroutineClass,
  kAsyncGeneratorClass,
  kAsyncStepClass,
  kAwaitClass,
  kNotImplementedClass,
  kStaticMethodClass,
  kClassMethodClass,
  kMethodDescriptorClass,
  kWrapperClass,
  kKeysClass,
  kValuesClass,
  kItemsClass,
  kProxyClass,
  kUnionClass,
  kClassCount,
};
enum class Error : uint8_t {
  kObject,  // the root, so that rows can name it as a base
#define FERRY_EXCEPTION(name, base) k##name,
#include "device-runtime/vm/exec/flow/exceptions.inc"
#undef FERRY_EXCEPTION
  kCount,
};

// Interpreter inside native function inside interpreter; sanitizers make frames several times as
// large.
#ifdef FERRY_SANITIZED
inline constexpr int kMaxNativeDepth = 250;
#else
inline constexpr int kMaxNativeDepth = 1000;
#endif
inline constexpr size_t kFreeScratch = 64 << 10;  // of a native function, beside the heap
inline constexpr int kRecursionLimit = 1000;      // of sys.setrecursionlimit at the start
inline constexpr size_t kMaxStringBytes = 1u << 30;
inline constexpr size_t kMaxItems = 1u << 28;        // of a list
inline constexpr size_t kMaxBigIntLimbs = 1u << 24;  // of 64 bits
inline constexpr size_t kMaxTraceEntries = 50;
inline constexpr int64_t kStepSlice = 20000;  // steps between looks at the interrupt flag

// Arguments of a built-in: positional ones at args[0..count), then the values of keywords.
struct Args {
  Value* args;
  uint32_t count;
  const Tuple* names = nullptr;  // of the keywords; their values are args[count..]
  uint32_t keywords() const { return names == nullptr ? 0 : names->size; }
  Value operator[](uint32_t i) const { return args[i]; }
};

// What becomes of the value that a frame returns.
enum class FrameKind : uint8_t {
  kPlain,        // *result
  kEntry,        // the result of Run, which ends
  kConstruct,    // of __init__: `held` is the result, of Run when `result` is nullptr
  kBinary,       // *result, unless it is NotImplemented: of the binary operator at the caller's pc
  kCompare,      // the same, of a comparison
  kCompareJump,  // decides whether the comparison at the caller's pc jumps
  kDiscard,      // nothing
  kNext,         // the item of the ForNext at the caller's pc; StopIteration ends its loop
  // Of generators, whose `result` says more of the last two.
  kGenerator,  // Run ends
  kResumed,    // the ForNext at the caller's pc takes the items
  kDelegated,  // the Send at the caller's pc asks
  kAsked,      // next() or send() asks; when it is over: `result`, or raises
  kPart,  // part `result` of what the ForNext at the caller's pc takes from enumerate() or zip()
};
// The frame is that of a generator: its registers are the generator's own, on the heap.
inline bool IsGenerator(FrameKind kind) {
  return kind >= FrameKind::kGenerator;
}
// Those of generators whose items go to a frame in the same Run.
inline bool GivesItems(FrameKind kind) {
  return kind >= FrameKind::kResumed;
}

struct Frame {
  CodeObject* code;
  Function* function;
  const Instruction* pc;
  Value* base;    // registers: on the stack, or those of the generator
  Value* top;     // the first value of the stack that the frame leaves free
  Value* result;  // where the caller wants the result; nullptr: ends Run
  Value held;     // of kConstruct, and the generator; of others not even set
  FrameKind kind;
  Generator* generator() const { return As<Generator>(held); }
};

// The frames of an isolate, as many as its limit of depth, in one place: they do not move.
class FrameStack {
 public:
  bool Reserve(size_t count) {
    memory_.reset(static_cast<Frame*>(TryAllocate(count * sizeof(Frame))));
    begin_ = end_ = memory_.get();
    return begin_ != nullptr;
  }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }
  bool empty() const { return end_ == begin_; }
  Frame& back() { return end_[-1]; }
  Frame& operator[](size_t i) { return begin_[i]; }
  Frame* begin() { return begin_; }
  Frame* end() { return end_; }
  // One more, after Vm::HasFrame has said that there is room. Nothing of it is set.
  Frame& Push() { return *end_++; }
  void pop_back() { --end_; }
  void clear() { end_ = begin_; }

 private:
  std::unique_ptr<Frame, void (*)(Frame*)> memory_{nullptr, [](Frame* f) { Deallocate(f); }};
  Frame *begin_ = nullptr, *end_ = nullptr;
};

// What every isolate of the process has in common: image.h. After MakeShared nothing writes into
// these objects; a new isolate copies this struct.
struct Shared {
  Class* classes[kClassCount] = {};
  Class* errors[static_cast<int>(Error::kCount)] = {};
  Class* iterators[static_cast<int>(IteratorClass::kCount)] = {};
  Dict* builtins = nullptr;
  String* characters[128] = {};
  Value empty_string, empty_tuple, ellipsis, not_implemented;
  // Names that the interpreter looks up itself.
  struct Names {
#define FERRY_NAME(id, text) String* id = nullptr;
#include "device-runtime/vm/exec/names.inc"
#undef FERRY_NAME
  } names;
  uint32_t next_id = 0;
  // For inline caches: never 0 and never given twice; kNoId, which is not remembered, when there
  // are no more.
  uint32_t NewId() {
    return next_id == kNoId ? kNoId : ++next_id;
  }
};

// Interned strings by their hash, in a buffer of the heap.
struct InternTable {
  String** places = nullptr;
  uint32_t count = 0, capacity = 0;  // a power of two
  String* Find(std::string_view text, uint64_t hash) const;
  bool Add(Heap& heap, String* string);  // which is not there
};

struct Vm : Shared {
  // `region`: where the heap of the image lies; else nullptr.
  explicit Vm(Isolate::Options options, Region* region = nullptr);
  ~Vm();
  bool Start(const Vm* image);  // false: no memory
  bool MakeShared();            // the image's: all that Shared names and the built-ins

  // ---- state ----
  Isolate::Options options;
  Heap heap;
  Value pending;
  Value passing;  // the exception that the last Run ended with
  Status fatal;
  std::unique_ptr<Value[], void (*)(Value*)> stack;
  size_t stack_size = 0;
  Value* top = nullptr;  // first free value of the stack
  const Value* stack_end = nullptr;
  FrameStack frames;
  const Frame* frame_limit = nullptr;  // of recursion_limit and depth_limit
  int depth_limit;
  int recursion_limit = kRecursionLimit;  // past it a RecursionError, below depth_limit
  int native_depth = 0;
  int collection_blocked = 0;
  const Native* running = nullptr;  // the built-in called last: for the texts of argument errors
  int64_t steps_left = 0, steps_slice = 0;
  int max_int_digits = 4300;        // of ints from and to decimal text; 0: any
  int64_t deadline_ns = INT64_MAX;  // of the clock
  int64_t output_bytes = 0;         // written so far
  Pacer* pacer = nullptr;           // asked each time that steps_slice is used up
  std::atomic<bool> interrupted{false};
  RootStack kept;
  std::vector<Value> pinned;
  std::vector<const Object*> repr_active;  // containers that repr() is inside of; see repr.cc
  // finalize.cc: objects with a __del__ that has not run, weak references, and what dies and is
  // told so next. All charged.
  std::vector<Object*> finalizable;
  std::vector<Record*> weak;
  std::deque<Value> dying;
  bool finalizing = false;
  // Of what may change its size; exports.cc. While `asked` is set a collection looks whether
  // anything but temporaries holds a view of it, and then clears it.
  std::vector<MemoryView*> views;
  const ByteArray* asked = nullptr;
  int view_doubts = 0;
  std::deque<CodeObject> codes;
  InternTable interned;
  const InternTable* shared_interned = nullptr;  // of the image
  Dict* modules = nullptr;                       // sys.modules: scripts may put anything there
  uint32_t nans = 0;                             // made by NewNan
  struct MethodCacheLine {
    Class* cls = nullptr;
    String* name = nullptr;
    Value value;
  };
  static constexpr size_t kMethodCacheLines = 512;
  std::vector<MethodCacheLine> method_cache;
  struct SlotCacheLine {
    Shape* shape = nullptr;
    const String* name = nullptr;
    int64_t slot = -1;
  };
  static constexpr size_t kSlotCacheLines = 128;
  // What inline caches forgot for another class: see inline_cache.h.
  struct AttributeLine {
    const Instruction* word = nullptr;
    uint64_t id_and_slot = 0;
    Value value;
  };
  static constexpr size_t kAttributeLines = 256;
  std::vector<AttributeLine> attribute_lines;
  std::vector<SlotCacheLine> slot_cache;
  std::unordered_map<Class*, Shape*> builtin_shapes;  // RootShape
  std::vector<Class*> script_classes;                 // living ones
  std::unordered_map<const NativeType*, Class*> native_classes;
  std::unordered_map<const void*, Class*> record_classes;  // by RecordType (lib.h)

  // Of strings that are not ASCII: bytes where every so many code points begin, as far as known.
  struct Positions {
    const String* string = nullptr;
    uint32_t* marks = nullptr;
    uint32_t count = 0, capacity = 0;
  };
  Positions positions[4];

  // The module of that name that is imported, or Empty. import.cc.
  Value Imported(std::string_view name);

  // ---- failure (failure.cc) ----
  [[gnu::cold]] Value Raise(Error error, std::string_view message);
  // Code for size would count the characters of literals when it runs.
  template <size_t n>
  Value Raise(Error error, const char (&message)[n]) {
    return Raise(error, std::string_view(message, n - 1));
  }
  template <typename... A>
  Value Throw(Error error, fmt::format_string<A...> format, A&&... args) {
    return ThrowText(error, format, fmt::make_format_args(args...));
  }
  // With the name of a type or the like, as most are: less code where it is called.
  Value Throw(Error error, fmt::format_string<std::string_view> format, std::string_view name) {
    return ThrowNamed(error, fmt::string_view(format), name);
  }
  [[gnu::cold]] Value ThrowText(Error error, fmt::string_view format, fmt::format_args args);
  [[gnu::cold]] Value ThrowNamed(Error error, fmt::string_view format, std::string_view name);
  Value RaiseValue(Error error, Value argument);  // with an argument that is no text
  [[gnu::cold]] Value OutOfMemory();
  // One object would be larger than any may be: Limits::memory_error says what that means.
  [[gnu::cold]] Value TooLarge();
  [[gnu::cold]] Value Fatal(Code code, std::string message);
  // Whether one more frame, with registers up to `end`, has room. Past Limits::depth that is fatal,
  // else the caller raises TooDeep.
  bool HasFrame(const Value* end) {
    if (frames.end() < frame_limit && end < stack_end) [[likely]]
      return true;
    if (static_cast<int>(frames.size()) >= depth_limit) PassedDepth();
    return false;
  }
  void LimitRecursion(int limit) {
    recursion_limit = limit;
    frame_limit = frames.begin() + std::min(recursion_limit, depth_limit);
  }
  void PassedDepth();
  // RecursionError: "maximum recursion depth exceeded" and `where`.
  Value TooDeep(std::string_view where = "");
  // Text of print and of sys.stdout or sys.stderr; counts against the limit of output.
  bool WriteOutput(std::string_view text, bool error = false);
  // Whether native code may take `bytes` for a moment beside the heap (a std::string to build text
  // in); TooLarge otherwise. Nothing is counted: ask again with the sum when it grows.
  bool Scratch(size_t bytes) {
    if (bytes < kFreeScratch || static_cast<int64_t>(bytes) <= heap.limit() - heap.taken())
      return true;
    TooLarge();
    return false;
  }
  bool failed() const { return !pending.empty() || !fatal.ok(); }
  Value MakeException(Class* cls, Value args);
  Value NewError(Error error);  // without arguments
  Value RaiseStatus(const Status& status);
  // Takes the pending exception if it is of the class.
  bool TakePending(Error error);
  // The Status of the failure, with its traceback; clears it.
  Status TakeFailure();
  std::string FormatTraceback(Exception* exception);
  bool ChargeSteps(int64_t steps) {
    steps_slice -= steps;
    return steps_slice >= 0 || PaySteps();
  }
  bool PaySteps();  // after steps_slice fell below 0
  sys::Clock& clock() const {
    return options.clock != nullptr ? *options.clock : sys::SystemClock();
  }
  bool RefillSteps();
  void Sleep(int64_t ns) const;

  // ---- making (make.cc) ----
  Value NewString(std::string_view utf8);
  // A string of `bytes` bytes; its length and content are the caller's. nullptr: no memory.
  String* NewStringObject(size_t bytes);
  // a + b; shares a's bytes when a is itself the result of appending.
  Value AppendString(String* a, String* b);
  // Text that may hold bytes that are no UTF-8: they become U+FFFD.
  Value NewStringChecked(std::string_view bytes);
  String* Intern(std::string_view text);  // nullptr: out of memory
  Value NewBytes(std::string_view bytes);
  Value NewInt(int64_t i);
  Value NewComplex(double real, double imaginary);
  Value NewByteArray(std::string_view bytes);
  Value NewUnsigned(uint64_t i);
  Value NewList(const Value* items, size_t count);
  Value NewTuple(const Value* items, size_t count);
  Value NewDict(Type type = Type::kDict);
  Value NewSlice(Value start, Value stop, Value step);
  Value NewRange(int64_t start, int64_t stop, int64_t step);
  Value NewCell(Value v);
  Value NewBound(Value self, Value function);
  Value NewNative(const char* name, Builtin builtin, NativeFunctionPointer external, bool collects);
  Value NewIterator(IteratorKind kind, Value source, Value extra = Value());
  Value NewDescriptor(uint32_t kind, Value get);
  Value NewRecord(Class* cls, uint32_t count);  // its values are None
  Class* NewClass(std::string_view name, Class* base, Type layout);
  Value NewView(uint32_t kind, Value source);
  Value NewAlias(uint32_t kind, Value origin, Value args);
  Module* NewModule(std::string_view name, std::string_view file);

  // ---- collections (list.cc, dict.cc) ----
  bool Append(List* list, Value v);
  bool Reserve(List* list, size_t count);
  bool Hash(Value v, uint64_t* hash);
  static uint64_t HashText(std::string_view text);  // of strings, never 0
  uint64_t Identity(Value v);                       // id(): the same in every run
  bool HashPlain(Value v, uint64_t* hash);
  // What hash() gives, where Hash() is for dicts only.
  bool HashVisible(Value v, int64_t* hash);
  bool HashVisiblePlain(Value v, int64_t* hash);
  // Sets (set.cc); the functions of dicts call them for sets.
  Value* SetFind(Dict* set, Value key, bool* failed);
  bool SetAdd(Dict* set, Value key);
  bool SetRemove(Dict* set, Value key);  // false: absent or failed
  Value SetPop(Dict* set);
  Value* DictFind(Dict* dict, Value key, bool* failed);
  Value* DictFindString(Dict* dict, const String* key);  // interned keys
  bool DictSet(Dict* dict, Value key, Value value);
  bool DictSetText(Dict* dict, std::string_view key, Value value);
  // Removes and gives the value; empty without pending exception when it is not there.
  Value DictRemove(Dict* dict, Value key);
  void DictClear(Dict* dict);
  bool DictMerge(Dict* into, Value from, bool forbid_repeats);
  uint32_t VariableSlot(Module* module, String* name, bool* failed);
  bool SetVariable(Module* module, std::string_view name, Value v);

  // ---- classes and attributes (types.cc, make_class.cc, attribute.cc, descriptor.cc) ----
  Class* ClassOf(Value v) {
    if (IsExact(v, Type::kInstance)) return As<Instance>(v)->cls();
    return ClassOfOther(v);
  }
  Class* ClassOfOther(Value v);
  Class* ClassOfIterator(const Iterator* iterator);
  std::string_view TypeName(Value v);  // as errors call it; good until the next collection
  // Empty when there is none.
  Value FindInClass(Class* cls, String* name) {
    const MethodCacheLine& line = MethodLine(cls, name);
    return line.cls == cls && line.name == name ? line.value : SearchClass(cls, name);
  }
  MethodCacheLine& MethodLine(const Class* cls, const String* name) {
    return method_cache[((reinterpret_cast<uintptr_t>(cls) >> 4) * 31 ^
                         reinterpret_cast<uintptr_t>(name) >> 4) %
                        kMethodCacheLines];
  }
  Value SearchClass(Class* cls, String* name);
  // The same, but built-in types' own special methods count as absent: what a script overrides.
  Value FindSpecial(Class* cls, String* name);
  bool IsSubclass(Class* cls, Class* base);
  bool IsInstance(Value v, Class* cls) { return IsSubclass(ClassOf(v), cls); }
  // isinstance() and issubclass(), with __instancecheck__, tuples and unions.
  bool IsInstanceOf(Value v, Value classes, bool* match);
  bool IsSubclassOf(Value cls, Value classes, bool* match);
  Shape* RootShape(Class* cls);
  Value GetAttribute(Value v, String* name);
  Value GetAttributeOrEmpty(Value v, String* name);  // empty and nothing pending when absent
  // object.__getattribute__: without hooks of scripts; empty and nothing pending when absent.
  Value GetPlain(Value v, String* name);
  Value NoAttribute(Value v, String* name);  // raises AttributeError
  bool GetMethod(Value v, String* name, Value* function, Value* self);
  bool SetAttribute(Value v, String* name, Value value);
  bool DeleteAttribute(Value v, String* name);
  // object.__setattr__ and __delattr__ (empty value).
  bool SetPlain(Value v, String* name, Value value);
  // The __dict__ of an object, which may be written; nullptr with nothing pending when it has none.
  Dict* AttributeDict(Value v);
  // Calls the special method; *found says whether there is one.
  Value CallSpecial(Value v, String* name, const Value* args, size_t count, bool* found);
  Value MakeClass(Class* meta, Value name, Value bases, Dict* attributes, Dict* keywords);
  // What the attribute of a class gives through `self` (empty: through the class itself).
  Value Bind(Value attribute, Value self, Class* cls);
  bool IsDataDescriptor(Value attribute);

  // ---- operators (operator.cc, compare.cc, index.cc, number.cc) ----
  // Those whose name ends with Plain do what built-in types do, also for objects whose class
  // overrides it (override.cc).
  // skip: methods of scripts that have been tried already, and gave NotImplemented.
  Value Binary(int op, Value a, Value b, bool in_place = false, int skip = 0);
  // *handled false: not for these types.
  Value BinaryPlain(int op, Value a, Value b, bool in_place, bool* handled);
  Value Unary(int op, Value v);
  Value UnaryPlain(int op, Value v);
  bool Equal(Value a, Value b, bool* equal);
  bool EqualPlain(Value a, Value b, bool* equal);
  // op: kLess..kGreaterEqual of Operator; the result is a Value because __lt__ may give anything.
  Value Compare(int op, Value a, Value b, int skip = 0);
  Value ComparePlain(int op, Value a, Value b);  // NotImplemented when not for these types
  bool Less(Value a, Value b, bool* less);
  bool Contains(Value container, Value item, bool* contains);
  bool ContainsPlain(Value container, Value item, bool* contains);
  bool Truth(Value v, bool* truth);
  bool TruthPlain(Value v, bool* truth);
  Value Index(Value v, Value key);
  Value IndexPlain(Value v, Value key);
  bool SetIndex(Value v, Value key, Value value);
  bool SetIndexPlain(Value v, Value key, Value value);
  bool DeleteIndex(Value v, Value key);
  bool DeleteIndexPlain(Value v, Value key);
  bool Length(Value v, int64_t* length);
  bool LengthPlain(Value v, int64_t* length);
  // An integer for an index or a count: ints, bools, __index__; TypeError otherwise. Big ones
  // saturate when `saturate`, else OverflowError.
  bool ToIndex(Value v, int64_t* out, std::string_view what, bool saturate = false);
  bool SliceBounds(Slice* slice, int64_t length, int64_t* start, int64_t* stop, int64_t* step,
                   int64_t* count);

  // ---- iteration (iterate.cc) ----
  Value Iterate(Value v);
  Value IteratePlain(Value v);
  // The next value; empty when it is over (nothing pending) or failed.
  Value Next(Value iterator);
  bool Unpack(Value v, Value* out, size_t count);
  bool UnpackStar(Value v, Value* out, size_t before, size_t after);
  bool Extend(List* list, Value iterable);
  Value ToList(Value iterable);

  // ---- text (positions.cc, repr.cc, format.cc) ----
  // The byte where code point `index` begins, at most the length.
  size_t OffsetOf(const String* string, size_t index);
  void DropPositions();  // a dead string's address may be used again
  bool Repr(Value v, std::string* out);
  bool ReprPlain(Value v, std::string* out);
  bool Str(Value v, std::string* out);
  bool StrPlain(Value v, std::string* out);
  Value StrValue(Value v);
  bool Format(Value v, std::string_view spec, std::string* out);
  bool FormatPlain(Value v, std::string_view spec, std::string* out);
  Value PercentFormat(String* format, Value args);

  // ---- running (call.cc, run.cc, generator.cc) ----
  Value Call(Value function, const Value* args, size_t count, const Tuple* names = nullptr);
  Value CallBuiltin(Native* native, Args& args);
  // Begins a call whose callee's arguments lie at `args` on the stack, to be followed by Run or the
  // running loop: kFrame when a frame was pushed, kDone when *result holds the result.
  enum class Begin { kFrame, kDone, kFailed };
  Begin BeginCall(Value callee, Value* args, uint32_t count, const Tuple* names, Value* result);
  bool PushFrame(Function* function, Value* args, uint32_t count, const Tuple* names,
                 Value* result);
  bool BindArguments(Function* function, Value* args, uint32_t count, const Tuple* names);
  Value Run(size_t bottom);  // until the frames are `bottom` again
  Value Resume(Generator* generator, Value sent, Value thrown);
  // Moves the frame's registers into the generator and leaves the frame.
  // Unwinds to the next handler above `bottom`; false: none.
  bool Unwind(size_t bottom);
  Exception* Handled();
  Value MakeFunction(CodeObject* code, Frame& frame, Value defaults, Value keyword_defaults);
  Value Import(std::string_view name, bool whole);
  Value ImportFrom(Value module, String* name);
  Value RunModule(std::string_view source, std::string_view name, std::string_view file);
  Value CallSpread(Value callee, Value list, Value dict);

  // Functions that do what built-ins do with generators: see drain.h.
  static constexpr int kDrains = 12;
  Function* drains[kDrains] = {};

  void Collect();
  // false: what ran for dying objects has passed a limit.
  bool SafePoint() {
    return !heap.wants_collection() || collection_blocked > 0 || CollectAtSafePoint();
  }
  bool CollectAtSafePoint();
  // How often each safe point was passed, where tests ask for collections (CollectAtSafePoint).
  std::unordered_map<uint64_t, uint32_t> passings;
  bool Track(Object* object);      // its __del__ shall run; false: no memory
  bool TrackWeak(Record* record);  // a weak reference
  // After marking: what dies and has to be told lives on in `dying`.
  void FindDying();
  // Runs __del__, closes generators, calls back for weak references.
  void RunDying();
  // Collects what a statement has let go of. `dead`: the first register above those in use.
  void CollectNow(Value* dead);
  // The end of the program: everything that waits for its end is told.
  void Finish();
  bool Reset();  // before each entry from the host
};

// Keeps values alive while native code that may run scripts needs them.
class Roots {
 public:
  explicit Roots(Vm& vm) : vm_(vm), size_(vm.kept.size()) {}
  ~Roots() { vm_.kept.TakeBack(size_); }
  Value Add(Value v) {
    vm_.kept.Push(v);
    return v;
  }

 private:
  Vm& vm_;
  const size_t size_;
};

// Its class may override operators: an instance of a class made by scripts or native modules.
inline bool HasMethods(Value v) {
  if (!v.IsObject()) return false;
  const Object* object = v.object();
  return object->type == Type::kInstance || object->derived != 0 ||
         object->type == Type::kNativeObject || object->type == Type::kException ||
         object->type == Type::kRecord ||
         (object->type == Type::kClass && As<Class>(v)->meta != nullptr);
}
inline bool IsStr(Value v) {
  return Is(v, Type::kString);
}
inline std::string_view Text(Value v) {
  return As<String>(v)->view();
}
inline bool IsInt(Value v) {
  return v.IsSmallInt() || v.IsBool() || Is(v, Type::kBigInt);
}
// Floats, also of classes derived from float.
inline bool AsDouble(Value v, double* out) {
  if (v.IsFloat()) {
    *out = v.AsFloat();
  } else if (Is(v, Type::kFloat)) {
    *out = As<FloatObject>(v)->value;
  } else {
    return false;
  }
  return true;
}
inline bool IsFloatValue(Value v) {
  return v.IsFloat() || Is(v, Type::kFloat);
}
inline bool IsSet(Value v) {
  return Is(v, Type::kSet) || Is(v, Type::kFrozenSet);
}
// An int of a class derived from int.
inline bool SmallOfDerived(const BigInt* big, int64_t* out) {
  if (big->size > 1) return false;
  const uint64_t low = big->size > 0 ? big->limbs[0] : 0;
  if (low >> 47 != 0) return false;
  const auto magnitude = static_cast<int64_t>(low);
  *out = big->aux != 0 ? -magnitude : magnitude;
  return true;
}
// The value as the built-in types have it: what derives from int or float as an int or float.
inline Value Plain(Value v) {
  if (!Derived(v)) return v;
  if (Is(v, Type::kFloat)) return Value::Float(As<FloatObject>(v)->value);
  int64_t i;
  return Is(v, Type::kBigInt) && SmallOfDerived(As<BigInt>(v), &i) ? Value::SmallInt(i) : v;
}
// Of ints that fit, bools too.
inline bool SmallOf(Value v, int64_t* out) {
  if (v.IsSmallInt()) {
    *out = v.AsSmallInt();
  } else if (v.IsBool()) {
    *out = v.IsTrue();
  } else {
    return Derived(v) && Is(v, Type::kBigInt) && SmallOfDerived(As<BigInt>(v), out);
  }
  return true;
}

// Compiles a module into vm.codes; kScriptSyntax. vm == nullptr is not allowed.
Result<CodeObject*> CompileModule(Vm& vm, std::string_view source, std::string_view file,
                                  Module* module);

// Whether `text % args` looks keys up in `args` and leaves them unused without an error. percent.cc
bool GivesKeys(Vm& vm, Value args);

}  // namespace ferry::vm

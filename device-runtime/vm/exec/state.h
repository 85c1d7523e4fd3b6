// Vm: the state of one isolate and the operations on its values. One thread at a time uses it.
//
// Functions that give a Value give the empty one on failure, those that give a bool false, those
// that give a pointer nullptr; then an exception is pending or the run has reached a limit (fatal).
// Functions that may run scripts say so; those may collect, too, so that who calls them keeps alive
// what it holds in Roots. All others collect nothing, except SafePoint and Collect. Methods stand
// under the file that defines them.
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
#include "device-runtime/vm/exec/layout.h"
#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/syntax/ast.h"
#include "device-runtime/vm/text/siphash.h"

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
#include "device-runtime/vm/exec/failure/exceptions.inc"
#undef FERRY_EXCEPTION
  kCount,
};

// How deep the interpreter's loop may stand inside native functions inside the loop. Sanitizers
// make frames several times as large.
#ifdef FERRY_SANITIZED
inline constexpr int kMaxNativeDepth = 100;
#else
inline constexpr int kMaxNativeDepth = 1000;
#endif
inline constexpr size_t kFreeScratch = 64 << 10;  // bytes of a native function, beside the heap
inline constexpr int kRecursionLimit = 1000;      // what sys.getrecursionlimit() gives at first
inline constexpr size_t kMaxStringBytes = 1u << 30;
inline constexpr size_t kMaxItems = 1u << 28;        // how many a list may have
inline constexpr size_t kMaxBigIntLimbs = 1u << 24;  // limbs have 64 bits
inline constexpr size_t kMaxTraceEntries = 50;
inline constexpr int64_t kStepSlice = 20000;  // steps between looks at the interrupt flag

// Arguments of a built-in: positional ones at args[0..count), then the values of keywords.
struct Args {
  Value* args;
  uint32_t count;
  const Tuple* names = nullptr;  // those of the keywords, whose values are args[count..]
  uint32_t keywords() const { return names == nullptr ? 0 : names->size; }
  Value operator[](uint32_t i) const { return args[i]; }
};

// What becomes of the value that a frame returns.
enum class FrameKind : uint8_t {
  kPlain,        // *result
  kEntry,        // the result of Run, which ends
  kConstruct,    // __init__ runs: `held` is the result, that of Run when `result` is nullptr
  kBinary,       // *result of the binary operator at the caller's pc, unless it is NotImplemented
  kCompare,      // the same for a comparison
  kCompareJump,  // decides whether the comparison at the caller's pc jumps
  kDiscard,      // nothing
  kNext,         // the item of the ForNext at the caller's pc; StopIteration ends its loop
  // The frame is that of a generator. For the last two `result` says more.
  kGenerator,  // Run ends
  kResumed,    // the ForNext at the caller's pc takes the items
  kDelegated,  // the Send at the caller's pc asks
  kAsked,      // next() or send() asks; when it is over: `result`, or raises
  kPart,  // part `result` of what the ForNext at the caller's pc takes from enumerate() or zip()
};
// Whether the frame is that of a generator: its registers are the generator's own, on the heap.
inline bool IsGenerator(FrameKind kind) {
  return kind >= FrameKind::kGenerator;
}
// Whether it is one whose items go to a frame in the same Run.
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
  Value held;     // the instance (kConstruct) or the generator; for other kinds not even set
  FrameKind kind;
  Generator* generator() const { return As<Generator>(held); }
};

// The frames of an isolate, as many as its limit of depth, in one place: they do not move.
class FrameStack {
 public:
  // Takes memory for `count` frames; false: there is none.
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

// What every isolate of the process has in common: see heap/image.h. After MakeShared nothing
// writes into these objects; a new isolate copies this struct.
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
  // A number by which inline caches know a class, shape or module: never 0 and never given twice;
  // kNoId, which is not remembered, when there are no more.
  uint32_t NewId() {
    return next_id == kNoId ? kNoId : ++next_id;
  }
};

// Interned strings by their hash, in a buffer of the heap.
struct InternTable {
  String** places = nullptr;
  uint32_t count = 0, capacity = 0;  // a power of two

  // ---- heap/make.cc ----
  // The string with this text, whose Vm::HashText is `hash` and whose search begins at `home`;
  // nullptr: it is not there.
  String* Find(std::string_view text, uint64_t hash, uint64_t home) const;
  // Puts a string there that is not there yet. false: there is no memory, which is not reported.
  bool Add(Vm& vm, String* string);
  // Places all anew in a table of that size.
  bool Resize(Vm& vm, uint32_t size);
  // How many places it had to pass.
  uint64_t Put(String* string, uint64_t home);
};

struct Vm : Shared {
  // ---- state ----
  Isolate::Options options;
  Heap heap;
  Value pending;  // the exception that is on its way, or empty
  Value passing;  // the exception that the last Run ended with
  Status fatal;   // not ok: the run has passed a limit, which nothing catches
  std::unique_ptr<Value[], void (*)(Value*)> stack;
  size_t stack_size = 0;
  Value* top = nullptr;  // first free value of the stack
  const Value* stack_end = nullptr;
  FrameStack frames;
  const Frame* frame_limit = nullptr;  // the frame that recursion_limit and depth_limit forbid
  int depth_limit;
  int recursion_limit = kRecursionLimit;  // past it a RecursionError, below depth_limit
  int native_depth = 0;
  int collection_blocked = 0;       // how many natives run that do not keep what they hold
  const Native* running = nullptr;  // the built-in called last: for the texts of argument errors
  int64_t steps_left = 0, steps_slice = 0;
  int max_int_digits = 4300;        // longest decimal text of an int, read or written; 0: any
  int64_t deadline_ns = INT64_MAX;  // on the clock
  int64_t output_bytes = 0;         // written so far
  Pacer* pacer = nullptr;           // asked each time that steps_slice is used up
  std::atomic<bool> interrupted{false};
  RootStack kept;
  std::vector<Value> pinned;
  // Containers that repr() is inside of: see text/repr.cc.
  std::vector<const Object*> repr_active;
  // Objects with a __del__ that has not run, weak references, and what dies and is told so next:
  // see heap/endings.cc. The memory of all three is charged.
  std::vector<Object*> finalizable;
  std::vector<Record*> weak;
  std::deque<Value> dying;
  bool finalizing = false;
  // Views of what may change its size: see collections/exports.cc. While `asked` is set a
  // collection looks whether anything but temporaries holds a view of it, and then clears it.
  std::vector<MemoryView*> views;
  const ByteArray* asked = nullptr;
  int view_doubts = 0;
  std::deque<CodeObject> codes;
  InternTable interned;
  const InternTable* shared_interned = nullptr;  // that of the image
  Dict* modules = nullptr;                       // sys.modules: scripts may put anything there
  uint32_t nans = 0;                             // how many NewNan has made
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
  // What inline caches forgot for another class: see classes/inline_cache.h.
  struct AttributeLine {
    const Instruction* word = nullptr;
    uint64_t id_and_slot = 0;
    Value value;
  };
  static constexpr size_t kAttributeLines = 256;
  std::vector<AttributeLine> attribute_lines;
  std::vector<SlotCacheLine> slot_cache;
  std::unordered_map<Class*, Shape*> builtin_shapes;  // what RootShape gives for built-in classes
  std::vector<Class*> script_classes;                 // living ones
  std::unordered_map<const NativeType*, Class*> native_classes;
  std::unordered_map<const void*, Class*> record_classes;  // by RecordType (lib/lib.h)

  // Bytes where every so many code points of a string that is not ASCII begin, as far as known.
  struct Positions {
    const String* string = nullptr;
    uint32_t* marks = nullptr;
    uint32_t count = 0, capacity = 0;
  };
  Positions positions[4];

  // Functions that do what built-ins do with generators: see call/drain.h.
  static constexpr int kDrains = 12;
  Function* drains[kDrains] = {};

  bool failed() const { return !pending.empty() || !fatal.ok(); }
  sys::Clock& clock() const {
    return options.clock != nullptr ? *options.clock : sys::SystemClock();
  }

  // ---- state.cc ----
  // `region`: where the heap of the image lies; else nullptr.
  explicit Vm(Isolate::Options options, Region* region = nullptr);
  ~Vm();
  // Takes memory for stack and frames, and what all isolates share from the image; with nullptr it
  // makes that itself. false: there is no memory. To be called once, before anything else.
  bool Start(const Vm* image);
  // Makes all that Shared names and the built-ins: for the image alone. false: there is no memory.
  bool MakeShared();
  // Forgets the last run and gives the next one its limits: before each entry from the host. false:
  // the run may not begin (it was interrupted, or the pacer says no).
  bool Reset();

  // ---- failure/raise.cc ----
  // All that raise give the empty value, and no script runs: what is pending is of a built-in
  // class.
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
  // With an argument that is no text.
  Value RaiseValue(Error error, Value argument);
  // Raises what stands for a failure of native code; statuses of limits end the run.
  Value RaiseStatus(const Status& status);
  // A new exception, which is not raised: with these arguments (a tuple), or without any.
  Value MakeException(Class* cls, Value args);
  Value NewError(Error error);
  // Takes the pending exception if it is of the class; false: something else is pending, or
  // nothing.
  bool TakePending(Error error);
  // The Status of the failure, with its traceback. Clears the failure, the frames and the stack.
  // Scripts may run, for the text of the exception.
  Status TakeFailure();

  // Ends the run with this status, which no script catches. Empty.
  [[gnu::cold]] Value Fatal(Code code, std::string message);
  // Ends the run: the heap gives no more memory. Empty.
  [[gnu::cold]] Value OutOfMemory();
  // One object would be larger than any may be: Limits::memory_error says what that means. Empty.
  [[gnu::cold]] Value TooLarge();
  // Raises RecursionError: "maximum recursion depth exceeded" and `where`. Empty.
  Value TooDeep(std::string_view where = "");
  // Ends the run: it has passed Limits::depth.
  void PassedDepth();
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
  // Whether native code may take `bytes` for a moment beside the heap (a std::string to build text
  // in); TooLarge otherwise. Nothing is counted: ask again with the sum when it grows.
  bool Scratch(size_t bytes) {
    if (bytes < kFreeScratch || static_cast<int64_t>(bytes) <= heap.limit() - heap.taken())
      return true;
    TooLarge();
    return false;
  }
  // Writes text of print and of sys.stdout or (`error`) sys.stderr. false: past the limit of
  // output.
  bool WriteOutput(std::string_view text, bool error = false);
  // Counts steps of the work that comes next; false: the limit is passed, or the turn was refused.
  bool ChargeSteps(int64_t steps) {
    steps_slice -= steps;
    return steps_slice >= 0 || PaySteps();
  }
  // What ChargeSteps does after steps_slice fell below 0.
  bool PaySteps();
  // Takes the next slice of the steps that are left, and looks at interrupt, time and pacer.
  bool RefillSteps();
  // Lets time pass, as Options::sleep says. Cannot fail.
  void Sleep(int64_t ns) const;

  // ---- failure/traceback.cc ----
  // What CPython would print of the exception; the caller keeps it alive. Scripts may run.
  std::string FormatTraceback(Exception* exception);

  // ---- heap/make.cc ----
  // New objects. They fail for want of memory alone; no script runs.
  Value NewString(std::string_view utf8);
  // A string of `bytes` bytes; its length and content are the caller's.
  String* NewStringObject(size_t bytes);
  // Text that may hold bytes that are no UTF-8: they become U+FFFD.
  Value NewStringChecked(std::string_view bytes);
  // The one string with this text that is used as a name.
  String* Intern(std::string_view text);
  Value NewBytes(std::string_view bytes);
  // With `items` nullptr the items are the caller's to fill in: those of a list, whose size is 0,
  // are room only; those of a tuple are set to None.
  Value NewList(const Value* items, size_t count);
  Value NewTuple(const Value* items, size_t count);
  Value NewDict(Type type = Type::kDict);
  Value NewSlice(Value start, Value stop, Value step);
  Value NewRange(int64_t start, int64_t stop, int64_t step);
  Value NewCell(Value v);
  Value NewBound(Value self, Value function);
  Value NewNative(const char* name, Builtin builtin, NativeFunctionPointer external, bool collects);
  Value NewIterator(IteratorKind kind, Value source, Value extra = Value());
  Value NewDescriptor(DescriptorKind kind, Value get);
  // A record whose `count` values are None.
  Value NewRecord(Class* cls, uint32_t count);
  Value NewView(ViewKind kind, Value source);
  Value NewAlias(AliasKind kind, Value origin, Value args);
  Module* NewModule(std::string_view name, std::string_view file);

  // ---- heap/append.cc ----
  // a + b; shares a's bytes when a is itself the result of appending. No script runs.
  Value AppendString(String* a, String* b);

  // ---- heap/roots.cc ----
  // Frees what nothing reaches any more. What dies and has to be told lives on in `dying`.
  void Collect();
  // Where scripts may run anyway: collects if the heap wants it, and tells what dies. false: what
  // ran for dying objects has passed a limit.
  bool SafePoint() {
    return !heap.wants_collection() || collection_blocked > 0 || CollectAtSafePoint();
  }
  // What SafePoint does when the heap wants a collection; where tests ask for one at every safe
  // point, only some passings of each collect.
  bool CollectAtSafePoint();
  // How often each safe point was passed, where tests ask for collections.
  std::unordered_map<uint64_t, uint32_t> passings;

  // ---- operators/keyed.cc ----
  // What places texts in tables where their hashes were made to meet; drawn when it is first asked
  // for.
  const HashKey& Secret();
  HashKey secret = {};
  bool has_secret = false;
  bool names_keyed = false;  // `interned` is placed by it

  // ---- heap/endings.cc ----
  // Remembers that the object's __del__ shall run; false: there is no memory.
  bool Track(Object* object);
  // The same for a weak reference, which is cleared when what it refers to dies.
  bool TrackWeak(Record* record);
  // Between marking and sweeping: what dies and has to be told lives on in `dying`.
  void FindDying();
  // Runs __del__, closes generators, calls back for weak references. Scripts run; what they raise
  // is printed, and only limits stay pending.
  void RunDying();
  // Collects what a statement has let go of, if anything waits for its end, and tells it. `dead`:
  // the first register above those in use. Scripts may run.
  void CollectNow(Value* dead);
  // The end of the program: everything that waits for its end is told. Scripts may run.
  void Finish();

  // ---- number/bigint.cc ----
  // Ints of any size; they fail for want of memory alone.
  Value NewInt(int64_t i);
  Value NewUnsigned(uint64_t i);

  // ---- number/complex.cc ----
  Value NewComplex(double real, double imaginary);

  // ---- collections/buffer.cc ----
  Value NewByteArray(std::string_view bytes);

  // ---- collections/list.cc ----
  // Appends a value; false: there is no memory. No script runs.
  bool Append(List* list, Value v);
  // Makes room for `count` items in all; false: there is no memory, or they are more than
  // kMaxItems.
  bool Reserve(List* list, size_t count);

  // ---- collections/dict.cc ----
  // The hash of the text of strings, never 0.
  static uint64_t HashText(std::string_view text);
  // Where the value of a key lies, until the dict changes; nullptr: it is absent, or *failed, which
  // is set to true then and otherwise left as it was. Keys of scripts' classes run scripts.
  Value* DictFind(Dict* dict, Value key, bool* failed);
  // The same for an interned key. It cannot fail, and no script runs.
  Value* DictFindString(Dict* dict, const String* key);
  // Sets the value of a key. Keys of scripts' classes run scripts.
  bool DictSet(Dict* dict, Value key, Value value);
  // The same for a key that is interned first. No script runs.
  bool DictSetText(Dict* dict, std::string_view key, Value value);
  // Removes and gives the value; empty without pending exception when it is not there. Keys of
  // scripts' classes run scripts.
  Value DictRemove(Dict* dict, Value key);
  void DictClear(Dict* dict);
  // Sets what another mapping holds (TypeError: it is none); with `forbid_repeats` a key that is
  // there already is a TypeError, too. Scripts may run.
  bool DictMerge(Dict* into, Value from, bool forbid_repeats);

  // ---- collections/set.cc ----
  // Sets; the functions of dicts call these for sets. Items of scripts' classes run scripts.
  Value* SetFind(Dict* set, Value key, bool* failed);
  bool SetAdd(Dict* set, Value key);
  // false: the item is absent, or it failed.
  bool SetRemove(Dict* set, Value key);
  // Removes and gives an item; empty with nothing pending: there is none. No script runs.
  Value SetPop(Dict* set);

  // ---- collections/iteration.cc ----
  // iter(v) as built-in types do it; __iter__ and __getitem__ of others run scripts.
  Value IteratePlain(Value v);
  // The next value; empty when it is over (nothing pending) or failed. Scripts may run.
  Value Next(Value iterator);
  // Puts exactly `count` items into `out`, or raises ValueError. Scripts may run.
  bool Unpack(Value v, Value* out, size_t count);
  // The same with a list of all the others between the first `before` and the last `after`.
  bool UnpackStar(Value v, Value* out, size_t before, size_t after);
  // Appends all items, as list.extend does. Scripts may run.
  bool Extend(List* list, Value iterable);
  // A new list of all items. Scripts may run.
  Value ToList(Value iterable);

  // ---- import/variables.cc ----
  // The number of the module's variable, which is made when it is not there; *failed is set to true
  // when there is no memory. No script runs.
  uint32_t VariableSlot(Module* module, String* name, bool* failed);
  bool SetVariable(Module* module, std::string_view name, Value v);

  // ---- import/import.cc ----
  // The module of that name that is imported, or empty with nothing pending. No script runs.
  Value Imported(std::string_view name);
  // Imports a.b.c and gives it (`whole`), or the package a. Scripts run.
  Value Import(std::string_view name, bool whole);
  // What `from module import name` gives: an attribute, or a module of the package. Scripts may
  // run.
  Value ImportFrom(Value module, String* name);
  // Compiles source text, or loads bytecode, as the module `name`, and runs it. Scripts run.
  Value RunModule(std::string_view source, std::string_view name, std::string_view file);

  // ---- classes/types.cc ----
  // The class of a value. The first two functions cannot fail, and no script runs.
  Class* ClassOf(Value v) {
    if (IsExact(v, Type::kInstance)) return As<Instance>(v)->cls();
    return ClassOfOther(v);
  }
  Class* ClassOfOther(Value v);
  // The name of the value's class as errors call it; good until the next collection.
  std::string_view TypeName(Value v);
  // A new class without methods, which is no script's; it fails for want of memory alone.
  Class* NewClass(std::string_view name, Class* base, Type layout);
  // What the class or one of its bases has under the name; empty with nothing pending: none has it.
  // No script runs.
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
  // By the order of the bases alone: no script runs.
  bool IsSubclass(Class* cls, Class* base);
  bool IsInstance(Value v, Class* cls) { return IsSubclass(ClassOf(v), cls); }
  // isinstance() and issubclass(), with __instancecheck__, tuples and unions: scripts may run.
  // false: failed; else *match says it.
  bool IsInstanceOf(Value v, Value classes, bool* match);
  bool IsSubclassOf(Value cls, Value classes, bool* match);

  // ---- lib/types/iterator_classes.cc ----
  // The class of an iterator of the interpreter's own. Cannot fail, and no script runs.
  Class* ClassOfIterator(const Iterator* iterator);

  // ---- classes/shape.cc ----
  // The shape of a fresh instance; nullptr: there is no memory. No script runs.
  Shape* RootShape(Class* cls);

  // ---- classes/attribute.cc ----
  // What FindInClass gives, but built-in types' own special methods count as absent: what a script
  // overrides. No script runs.
  Value FindSpecial(Class* cls, String* name);
  // v.name, set and deleted as scripts do it: properties, __getattr__ and the like run scripts.
  Value GetAttribute(Value v, String* name);
  // The same, but empty and nothing pending when it is absent.
  Value GetAttributeOrEmpty(Value v, String* name);
  bool SetAttribute(Value v, String* name, Value value);
  bool DeleteAttribute(Value v, String* name);
  // object.__getattribute__: without hooks of the object's class; empty and nothing pending when it
  // is absent. Descriptors of scripts may run.
  Value GetPlain(Value v, String* name);
  // object.__setattr__, and __delattr__ when the value is empty. Descriptors of scripts may run.
  bool SetPlain(Value v, String* name, Value value);
  // Raises the AttributeError that `v` has no such attribute. Empty.
  Value NoAttribute(Value v, String* name);
  // What v.name(..) calls: *function, with *self in front of the arguments unless that is empty.
  // Scripts may run.
  bool GetMethod(Value v, String* name, Value* function, Value* self);
  // The __dict__ of an object, which may be written; nullptr with nothing pending when it has none.
  Dict* AttributeDict(Value v);
  // Calls the special method with at most three arguments; *found says whether there is one. Empty:
  // there is none, or it failed. Scripts may run.
  Value CallSpecial(Value v, String* name, const Value* args, size_t count, bool* found);

  // ---- classes/descriptor.cc ----
  // What the attribute of a class gives through `self` (empty: through the class itself). A __get__
  // of scripts runs.
  Value Bind(Value attribute, Value self, Class* cls);
  // Whether it has a __set__ or __delete__. Cannot fail, and no script runs.
  bool IsDataDescriptor(Value attribute);

  // ---- classes/make_class.cc ----
  // type(name, bases, attributes, **keywords) with the metaclass `meta`. __set_name__ and
  // __init_subclass__ run scripts.
  Value MakeClass(Class* meta, Value name, Value bases, Dict* attributes, Dict* keywords);

  // ---- operators/override.cc ----
  // Operations that a class of scripts may override: its special method is called, so scripts may
  // run, or else the function of the same name with Plain does what built-in types do. A bool
  // result that stands behind a pointer is set unless they fail.
  Value Unary(int op, Value v);
  bool Equal(Value a, Value b, bool* equal);
  bool Contains(Value container, Value item, bool* contains);
  bool Truth(Value v, bool* truth);
  Value Index(Value v, Value key);
  bool SetIndex(Value v, Value key, Value value);
  bool DeleteIndex(Value v, Value key);
  bool Length(Value v, int64_t* length);
  Value Iterate(Value v);
  // The hash by which dicts and sets find a value; TypeError when it has none.
  bool Hash(Value v, uint64_t* hash);
  // Text of a value, appended to `out`.
  bool Repr(Value v, std::string* out);
  bool Str(Value v, std::string* out);
  bool Format(Value v, std::string_view spec, std::string* out);

  // ---- operators/operator.cc ----
  // a op b. `skip`: the methods of scripts that have been tried already, and gave NotImplemented.
  // Scripts may run.
  Value Binary(int op, Value a, Value b, bool in_place = false, int skip = 0);
  // What the built-in types do. *handled false: it is not for these types, and nothing has
  // happened. Items of collections may run scripts.
  Value BinaryPlain(int op, Value a, Value b, bool in_place, bool* handled);
  Value UnaryPlain(int op, Value v);
  bool TruthPlain(Value v, bool* truth);

  // ---- operators/comparison.cc ----
  // a op b for kLess..kGreaterEqual of Operator; the result is a Value because __lt__ may give
  // anything. `skip` as in Binary. Scripts may run.
  Value Compare(int op, Value a, Value b, int skip = 0);
  // NotImplemented when it is not for these types. Items of collections may run scripts.
  Value ComparePlain(int op, Value a, Value b);
  bool EqualPlain(Value a, Value b, bool* equal);
  // The truth of a < b. Scripts may run.
  bool Less(Value a, Value b, bool* less);
  bool ContainsPlain(Value container, Value item, bool* contains);

  // ---- operators/index.cc ----
  // v[key] and len(v) of built-in types. Those of others call the special method: scripts may run.
  Value IndexPlain(Value v, Value key);
  bool SetIndexPlain(Value v, Value key, Value value);
  bool DeleteIndexPlain(Value v, Value key);
  bool LengthPlain(Value v, int64_t* length);
  // An integer for an index or a count: ints, bools, __index__, which may run scripts; TypeError
  // otherwise. Big ones saturate when `saturate`, else OverflowError, which names `what`.
  bool ToIndex(Value v, int64_t* out, std::string_view what, bool saturate = false);

  // ---- operators/slice.cc ----
  // The part of a sequence of `length` items that the slice means: `count` items from `start` on,
  // by `step`. A step of 0 is a ValueError. An __index__ of its parts may run scripts.
  bool SliceBounds(Slice* slice, int64_t length, int64_t* start, int64_t* stop, int64_t* step,
                   int64_t* count);

  // ---- operators/hash.cc ----
  // id(): the same in every run. Cannot fail.
  uint64_t Identity(Value v);
  bool HashPlain(Value v, uint64_t* hash);
  // What hash() gives, where Hash() is for dicts only. Scripts may run.
  bool HashVisible(Value v, int64_t* hash);
  bool HashVisiblePlain(Value v, int64_t* hash);

  // ---- text/positions.cc ----
  // The byte where code point `index` begins, at most the length. Cannot fail.
  size_t OffsetOf(const String* string, size_t index);
  // Forgets all that OffsetOf knows: a dead string's address may be used again.
  void DropPositions();

  // ---- text/repr.cc ----
  // repr() and str() of built-in types, appended to `out`. Items of collections may run scripts.
  bool ReprPlain(Value v, std::string* out);
  bool StrPlain(Value v, std::string* out);
  // str(v) as a value; a str proper is given as it is. Scripts may run.
  Value StrValue(Value v);

  // ---- text/format/format.cc ----
  // format(v, spec) of built-in types, appended to `out`. No script runs unless spec is empty.
  bool FormatPlain(Value v, std::string_view spec, std::string* out);

  // ---- text/percent.cc ----
  // format % args. Scripts may run.
  Value PercentFormat(String* format, Value args);

  // ---- call/call.cc ----
  // Calls anything with `count` positional arguments and, behind them, those of the keywords
  // `names`. Scripts run; the arguments are copied to the stack, where the collector sees them.
  Value Call(Value function, const Value* args, size_t count, const Tuple* names = nullptr);
  // Calls a built-in, which may run scripts.
  Value CallBuiltin(Native* native, Args& args);
  // Begins a call whose callee's arguments lie at `args` on the stack, to be followed by Run or the
  // running loop: kFrame when a frame was pushed, kDone when *result holds the result.
  enum class Begin { kFrame, kDone, kFailed };
  Begin BeginCall(Value callee, Value* args, uint32_t count, const Tuple* names, Value* result);
  // Pushes the frame of a script function whose arguments lie at `args`, or makes its generator,
  // which is *result then. false: the arguments do not fit, or there is no room.
  bool PushFrame(Function* function, Value* args, uint32_t count, const Tuple* names,
                 Value* result);
  // Puts the arguments at the places of the parameters, with defaults, *args and **keywords. false:
  // TypeError. No script runs.
  bool BindArguments(Function* function, Value* args, uint32_t count, const Tuple* names);

  // ---- call/spread.cc ----
  // callee(*list, **dict). Scripts run.
  Value CallSpread(Value callee, Value list, Value dict);

  // ---- call/function.cc ----
  // A function of the code, whose captures are cells of the frame. It fails for want of memory
  // alone.
  Value MakeFunction(CodeObject* code, Frame& frame, Value defaults, Value keyword_defaults);

  // ---- call/resume.cc ----
  // Runs the generator to its next yield, after `sent` was sent or, unless empty, `thrown` was
  // raised in it. Gives what it yields; empty when it has ended (its `result` is kept) or failed.
  Value Resume(Generator* generator, Value sent, Value thrown);

  // ---- call/frames.cc ----
  // Takes the pending exception to the next handler above frame `bottom`, whose frame goes on
  // there. false: there is none, the frames are `bottom` again, and it is still pending. No script
  // runs.
  bool Unwind(size_t bottom);
  // The exception that the innermost handler at work has caught; nullptr: none is at work.
  Exception* Handled();

  // ---- loop/run.cc ----
  // The interpreter's loop: runs until the frames are `bottom` again, and gives what the last one
  // of them returned or, if it is a generator's, yielded.
  Value Run(size_t bottom);
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

// Whether its class may override operators: an instance of a class made by scripts or native
// modules.
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
// The double of a float, also one of a class derived from float; false: it is none.
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
// The value of an int of a class derived from int; false: it does not fit.
inline bool SmallOfDerived(const BigInt* big, int64_t* out) {
  if (big->size > 1) return false;
  const uint64_t low = big->size > 0 ? big->limbs[0] : 0;
  if (low >> 47 != 0) return false;
  const auto magnitude = static_cast<int64_t>(low);
  *out = big->negative() ? -magnitude : magnitude;
  return true;
}
// The value as the built-in types have it: what derives from int or float as an int or float.
inline Value Plain(Value v) {
  if (!Derived(v)) return v;
  if (Is(v, Type::kFloat)) return Value::Float(As<FloatObject>(v)->value);
  int64_t i;
  return Is(v, Type::kBigInt) && SmallOfDerived(As<BigInt>(v), &i) ? Value::SmallInt(i) : v;
}
// The value of an int or bool that is a small integer; false: it is none.
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

// ---- compile/function.cc ----
// Compiles a module into vm.codes; kScriptSyntax. No script runs.
Result<CodeObject*> CompileModule(Vm& vm, std::string_view source, std::string_view file,
                                  Module* module);

// ---- text/percent.cc ----
// Whether `text % args` looks keys up in `args` and leaves them unused without an error.
bool GivesKeys(Vm& vm, Value args);

}  // namespace ferry::vm

// Vm: the state of one isolate and the operations on its values. Functions that give a Value give
// the empty one on failure, those that give a bool false; then an exception is pending or the run
// has reached a limit (fatal). Nothing here collects except Run, Call, SafePoint and Collect.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device-runtime/vm/compile/code.h"
#include "device-runtime/vm/exec/heap.h"
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
  kClassCount,
};
enum class Error : uint8_t {
  kObject,  // the root, so that rows can name it as a base
#define FERRY_EXCEPTION(name, base) k##name,
#include "device-runtime/vm/exec/exceptions.inc"
#undef FERRY_EXCEPTION
  kCount,
};

inline constexpr int kMaxNativeDepth =
    120;  // interpreter inside native function inside interpreter
inline constexpr size_t kMaxStringBytes = 1u << 30;
inline constexpr size_t kMaxItems = 1u << 28;    // of a list
inline constexpr size_t kMaxBigIntLimbs = 4096;  // 131,072 bits
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

struct Frame {
  CodeObject* code;
  Function* function;
  const Instruction* pc;
  Value* base;
  Value* result;         // where the caller wants the result; nullptr: ends Run
  Value constructed;     // result of a constructor instead of __init__'s
  Generator* generator;  // when the frame runs one
};

struct Vm {
  explicit Vm(Isolate::Options options);
  ~Vm();
  bool Start();  // false: no memory even for the classes

  // ---- state ----
  Isolate::Options options;
  Heap heap;
  Value pending;
  Status fatal;
  std::unique_ptr<Value[], void (*)(Value*)> stack;
  size_t stack_size = 0;
  Value* top = nullptr;  // first free value of the stack
  std::vector<Frame> frames;
  int depth_limit;
  int native_depth = 0;
  int collection_blocked = 0;
  int64_t steps_left = 0, steps_slice = 0;
  std::atomic<bool> interrupted{false};
  std::vector<Value> kept;  // roots of native code, a stack
  std::vector<Value> pinned;
  std::deque<CodeObject> codes;
  std::unordered_map<std::string_view, String*> interned;
  std::unordered_map<std::string, Value> modules;
  Class* classes[kClassCount] = {};
  Class* errors[static_cast<int>(Error::kCount)] = {};
  Dict* builtins = nullptr;
  String* characters[128] = {};
  Value empty_string, empty_tuple, ellipsis, not_implemented;
  struct MethodCacheLine {
    Class* cls = nullptr;
    String* name = nullptr;
    Value value;
  };
  static constexpr size_t kMethodCacheLines = 512;
  std::vector<MethodCacheLine> method_cache;
  // Names that the interpreter looks up itself.
  struct Names {
#define FERRY_NAME(id, text) String* id = nullptr;
#include "device-runtime/vm/exec/names.inc"
#undef FERRY_NAME
  } names;
  std::unordered_map<const NativeType*, Class*> native_classes;

  // ---- failure (failure.cc) ----
  Value Raise(Error error, std::string_view message);
  template <typename... A>
  Value Throw(Error error, fmt::format_string<A...> format, A&&... args) {
    return Raise(error, fmt::format(format, std::forward<A>(args)...));
  }
  Value RaiseValue(Error error, Value argument);  // with an argument that is no text
  Value OutOfMemory();
  Value Fatal(Code code, std::string message);
  bool failed() const {
    return !pending.empty() || !fatal.ok();
  }
  Value MakeException(Class* cls, Value args);
  Value RaiseStatus(const Status& status);
  // Takes the pending exception if it is of the class.
  bool TakePending(Error error);
  // The Status of the failure, with its traceback; clears it.
  Status TakeFailure();
  std::string FormatTraceback(Exception* exception, int depth = 0);
  bool ChargeSteps(int64_t steps);
  bool RefillSteps();

  // ---- making (make.cc) ----
  Value NewString(std::string_view utf8);
  // Text that may hold bytes that are no UTF-8: they become U+FFFD.
  Value NewStringChecked(std::string_view bytes);
  String* Intern(std::string_view text);  // nullptr: out of memory
  Value NewBytes(std::string_view bytes);
  Value NewInt(int64_t i);
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
  Class* NewClass(std::string_view name, Class* base, Type layout);
  Module* NewModule(std::string_view name, std::string_view file);

  // ---- collections (list.cc, dict.cc) ----
  bool Append(List* list, Value v);
  bool Reserve(List* list, size_t count);
  bool Hash(Value v, uint64_t* hash);
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

  // ---- classes and attributes (types.cc, attribute.cc) ----
  Class* ClassOf(Value v);
  std::string TypeName(Value v);
  Value FindInClass(Class* cls, String* name);  // empty when there is none
  bool IsSubclass(Class* cls, Class* base);
  bool IsInstance(Value v, Class* cls) {
    return IsSubclass(ClassOf(v), cls);
  }
  Value GetAttribute(Value v, String* name);
  Value GetAttributeOrEmpty(Value v, String* name);  // empty and nothing pending when absent
  bool GetMethod(Value v, String* name, Value* function, Value* self);
  bool SetAttribute(Value v, String* name, Value value);
  bool DeleteAttribute(Value v, String* name);
  // Calls the special method; *found says whether there is one.
  Value CallSpecial(Value v, String* name, const Value* args, size_t count, bool* found);
  Value MakeClass(String* name, Value bases, Dict* attributes, Module* module);
  Value Bind(Value attribute, Value self, Class* cls);

  // ---- operators (operator.cc, compare.cc, index.cc, number.cc) ----
  Value Binary(int op, Value a, Value b, bool in_place = false);
  Value Unary(int op, Value v);
  bool Equal(Value a, Value b, bool* equal);
  // op: kLess..kGreaterEqual of Operator; the result is a Value because __lt__ may give anything.
  Value Compare(int op, Value a, Value b);
  bool Less(Value a, Value b, bool* less);
  bool Contains(Value container, Value item, bool* contains);
  bool Truth(Value v, bool* truth);
  Value Index(Value v, Value key);
  bool SetIndex(Value v, Value key, Value value);
  bool DeleteIndex(Value v, Value key);
  bool Length(Value v, int64_t* length);
  // An integer for an index or a count: ints, bools, __index__; TypeError otherwise. Big ones
  // saturate when `saturate`, else OverflowError.
  bool ToIndex(Value v, int64_t* out, std::string_view what, bool saturate = false);
  bool SliceBounds(Slice* slice, int64_t length, int64_t* start, int64_t* stop, int64_t* step,
                   int64_t* count);

  // ---- iteration (iterate.cc) ----
  Value Iterate(Value v);
  // The next value; empty when it is over (nothing pending) or failed.
  Value Next(Value iterator);
  bool Unpack(Value v, Value* out, size_t count);
  bool UnpackStar(Value v, Value* out, size_t before, size_t after);
  bool Extend(List* list, Value iterable);
  Value ToList(Value iterable);

  // ---- text (repr.cc, format.cc) ----
  bool Repr(Value v, std::string* out);
  bool Str(Value v, std::string* out);
  Value StrValue(Value v);
  bool Format(Value v, std::string_view spec, std::string* out);
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

  void Collect();
  void SafePoint() {
    if (heap.wants_collection() && collection_blocked == 0) Collect();
  }
  bool Reset();  // before each entry from the host
};

// Keeps values alive while native code that may run scripts needs them.
class Roots {
 public:
  explicit Roots(Vm& vm) : vm_(vm), size_(vm.kept.size()) {}
  ~Roots() { vm_.kept.resize(size_); }
  Value Add(Value v) {
    vm_.kept.push_back(v);
    return v;
  }

 private:
  Vm& vm_;
  const size_t size_;
};

inline bool IsStr(Value v) {
  return Is(v, Type::kString);
}
inline std::string_view Text(Value v) {
  return As<String>(v)->view();
}
inline bool IsInt(Value v) {
  return v.IsSmallInt() || v.IsBool() || Is(v, Type::kBigInt);
}
inline bool IsSet(Value v) {
  return Is(v, Type::kSet) || Is(v, Type::kFrozenSet);
}
// Of ints that fit, bools too.
inline bool SmallOf(Value v, int64_t* out) {
  if (v.IsSmallInt()) {
    *out = v.AsSmallInt();
  } else if (v.IsBool()) {
    *out = v.IsTrue();
  } else {
    return false;
  }
  return true;
}

// Compiles a module into vm.codes; kScriptSyntax. vm == nullptr is not allowed.
Result<CodeObject*> CompileModule(Vm& vm, std::string_view source, std::string_view file,
                                  Module* module);

}  // namespace ferry::vm

#include "device-runtime/vm/exec/state.h"
#include "common/base/memory.h"
#include "device-runtime/vm/exec/loop/intrinsic.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

constexpr size_t kStackValuesPerCall = 64;
constexpr size_t kLeastStack = 8192;
constexpr size_t kStackSlack = 8;  // arguments of a special method, before its frame is checked

// ORDER: Type, then ClassId.
constexpr const char* kTypeNames[] = {"free",
                                      "str",
                                      "bytes",
                                      "int",
                                      "list",
                                      "tuple",
                                      "dict",
                                      "set",
                                      "frozenset",
                                      "range",
                                      "slice",
                                      "function",
                                      "builtin_function_or_method",
                                      "method",
                                      "type",
                                      "object",
                                      "BaseException",
                                      "module",
                                      "cell",
                                      "generator",
                                      "iterator",
                                      "object",
                                      "super",
                                      "property",
                                      "ellipsis",
                                      "complex",
                                      "bytearray",
                                      "memoryview",
                                      "array",
                                      "float",
                                      "object",
                                      "member_descriptor",
                                      "dict_keys",
                                      "types.GenericAlias",
                                      "object",
                                      "object",
                                      "int",
                                      "float",
                                      "bool",
                                      "NoneType",
                                      "type",
                                      "coroutine",
                                      "async_generator",
                                      "async_generator_asend",
                                      "coroutine_wrapper",
                                      "NotImplementedType",
                                      "staticmethod",
                                      "classmethod",
                                      "method_descriptor",
                                      "wrapper_descriptor",
                                      "dict_keys",
                                      "dict_values",
                                      "dict_items",
                                      "mappingproxy",
                                      "types.UnionType"};
static_assert(std::size(kTypeNames) == kClassCount);

// Of Names, in turn.
constexpr const char* kNames[] = {
#define FERRY_NAME(id, text) text,
#include "device-runtime/vm/exec/names.inc"
#undef FERRY_NAME
};

struct ExceptionRow {
  const char* name;
  uint8_t error, base;
};
constexpr ExceptionRow kExceptions[] = {
#define FERRY_EXCEPTION(name, base) \
  {#name, static_cast<uint8_t>(Error::k##name), static_cast<uint8_t>(Error::k##base)},
#include "device-runtime/vm/exec/failure/exceptions.inc"
#undef FERRY_EXCEPTION
};

}  // namespace

Vm::Vm(Isolate::Options o, Region* region)
    : options(std::move(o)),
      heap(options.limits.memory_bytes, options.collect_always, region),
      stack(nullptr, [](Value* v) { Deallocate(v); }),
      method_cache(kMethodCacheLines),
      attribute_lines(kAttributeLines),
      slot_cache(kSlotCacheLines) {
  depth_limit = std::min(std::max(options.limits.depth, 1), kMaxDepth);
}

Vm::~Vm() {
  DropPositions();
  heap.FreeBuffer(interned.places, interned.capacity * sizeof(String*));
}

bool Vm::Start(const Vm* image) {
  stack_size = static_cast<size_t>(depth_limit) * kStackValuesPerCall + kLeastStack + kMaxRegisters;
  stack.reset(static_cast<Value*>(TryAllocate((stack_size + kStackSlack) * sizeof(Value))));
  if (stack == nullptr) return false;
  stack_end = stack.get() + stack_size;
  if (!frames.Reserve(static_cast<size_t>(depth_limit))) return false;
  LimitRecursion(recursion_limit);
  top = stack.get();
  steps_slice = kStepSlice;
  steps_left = 1 << 20;
  if (image == nullptr) return MakeShared();
  static_cast<Shared&>(*this) = *image;
  heap.SetImage(image->heap);
  shared_interned = &image->interned;
  record_classes = image->record_classes;
  const Value made = NewDict();
  if (made.empty()) return false;
  modules = As<Dict>(made);
  return true;
}

bool Vm::MakeShared() {
  String* const nothing = Intern("");
  if (nothing == nullptr) return false;
  empty_string = Value::Of(nothing);
  empty_tuple = NewTuple(nullptr, 0);
  for (int c = 0; c < 128; ++c) {
    const char text = static_cast<char>(c);
    String* character = Intern(std::string_view(&text, 1));
    if (character == nullptr) return false;
    characters[c] = character;
  }
  static_assert(sizeof names == sizeof(String*) * std::size(kNames));
  for (size_t i = 0; i < std::size(kNames); ++i) {
    String* name = Intern(kNames[i]);
    if (name == nullptr) return false;
    std::memcpy(reinterpret_cast<char*>(&names) + i * sizeof name, &name, sizeof name);
  }
  Class* object = classes[kObjectClass] = NewClass("object", nullptr, Type::kInstance);
  if (object == nullptr) return false;
  for (int i = 1; i < kClassCount; ++i) {
    if (i == kObjectClass) continue;
    const Type layout = i < static_cast<int>(Type::kCount)                  ? static_cast<Type>(i)
                        : i == kIntClass                                    ? Type::kBigInt
                        : i == kFloatClass                                  ? Type::kFloat
                        : i == kTypeClass                                   ? Type::kClass
                        : i == kStaticMethodClass || i == kClassMethodClass ? Type::kDescriptor
                                                                            : Type::kFree;
    classes[i] = NewClass(kTypeNames[i], i == kBoolClass ? classes[kIntClass] : object, layout);
    if (classes[i] == nullptr) return false;
  }
  errors[0] = object;
  for (const ExceptionRow& row : kExceptions) {
    errors[row.error] = NewClass(row.name, errors[row.base], Type::kException);
    if (errors[row.error] == nullptr) return false;
  }
  Object* dots = heap.NewObject(Type::kEllipsis, sizeof(Object));
  Object* not_done = heap.NewObject(Type::kEllipsis, sizeof(Object));
  Value table = NewDict();
  if (dots == nullptr || not_done == nullptr || table.empty()) return false;
  ellipsis = Value::Of(dots);
  not_implemented = Value::Of(not_done);
  builtins = As<Dict>(table);
  for (int i = 1; i < static_cast<int>(Error::kCount); ++i)
    if (!DictSet(builtins, Value::Of(errors[i]->name), Value::Of(errors[i]))) return false;
  static constexpr int kNamed[] = {static_cast<int>(Type::kString),
                                   static_cast<int>(Type::kBytes),
                                   static_cast<int>(Type::kList),
                                   static_cast<int>(Type::kTuple),
                                   static_cast<int>(Type::kDict),
                                   static_cast<int>(Type::kSet),
                                   static_cast<int>(Type::kFrozenSet),
                                   static_cast<int>(Type::kRange),
                                   static_cast<int>(Type::kSlice),
                                   static_cast<int>(Type::kSuper),
                                   static_cast<int>(Type::kDescriptor),
                                   kObjectClass,
                                   kIntClass,
                                   kFloatClass,
                                   kBoolClass,
                                   kTypeClass,
                                   kStaticMethodClass,
                                   kClassMethodClass};
  for (int i : kNamed)
    if (!DictSet(builtins, Value::Of(classes[i]->name), Value::Of(classes[i]))) return false;
  if (!DictSetText(builtins, "__debug__", Value::Bool(true)) ||
      !DictSetText(builtins, "NotImplemented", not_implemented) ||
      !DictSetText(builtins, "Ellipsis", ellipsis) || !InstallBuiltins(*this))
    return false;
  MarkIntrinsics(*this);
  return !failed();
}

bool Vm::Reset() {
  pending = Value();
  fatal = Status();
  frames.clear();
  kept.TakeBack(0);
  top = stack.get();
  native_depth = 0;
  collection_blocked = 0;
  interrupted = false;
  deadline_ns =
      options.limits.wall_ns > 0 ? clock().MonotonicNs() + options.limits.wall_ns : INT64_MAX;
  steps_left = options.limits.steps;
  steps_slice = 0;
  return RefillSteps();
}

}  // namespace ferry::vm

#include <cstring>

#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

[[gnu::cold]] static void NoString(Vm& vm, size_t bytes) {
  bytes <= kMaxStringBytes ? vm.OutOfMemory() : vm.TooLarge();
}

[[gnu::always_inline]] static inline String* MakeString(Vm& vm, size_t bytes) {
  String* string = nullptr;
  if (bytes <= kMaxStringBytes)
    string = Cast<String>(
        vm.heap.NewUncleared(Type::kString, sizeof(String) - sizeof(String::text) + bytes));
  if (string == nullptr) {
    NoString(vm, bytes);
    return nullptr;
  }
  string->size = static_cast<uint32_t>(bytes);
  string->length = 0;
  string->hash = 0;
  string->data = string->text;
  return string;
}

String* Vm::NewStringObject(size_t bytes) {
  return MakeString(*this, bytes);
}

// Copies as many bytes as one or two words have, which may overlap; their bits together.
template <typename Word>
static uint64_t CopyEnds(char* to, const char* from, size_t size) {
  Word head, tail;
  std::memcpy(&head, from, sizeof head);
  std::memcpy(&tail, from + size - sizeof tail, sizeof tail);
  std::memcpy(to, &head, sizeof head);
  std::memcpy(to + size - sizeof tail, &tail, sizeof tail);
  return head | tail;
}

// Copies text; whether it is short and all ASCII.
static bool CopyAscii(char* to, std::string_view text) {
  constexpr uint64_t kHigh = 0x8080808080808080ull;
  const char* from = text.data();
  size_t size = text.size();
  uint64_t all = 0;
  if (size > 64) {
    std::memcpy(to, from, size);
    return false;
  }
  for (; size > 16; size -= 8, to += 8, from += 8) all |= CopyEnds<uint64_t>(to, from, 8);
  if (size >= 8) {
    all |= CopyEnds<uint64_t>(to, from, size);
  } else if (size >= 4) {
    all |= CopyEnds<uint32_t>(to, from, size);
  } else if (size >= 2) {
    all |= CopyEnds<uint16_t>(to, from, size);
  } else if (size == 1) {
    all |= static_cast<unsigned char>(*to = *from);
  }
  return (all & kHigh) == 0;
}

Value Vm::NewString(std::string_view utf8) {
  if (utf8.empty() && !empty_string.empty()) return empty_string;
  if (utf8.size() == 1 && characters[static_cast<unsigned char>(utf8[0]) & 127] != nullptr)
    return Value::Of(characters[static_cast<unsigned char>(utf8[0]) & 127]);
  String* string = MakeString(*this, utf8.size());
  if (string == nullptr) return Value();
  string->length =
      static_cast<uint32_t>(CopyAscii(string->text, utf8) ? utf8.size() : CodePoints(utf8));
  return Value::Of(string);
}

Value Vm::NewStringChecked(std::string_view bytes) {
  if (IsUtf8(bytes)) return NewString(bytes);
  return NewString(RepairUtf8(bytes));
}

// Where the search for a name of the isolate's own begins.
static uint64_t HomeOfName(Vm& vm, std::string_view text, uint64_t hash) {
  return vm.names_keyed ? SipHash13(vm.Secret(), text) : hash;
}

String* InternTable::Find(std::string_view text, uint64_t hash, uint64_t home) const {
  if (count == 0) return nullptr;
  for (uint64_t at = home & (capacity - 1);; at = (at + 1) & (capacity - 1)) {
    String* string = places[at];
    if (string == nullptr) return nullptr;
    if (string->hash == hash && string->view() == text) return string;
  }
}

uint64_t InternTable::Put(String* string, uint64_t home) {
  uint64_t at = home & (capacity - 1), passed = 0;
  for (; places[at] != nullptr; ++passed) at = (at + 1) & (capacity - 1);
  places[at] = string;
  ++count;
  return passed;
}

bool InternTable::Resize(Vm& vm, uint32_t size) {
  auto** grown = static_cast<String**>(vm.heap.NewBuffer(size * sizeof(String*)));
  if (grown == nullptr) return false;
  const InternTable old = *this;
  *this = {grown, 0, size};
  std::fill_n(places, size, nullptr);
  for (uint32_t i = 0; i < old.capacity; ++i) {
    String* string = old.places[i];
    if (string != nullptr) Put(string, HomeOfName(vm, string->view(), string->hash));
  }
  vm.heap.FreeBuffer(old.places, old.capacity * sizeof(String*));
  return true;
}

bool InternTable::Add(Vm& vm, String* string) {
  if (count * 2 >= capacity && !Resize(vm, std::max(capacity * 2, 64u))) return false;
  if (Put(string, HomeOfName(vm, string->view(), string->hash)) <= kFreeProbes || vm.names_keyed)
    return true;
  vm.names_keyed = true;
  if (Resize(vm, capacity)) return true;
  vm.names_keyed = false;
  return false;
}

String* Vm::Intern(std::string_view text) {
  const uint64_t hash = HashText(text);
  String* found = shared_interned == nullptr ? nullptr : shared_interned->Find(text, hash, hash);
  if (found == nullptr) found = interned.Find(text, hash, HomeOfName(*this, text, hash));
  if (found != nullptr) return found;
  Value v = IsText(text) ? NewString(text) : NewStringChecked(text);
  if (v.empty()) return nullptr;
  auto* string = As<String>(v);
  if (string->view() != text) return Intern(string->view());  // was no UTF-8
  string->hash = hash;
  string->Set(StringFlag::kInterned);
  if (interned.Add(*this, string)) return string;
  OutOfMemory();
  return nullptr;
}

Value Vm::NewBytes(std::string_view bytes) {
  if (bytes.size() > kMaxStringBytes) return TooLarge();
  auto* object =
      Cast<BytesObject>(heap.NewUncleared(Type::kBytes, sizeof(BytesObject) + bytes.size()));
  if (object == nullptr) return OutOfMemory();
  object->size = static_cast<uint32_t>(bytes.size());
  std::memcpy(object->data, bytes.data(), bytes.size());
  object->data[bytes.size()] = 0;
  return Value::Of(object);
}

Value Vm::NewList(const Value* items, size_t count) {
  auto* list = Cast<List>(heap.NewUncleared(Type::kList, sizeof(List)));
  if (list == nullptr) return OutOfMemory();
  list->size = list->capacity = 0;
  list->items = nullptr;
  constexpr size_t kFew = 4;
  if (items != nullptr && count - 1 < kFew) {
    list->items = static_cast<Value*>(heap.NewSmallBuffer(kFew * sizeof(Value)));
    if (list->items == nullptr) return OutOfMemory();
    list->capacity = kFew;
    list->size = static_cast<uint32_t>(count);
    for (size_t i = 0; i < count; ++i) list->items[i] = items[i];
  } else if (count > 0) {
    if (!Reserve(list, count)) return Value();
    if (items != nullptr) {
      std::memcpy(static_cast<void*>(list->items), items, count * sizeof(Value));
      list->size = static_cast<uint32_t>(count);
    }
  }
  return Value::Of(list);
}

Value Vm::NewTuple(const Value* items, size_t count) {
  if (count == 0 && !empty_tuple.empty()) return empty_tuple;
  if (count > kMaxItems) return TooLarge();
  auto* tuple = Cast<Tuple>(heap.NewUncleared(
      Type::kTuple, sizeof(Tuple) - sizeof(Tuple::items) + count * sizeof(Value)));
  if (tuple == nullptr) return OutOfMemory();
  tuple->size = static_cast<uint32_t>(count);
  if (items != nullptr) {
    if (count <= 8) {
      for (size_t i = 0; i < count; ++i) tuple->items[i] = items[i];
    } else {
      std::memcpy(static_cast<void*>(tuple->items), items, count * sizeof(Value));
    }
  } else {
    std::fill_n(tuple->items, count, Value::None());
  }
  return Value::Of(tuple);
}

Value Vm::NewDict(Type type) {
  Object* dict = heap.NewObject(type, sizeof(Dict));
  return dict == nullptr ? OutOfMemory() : Value::Of(dict);
}

Value Vm::NewSlice(Value start, Value stop, Value step) {
  auto* slice = Cast<Slice>(heap.NewUncleared(Type::kSlice, sizeof(Slice)));
  if (slice == nullptr) return OutOfMemory();
  slice->start = start;
  slice->stop = stop;
  slice->step = step;
  return Value::Of(slice);
}

Value Vm::NewRange(int64_t start, int64_t stop, int64_t step) {
  auto* range = Cast<Range>(heap.NewUncleared(Type::kRange, sizeof(Range)));
  if (range == nullptr) return OutOfMemory();
  range->start = start;
  range->stop = stop;
  range->step = step;
  if (step == 1 && Value::FitsInt(start) && Value::FitsInt(stop)) {
    range->length = stop > start ? stop - start : 0;
    return Value::Of(range);
  }
  // Bounds are within 63 bits (ToIndex), their difference may need 64.
  const __int128 span =
      step > 0 ? static_cast<__int128>(stop) - start : static_cast<__int128>(start) - stop;
  const __int128 width = step > 0 ? step : -static_cast<__int128>(step);
  const __int128 length = span <= 0 ? 0 : (span + width - 1) / width;
  range->length = length > INT64_MAX ? INT64_MAX : static_cast<int64_t>(length);
  return Value::Of(range);
}

Value Vm::NewCell(Value v) {
  auto* cell = Cast<Cell>(heap.NewUncleared(Type::kCell, sizeof(Cell)));
  if (cell == nullptr) return OutOfMemory();
  cell->value = v;
  return Value::Of(cell);
}

Value Vm::NewBound(Value self, Value function) {
  auto* bound = Cast<BoundMethod>(heap.NewUncleared(Type::kBoundMethod, sizeof(BoundMethod)));
  if (bound == nullptr) return OutOfMemory();
  bound->self = self;
  bound->function = function;
  return Value::Of(bound);
}

Value Vm::NewNative(const char* name, Builtin builtin, NativeFunctionPointer external,
                    bool collects) {
  auto* native = Cast<Native>(heap.NewObject(Type::kNative, sizeof(Native)));
  if (native == nullptr) return OutOfMemory();
  native->name = name;
  native->builtin = builtin;
  native->external = external;
  native->collects = collects;
  return Value::Of(native);
}

Value Vm::NewIterator(IteratorKind kind, Value source, Value extra) {
  auto* iterator = Cast<Iterator>(heap.NewUncleared(Type::kIterator, sizeof(Iterator)));
  if (iterator == nullptr) return OutOfMemory();
  iterator->aux = static_cast<uint32_t>(kind);
  iterator->index = iterator->stop = iterator->step = 0;
  iterator->source = source;
  iterator->extra = extra;
  return Value::Of(iterator);
}

Value Vm::NewRecord(Class* cls, uint32_t count) {
  const size_t size = sizeof(Record) + (count > 0 ? count - 1 : 0) * sizeof(Value);
  auto* record = Cast<Record>(heap.NewObject(Type::kRecord, size));
  if (record == nullptr) return OutOfMemory();
  record->cls = cls;
  record->aux = count;
  for (uint32_t i = 0; i < count; ++i) record->values[i] = Value::None();
  return Value::Of(record);
}

Value Vm::NewDescriptor(DescriptorKind kind, Value get) {
  auto* descriptor = Cast<Descriptor>(heap.NewObject(Type::kDescriptor, sizeof(Descriptor)));
  if (descriptor == nullptr) return OutOfMemory();
  descriptor->aux = static_cast<uint32_t>(kind);
  descriptor->get = get;
  descriptor->set = descriptor->remove = descriptor->doc = descriptor->name = Value();
  return Value::Of(descriptor);
}

Value Vm::NewView(ViewKind kind, Value source) {
  auto* view = Cast<View>(heap.NewObject(Type::kView, sizeof(View)));
  if (view == nullptr) return OutOfMemory();
  view->aux = static_cast<uint32_t>(kind);
  view->source = source;
  return Value::Of(view);
}

Value Vm::NewAlias(AliasKind kind, Value origin, Value args) {
  auto* alias = Cast<Alias>(heap.NewObject(Type::kAlias, sizeof(Alias)));
  if (alias == nullptr) return OutOfMemory();
  alias->aux = static_cast<uint32_t>(kind);
  alias->origin = origin;
  alias->args = args;
  return Value::Of(alias);
}

Module* Vm::NewModule(std::string_view name, std::string_view file) {
  auto* module = Cast<Module>(heap.NewObject(Type::kModule, sizeof(Module)));
  if (module == nullptr) {
    OutOfMemory();
    return nullptr;
  }
  Value index = NewDict();
  Value file_name = NewStringChecked(file);
  module->name = Intern(name);
  if (module->name == nullptr || index.empty() || file_name.empty()) return nullptr;
  module->index = As<Dict>(index);
  module->id = NewId();
  module->file = As<String>(file_name);
  if (!SetVariable(module, "__name__", Value::Of(module->name))) return nullptr;
  return module;
}

}  // namespace ferry::vm

// Objects of script classes derived from built-in ones: the built-in's layout, then an Extension.
#include <cstring>

#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/heap/weak.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

size_t LayoutSize(const Object* object) {
  switch (object->type) {
    case Type::kString:
      return sizeof(String) - sizeof(String::text) + Cast<String>(object)->size;
    case Type::kBytes:
      return sizeof(BytesObject) + Cast<BytesObject>(object)->size;
    case Type::kBigInt:
      return sizeof(BigInt) + Cast<BigInt>(object)->size * sizeof(uint64_t);
    case Type::kTuple:
      return sizeof(Tuple) - sizeof(Tuple::items) + Cast<Tuple>(object)->size * sizeof(Value);
    case Type::kComplex:
      return sizeof(Complex);
    case Type::kByteArray:
    case Type::kArray:
      return sizeof(ByteArray);
    case Type::kRecord: {
      const uint32_t count = Cast<Record>(object)->count();
      return sizeof(Record) + (count > 0 ? count - 1 : 0) * sizeof(Value);
    }
    case Type::kFloat:
      return sizeof(FloatObject);
    case Type::kList:
      return sizeof(List);
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet:
      return sizeof(Dict);
    case Type::kNativeObject:
      return sizeof(NativeObject);
    case Type::kDescriptor:
      return sizeof(Descriptor);
    case Type::kIterator:
      return sizeof(Iterator);
    default:
      return 0;  // nothing derives from it
  }
}

Extension* ExtensionOf(Object* object) {
  const size_t size = (LayoutSize(object) + 7) & ~size_t{7};
  return reinterpret_cast<Extension*>(reinterpret_cast<char*>(object) + size);
}

namespace {

// A derived int has the layout of big ones, whatever its size.
Value IntObject(Vm& vm, Value v) {
  int64_t i;
  if (!SmallOf(v, &i)) return v;
  const uint64_t m = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  auto* big = Cast<BigInt>(vm.heap.NewObject(Type::kBigInt, sizeof(BigInt) + sizeof(uint64_t)));
  if (big == nullptr) return vm.OutOfMemory();
  big->set_negative(i < 0);
  big->limbs[0] = m;
  big->size = m != 0;
  return Value::Of(big);
}

Value FloatBox(Vm& vm, double d) {
  auto* box = Cast<FloatObject>(vm.heap.NewObject(Type::kFloat, sizeof(FloatObject)));
  if (box == nullptr) return vm.OutOfMemory();
  box->value = d;
  return Value::Of(box);
}

}  // namespace

Value Derive(Vm& vm, Class* cls, Value plain) {
  if (plain.IsFloat()) plain = FloatBox(vm, plain.AsFloat());
  if (plain.IsSmallInt() || plain.IsBool()) plain = IntObject(vm, plain);
  if (plain.empty()) return plain;
  if (Is(plain, Type::kFrozenSet)) {  // may be shared
    const Value copy = vm.NewDict(Type::kFrozenSet);
    if (copy.empty() || !SetUpdate(vm, As<Dict>(copy), plain)) return Value();
    plain = copy;
  }
  Object* from = plain.IsObject() ? plain.object() : nullptr;
  const size_t size = from == nullptr ? 0 : LayoutSize(from);
  if (size == 0 || from->type != cls->layout)
    return vm.Throw(Error::kTypeError, "cannot create '{}' instances", cls->name->view());
  Roots roots(vm);
  roots.Add(plain);
  Shape* root = vm.RootShape(cls);
  if (root == nullptr) return Value();
  const size_t aligned = (size + 7) & ~size_t{7};
  Object* object = vm.heap.NewObject(from->type, aligned + sizeof(Extension));
  if (object == nullptr) return vm.OutOfMemory();
  if (Is(plain, Type::kString)) {
    auto *text = Cast<String>(object), *source = Cast<String>(from);
    text->size = source->size;
    text->length = source->length;
    text->hash = source->hash;
    text->data = text->text;
    std::memcpy(text->data, source->data, source->size);
  } else {
    std::memcpy(static_cast<void*>(object + 1), from + 1, size - sizeof(Object));
    object->aux = from->aux;
  }
  const bool owns = !Is(plain, Type::kString) && !Is(plain, Type::kBytes) &&
                    !Is(plain, Type::kTuple) && !Is(plain, Type::kBigInt) &&
                    !Is(plain, Type::kRecord) && !Is(plain, Type::kIterator) && !from->derived;
  if (owns) std::memset(static_cast<void*>(from + 1), 0, size - sizeof(Object));
  object->derived = 1;
  Extension* extension = ExtensionOf(object);
  *extension = {};
  if (root->count > 0) {
    extension->slots = static_cast<Value*>(vm.heap.NewBuffer(root->count * sizeof(Value)));
    if (extension->slots == nullptr) return vm.OutOfMemory();
    extension->capacity = root->count;
    for (uint32_t i = 0; i < root->count; ++i) extension->slots[i] = Value();
  }
  extension->shape = root;
  if (cls->has_del && !vm.Track(object)) return Value();
  if (Record* weak = AsWeak(vm, Value::Of(object)); weak != nullptr && !vm.TrackWeak(weak))
    return Value();
  return Value::Of(object);
}

}  // namespace ferry::vm

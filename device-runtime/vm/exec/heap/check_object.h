// Whether what an object says of itself can be true.
#pragma once

#include "device-runtime/vm/exec/classes/shape.h"

namespace ferry::vm {

// Bytes that the object takes in its block, without an Extension.
inline size_t BytesOf(const Object& object) {
  switch (object.type) {
    case Type::kString:
      if (Cast<String>(&object)->Has(StringFlag::kShared)) return sizeof(String);
      return LayoutSize(&object);
    case Type::kMemoryView:
      return sizeof(MemoryView);
    case Type::kRange:
      return Cast<Range>(&object)->kind() == RangeKind::kWide ? sizeof(WideRange) : sizeof(Range);
    case Type::kSlice:
      return sizeof(Slice);
    case Type::kFunction: {
      auto* function = const_cast<Function*>(Cast<Function>(&object));
      const bool inlined = function->cells == function->inline_cells();
      return sizeof(Function) + (inlined ? function->cell_count * sizeof(Cell*) : 0);
    }
    case Type::kNative:
      return sizeof(Native);
    case Type::kBoundMethod:
      return sizeof(BoundMethod);
    case Type::kClass:
      return sizeof(Class);
    case Type::kInstance: {
      const auto* instance = Cast<Instance>(&object);
      const bool inlined = instance->slots == instance->inline_slots;
      return sizeof(Instance) - sizeof(Value) +
             (inlined ? instance->capacity() : 0) * sizeof(Value);
    }
    case Type::kException:
      return sizeof(Exception);
    case Type::kModule:
      return sizeof(Module);
    case Type::kCell:
      return sizeof(Cell);
    case Type::kGenerator: {
      const auto* generator = Cast<Generator>(&object);
      const bool inlined = generator->registers == generator->inline_registers;
      return sizeof(Generator) + (inlined ? GeneratorRoom(generator->register_count) : 0);
    }
    case Type::kSuper:
      return sizeof(Super);
    case Type::kShape:
      return sizeof(Shape);
    case Type::kMember:
      return sizeof(Member);
    case Type::kView:
      return sizeof(View);
    case Type::kAlias:
      return sizeof(Alias);
    case Type::kEllipsis:
      return sizeof(Object);
    default:
      return LayoutSize(&object);
  }
}

// Whether the slots that the shape counts are there.
inline bool HasSlots(const Shape* shape, const Value* slots, uint32_t capacity) {
  return shape == nullptr || shape->count == 0 || (slots != nullptr && shape->count <= capacity);
}

// Whether what the object counts fits what it has room for, and its kind is one of the kinds.
inline bool CountsAgree(const Object& object) {
  switch (object.type) {
    case Type::kList: {
      const auto* list = Cast<List>(&object);
      return list->size <= list->capacity && (list->capacity == 0 || list->items != nullptr);
    }
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet: {
      const auto* dict = Cast<Dict>(&object);
      return dict->count <= dict->used && dict->used <= dict->capacity &&
             (dict->capacity == 0 || dict->entries != nullptr);
    }
    case Type::kByteArray:
    case Type::kArray: {
      const auto* bytes = Cast<ByteArray>(&object);
      return bytes->size <= bytes->capacity && (bytes->capacity == 0 || bytes->data != nullptr);
    }
    case Type::kString: {
      const auto* string = Cast<String>(&object);
      return string->length <= string->size &&
             (!string->Has(StringFlag::kShared) || string->size <= string->buffer->size);
    }
    case Type::kInstance: {
      const auto* instance = Cast<Instance>(&object);
      return instance->shape != nullptr &&
             HasSlots(instance->shape, instance->slots, instance->capacity());
    }
    case Type::kException: {
      const auto* exception = Cast<Exception>(&object);
      const Trace& trace = exception->trace;
      return HasSlots(exception->shape, exception->slots, exception->aux) &&
             trace.count <= (trace.buffer == nullptr ? Trace::kFew : trace.capacity);
    }
    case Type::kModule:
      return Cast<Module>(&object)->count <= Cast<Module>(&object)->capacity;
    case Type::kIterator:
      return Cast<Iterator>(&object)->kind() <= IteratorKind::kWideRange;
    case Type::kDescriptor:
      return Cast<Descriptor>(&object)->kind() <= DescriptorKind::kClassMethod;
    case Type::kView:
      return Cast<View>(&object)->kind() <= ViewKind::kProxy;
    case Type::kAlias:
      return Cast<Alias>(&object)->kind() <= AliasKind::kUnion;
    case Type::kShape:
      return Cast<Shape>(&object)->kind() <= ShapeKind::kDictionary;
    case Type::kRange:
      return Cast<Range>(&object)->kind() <= RangeKind::kWide;
    default:
      return true;
  }
}

// Why this cannot be a live object in a block of `room` bytes; nullptr: it can.
inline const char* WrongObject(const Object& object, size_t room) {
  if (object.type == Type::kFree) return "freed";
  if (object.type >= Type::kCount) return "of no type";
  if (object.derived > 1) return "neither derived nor not";
  size_t size = BytesOf(object);
  if (object.derived != 0) size = ((size + 7) & ~size_t{7}) + sizeof(Extension);
  if (size > room) return "larger than its block";
  if (!CountsAgree(object)) return "not as large as it counts";
  if (object.derived != 0) {
    const Extension* extension = ExtensionOf(const_cast<Object*>(&object));
    if (!HasSlots(extension->shape, extension->slots, extension->capacity))
      return "without the slots of its shape";
  }
  return nullptr;
}

}  // namespace ferry::vm

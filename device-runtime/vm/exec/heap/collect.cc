// What each type of object refers to, and what it gives back when it dies.
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/heap/heap.h"

namespace ferry::vm {
void Heap::MarkSlots(const Shape* shape, const Value* slots) {
  if (shape == nullptr) return;
  Mark(const_cast<Shape*>(shape));
  for (uint32_t i = 0; i < shape->count; ++i) Mark(slots[i]);
}

void Heap::Trace(Object* object) {
  if constexpr (kVmChecks) Require(object->marked, "what is traced was marked");
  // Objects lie scattered: their headers are fetched ahead.
  constexpr size_t kAhead = 8;
  const auto mark_all = [this](const Value* items, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) __builtin_prefetch(items[i + kAhead].object());
      if (items[i].IsObject() && !items[i].object()->marked) Mark(items[i].object());
    }
  };
  if (object->derived) {
    const Extension* extension = ExtensionOf(object);
    MarkSlots(extension->shape, extension->slots);
  }
  switch (object->type) {
    case Type::kString: {
      auto* string = Cast<String>(object);
      if (string->Has(StringFlag::kShared)) Mark(string->buffer);
      break;
    }
    case Type::kList: {
      auto* list = Cast<List>(object);
      mark_all(list->items, list->size);
      break;
    }
    case Type::kTuple: {
      auto* tuple = Cast<Tuple>(object);
      mark_all(tuple->items, tuple->size);
      break;
    }
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet: {
      auto* dict = Cast<Dict>(object);
      for (uint32_t i = 0; i < dict->used; ++i) {
        if (i + kAhead < dict->used) {
          __builtin_prefetch(dict->entries[i + kAhead].key.object());
          __builtin_prefetch(dict->entries[i + kAhead].value.object());
        }
        Mark(dict->entries[i].key);
        Mark(dict->entries[i].value);
      }
      break;
    }
    case Type::kMemoryView:
      Mark(Cast<MemoryView>(object)->base);
      Mark(Cast<MemoryView>(object)->dims);
      break;
    case Type::kRange:
      if (Cast<Range>(object)->kind() == RangeKind::kWide)
        mark_all(Cast<WideRange>(object)->part, 4);
      break;
    case Type::kSlice: {
      auto* slice = Cast<Slice>(object);
      Mark(slice->start);
      Mark(slice->stop);
      Mark(slice->step);
      break;
    }
    case Type::kFunction: {
      auto* function = Cast<Function>(object);
      Mark(function->module);
      for (uint32_t i = 0; i < function->cell_count; ++i) Mark(function->cells[i]);
      Mark(function->defaults);
      Mark(function->keyword_defaults);
      Mark(function->attributes);
      Mark(function->doc);
      Mark(function->name);
      Mark(function->qualified_name);
      Mark(function->module_name);
      break;
    }
    case Type::kNative:
      Mark(Cast<Native>(object)->owner);
      break;
    case Type::kBoundMethod: {
      auto* method = Cast<BoundMethod>(object);
      Mark(method->self);
      Mark(method->function);
      break;
    }
    case Type::kClass: {
      auto* cls = Cast<Class>(object);
      Mark(cls->name);
      Mark(cls->attributes);
      Mark(cls->module_name);
      Mark(cls->qualified_name);
      Mark(cls->shape);
      Mark(cls->meta);
      Mark(cls->bases);
      Mark(cls->maker);
      for (uint32_t i = 0; i < cls->mro_count; ++i) Mark(cls->mro[i]);
      break;
    }
    case Type::kException: {
      auto* exception = Cast<Exception>(object);
      Mark(exception->args);
      Mark(exception->detail);
      Mark(exception->cause);
      Mark(exception->context);
      Mark(exception->cls);
      MarkSlots(exception->shape, exception->slots);
      break;
    }
    case Type::kInstance: {
      auto* instance = Cast<Instance>(object);
      MarkSlots(instance->shape, instance->slots);
      break;
    }
    case Type::kShape: {
      auto* shape = Cast<Shape>(object);
      Mark(shape->cls);
      Mark(shape->parent);
      Mark(shape->name);
      Mark(shape->child);
      Mark(shape->children);
      Mark(shape->no_more);
      break;
    }
    case Type::kMember:
      Mark(Cast<Member>(object)->owner);
      Mark(Cast<Member>(object)->name);
      break;
    case Type::kView:
      Mark(Cast<View>(object)->source);
      break;
    case Type::kAlias:
      Mark(Cast<Alias>(object)->origin);
      Mark(Cast<Alias>(object)->args);
      break;
    case Type::kModule: {
      auto* module = Cast<Module>(object);
      Mark(module->name);
      Mark(module->file);
      Mark(module->source);
      Mark(module->package);
      Mark(module->index);
      for (uint32_t i = 0; i < module->count; ++i) {
        Mark(module->slots[i].value);
        Mark(module->slots[i].builtin);
        Mark(module->slots[i].name);
      }
      break;
    }
    case Type::kCell:
      Mark(Cast<Cell>(object)->value);
      break;
    case Type::kGenerator: {
      auto* generator = Cast<Generator>(object);
      Mark(generator->function);
      Mark(generator->result);
      for (uint32_t i = 0; i < generator->register_count; ++i) Mark(generator->registers[i]);
      break;
    }
    case Type::kIterator: {
      auto* iterator = Cast<Iterator>(object);
      Mark(iterator->source);
      Mark(iterator->extra);
      break;
    }
    case Type::kNativeObject:
      Mark(Cast<NativeObject>(object)->cls);
      break;
    case Type::kSuper: {
      auto* super = Cast<Super>(object);
      Mark(super->owner);
      Mark(super->self);
      break;
    }
    case Type::kRecord: {
      auto* record = Cast<Record>(object);
      Mark(record->cls);
      for (uint32_t i = 0; i < record->count(); ++i) Mark(record->values[i]);
      break;
    }
    case Type::kDescriptor: {
      auto* descriptor = Cast<Descriptor>(object);
      Mark(descriptor->get);
      Mark(descriptor->set);
      Mark(descriptor->remove);
      Mark(descriptor->doc);
      Mark(descriptor->name);
      break;
    }
    default:
      break;  // no references
  }
}

void Heap::Finalize(Object* object) {
  if (object->derived) {
    const Extension* extension = ExtensionOf(object);
    FreeBuffer(extension->slots, extension->capacity * sizeof(Value));
  }
  switch (object->type) {
    case Type::kList: {
      auto* list = Cast<List>(object);
      FreeBuffer(list->items, list->capacity * sizeof(Value));
      break;
    }
    case Type::kByteArray:
    case Type::kArray: {
      auto* bytes = Cast<ByteArray>(object);
      FreeBuffer(bytes->data, bytes->capacity);
      break;
    }
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet: {
      auto* dict = Cast<Dict>(object);
      FreeBuffer(dict->entries, DictBytes(dict));
      break;
    }
    case Type::kFunction: {
      auto* function = Cast<Function>(object);
      if (function->cells != function->inline_cells())
        FreeBuffer(function->cells, function->cell_count * sizeof(Cell*));
      break;
    }
    case Type::kClass: {
      auto* cls = Cast<Class>(object);
      FreeBuffer(cls->mro, cls->mro_count * sizeof(Class*));
      break;
    }
    case Type::kException: {
      auto* exception = Cast<Exception>(object);
      FreeBuffer(exception->trace.buffer, exception->trace.capacity * sizeof(TraceEntry));
      FreeBuffer(exception->slots, exception->aux * sizeof(Value));
      break;
    }
    case Type::kInstance: {
      auto* instance = Cast<Instance>(object);
      if (instance->slots != instance->inline_slots)
        FreeBuffer(instance->slots, instance->aux * sizeof(Value));
      break;
    }
    case Type::kModule: {
      auto* module = Cast<Module>(object);
      FreeBuffer(module->slots, module->capacity * sizeof(Variable));
      break;
    }
    case Type::kGenerator: {
      auto* generator = Cast<Generator>(object);
      if (generator->registers != generator->inline_registers)
        FreeBuffer(generator->registers, GeneratorRoom(generator->register_count));
      break;
    }
    case Type::kNativeObject: {
      auto* native = Cast<NativeObject>(object);
      if (native->payload != nullptr) native->native_type->finalize(native->payload);
      Discharge(native->external);
      break;
    }
    default:
      break;
  }
}

}  // namespace ferry::vm

// What each type of object refers to, and what it gives back when it dies.
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/heap/heap.h"

namespace ferry::vm {
namespace {}  // namespace

void Heap::MarkSlots(const Shape* shape, const Value* slots) {
  if (shape == nullptr) return;
  Mark(const_cast<Shape*>(shape));
  for (uint32_t i = 0; i < shape->count; ++i) Mark(slots[i]);
}

void Heap::Trace(Object* object) {
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
      auto* string = static_cast<String*>(object);
      if (string->aux & String::kShared) Mark(string->buffer);
      break;
    }
    case Type::kList: {
      auto* list = static_cast<List*>(object);
      mark_all(list->items, list->size);
      break;
    }
    case Type::kTuple: {
      auto* tuple = static_cast<Tuple*>(object);
      mark_all(tuple->items, tuple->size);
      break;
    }
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet: {
      auto* dict = static_cast<Dict*>(object);
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
      Mark(static_cast<MemoryView*>(object)->base);
      Mark(static_cast<MemoryView*>(object)->dims);
      break;
    case Type::kRange:
      if (object->aux == 1) mark_all(static_cast<WideRange*>(object)->part, 4);
      break;
    case Type::kSlice: {
      auto* slice = static_cast<Slice*>(object);
      Mark(slice->start);
      Mark(slice->stop);
      Mark(slice->step);
      break;
    }
    case Type::kFunction: {
      auto* function = static_cast<Function*>(object);
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
      Mark(static_cast<Native*>(object)->owner);
      break;
    case Type::kBoundMethod: {
      auto* method = static_cast<BoundMethod*>(object);
      Mark(method->self);
      Mark(method->function);
      break;
    }
    case Type::kClass: {
      auto* cls = static_cast<Class*>(object);
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
      auto* exception = static_cast<Exception*>(object);
      Mark(exception->args);
      Mark(exception->detail);
      Mark(exception->cause);
      Mark(exception->context);
      Mark(exception->cls);
      MarkSlots(exception->shape, exception->slots);
      break;
    }
    case Type::kInstance: {
      auto* instance = static_cast<Instance*>(object);
      MarkSlots(instance->shape, instance->slots);
      break;
    }
    case Type::kShape: {
      auto* shape = static_cast<Shape*>(object);
      Mark(shape->cls);
      Mark(shape->parent);
      Mark(shape->name);
      Mark(shape->child);
      Mark(shape->children);
      Mark(shape->no_more);
      break;
    }
    case Type::kMember:
      Mark(static_cast<Member*>(object)->owner);
      Mark(static_cast<Member*>(object)->name);
      break;
    case Type::kView:
      Mark(static_cast<View*>(object)->source);
      break;
    case Type::kAlias:
      Mark(static_cast<Alias*>(object)->origin);
      Mark(static_cast<Alias*>(object)->args);
      break;
    case Type::kModule: {
      auto* module = static_cast<Module*>(object);
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
      Mark(static_cast<Cell*>(object)->value);
      break;
    case Type::kGenerator: {
      auto* generator = static_cast<Generator*>(object);
      Mark(generator->function);
      Mark(generator->result);
      for (uint32_t i = 0; i < generator->register_count; ++i) Mark(generator->registers[i]);
      break;
    }
    case Type::kIterator: {
      auto* iterator = static_cast<Iterator*>(object);
      Mark(iterator->source);
      Mark(iterator->extra);
      break;
    }
    case Type::kNativeObject:
      Mark(static_cast<NativeObject*>(object)->cls);
      break;
    case Type::kSuper: {
      auto* super = static_cast<Super*>(object);
      Mark(super->owner);
      Mark(super->self);
      break;
    }
    case Type::kRecord: {
      auto* record = static_cast<Record*>(object);
      Mark(record->cls);
      for (uint32_t i = 0; i < record->aux; ++i) Mark(record->values[i]);
      break;
    }
    case Type::kDescriptor: {
      auto* descriptor = static_cast<Descriptor*>(object);
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
      auto* list = static_cast<List*>(object);
      FreeBuffer(list->items, list->capacity * sizeof(Value));
      break;
    }
    case Type::kByteArray:
    case Type::kArray: {
      auto* bytes = static_cast<ByteArray*>(object);
      FreeBuffer(bytes->data, bytes->capacity);
      break;
    }
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet: {
      auto* dict = static_cast<Dict*>(object);
      FreeBuffer(dict->entries, DictBytes(dict));
      break;
    }
    case Type::kFunction: {
      auto* function = static_cast<Function*>(object);
      if (function->cells != function->inline_cells())
        FreeBuffer(function->cells, function->cell_count * sizeof(Cell*));
      break;
    }
    case Type::kClass: {
      auto* cls = static_cast<Class*>(object);
      FreeBuffer(cls->mro, cls->mro_count * sizeof(Class*));
      break;
    }
    case Type::kException: {
      auto* exception = static_cast<Exception*>(object);
      FreeBuffer(exception->trace.buffer, exception->trace.capacity * sizeof(TraceEntry));
      FreeBuffer(exception->slots, exception->aux * sizeof(Value));
      break;
    }
    case Type::kInstance: {
      auto* instance = static_cast<Instance*>(object);
      if (instance->slots != instance->inline_slots)
        FreeBuffer(instance->slots, instance->aux * sizeof(Value));
      break;
    }
    case Type::kModule: {
      auto* module = static_cast<Module*>(object);
      FreeBuffer(module->slots, module->capacity * sizeof(Variable));
      break;
    }
    case Type::kGenerator: {
      auto* generator = static_cast<Generator*>(object);
      if (generator->registers != generator->inline_registers)
        FreeBuffer(generator->registers, GeneratorRoom(generator->register_count));
      break;
    }
    case Type::kNativeObject: {
      auto* native = static_cast<NativeObject*>(object);
      if (native->payload != nullptr) native->native_type->finalize(native->payload);
      Discharge(native->external);
      break;
    }
    default:
      break;
  }
}

}  // namespace ferry::vm

// What each type of object refers to, and what it gives back when it dies.
#include "device-runtime/vm/exec/heap.h"

namespace ferry::vm {
namespace {

size_t DictBytes(const Dict* dict) {
  return dict->capacity * (sizeof(Entry) + 2 * sizeof(uint32_t));
}

}  // namespace

void Heap::Mark(Object* object) {
  if (object == nullptr || object->marked) return;
  object->marked = true;
  grey_.push_back(object);
}

void Heap::Drain() {
  while (!grey_.empty()) {
    Object* object = grey_.back();
    grey_.pop_back();
    Trace(object);
  }
}

void Heap::Trace(Object* object) {
  switch (object->type) {
    case Type::kList: {
      auto* list = static_cast<List*>(object);
      for (uint32_t i = 0; i < list->size; ++i) Mark(list->items[i]);
      break;
    }
    case Type::kTuple: {
      auto* tuple = static_cast<Tuple*>(object);
      for (uint32_t i = 0; i < tuple->size; ++i) Mark(tuple->items[i]);
      break;
    }
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet: {
      auto* dict = static_cast<Dict*>(object);
      for (uint32_t i = 0; i < dict->used; ++i) {
        Mark(dict->entries[i].key);
        Mark(dict->entries[i].value);
      }
      break;
    }
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
      Mark(function->owner);
      Mark(function->attributes);
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
      for (uint32_t i = 0; i < cls->mro_count; ++i) Mark(cls->mro[i]);
      break;
    }
    case Type::kException: {
      auto* exception = static_cast<Exception*>(object);
      Mark(exception->args);
      Mark(exception->cause);
      Mark(exception->context);
      [[fallthrough]];
    }
    case Type::kInstance: {
      auto* instance = static_cast<Instance*>(object);
      Mark(instance->cls);
      Mark(instance->attributes);
      break;
    }
    case Type::kModule: {
      auto* module = static_cast<Module*>(object);
      Mark(module->name);
      Mark(module->file);
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
    case Type::kDescriptor: {
      auto* descriptor = static_cast<Descriptor*>(object);
      Mark(descriptor->get);
      Mark(descriptor->set);
      break;
    }
    default:
      break;  // no references
  }
}

void Heap::Finalize(Object* object) {
  switch (object->type) {
    case Type::kList: {
      auto* list = static_cast<List*>(object);
      FreeBuffer(list->items, list->capacity * sizeof(Value));
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
      FreeBuffer(function->cells, function->cell_count * sizeof(Cell*));
      break;
    }
    case Type::kClass: {
      auto* cls = static_cast<Class*>(object);
      FreeBuffer(cls->mro, cls->mro_count * sizeof(Class*));
      break;
    }
    case Type::kException:
      delete static_cast<Exception*>(object)->trace;
      break;
    case Type::kModule: {
      auto* module = static_cast<Module*>(object);
      FreeBuffer(module->slots, module->capacity * sizeof(Variable));
      break;
    }
    case Type::kGenerator: {
      auto* generator = static_cast<Generator*>(object);
      FreeBuffer(generator->registers, generator->register_count * sizeof(Value));
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

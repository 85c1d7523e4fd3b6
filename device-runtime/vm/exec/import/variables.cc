// Variables of modules: their slots, by name.
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

uint32_t Vm::VariableSlot(Module* module, String* name, bool* failed) {
  Value* found = DictFindString(module->index, name);
  if (found != nullptr) return static_cast<uint32_t>(found->AsSmallInt());
  if (module->count == module->capacity) {
    const uint32_t capacity = module->capacity == 0 ? 16 : module->capacity * 2;
    auto* slots = static_cast<Variable*>(heap.NewBuffer(capacity * sizeof(Variable)));
    if (slots == nullptr) {
      OutOfMemory();
      *failed = true;
      return 0;
    }
    for (uint32_t i = 0; i < module->count; ++i) slots[i] = module->slots[i];
    heap.FreeBuffer(module->slots, module->capacity * sizeof(Variable));
    module->slots = slots;
    module->capacity = capacity;
  }
  if (!DictSet(module->index, Value::Of(name), Value::SmallInt(module->count))) {
    *failed = true;
    return 0;
  }
  Value* builtin = builtins == nullptr ? nullptr : DictFindString(builtins, name);
  module->slots[module->count] = {Value(), builtin == nullptr ? Value() : *builtin, name};
  return module->count++;
}

bool Vm::SetVariable(Module* module, std::string_view name, Value v) {
  String* text = Intern(name);
  bool failed = text == nullptr;
  if (failed) return false;
  const uint32_t slot = VariableSlot(module, text, &failed);
  if (failed) return false;
  module->slots[slot].value = v;
  return true;
}

}  // namespace ferry::vm

#include "device-runtime/vm/exec/call/function.h"

#include <algorithm>

namespace ferry::vm {

// With room for its cells, which are not set; nullptr: no memory, reported.
static Function* FunctionOf(Vm& vm, CodeObject* code) {
  const size_t count = code->captures.size(), room = count * sizeof(Cell*);
  const bool inlined = sizeof(Function) + room <= kMaxSmall;
  auto* function =
      Cast<Function>(vm.heap.NewObject(Type::kFunction, sizeof(Function) + (inlined ? room : 0)));
  if (function != nullptr) {
    function->code = code;
    function->cells = function->inline_cells();
    if (count > 0 && !inlined) function->cells = static_cast<Cell**>(vm.heap.NewBuffer(room));
  }
  if (function != nullptr && function->cells != nullptr) return function;
  vm.OutOfMemory();
  return nullptr;
}

Function* CopyFunction(Vm& vm, const Function* from) {
  Function* const made = FunctionOf(vm, from->code);
  if (made == nullptr) return made;
  made->module = from->module;
  std::copy(from->cells, from->cells + from->cell_count, made->cells);
  made->cell_count = from->cell_count;
  made->defaults = from->defaults;
  made->keyword_defaults = from->keyword_defaults;
  made->attributes = from->attributes;
  made->doc = from->doc;
  made->name = from->name;
  made->qualified_name = from->qualified_name;
  made->module_name = from->module_name;
  return made;
}

Value Vm::MakeFunction(CodeObject* code, Frame& frame, Value defaults, Value keyword_defaults) {
  Function* const function = FunctionOf(*this, code);
  if (function == nullptr) return Value();
  function->module = code->module;
  function->defaults = defaults;
  function->keyword_defaults = keyword_defaults;
  function->doc = Value();
  for (const Capture& capture : code->captures)
    function->cells[function->cell_count++] =
        capture.local ? As<Cell>(frame.base[capture.index]) : frame.function->cells[capture.index];
  return Value::Of(function);
}

}  // namespace ferry::vm

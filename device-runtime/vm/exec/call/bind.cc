#include "device-runtime/vm/exec/call/bind.h"

#include <algorithm>

namespace ferry::vm {
namespace {

constexpr uint32_t kMost = 24;  // parameters

// What parameter i is when no argument gives it; empty: there is nothing.
Value DefaultOf(Vm& vm, const Function* function, uint32_t i) {
  const CodeObject* code = function->code;
  if (i >= code->positional) {
    if (function->keyword_defaults.empty()) return Value();
    const Value* found =
        vm.DictFindString(As<Dict>(function->keyword_defaults), code->parameters[i]);
    return found == nullptr ? Value() : *found;
  }
  if (function->defaults.empty()) return Value();
  const auto* defaults = As<Tuple>(function->defaults);
  return i + defaults->size < code->positional
             ? Value()
             : defaults->items[i + defaults->size - code->positional];
}

}  // namespace

bool FillDefaults(const Function* function, Value* args, uint32_t count) {
  if (function->defaults.empty()) return false;
  const auto* defaults = As<Tuple>(function->defaults);
  const uint32_t positional = function->code->positional;
  if (count > positional || positional - count > defaults->size) return false;
  const Value* from = defaults->items + defaults->size - positional;
  for (uint32_t i = count; i < positional; ++i) args[i] = from[i];
  return true;
}

uint32_t BindKeywords(Vm& vm, const Function* function, Value* args, uint32_t count,
                      const Tuple* names) {
  const CodeObject* code = function->code;
  const uint32_t all = uint32_t{code->positional} + code->keyword_only;
  if (code->rest || code->generator || all > kMost || count > code->positional ||
      count + names->size > all)
    return 0;
  union Room {
    Room() {}
    Value values[kMost];
  } room;  // of which only the parameters from `count` on are set
  Value* const bound = room.values;
  for (uint32_t i = count; i < all; ++i) bound[i] = Value();
  String* const* parameters = code->parameters.data();
  const uint32_t first = std::max<uint32_t>(count, code->positional_only);
  for (uint32_t k = 0; k < names->size; ++k) {
    const String* name = As<String>(names->items[k]);
    uint32_t at = first;
    while (at < all && parameters[at] != name) ++at;
    if (at == all || !bound[at].empty()) return 0;
    bound[at] = args[count + k];
  }
  for (uint32_t i = count; i < all; ++i) {
    if (bound[i].empty()) bound[i] = DefaultOf(vm, function, i);
    if (bound[i].empty()) return 0;
  }
  Value none;
  if (code->keyword_rest) {
    none = vm.NewDict();
    if (none.empty()) return 0;
  }
  for (uint32_t i = count; i < all; ++i) args[i] = bound[i];
  if (code->keyword_rest) args[all] = none;
  return all + code->keyword_rest;
}

}  // namespace ferry::vm

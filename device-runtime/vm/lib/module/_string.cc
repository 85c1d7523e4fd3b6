// The native part of the module string (py/string.py): the parsers of str.format.
#include <algorithm>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/markup.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// A list of (literal, name, spec, conversion); the last three None where no field follows.
Value FormatterParser(Vm& vm, Args& args) {
  if (!Expect(vm, args, "formatter_parser", 1, 1)) return Value();
  if (!IsStr(args[0]))
    return vm.Throw(Error::kTypeError, "expected str, got {}", vm.TypeName(args[0]));
  Value list = vm.NewList(nullptr, 0);
  if (list.empty() || !vm.ChargeSteps(As<String>(args[0])->size / 8)) return Value();
  for (Markup markup(Text(args[0])); !markup.over();) {
    MarkupField field;
    if (!markup.Next(vm, &field)) return Value();
    Value items[4] = {vm.NewString(field.literal), Value::None(), Value::None(), Value::None()};
    if (field.present) {
      items[1] = vm.NewString(field.name);
      items[2] = vm.NewString(field.spec);
      if (field.conversion != 0) {
        std::string text;
        AppendUtf8(field.conversion, &text);
        items[3] = vm.NewString(text);
      }
    }
    Value tuple = vm.failed() ? Value() : vm.NewTuple(items, 4);
    if (tuple.empty() || !vm.Append(As<List>(list), tuple)) return Value();
  }
  return list;
}

// (first, list of (is attribute, name or number)).
Value FieldNameSplit(Vm& vm, Args& args) {
  if (!Expect(vm, args, "formatter_field_name_split", 1, 1)) return Value();
  if (!IsStr(args[0]))
    return vm.Throw(Error::kTypeError, "expected str, got {}", vm.TypeName(args[0]));
  const std::string_view name = Text(args[0]);
  const size_t end = std::min(name.find_first_of(".["), name.size());
  int64_t number = -1;
  if (!FieldNumber(vm, name.substr(0, end), &number)) return Value();
  Value pair[2] = {number >= 0 ? vm.NewInt(number) : vm.NewString(name.substr(0, end)),
                   vm.NewList(nullptr, 0)};
  if (vm.failed()) return Value();
  for (FieldPath path(name.substr(end));;) {
    FieldStep step;
    if (!path.Next(vm, &step)) return Value();
    if (step.end) return vm.NewTuple(pair, 2);
    Value item[2] = {Value::Bool(step.attribute),
                     step.number >= 0 ? vm.NewInt(step.number) : vm.NewString(step.text)};
    Value tuple = item[1].empty() ? Value() : vm.NewTuple(item, 2);
    if (tuple.empty() || !vm.Append(As<List>(pair[1]), tuple)) return Value();
  }
}

constexpr BuiltinRow kRows[] = {{"formatter_field_name_split", FieldNameSplit},
                                {"formatter_parser", FormatterParser}};

}  // namespace

Value MakeString(Vm& vm) {
  return MakeModule(vm, "_string", kRows);
}

}  // namespace ferry::vm

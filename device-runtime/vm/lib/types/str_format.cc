// str.format, format_map, and the parsers behind string.Formatter.
#include <algorithm>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/lib/types/str_arguments.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/markup.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// One call of format: where fields come from, and how they are numbered.
struct Formatter {
  Vm& vm;
  Args& args;
  Value mapping;  // of format_map; else empty
  enum { kUnknown, kAutomatic, kManual } numbering = kUnknown;
  int64_t next = 0;

  bool Number(std::string_view first, int64_t* number);
  Value First(std::string_view first);
  Value Field(std::string_view name);
  bool Write(std::string_view markup, int depth, TextBuilder* out);
  bool WriteField(const MarkupField& field, int depth, TextBuilder* out);
};

bool Formatter::Number(std::string_view first, int64_t* number) {
  const bool automatic = first.empty();
  if (numbering == kUnknown) numbering = automatic ? kAutomatic : kManual;
  if (automatic != (numbering == kAutomatic)) {
    vm.Raise(Error::kValueError,
             automatic
                 ? "cannot switch from manual field specification to automatic field numbering"
                 : "cannot switch from automatic field numbering to manual field "
                   "specification");
    return false;
  }
  if (automatic) *number = next++;
  return true;
}

Value Formatter::First(std::string_view first) {
  int64_t number = -1;
  if (!FieldNumber(vm, first, &number)) return Value();
  if (first.empty() || number >= 0) {
    if (!Number(first, &number)) return Value();
    if (!mapping.empty())
      return vm.Raise(Error::kValueError, "Format string contains positional fields");
    if (number + 1 >= args.count)
      return vm.Throw(Error::kIndexError,
                      "Replacement index {} out of range for positional args tuple", number);
    return args[static_cast<uint32_t>(number + 1)];
  }
  if (!mapping.empty()) {
    Value key = vm.NewString(first);
    return key.empty() ? key : vm.Index(mapping, key);
  }
  for (uint32_t k = 0; k < args.keywords(); ++k)
    if (Text(args.names->items[k]) == first) return args.args[args.count + k];
  return vm.RaiseValue(Error::kKeyError, vm.NewString(first));
}

Value Formatter::Field(std::string_view name) {
  const size_t end = std::min(name.find_first_of(".["), name.size());
  Roots roots(vm);
  Value v = First(name.substr(0, end));
  for (FieldPath path(name.substr(end)); !v.empty();) {
    roots.Add(v);
    FieldStep step;
    if (!path.Next(vm, &step)) return Value();
    if (step.end) return v;
    if (step.attribute) {
      String* attribute = vm.Intern(step.text);
      v = attribute == nullptr ? Value() : vm.GetAttribute(v, attribute);
    } else {
      Value key = step.number >= 0 ? vm.NewInt(step.number) : vm.NewString(step.text);
      v = key.empty() ? key : vm.Index(v, roots.Add(key));
    }
  }
  return v;
}

bool Formatter::WriteField(const MarkupField& field, int depth, TextBuilder* out) {
  Roots roots(vm);
  Value v = roots.Add(Field(field.name));
  if (v.empty()) return false;
  std::string text;
  if (field.conversion != 0) {
    if (field.conversion != 'r' && field.conversion != 's' && field.conversion != 'a') {
      const auto c = static_cast<uint32_t>(field.conversion);
      if (c > 32 && c < 127) {
        vm.Throw(Error::kValueError, "Unknown conversion specifier {}", static_cast<char>(c));
      } else {
        vm.Throw(Error::kValueError, "Unknown conversion specifier \\x{:x}", c);
      }
      return false;
    }
    v = roots.Add(ConvertField(vm, v, static_cast<int>(field.conversion)));
    if (v.empty()) return false;
  }
  TextBuilder spec(vm);
  if (field.nested ? !Write(field.spec, depth - 1, &spec) : !spec.Append(field.spec)) return false;
  return vm.Format(v, spec.view(), &text) && out->Append(text);
}

bool Formatter::Write(std::string_view markup, int depth, TextBuilder* out) {
  if (depth <= 0) {
    vm.Raise(Error::kValueError, "Max string recursion exceeded");
    return false;
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(markup.size() / 16))) return false;
  for (Markup parser(markup); !parser.over();) {
    MarkupField field;
    if (!parser.Next(vm, &field) || !out->Append(field.literal)) return false;
    if (field.present && !WriteField(field, depth, out)) return false;
  }
  return true;
}

Value FormatMethod(Vm& vm, Args& args) {
  TextBuilder out(vm);
  Formatter formatter{vm, args, Value()};
  return formatter.Write(Text(args[0]), 2, &out) ? out.ToString() : Value();
}

Value FormatMap(Vm& vm, Args& args) {
  if (!OneArgument(vm, args, "str.format_map")) return Value();
  TextBuilder out(vm);
  Formatter formatter{vm, args, args[1]};
  return formatter.Write(Text(args[0]), 2, &out) ? out.ToString() : Value();
}

constexpr BuiltinRow kRows[] = {{"format", FormatMethod, true}, {"format_map", FormatMap, true}};

}  // namespace

bool InstallStrFormat(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kString)], kRows);
}

}  // namespace ferry::vm

// Texts taken apart for modules in Python: the parsers of str.format (string), rows of csv.
#include <algorithm>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/format/short.h"
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

// A text of one ASCII character; 0: something else.
char OneAscii(Value v) {
  return IsStr(v) && As<String>(v)->size == 1 ? Text(v)[0] : '\0';
}

// One field from *at on; *at becomes the place behind its delimiter, past the size of `s` for the
// last one. Empty without pending exception: not written as usual.
Value RowField(Vm& vm, std::string_view s, char delimiter, char quote, size_t* at) {
  if (quote == 0 || *at == s.size() || s[*at] != quote) {
    const size_t start = *at, end = std::min(s.find(delimiter, start), s.size());
    *at = end + 1;
    return vm.NewString(s.substr(start, end - start));
  }
  size_t start = *at + 1, doubled = 0, end = s.find(quote, start);
  for (; end < s.size() && end + 1 < s.size() && s[end + 1] == quote; ++doubled)
    end = s.find(quote, end + 2);
  if (end >= s.size() || (end + 1 < s.size() && s[end + 1] != delimiter)) return Value();
  *at = end + 2;
  if (doubled == 0) return vm.NewString(s.substr(start, end - start));
  TextBuilder out(vm);
  while (doubled-- > 0) {
    const size_t next = s.find(quote, start);
    if (!out.Append(s.substr(start, next + 1 - start))) return Value();
    start = next + 2;
  }
  return out.Append(s.substr(start, end - start)) ? out.ToString() : Value();
}

// row(line, delimiter, quote or None): the fields of a whole row of csv, or None when it goes on in
// the next line or is written in another way than usual.
Value Row(Vm& vm, Args& args) {
  if (!Expect(vm, args, "row", 3, 3) || !IsStr(args[0])) return Value::None();
  const char delimiter = OneAscii(args[1]), quote = OneAscii(args[2]);
  std::string_view s = Text(args[0]);
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 16))) return Value();
  while (!s.empty() && (s.back() == '\n' || s.back() == '\r')) s.remove_suffix(1);
  if (delimiter == 0 || delimiter == quote || (quote == 0 && !args[2].IsNone()) ||
      s.find_first_of("\r\n") < s.size())
    return Value::None();
  const Value row = vm.NewList(nullptr, 0);
  if (row.empty()) return row;
  for (size_t at = 0; at <= s.size() && !s.empty();) {
    const Value field = RowField(vm, s, delimiter, quote, &at);
    if (field.empty()) return vm.failed() ? Value() : Value::None();
    if (!vm.Append(As<List>(row), field)) return Value();
  }
  return row;
}

// Writes a field of a row, in quotes where it needs them; false: reported.
bool PutField(std::string_view s, char delimiter, char quote, TextBuilder* out) {
  const char marks[] = {delimiter, quote, '\r', '\n'};
  if (s.find_first_of({marks, sizeof marks}) == std::string_view::npos) return out->Append(s);
  if (!out->Append(quote)) return false;
  for (size_t at; (at = s.find(quote)) != std::string_view::npos; s.remove_prefix(at + 1))
    if (!out->Append(s.substr(0, at + 1)) || !out->Append(quote)) return false;
  return out->Append(s) && out->Append(quote);
}

// line(fields, delimiter, quote, end): a row of csv as text, or None when not all of the list are
// texts, floats, small integers and None.
Value Line(Vm& vm, Args& args) {
  if (!Expect(vm, args, "line", 4, 4) || !IsExact(args[0], Type::kList) || !IsStr(args[3]))
    return Value::None();
  const auto* fields = As<List>(args[0]);
  const char delimiter = OneAscii(args[1]), quote = OneAscii(args[2]);
  if (delimiter == 0 || quote == 0 || fields->size < 2) return Value::None();
  TextBuilder out(vm);
  for (uint32_t i = 0; i < fields->size; ++i) {
    const Value v = fields->items[i];
    if (i > 0 && !out.Append(delimiter)) return Value();
    if (v.IsNone()) continue;
    ShortText number;
    std::string text;
    if (!IsExact(v, Type::kString) && !ShortStr(v, &number)) {
      if (!v.IsFloat()) return Value::None();
      if (!vm.Str(v, &text)) return Value();
    }
    const std::string_view s = IsStr(v) ? Text(v) : text.empty() ? number.view() : text;
    if (!vm.ChargeSteps(1 + static_cast<int64_t>(s.size() / 32))) return Value();
    if (!PutField(s, delimiter, quote, &out)) return Value();
  }
  return out.Append(Text(args[3])) ? out.ToString() : Value();
}

constexpr BuiltinRow kRows[] = {{"formatter_field_name_split", FieldNameSplit},
                                {"formatter_parser", FormatterParser},
                                {"line", Line},
                                {"row", Row}};

}  // namespace

Value MakeString(Vm& vm) {
  return MakeModule(vm, "_string", kRows);
}

}  // namespace ferry::vm

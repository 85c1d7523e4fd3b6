// Replacement texts: "\1", "\g<name>" and escapes.
#include "device-runtime/vm/lib/modules/_re/re.h"
#include "device-runtime/vm/regex/cursor.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {
namespace {

using regex::Cursor;
using regex::IsAsciiDigit;
using regex::IsAsciiLetter;
using regex::IsOctal;
using regex::kEnd;

class Template {
 public:
  Template(Vm& vm, Record* pattern, Value text, bool bytes)
      : vm_(vm),
        pattern_(pattern),
        text_(text),
        bytes_(bytes),
        in_(bytes ? As<BytesObject>(text)->view() : Text(text), bytes),
        literal_(vm),
        list_(vm.NewList(nullptr, 0)) {}
  Value Run();

 private:
  bool Wrong(std::string_view message, int64_t place) {
    RaiseReError(vm_, message, text_, place);
    return false;
  }
  bool Character(uint32_t c) {
    return bytes_ ? literal_.Append(static_cast<char>(c)) : literal_.AppendCode(c);
  }
  bool Flush();
  bool Group(uint64_t group, int64_t place);
  bool NamedGroup(int64_t start);
  bool Number(uint32_t c, int64_t start);
  bool Escape();

  Vm& vm_;
  Record* pattern_;
  Value text_;
  bool bytes_;
  Cursor in_;
  TextBuilder literal_;
  Value list_;
};

bool Template::Flush() {
  if (literal_.size() == 0) return true;
  Value piece = bytes_ ? vm_.NewBytes(literal_.view()) : literal_.ToString();
  literal_.Shrink(0);
  return !piece.empty() && vm_.Append(As<List>(list_), piece);
}

bool Template::Group(uint64_t group, int64_t place) {
  if (group > static_cast<uint64_t>(pattern_->values[kPatternGroups].AsSmallInt()))
    return Wrong(fmt::format("invalid group reference {}", group), place);
  return Flush() && vm_.Append(As<List>(list_), Value::SmallInt(static_cast<int64_t>(group)));
}

// After "\g".
bool Template::NamedGroup(int64_t start) {
  (void)start;
  if (!in_.Take('<')) return Wrong("missing <", in_.place());
  const size_t from = in_.offset();
  const int64_t place = in_.place();
  size_t end = from;
  for (uint32_t c = in_.Next(); c != '>'; c = in_.Next()) {
    if (c == kEnd)
      return end == from ? Wrong("missing group name", in_.place())
                         : Wrong("missing >, unterminated name", place);
    end = in_.offset();
  }
  const std::string name = std::string(in_.Since(from)).substr(0, end - from);
  if (name.empty()) return Wrong("missing group name", place);
  bool identifier = true, number = true, first = true;
  uint64_t value = 0;
  for (size_t at = 0; at < name.size(); first = false) {
    const uint32_t c = Utf8Next(name, &at);
    identifier = identifier && (first ? IsIdentifierStart(c) : IsIdentifierPart(c));
    number = number && IsAsciiDigit(c);
    if (number) value = std::min<uint64_t>(value * 10 + (c - '0'), uint64_t{1} << 40);
  }
  if (number) return Group(value, place);
  if (!identifier) {
    std::string shown;
    AppendQuoted(name, false, &shown);
    return Wrong("bad character in group name " + shown, place);
  }
  Value key = vm_.NewString(name);
  bool failed = false;
  Value* found =
      key.empty() ? nullptr : vm_.DictFind(As<Dict>(pattern_->values[kPatternIndex]), key, &failed);
  if (found == nullptr) {
    std::string shown;
    AppendQuoted(name, false, &shown);
    if (!vm_.failed()) vm_.Throw(Error::kIndexError, "unknown group name {}", shown);
    return false;
  }
  return Group(static_cast<uint64_t>(found->AsSmallInt()), place);
}

// After a backslash and the digit `c`.
bool Template::Number(uint32_t c, int64_t start) {
  uint32_t digits[3] = {c, 0, 0};
  int count = 1;
  bool octal = c == '0';
  if (octal) {
    while (count < 3 && IsOctal(in_.Peek())) digits[count++] = in_.Next();
  } else if (IsAsciiDigit(in_.Peek())) {
    digits[count++] = in_.Next();
    if (IsOctal(c) && IsOctal(digits[1]) && IsOctal(in_.Peek())) {
      digits[count++] = in_.Next();
      octal = true;
    }
  }
  uint32_t value = 0;
  std::string shown;
  for (int i = 0; i < count; ++i) {
    value = value * (octal ? 8 : 10) + (digits[i] - '0');
    shown.push_back(static_cast<char>(digits[i]));
  }
  if (!octal) return Group(value, start + 1);
  if (value > 0377 && c != '0')
    return Wrong("octal escape value \\" + shown + " outside of range 0-0o377", start);
  return Character(value & 0xFF);
}

bool Template::Escape() {
  const int64_t start = in_.place() - 1;
  const uint32_t c = in_.Next();
  static constexpr std::string_view kFrom = "abfnrtv\\", kTo = "\a\b\f\n\r\t\v\\";
  if (c == kEnd) return Wrong("bad escape (end of pattern)", start);
  if (c == 'g') return NamedGroup(start);
  if (IsAsciiDigit(c)) return Number(c, start);
  const size_t known = c < 128 ? kFrom.find(static_cast<char>(c)) : std::string_view::npos;
  if (known != std::string_view::npos) return Character(static_cast<uint32_t>(kTo[known]));
  if (IsAsciiLetter(c)) return Wrong(fmt::format("bad escape \\{}", static_cast<char>(c)), start);
  return Character('\\') && Character(c);
}

Value Template::Run() {
  if (list_.empty()) return list_;
  for (uint32_t c = in_.Next(); c != kEnd; c = in_.Next())
    if (c == '\\' ? !Escape() : !Character(c)) return Value();
  return Flush() ? list_ : Value();
}

}  // namespace

Value ParseTemplate(Vm& vm, Record* pattern, Value text) {
  const bool bytes = !IsStr(pattern->values[kPatternText]);
  if (bytes ? !Is(text, Type::kBytes) : !IsStr(text))
    return vm.Throw(Error::kTypeError, "expected {}, {} found",
                    bytes ? "a bytes-like object" : "str instance", vm.TypeName(text));
  Roots roots(vm);
  roots.Add(text);
  ++vm.collection_blocked;  // an error's class runs its __init__
  Value pieces = Template(vm, pattern, text, bytes).Run();
  --vm.collection_blocked;
  return pieces;
}

bool ExpandTemplate(Vm& vm, Value pieces, const ReText& text, Value match, List* out) {
  auto* list = As<List>(pieces);
  for (uint32_t i = 0; i < list->size; ++i) {
    Value piece = list->items[i];
    if (piece.IsSmallInt()) {
      int64_t from, to;
      MarksOf(As<Record>(match), static_cast<uint32_t>(piece.AsSmallInt()), &from, &to);
      if (from < 0 || to < 0) continue;
      piece = text.Slice(vm, from, to);
      if (piece.empty()) return false;
    }
    if (!vm.Append(out, piece)) return false;
  }
  return true;
}

}  // namespace ferry::vm

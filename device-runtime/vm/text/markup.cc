#include "device-runtime/vm/text/markup.h"

#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {
namespace {

bool Wrong(Vm& vm, std::string_view message) {
  vm.Raise(Error::kValueError, message);
  return false;
}

}  // namespace

bool Markup::Next(Vm& vm, MarkupField* out) {
  *out = MarkupField();
  const size_t at = rest_.find_first_of("{}");
  if (at == std::string_view::npos) {
    out->literal = rest_;
    rest_ = {};
    return true;
  }
  const char brace = rest_[at];
  const bool twice = at + 1 < rest_.size() && rest_[at + 1] == brace;
  if (!twice && brace == '}') return Wrong(vm, "Single '}' encountered in format string");
  if (!twice && at + 1 == rest_.size()) return Wrong(vm, "Single '{' encountered in format string");
  out->literal = rest_.substr(0, twice ? at + 1 : at);
  rest_.remove_prefix(at + (twice ? 2 : 1));
  return twice || Field(vm, out);
}

// After the opening brace.
bool Markup::Field(Vm& vm, MarkupField* out) {
  out->present = true;
  const std::string_view s = rest_;
  size_t at = 0;
  for (; at < s.size() && s[at] != '}' && s[at] != ':' && s[at] != '!'; ++at) {
    if (s[at] == '{') return Wrong(vm, "unexpected '{' in field name");
    if (s[at] != '[') continue;
    while (at + 1 < s.size() && s[at + 1] != ']') ++at;
  }
  if (at >= s.size()) return Wrong(vm, "expected '}' before end of string");
  out->name = s.substr(0, at);
  char c = s[at++];
  if (c == '!') {
    if (at >= s.size()) return Wrong(vm, "end of string while looking for conversion specifier");
    out->conversion = Utf8Next(s, &at);
    if (at < s.size()) {
      c = s[at++];
      if (c != '}' && c != ':') return Wrong(vm, "expected ':' after conversion specifier");
    } else {
      return Wrong(vm, "unmatched '{' in format spec");
    }
  }
  if (c == '}') {
    rest_ = s.substr(at);
    return true;
  }
  const size_t start = at;
  for (int depth = 1; at < s.size(); ++at) {
    if (s[at] == '{') {
      out->nested = true;
      ++depth;
    } else if (s[at] == '}' && --depth == 0) {
      out->spec = s.substr(start, at - start);
      rest_ = s.substr(at + 1);
      return true;
    }
  }
  return Wrong(vm, "unmatched '{' in format spec");
}

bool FieldNumber(Vm& vm, std::string_view text, int64_t* number) {
  *number = -1;
  int64_t value = 0;
  if (text.empty()) return true;
  for (size_t at = 0; at < text.size();) {
    const int digit = DecimalValue(Utf8Next(text, &at));
    if (digit < 0) return true;
    if (value > (INT64_MAX - digit) / 10)
      return Wrong(vm, "Too many decimal digits in format string");
    value = value * 10 + digit;
  }
  *number = value;
  return true;
}

bool FieldPath::Next(Vm& vm, FieldStep* out) {
  *out = FieldStep();
  if (rest_.empty()) {
    out->end = true;
    return true;
  }
  const char kind = rest_[0];
  rest_.remove_prefix(1);
  if (kind == '.') {
    out->attribute = true;
    const size_t end = std::min(rest_.find_first_of(".["), rest_.size());
    out->text = rest_.substr(0, end);
    rest_.remove_prefix(end);
  } else if (kind == '[') {
    const size_t end = rest_.find(']');
    if (end == std::string_view::npos) return Wrong(vm, "Missing ']' in format string");
    out->text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (!FieldNumber(vm, out->text, &out->number)) return false;
  } else {
    return Wrong(vm, "Only '.' or '[' may follow ']' in format field specifier");
  }
  return !out->text.empty() || Wrong(vm, "Empty attribute in format string");
}

Value ConvertField(Vm& vm, Value v, int conversion) {
  if (conversion == 's') return vm.StrValue(v);
  std::string out;
  if (!(conversion == 'a' ? AsciiRepr(vm, v, &out) : vm.Repr(v, &out))) return Value();
  return vm.NewString(out);
}

}  // namespace ferry::vm

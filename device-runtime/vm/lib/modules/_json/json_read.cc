#include <cmath>
#include <cstdlib>

#include "device-runtime/vm/lib/modules/_json/json.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// Raises json.JSONDecodeError(message, text, place); false.
bool WrongAt(Vm& vm, const char* message, Value text, int64_t place) {
  if (vm.failed()) return false;
  const Value module = vm.Imported("_json");
  String* name = vm.Intern("JSONDecodeError");
  if (module.empty() || name == nullptr) return false;
  Roots roots(vm);
  roots.Add(text);
  const Value cls = vm.GetAttributeOrEmpty(module, name);
  Value args[3] = {roots.Add(vm.NewString(message)), text, Value::SmallInt(place)};
  if (args[0].empty()) return false;
  if (cls.empty()) {
    vm.RaiseValue(Error::kValueError, args[0]);
    return false;
  }
  const Value exception = vm.Call(cls, args, 3);
  if (exception.empty()) return false;
  if (Is(exception, Type::kException)) {
    vm.pending = exception;
  } else {
    vm.RaiseValue(Error::kValueError, args[0]);
  }
  return false;
}

bool Wrong(Vm& vm, const char* message, Value text, size_t offset) {
  return WrongAt(vm, message, text, static_cast<int64_t>(CodePoints(Text(text).substr(0, offset))));
}

bool Blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class Reader {
 public:
  Reader(Vm& vm, Value text, const JsonHooks& hooks)
      : vm_(vm),
        text_(text),
        s_(Text(text)),
        hooks_(hooks),
        scratch_(vm),
        hooked_(!hooks.object.empty() || !hooks.pairs.empty() || !hooks.real.empty() ||
                !hooks.integer.empty() || !hooks.constant.empty()) {}

  bool Read(Value* out);
  void Skip() {
    while (at < s_.size() && Blank(s_[at])) ++at;
  }
  bool Error(const char* message, size_t offset) { return Wrong(vm_, message, text_, offset); }
  bool over() const { return at >= s_.size(); }

  size_t at = 0;

 private:
  char Peek() const { return at < s_.size() ? s_[at] : '\0'; }
  bool String(Value* out);
  bool Escape(size_t start);
  bool Unit(uint32_t* unit);
  bool Number(Value* out);
  bool Array(Value* out);
  bool Object(Value* out);
  bool Close(Value dict, Value pairs, Value* out);
  bool Word(std::string_view word, Value* out, Value value, bool constant);
  Value Shared(std::string_view key);

  Vm& vm_;
  const Value text_;
  const std::string_view s_;
  const JsonHooks& hooks_;
  TextBuilder scratch_;
  int levels_ = 0;
  // Strings read lately. Without hooks no script runs, so nothing is collected meanwhile.
  static constexpr size_t kShared = 64;
  Value shared_[kShared];
  const bool hooked_;
};

// Four hexadecimal digits after "\u"; `at` is behind the 'u'.
bool Reader::Unit(uint32_t* unit) {
  *unit = 0;
  for (size_t i = 0; i < 4; ++i) {
    const char c = at + i < s_.size() ? s_[at + i] : '\0';
    const char lower = static_cast<char>(c | 32);
    if (c >= '0' && c <= '9') {
      *unit = *unit * 16 + static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      *unit = *unit * 16 + static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return Error("Invalid \\uXXXX escape", at - 1);
    }
  }
  // Without the closing quote the text is not whole.
  if (at + 4 >= s_.size()) return Error("Invalid \\uXXXX escape", at - 1);
  at += 4;
  return true;
}

// After a backslash at `at`.
bool Reader::Escape(size_t start) {
  if (at + 1 >= s_.size()) return Error("Unterminated string starting at", start);
  static constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
  const char c = s_[at + 1];
  if (c != 'u') {
    const size_t known = kFrom.find(c);
    if (known == std::string_view::npos) return Error("Invalid \\escape", at);
    at += 2;
    return scratch_.Append(kTo[known]);
  }
  at += 2;
  uint32_t unit;
  if (!Unit(&unit)) return false;
  if (unit >= 0xD800 && unit < 0xDC00 && s_.substr(at, 2) == "\\u") {
    const size_t before = at;
    uint32_t low;
    at += 2;
    if (!Unit(&low)) return false;
    if (low >= 0xDC00 && low < 0xE000) {
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    } else {
      at = before;
    }
  }
  return scratch_.AppendCode(unit);
}

// The string whose opening quote is at `at`.
bool Reader::String(Value* out) {
  const size_t start = at++;
  scratch_.Shrink(0);
  for (size_t from = at;;) {
    while (at < s_.size() && s_[at] != '"' && s_[at] != '\\' &&
           static_cast<unsigned char>(s_[at]) >= 0x20)
      ++at;
    if (at >= s_.size()) return Error("Unterminated string starting at", start);
    const std::string_view part = s_.substr(from, at - from);
    if (s_[at] == '"') {
      if (scratch_.size() == 0) {
        *out = Shared(part);
      } else {
        *out = scratch_.Append(part) ? vm_.NewString(scratch_.view()) : Value();
      }
      ++at;
      return !out->empty();
    }
    if (!scratch_.Append(part)) return false;
    if (s_[at] == '\\') {
      if (!Escape(start)) return false;
    } else if (hooks_.strict) {
      return Error("Invalid control character at", at);
    } else if (!scratch_.Append(s_[at++])) {
      return false;
    }
    from = at;
  }
}

// A string that was read lately is not made again: keys repeat.
Value Reader::Shared(std::string_view key) {
  constexpr size_t kLongest = 32;
  if (key.empty() || key.size() > kLongest || hooked_) return vm_.NewString(key);
  const auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(key[i]));
  };
  const size_t place =
      (byte(0) * 31 + byte(key.size() - 1) * 7 + byte(key.size() / 2) + key.size()) % kShared;
  Value& known = shared_[place];
  if (!known.empty() && Text(known) == key) return known;
  known = vm_.NewString(key);
  return known;
}

bool Reader::Number(Value* out) {
  const size_t start = at;
  size_t i = at;
  const auto digit = [&](size_t k) { return k < s_.size() && s_[k] >= '0' && s_[k] <= '9'; };
  if (i < s_.size() && s_[i] == '-') ++i;
  if (!digit(i)) return Error("Expecting value", start);
  if (s_[i] == '0') {
    ++i;
  } else {
    while (digit(i)) ++i;
  }
  bool real = false;
  if (i < s_.size() && s_[i] == '.' && digit(i + 1)) {
    real = true;
    for (++i; digit(i);) ++i;
  }
  if (i < s_.size() && (s_[i] == 'e' || s_[i] == 'E')) {
    size_t k = i + 1;
    if (k < s_.size() && (s_[k] == '+' || s_[k] == '-')) ++k;
    if (digit(k)) {
      real = true;
      for (i = k; digit(i);) ++i;
    }
  }
  at = i;
  const std::string_view part = s_.substr(start, i - start);
  const Value hook = real ? hooks_.real : hooks_.integer;
  if (!hook.empty()) {
    Roots roots(vm_);
    Value argument = roots.Add(vm_.NewString(part));
    *out = argument.empty() ? argument : vm_.Call(hook, &argument, 1);
    return !out->empty();
  }
  if (!real && part.size() < 15) {
    int64_t value = 0;
    for (char c : part)
      if (c != '-') value = value * 10 + (c - '0');
    *out = Value::SmallInt(part[0] == '-' ? -value : value);
    return true;
  }
  if (!real) {
    Value argument = vm_.NewString(part);
    if (argument.empty()) return false;
    *out = vm_.Call(Value::Of(vm_.classes[kIntClass]), &argument, 1);
    return !out->empty();
  }
  char buffer[64];
  if (part.size() < sizeof buffer) {
    part.copy(buffer, part.size());
    buffer[part.size()] = '\0';
    *out = Value::Float(std::strtod(buffer, nullptr));
    return true;
  }
  if (!vm_.Scratch(part.size()) || !vm_.ChargeSteps(static_cast<int64_t>(part.size() / 4)))
    return false;
  *out = Value::Float(std::strtod(std::string(part).c_str(), nullptr));
  return true;
}

bool Reader::Word(std::string_view word, Value* out, Value value, bool constant) {
  if (s_.substr(at, word.size()) != word) {
    return word[0] == '-' ? Number(out) : Error("Expecting value", at);
  }
  at += word.size();
  *out = value;
  if (!constant || hooks_.constant.empty()) return true;
  Roots roots(vm_);
  Value argument = roots.Add(vm_.NewString(word));
  *out = argument.empty() ? argument : vm_.Call(hooks_.constant, &argument, 1);
  return !out->empty();
}

bool Reader::Array(Value* out) {
  Roots roots(vm_);
  const Value list = *out = roots.Add(vm_.NewList(nullptr, 0));
  if (list.empty()) return false;
  ++at;
  Skip();
  if (Peek() == ']' && !over()) {
    ++at;
    return true;
  }
  for (;;) {
    Value item;
    if (!Read(&item) || !vm_.Append(As<List>(list), item)) return false;
    Skip();
    if (!over() && s_[at] == ',') {
      ++at;
      Skip();
      continue;
    }
    if (over() || s_[at] != ']') return Error("Expecting ',' delimiter", at);
    ++at;
    *out = list;
    return true;
  }
}

bool Reader::Close(Value dict, Value pairs, Value* out) {
  *out = pairs.empty() ? dict : pairs;
  const Value hook = pairs.empty() ? hooks_.object : hooks_.pairs;
  if (hook.empty()) return true;
  const Value argument = *out;
  *out = vm_.Call(hook, &argument, 1);
  return !out->empty();
}

bool Reader::Object(Value* out) {
  Roots roots(vm_);
  const bool paired = !hooks_.pairs.empty();
  const Value made = roots.Add(paired ? vm_.NewList(nullptr, 0) : vm_.NewDict());
  if (made.empty()) return false;
  const Value dict = paired ? Value() : made, pairs = paired ? made : Value();
  ++at;
  Skip();
  if (!over() && s_[at] == '}') {
    ++at;
    return Close(dict, pairs, out);
  }
  for (;;) {
    Value pair[2];
    if (over() || s_[at] != '"')
      return Error("Expecting property name enclosed in double quotes", at);
    if (!String(&pair[0])) return false;
    Roots member(vm_);
    member.Add(pair[0]);
    Skip();
    if (over() || s_[at] != ':') return Error("Expecting ':' delimiter", at);
    ++at;
    Skip();
    if (!Read(&pair[1])) return false;
    if (paired) {
      Value tuple = vm_.NewTuple(pair, 2);
      if (tuple.empty() || !vm_.Append(As<List>(pairs), tuple)) return false;
    } else if (!vm_.DictSet(As<Dict>(dict), pair[0], pair[1])) {
      return false;
    }
    Skip();
    if (!over() && s_[at] == ',') {
      ++at;
      Skip();
      continue;
    }
    if (over() || s_[at] != '}') return Error("Expecting ',' delimiter", at);
    ++at;
    return Close(dict, pairs, out);
  }
}

bool Reader::Read(Value* out) {
  if (!vm_.ChargeSteps(1)) return false;
  switch (Peek()) {
    case '"':
      return String(out);
    case '{':
    case '[': {
      const bool array = Peek() == '[';
      if (++levels_ > kMaxJsonLevels) {
        vm_.TooDeep(array ? " while decoding a JSON array from a unicode string"
                          : " while decoding a JSON object from a unicode string");
        return false;
      }
      const bool ok = array ? Array(out) : Object(out);
      --levels_;
      return ok;
    }
    case 'n':
      return Word("null", out, Value::None(), false);
    case 't':
      return Word("true", out, Value::Bool(true), false);
    case 'f':
      return Word("false", out, Value::Bool(false), false);
    case 'N':
      return Word("NaN", out, Value::Float(std::nan("")), true);
    case 'I':
      return Word("Infinity", out, Value::Float(HUGE_VAL), true);
    case '-':
      return Word("-Infinity", out, Value::Float(-HUGE_VAL), true);
    default:
      return Number(out);
  }
}

}  // namespace

Value ScanJson(Vm& vm, Value text, int64_t index, const JsonHooks& hooks) {
  Roots roots(vm);
  const auto* s = As<vm::String>(text);
  Reader reader(vm, text, hooks);
  if (index > s->length) {
    WrongAt(vm, "Expecting value", text, index);
    return Value();
  }
  reader.at =
      s->ascii() ? static_cast<size_t>(index) : Utf8Offset(s->view(), static_cast<size_t>(index));
  Value pair[2];
  if (!vm.ChargeSteps(s->ascii() ? 0 : s->size / 64) || !reader.Read(&pair[0])) return Value();
  roots.Add(pair[0]);
  pair[1] = Value::SmallInt(
      static_cast<int64_t>(s->ascii() ? reader.at : CodePoints(s->view().substr(0, reader.at))));
  return vm.NewTuple(pair, 2);
}

Value LoadJson(Vm& vm, Value text) {
  Roots roots(vm);
  const JsonHooks hooks;
  Reader reader(vm, text, hooks);
  if (!vm.ChargeSteps(As<vm::String>(text)->size / 16)) return Value();
  if (Text(text).starts_with("\xEF\xBB\xBF")) {
    reader.Error("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0);
    return Value();
  }
  Value out;
  reader.Skip();
  if (!reader.Read(&out)) return Value();
  reader.Skip();
  if (!reader.over()) {
    reader.Error("Extra data", reader.at);
    return Value();
  }
  return out;
}

}  // namespace ferry::vm

#include <algorithm>
#include <cstdio>

#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/complex.h"
#include "device-runtime/vm/text/format/short.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// Levels of values inside values, as CPython's recursion limit allows.
constexpr size_t kMaxReprDepth = 990;

bool Items(Vm& vm, const Value* items, size_t count, const char* open, const char* close,
           std::string* out) {
  *out += open;
  if (!vm.ChargeSteps(static_cast<int64_t>(count / 8))) return false;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) *out += ", ";
    if (!vm.Repr(items[i], out)) return false;
  }
  *out += close;
  return true;
}

// A list's own: __repr__ of its items may change it.
bool ListRepr(Vm& vm, List* list, std::string* out) {
  *out += "[";
  if (!vm.ChargeSteps(list->size / 8)) return false;
  for (uint32_t i = 0; i < list->size; ++i) {
    if (i > 0) *out += ", ";
    if (!vm.Repr(list->items[i], out)) return false;
  }
  *out += "]";
  return true;
}

bool DictRepr(Vm& vm, Dict* dict, std::string* out) {
  const bool map = dict->type == Type::kDict;
  // A plain set shows no name unless it is empty.
  const bool named = !map && (dict->type == Type::kFrozenSet || dict->derived != 0);
  if (!map && dict->count == 0) {
    out->append(vm.TypeName(Value::Of(dict))) += "()";
    return true;
  }
  if (named) out->append(vm.TypeName(Value::Of(dict))) += "(";
  *out += "{";
  bool first = true;
  if (!vm.ChargeSteps(dict->used / 8)) return false;
  for (uint32_t i = 0; i < dict->used; ++i) {
    const Entry entry = dict->entries[i];
    if (entry.key.empty()) continue;
    Roots roots(vm);
    roots.Add(entry.value);
    if (!first) *out += ", ";
    first = false;
    if (!vm.Repr(entry.key, out)) return false;
    if (map) {
      *out += ": ";
      if (!vm.Repr(entry.value, out)) return false;
    }
  }
  *out += named ? "})" : "}";
  return true;
}

// One level of values inside values. A container that is being printed is not printed again.
class ReprLevel {
 public:
  ReprLevel(Vm& vm, Value v) : vm_(vm) {
    const Type type = v.object()->type;
    container_ = type == Type::kList || type == Type::kDict || type == Type::kTuple;
    auto& active = vm.repr_active;
    repeated_ = container_ && std::find(active.begin(), active.end(), v.object()) != active.end();
    if (repeated_) return;
    ok_ = active.size() < kMaxReprDepth;
    if (!ok_) {
      vm.TooDeep(" while getting the repr of an object");
      return;
    }
    active.push_back(container_ ? v.object() : nullptr);
    pushed_ = true;
  }
  ~ReprLevel() {
    if (pushed_) vm_.repr_active.pop_back();
  }
  bool repeated() const { return repeated_; }
  bool ok() const { return ok_; }

 private:
  Vm& vm_;
  bool container_ = false, repeated_ = false, ok_ = false, pushed_ = false;
};

// Quotes `text`, which may grow to several times its size.
bool QuoteText(Vm& vm, std::string_view text, bool ascii, std::string* out) {
  size_t size = out->size() + text.size();
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    size += byte < 0x20 || byte == 0x7F ? 3 : byte >= 0xC0 ? 7 : 0;
  }
  if (!vm.Scratch(2 * size) || !vm.ChargeSteps(static_cast<int64_t>(text.size() / 16)))
    return false;
  AppendQuoted(text, ascii, out);
  return true;
}

// ASCII that stands for itself between quotes.
bool NeedsNoEscape(std::string_view text) {
  for (char c : text)
    if (c < ' ' || c >= 0x7F || c == '\'' || c == '\\') return false;
  return true;
}

bool ObjectRepr(Vm& vm, Value v, std::string* out) {
  switch (v.object()->type) {
    case Type::kString:
      return QuoteText(vm, Text(v), false, out);
    case Type::kBytes:
      return BufferRepr(vm, v, out);
    case Type::kComplex:
      *out += ComplexRepr({As<Complex>(v)->real, As<Complex>(v)->imaginary});
      return true;
    case Type::kByteArray:
    case Type::kArray:
    case Type::kMemoryView:
      return BufferRepr(vm, v, out);
    case Type::kBigInt:
      return AppendInt(vm, v, 10, out);
    case Type::kList:
      return ListRepr(vm, As<List>(v), out);
    case Type::kTuple:
      return Items(vm, As<Tuple>(v)->items, As<Tuple>(v)->size, "(",
                   As<Tuple>(v)->size == 1 ? ",)" : ")", out);
    case Type::kDict:
    case Type::kSet:
    case Type::kFrozenSet:
      return DictRepr(vm, As<Dict>(v), out);
    case Type::kRange: {
      auto* range = As<Range>(v);
      if (IsWide(range)) {
        const auto* part = Cast<WideRange>(range)->part;
        return Items(vm, part, part[2] == Value::SmallInt(1) ? 2 : 3, "range(", ")", out);
      }
      *out += range->step == 1
                  ? fmt::format("range({}, {})", range->start, range->stop)
                  : fmt::format("range({}, {}, {})", range->start, range->stop, range->step);
      return true;
    }
    case Type::kSlice: {
      Value parts[] = {As<Slice>(v)->start, As<Slice>(v)->stop, As<Slice>(v)->step};
      return Items(vm, parts, 3, "slice(", ")", out);
    }
    case Type::kException: {
      auto* exception = As<Exception>(v);
      auto* args = As<Tuple>(exception->args);
      *out += exception->cls->name->view();
      return Items(vm, args->items, args->size, "(", ")", out);
    }
    case Type::kModule:
      *out += fmt::format("<module '{}'{}>", As<Module>(v)->name->view(),
                          As<Module>(v)->file->view().starts_with("<") ? " (built-in)" : "");
      return true;
    case Type::kEllipsis:
      *out += v == vm.ellipsis ? "Ellipsis" : "NotImplemented";
      return true;
    default:
      *out += fmt::format("<{} object>", vm.TypeName(v));
      return true;
  }
}

}  // namespace

bool Vm::ReprPlain(Value v, std::string* out) {
  ShortText quick;
  if (ShortStr(v, &quick)) {
    *out += quick.view();
  } else if (IsExact(v, Type::kString) && NeedsNoEscape(Text(v))) {
    if (!Scratch((out->size() + Text(v).size()) * 3) ||
        !ChargeSteps(1 + static_cast<int64_t>(Text(v).size() / 16)))
      return false;
    *out += '\'';
    *out += Text(v);
    *out += '\'';
  } else if (v.IsFloat()) {
    *out += FloatRepr(v.AsFloat());
  } else if (!v.IsObject()) {
    *out += v.IsTrue() ? "True" : v.IsFalse() ? "False" : "None";
  } else {
    if (!Scratch(out->size() * 3) || !ChargeSteps(1)) return false;
    Roots roots(*this);
    roots.Add(v);
    ReprLevel level(*this, v);
    if (level.repeated()) {
      *out += Is(v, Type::kDict) ? "{...}" : Is(v, Type::kTuple) ? "(...)" : "[...]";
      return true;
    }
    if (!level.ok()) return false;
    bool handled;
    bool ok = ObjectText(*this, v, out, &handled);
    if (!handled) ok = ObjectRepr(*this, v, out);
    return ok;
  }
  return true;
}

bool Vm::StrPlain(Value v, std::string* out) {
  if (IsStr(v)) {
    *out += Text(v);
    return true;
  }
  if (IsView(v, ViewKind::kProxy)) return Str(As<View>(v)->source, out);
  if (IsBytes(v)) return ReprPlain(v, out);  // a __repr__ of their class is not asked
  if (Is(v, Type::kException)) {
    auto* exception = As<Exception>(v);
    auto* args = As<Tuple>(exception->args);
    bool done;
    if (!ExceptionText(*this, exception, out, &done) || done) return !failed();
    if (args->size == 0) return true;
    if (args->size > 1) return Repr(exception->args, out);
    if (IsSubclass(exception->cls, errors[static_cast<int>(Error::kKeyError)]))
      return Repr(args->items[0], out);
    if (native_depth > kMaxNativeDepth) {
      TooDeep(" while getting the repr of an object");
      return false;
    }
    ++native_depth;
    const bool ok = Str(args->items[0], out);
    --native_depth;
    return ok;
  }
  return Repr(v, out);
}

bool AsciiRepr(Vm& vm, Value v, std::string* out) {
  std::string text;
  if (!vm.Repr(v, &text)) return false;
  char buffer[16];
  for (size_t at = 0; at < text.size();) {
    const uint32_t c = Utf8Next(text, &at);
    if (c < 0x80) {
      out->push_back(static_cast<char>(c));
      continue;
    }
    const char* form = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
    std::snprintf(buffer, sizeof buffer, form, c);
    *out += buffer;
  }
  return vm.ChargeSteps(static_cast<int64_t>(text.size() / 32));
}

Value Vm::StrValue(Value v) {
  if (IsExact(v, Type::kString)) return v;
  ShortText quick;
  if (ShortStr(v, &quick)) return NewAscii(*this, quick.view());
  std::string out;
  return Str(v, &out) ? NewString(out) : Value();
}

}  // namespace ferry::vm

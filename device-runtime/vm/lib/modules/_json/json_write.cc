#include <algorithm>
#include <cmath>

#include "device-runtime/vm/exec/collections/sort.h"
#include "device-runtime/vm/lib/modules/_json/json.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

bool Quote(std::string_view s, bool ascii, TextBuilder* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto unit = [&](uint32_t u) {
    const char text[] = {'\\',        'u', kHex[u >> 12], kHex[u >> 8 & 15], kHex[u >> 4 & 15],
                         kHex[u & 15]};
    return out->Append(std::string_view(text, sizeof text));
  };
  if (!out->Append('"')) return false;
  for (size_t at = 0; at < s.size();) {
    size_t end = at;
    while (end < s.size()) {
      const auto c = static_cast<unsigned char>(s[end]);
      if (c < 0x20 || c == '"' || c == '\\' || (ascii && c >= 0x7F)) break;
      ++end;
    }
    if (!out->Append(s.substr(at, end - at))) return false;
    at = end;
    if (at == s.size()) break;
    static constexpr std::string_view kFrom = "\"\\\n\r\t\b\f", kTo = "\"\\nrtbf";
    const uint32_t c = Utf8Next(s, &at);
    const size_t known = c < 0x80 ? kFrom.find(static_cast<char>(c)) : std::string_view::npos;
    bool ok;
    if (known != std::string_view::npos) {
      const char text[] = {'\\', kTo[known]};
      ok = out->Append(std::string_view(text, 2));
    } else if (c < 0x10000) {
      ok = unit(c);
    } else {
      ok = unit(0xD800 + ((c - 0x10000) >> 10)) && unit(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
    if (!ok) return false;
  }
  return out->Append('"');
}

struct Writer {
  Vm& vm;
  const JsonForm& form;
  TextBuilder out;
  std::vector<const Object*> open;  // values around, for cycles; at most kMaxJsonLevels
  int64_t shift = 0;                // levels of `open` that lines are not indented for, negative

  Writer(Vm& vm_in, const JsonForm& form_in) : vm(vm_in), form(form_in), out(vm_in) {}

  bool Line() {
    if (!form.pretty) return true;
    return out.Append('\n') &&
           out.Fill(form.indent, static_cast<size_t>(static_cast<int64_t>(open.size()) + shift));
  }
  bool Separate(bool first) { return (first || out.Append(form.item_separator)) && Line(); }
  bool Enter(const Object* object);
  bool Leave(bool any, char close) {
    open.pop_back();
    return (!any || Line()) && out.Append(close);
  }
  bool Number(Value v);
  bool Float(double d);
  bool Key(Value key, bool* skip);
  bool Items(Value v);
  bool Members(Value v);
  bool Pairs(Value pairs, bool* any);
  bool Sorted(Value v, Value list);
  bool Member(Value key, Value value, bool* any);
  bool Fallback(Value v);
  bool Write(Value v);
};

bool Writer::Enter(const Object* object) {
  if (open.size() >= kMaxJsonLevels) {
    vm.TooDeep(" while encoding a JSON object");
    return false;
  }
  if (form.check_circular && object != nullptr &&
      std::find(open.begin(), open.end(), object) != open.end()) {
    vm.Raise(Error::kValueError, "Circular reference detected");
    return false;
  }
  open.push_back(object);
  return true;
}

bool Writer::Float(double d) {
  if (!std::isfinite(d)) {
    if (!form.allow_nan) {
      vm.Raise(Error::kValueError, "Out of range float values are not JSON compliant");
      return false;
    }
    return out.Append(std::isnan(d) ? "NaN" : d > 0 ? "Infinity" : "-Infinity");
  }
  return out.Append(FloatRepr(d));
}

// Ints and floats, those of derived classes as if they were not derived.
bool Writer::Number(Value v) {
  v = Plain(v);
  if (v.IsFloat()) return Float(v.AsFloat());
  std::string text;
  return vm.ReprPlain(v, &text) && out.Append(text);
}

bool Writer::Key(Value key, bool* skip) {
  *skip = false;
  double d;
  if (IsStr(key)) return Quote(Text(key), form.ascii, &out);
  if (key.IsNone() || key.IsBool())
    return out.Append(key.IsNone() ? "\"null\"" : key.IsTrue() ? "\"true\"" : "\"false\"");
  if (IsInt(key) || AsDouble(key, &d)) return out.Append('"') && Number(key) && out.Append('"');
  *skip = form.skip_keys;
  if (!*skip)
    vm.Throw(Error::kTypeError, "keys must be str, int, float, bool or None, not {}",
             vm.ClassOf(key)->name->view());
  return false;
}

bool Writer::Items(Value v) {
  const auto size = [&] { return Is(v, Type::kList) ? As<List>(v)->size : As<Tuple>(v)->size; };
  if (size() == 0) return out.Append("[]");
  Roots roots(vm);
  roots.Add(v);  // `fallback` may take it out of what holds it
  if (!Enter(v.object()) || !out.Append('[')) return false;
  for (uint32_t i = 0; i < size(); ++i) {
    const Value item = Is(v, Type::kList) ? As<List>(v)->items[i] : As<Tuple>(v)->items[i];
    if (!Separate(i == 0) || !Write(item)) return false;
  }
  return Leave(true, ']');
}

bool Writer::Member(Value key, Value value, bool* any) {
  Roots roots(vm);
  roots.Add(key);
  roots.Add(value);
  const size_t before = out.size();
  bool skip;
  if (!Separate(!*any)) return false;
  if (!Key(key, &skip)) {
    if (!skip) return false;
    out.Shrink(before);
    return true;
  }
  *any = true;
  return out.Append(form.key_separator) && Write(value);
}

// The members in the order of their keys.
bool Writer::Sorted(Value v, Value list) {
  auto* dict = As<Dict>(v);
  for (uint32_t i = 0; i < dict->used; ++i)
    if (!dict->entries[i].key.empty() && !vm.Append(As<List>(list), dict->entries[i].key))
      return false;
  return SortList(vm, As<List>(list), Value(), false);
}

// What items() of a class derived from dict gives.
bool Writer::Pairs(Value pairs, bool* any) {
  Roots roots(vm);
  const Value list = pairs.empty() ? pairs : roots.Add(vm.ToList(pairs));
  if (list.empty() || (form.sort_keys && !SortList(vm, As<List>(list), Value(), false)))
    return false;
  for (uint32_t i = 0; i < As<List>(list)->size; ++i) {
    const Value pair = As<List>(list)->items[i];
    if (!Is(pair, Type::kTuple) || As<Tuple>(pair)->size != 2) {
      vm.Raise(Error::kValueError, "items must return 2-tuples");
      return false;
    }
    if (!Member(As<Tuple>(pair)->items[0], As<Tuple>(pair)->items[1], any)) return false;
  }
  return true;
}

bool Writer::Members(Value v) {
  auto* dict = As<Dict>(v);
  if (dict->count == 0) return out.Append("{}");
  Roots kept(vm);
  kept.Add(v);
  if (!Enter(dict) || !out.Append('{')) return false;
  bool any = false;
  String* items = Derived(v) ? vm.Intern("items") : nullptr;
  if (items != nullptr && !Is(vm.FindInClass(vm.ClassOf(v), items), Type::kNative)) {
    bool found = false;
    if (!Pairs(vm.CallSpecial(v, items, nullptr, 0, &found), &any)) return false;
  } else if (form.sort_keys) {
    Roots roots(vm);
    Value list = roots.Add(vm.NewList(nullptr, 0));
    if (list.empty() || !Sorted(v, list)) return false;
    for (uint32_t i = 0; i < As<List>(list)->size; ++i) {
      const Value key = As<List>(list)->items[i];
      bool failed = false;
      Value* value = vm.DictFind(dict, key, &failed);
      if (failed || (value != nullptr && !Member(key, *value, &any))) return false;
    }
  } else {
    for (uint32_t i = 0; i < dict->used; ++i) {
      const Entry entry = dict->entries[i];
      if (!entry.key.empty() && !Member(entry.key, entry.value, &any)) return false;
    }
  }
  return Leave(any, '}');
}

bool Writer::Fallback(Value v) {
  if (form.fallback.empty()) {
    vm.Throw(Error::kTypeError, "Object of type {} is not JSON serializable",
             vm.ClassOf(v)->name->view());
    return false;
  }
  // The level counts, but what it holds is no further in: lines are indented by depth.
  if (!Enter(v.IsObject() ? v.object() : nullptr)) return false;
  --shift;
  Roots roots(vm);
  const Value other = roots.Add(vm.Call(form.fallback, &v, 1));
  if (other.empty() || !Write(other)) return false;
  ++shift;
  open.pop_back();
  return true;
}

bool Writer::Write(Value v) {
  double d;
  if (!vm.ChargeSteps(1)) return false;
  if (IsStr(v)) return Quote(Text(v), form.ascii, &out);
  if (v.IsNone() || v.IsBool())
    return out.Append(v.IsNone() ? "null" : v.IsTrue() ? "true" : "false");
  if (IsInt(v) || AsDouble(v, &d)) return Number(v);
  if (Is(v, Type::kList) || Is(v, Type::kTuple)) return Items(v);
  if (Is(v, Type::kDict)) return Members(v);
  return Fallback(v);
}

}  // namespace

Value WriteJson(Vm& vm, Value v, const JsonForm& form) {
  Writer writer(vm, form);
  if (!writer.Write(v) || !vm.ChargeSteps(static_cast<int64_t>(writer.out.size() / 16)))
    return Value();
  return writer.out.ToString();
}

Value QuoteJson(Vm& vm, Value text, bool ascii) {
  TextBuilder out(vm);
  return vm.ChargeSteps(As<String>(text)->size / 16) && Quote(Text(text), ascii, &out)
             ? out.ToString()
             : Value();
}

}  // namespace ferry::vm

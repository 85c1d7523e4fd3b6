#include "common/base/json.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/vm/host/json_value.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

Value Loads(Vm& vm, Args& args) {
  if (!Expect(vm, args, "loads", 1, 1)) return Value();
  if (!IsStr(args[0]) && !Is(args[0], Type::kBytes))
    return vm.Throw(Error::kTypeError, "the JSON object must be str or bytes, not {}",
                    vm.TypeName(args[0]));
  const std::string_view text = IsStr(args[0]) ? Text(args[0]) : As<BytesObject>(args[0])->view();
  if (!vm.ChargeSteps(static_cast<int64_t>(text.size() / 8))) return Value();
  Result<Json> json = ParseJson(text);
  return json.ok() ? ValueFromJson(vm, *json)
                   : vm.Raise(Error::kValueError, json.status().message());
}

struct Writer {
  Vm& vm;
  std::string item_separator = ", ", key_separator = ": ";
  std::string indent;
  bool pretty = false, sort_keys = false, ascii = true;
  std::string out;

  void Line(int depth) {
    if (!pretty) return;
    out.push_back('\n');
    for (int i = 0; i < depth; ++i) out += indent;
  }

  void Quote(std::string_view s) {
    out.push_back('"');
    for (size_t i = 0; i < s.size();) {
      const size_t start = i;
      const uint32_t c = Utf8Next(s, &i);
      if (c == '"' || c == '\\')
        out += {'\\', static_cast<char>(c)};
      else if (c == '\n')
        out += "\\n";
      else if (c == '\r')
        out += "\\r";
      else if (c == '\t')
        out += "\\t";
      else if (c == '\b')
        out += "\\b";
      else if (c == '\f')
        out += "\\f";
      else if (c < 0x20 || (ascii && c >= 0x7F && c < 0x10000))
        out += c == 0x7F ? "\x7f" : fmt::format("\\u{:04x}", c);
      else if (ascii && c >= 0x10000)
        out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((c - 0x10000) >> 10),
                           0xDC00 + ((c - 0x10000) & 0x3FF));
      else
        out += s.substr(start, i - start);
    }
    out.push_back('"');
  }

  bool Items(const Value* items, uint32_t count, int depth) {
    if (count == 0) {
      out += "[]";
      return true;
    }
    out.push_back('[');
    for (uint32_t i = 0; i < count; ++i) {
      if (i > 0) out += item_separator;
      Line(depth + 1);
      if (!Write(items[i], depth + 1)) return false;
    }
    Line(depth);
    out.push_back(']');
    return true;
  }

  bool Members(Dict* dict, int depth) {
    std::vector<std::pair<std::string, Value>> members;
    for (uint32_t i = 0; i < dict->used; ++i) {
      const Entry& entry = dict->entries[i];
      if (entry.key.empty()) continue;
      std::string key;
      if (IsStr(entry.key)) {
        key = Text(entry.key);
      } else if (entry.key.IsNone() || entry.key.IsBool()) {
        key = entry.key.IsNone() ? "null" : entry.key.IsTrue() ? "true" : "false";
      } else if (!entry.key.IsFloat() && !IsInt(entry.key)) {
        vm.Throw(Error::kTypeError, "keys must be str, int, float, bool or None, not {}",
                 vm.TypeName(entry.key));
        return false;
      } else if (!vm.Repr(entry.key, &key)) {
        return false;
      }
      members.emplace_back(std::move(key), entry.value);
    }
    if (sort_keys)
      std::stable_sort(members.begin(), members.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    if (members.empty()) {
      out += "{}";
      return true;
    }
    out.push_back('{');
    for (size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out += item_separator;
      Line(depth + 1);
      Quote(members[i].first);
      out += key_separator;
      if (!Write(members[i].second, depth + 1)) return false;
    }
    Line(depth);
    out.push_back('}');
    return true;
  }

  bool Write(Value v, int depth) {
    if (depth > kMaxJsonDepth) {
      vm.Throw(Error::kValueError, "nests deeper than {} levels", kMaxJsonDepth);
      return false;
    }
    if (static_cast<int64_t>(out.size()) > vm.heap.limit()) {
      vm.OutOfMemory();
      return false;
    }
    if (v.IsNone() || v.IsBool()) {
      out += v.IsNone() ? "null" : v.IsTrue() ? "true" : "false";
    } else if (v.IsFloat()) {
      const double d = v.AsFloat();
      out += std::isnan(d)   ? "NaN"
             : std::isinf(d) ? (d > 0 ? "Infinity" : "-Infinity")
                             : FloatRepr(d);
    } else if (IsInt(v)) {
      return vm.Repr(v, &out);
    } else if (IsStr(v)) {
      Quote(Text(v));
    } else if (Is(v, Type::kList)) {
      return Items(As<List>(v)->items, As<List>(v)->size, depth);
    } else if (Is(v, Type::kTuple)) {
      return Items(As<Tuple>(v)->items, As<Tuple>(v)->size, depth);
    } else if (Is(v, Type::kDict)) {
      return Members(As<Dict>(v), depth);
    } else {
      vm.Throw(Error::kTypeError, "Object of type {} is not JSON serializable", vm.TypeName(v));
      return false;
    }
    return true;
  }
};

Value Dumps(Vm& vm, Args& args) {
  Value bound[5];
  static constexpr const char* kNames[] = {"obj", "indent", "sort_keys", "separators",
                                           "ensure_ascii"};
  Writer writer{vm};
  if (!BindBuiltin(vm, args, "dumps", kNames, 1, 1, bound)) return Value();
  if (!bound[1].empty() && !bound[1].IsNone()) {
    int64_t width;
    writer.pretty = true;
    writer.item_separator = ",";
    if (IsStr(bound[1])) {
      if (Text(bound[1]).size() > 64) return vm.Raise(Error::kValueError, "indent is too long");
      writer.indent = Text(bound[1]);
    } else if (!vm.ToIndex(bound[1], &width, "indent", true)) {
      return Value();
    } else {
      writer.indent = std::string(static_cast<size_t>(std::clamp<int64_t>(width, 0, 64)), ' ');
    }
  }
  if (!bound[2].empty() && !vm.Truth(bound[2], &writer.sort_keys)) return Value();
  if (!bound[4].empty() && !vm.Truth(bound[4], &writer.ascii)) return Value();
  if (!bound[3].empty() && !bound[3].IsNone()) {
    Value pair[2];
    if (!vm.Unpack(bound[3], pair, 2)) return Value();
    if (!IsStr(pair[0]) || !IsStr(pair[1]))
      return vm.Raise(Error::kTypeError, "separators must be two strings");
    writer.item_separator = Text(pair[0]);
    writer.key_separator = Text(pair[1]);
  }
  if (!writer.Write(bound[0], 0)) return Value();
  return vm.ChargeSteps(static_cast<int64_t>(writer.out.size() / 8)) ? vm.NewString(writer.out)
                                                                     : Value();
}

constexpr BuiltinRow kRows[] = {{"dumps", Dumps}, {"loads", Loads}};

}  // namespace

Value MakeJson(Vm& vm) {
  Value module = MakeModule(vm, "json", kRows);
  if (module.empty() || !vm.SetVariable(As<Module>(module), "JSONDecodeError",
                                        Value::Of(vm.errors[static_cast<int>(Error::kValueError)])))
    return Value();
  return module;
}

}  // namespace ferry::vm

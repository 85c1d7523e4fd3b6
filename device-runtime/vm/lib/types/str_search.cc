// Methods of str that look for other strings: find, count, replace, startswith ...
#include <algorithm>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/lib/types/str_arguments.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/search.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr size_t kNone = std::string_view::npos;

bool Bound(Vm& vm, Value v, int64_t* out) {
  if (v.IsNone()) return true;
  int64_t i;
  if (SmallOf(v, &i)) {
    *out = i;
    return true;
  }
  if (!IsInt(v) && vm.FindInClass(vm.ClassOf(v), vm.names.index).empty()) {
    vm.Raise(Error::kTypeError,
             "slice indices must be integers or None or have an __index__ method");
    return false;
  }
  return vm.ToIndex(v, out, "index", true);
}

// The part [start, end) that optional arguments from `first` on select, and its byte offset.
bool Window(Vm& vm, Args& args, uint32_t first, std::string_view* part, size_t* offset) {
  const std::string_view s = Text(args[0]);
  const int64_t length = As<String>(args[0])->length;
  int64_t start = 0, end = length;
  if (args.count > first && !Bound(vm, args[first], &start)) return false;
  if (args.count > first + 1 && !Bound(vm, args[first + 1], &end)) return false;
  if (start < 0) start = std::max<int64_t>(start + length, 0);
  if (end < 0) end = std::max<int64_t>(end + length, 0);
  end = std::min(end, length);
  if (start > end) {
    *part = {};
    *offset = kNone;
    return true;
  }
  if (As<String>(args[0])->ascii()) {
    *offset = static_cast<size_t>(start);
    *part = s.substr(*offset, static_cast<size_t>(end - start));
    return true;
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 64))) return false;
  *offset = vm.OffsetOf(As<String>(args[0]), static_cast<size_t>(start));
  const std::string_view rest = s.substr(*offset);
  *part = end == length ? rest : rest.substr(0, Utf8Offset(rest, static_cast<size_t>(end - start)));
  return true;
}

bool Needle(Vm& vm, Args& args, std::string_view* out) {
  if (IsStr(args[1])) {
    *out = Text(args[1]);
    return true;
  }
  vm.Throw(Error::kTypeError, "must be str, not {}", vm.TypeName(args[1]));
  return false;
}

Value Search(Vm& vm, Args& args, const char* name, bool last, bool must) {
  std::string_view what, part;
  size_t offset;
  if (!Counted(vm, args, name, 1, 3) || !Needle(vm, args, &what) ||
      !Window(vm, args, 2, &part, &offset))
    return Value();
  size_t at = kNone;
  if (offset != kNone && !FindText(vm, part, what, 0, last, &at)) return Value();
  if (at == kNone)
    return must ? vm.Raise(Error::kValueError, "substring not found") : Value::SmallInt(-1);
  at += offset;
  return Value::SmallInt(static_cast<int64_t>(
      As<String>(args[0])->ascii() ? at : CodePoints(Text(args[0]).substr(0, at))));
}
Value Find(Vm& vm, Args& args) {
  return Search(vm, args, "find", false, false);
}
Value RFind(Vm& vm, Args& args) {
  return Search(vm, args, "rfind", true, false);
}
Value IndexOf(Vm& vm, Args& args) {
  return Search(vm, args, "index", false, true);
}
Value RIndex(Vm& vm, Args& args) {
  return Search(vm, args, "rindex", true, true);
}

Value Count(Vm& vm, Args& args) {
  std::string_view what, part;
  size_t offset;
  if (!Counted(vm, args, "count", 1, 3) || !Needle(vm, args, &what) ||
      !Window(vm, args, 2, &part, &offset))
    return Value();
  if (offset == kNone) return Value::SmallInt(0);
  if (what.empty()) return Value::SmallInt(static_cast<int64_t>(CodePoints(part)) + 1);
  if (what.size() == 1) {
    if (!vm.ChargeSteps(static_cast<int64_t>(part.size() / 64))) return Value();
    return Value::SmallInt(static_cast<int64_t>(CountByte(part, what[0])));
  }
  int64_t count = 0;
  for (size_t from = 0, at;; from = at + what.size(), ++count) {
    if (!FindText(vm, part, what, from, false, &at)) return Value();
    if (at == kNone) return Value::SmallInt(count);
  }
}

Value Edge(Vm& vm, Args& args, const char* name, bool start) {
  std::string_view part;
  size_t offset;
  if (!Counted(vm, args, name, 1, 3)) return Value();
  const bool many = Is(args[1], Type::kTuple);
  if (!many && !IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "{} first arg must be str or a tuple of str, not {}", name,
                    vm.TypeName(args[1]));
  if (!Window(vm, args, 2, &part, &offset)) return Value();
  const auto matches = [&](Value what) {
    return offset != kNone && (start ? part.starts_with(Text(what)) : part.ends_with(Text(what)));
  };
  const auto charge = [&](Value what) {
    return Text(what).size() > part.size() ||
           vm.ChargeSteps(static_cast<int64_t>(Text(what).size() / 64));
  };
  if (!many) return charge(args[1]) ? Value::Bool(matches(args[1])) : Value();
  for (uint32_t i = 0; i < As<Tuple>(args[1])->size; ++i) {
    Value what = As<Tuple>(args[1])->items[i];
    if (!IsStr(what))
      return vm.Throw(Error::kTypeError, "tuple for {} must only contain str, not {}", name,
                      vm.TypeName(what));
    if (!charge(what)) return Value();
    if (matches(what)) return Value::Bool(true);
  }
  return Value::Bool(false);
}
Value StartsWith(Vm& vm, Args& args) {
  return Edge(vm, args, "startswith", true);
}
Value EndsWith(Vm& vm, Args& args) {
  return Edge(vm, args, "endswith", false);
}

// Between all characters, and at both ends.
Value ReplaceEmpty(Vm& vm, std::string_view s, std::string_view to, int64_t limit) {
  TextBuilder out(vm);
  size_t at = 0;
  for (; limit != 0; --limit) {
    if (!out.Append(to)) return Value();
    if (at >= s.size()) break;
    const size_t size = Utf8Size(s[at]);
    if (!out.Append(s.substr(at, size))) return Value();
    at += size;
  }
  return out.Append(s.substr(at)) && vm.ChargeSteps(static_cast<int64_t>(out.size() / 16))
             ? out.ToString()
             : Value();
}

// One ASCII character by another, everywhere.
Value ReplaceByte(Vm& vm, Value self, char from, char to) {
  const auto* s = As<String>(self);
  if (!vm.ChargeSteps(s->size / 32)) return Value();
  const void* first = std::memchr(s->data, from, s->size);
  if (first == nullptr) return PlainString(vm, self);
  char* out;
  const Value made = NewText(vm, s->size, s->length, &out);
  if (made.empty()) return made;
  const char* data = s->data;
  size_t at = static_cast<size_t>(static_cast<const char*>(first) - data);
  std::memcpy(out, data, at);
  for (; at < s->size; ++at) out[at] = data[at] == from ? to : data[at];
  return made;
}

Value Replace(Vm& vm, Args& args) {
  std::string_view from, to;
  int64_t limit = -1;
  if (!Positional(vm, args, "replace", 2, 3)) return Value();
  for (uint32_t i : {1u, 2u})
    if (!IsStr(args[i]))
      return vm.Throw(Error::kTypeError, "replace() argument {} must be str, not {}", i,
                      args[i].IsNone() ? "None" : vm.TypeName(args[i]));
  from = Text(args[1]);
  to = Text(args[2]);
  if (args.count > 3 && !vm.ToIndex(args[3], &limit, "count")) return Value();
  const std::string_view s = Text(args[0]);
  if (limit < 0 && from.size() == 1 && to.size() == 1)
    return ReplaceByte(vm, args[0], from[0], to[0]);
  if (from.empty() && limit != 0) return ReplaceEmpty(vm, s, to, limit);
  TextBuilder out(vm);
  size_t at = 0;
  for (size_t found; limit != 0; --limit) {
    if (!FindText(vm, s, from, at, false, &found)) return Value();
    if (found == kNone) break;
    if (!out.Append(s.substr(at, found - at)) || !out.Append(to)) return Value();
    at = found + from.size();
  }
  if (at == 0) return PlainString(vm, args[0]);
  return out.Append(s.substr(at)) && vm.ChargeSteps(static_cast<int64_t>(out.size() / 64))
             ? out.ToString()
             : Value();
}

constexpr BuiltinRow kRows[] = {{"count", Count},   {"endswith", EndsWith},    {"find", Find},
                                {"index", IndexOf}, {"replace", Replace},      {"rfind", RFind},
                                {"rindex", RIndex}, {"startswith", StartsWith}};

}  // namespace

bool InstallStrSearch(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kString)], kRows);
}

}  // namespace ferry::vm

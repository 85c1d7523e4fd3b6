// Methods of str that look for other strings: find, split, replace, join ...
#include <algorithm>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/text/search.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr size_t kNone = std::string_view::npos;

bool TextArgument(Vm& vm, Args& args, uint32_t i, std::string_view* out) {
  if (i < args.count && IsStr(args[i])) {
    *out = Text(args[i]);
    return true;
  }
  vm.Throw(Error::kTypeError, "must be str, not {}",
           i < args.count ? vm.TypeName(args[i]) : "nothing");
  return false;
}

// The part [start, end) that optional arguments from `first` on select, and its byte offset.
bool Window(Vm& vm, Args& args, uint32_t first, std::string_view* part, size_t* offset) {
  const std::string_view s = Text(args[0]);
  const int64_t length = As<String>(args[0])->length;
  int64_t start = 0, end = length;
  if (args.count > first && !args[first].IsNone() &&
      !vm.ToIndex(args[first], &start, "start", true))
    return false;
  if (args.count > first + 1 && !args[first + 1].IsNone() &&
      !vm.ToIndex(args[first + 1], &end, "end", true))
    return false;
  if (start < 0) start = std::max<int64_t>(start + length, 0);
  if (end < 0) end = std::max<int64_t>(end + length, 0);
  end = std::min(end, length);
  if (start > end) {
    *part = {};
    *offset = kNone;
    return true;
  }
  *offset = Utf8Offset(s, static_cast<size_t>(start));
  *part = s.substr(*offset, Utf8Offset(s, static_cast<size_t>(end)) - *offset);
  return true;
}

Value Search(Vm& vm, Args& args, bool last, bool must) {
  std::string_view what, part;
  size_t offset;
  if (!Expect(vm, args, "find", 2, 4) || !TextArgument(vm, args, 1, &what) ||
      !Window(vm, args, 2, &part, &offset))
    return Value();
  size_t at = kNone;
  if (offset != kNone && !FindText(vm, part, what, 0, last, &at)) return Value();
  if (at == kNone)
    return must ? vm.Raise(Error::kValueError, "substring not found") : Value::SmallInt(-1);
  return Value::SmallInt(static_cast<int64_t>(CodePoints(Text(args[0]).substr(0, offset + at))));
}
Value Find(Vm& vm, Args& args) {
  return Search(vm, args, false, false);
}
Value RFind(Vm& vm, Args& args) {
  return Search(vm, args, true, false);
}
Value IndexOf(Vm& vm, Args& args) {
  return Search(vm, args, false, true);
}
Value RIndex(Vm& vm, Args& args) {
  return Search(vm, args, true, true);
}

Value Count(Vm& vm, Args& args) {
  std::string_view what, part;
  size_t offset;
  if (!Expect(vm, args, "count", 2, 4) || !TextArgument(vm, args, 1, &what) ||
      !Window(vm, args, 2, &part, &offset))
    return Value();
  if (what.empty()) return Value::SmallInt(static_cast<int64_t>(CodePoints(part)) + 1);
  int64_t count = 0;
  for (size_t at = 0;; at += what.size(), ++count) {
    if (!FindText(vm, part, what, at, false, &at)) return Value();
    if (at == kNone) break;
  }
  return Value::SmallInt(count);
}

Value Edge(Vm& vm, Args& args, bool start) {
  std::string_view part;
  size_t offset;
  if (!Expect(vm, args, start ? "startswith" : "endswith", 2, 4) ||
      !Window(vm, args, 2, &part, &offset))
    return Value();
  const auto matches = [&](Value v) {
    return IsStr(v) && offset != kNone &&
           (start ? part.starts_with(Text(v)) : part.ends_with(Text(v)));
  };
  if (!Is(args[1], Type::kTuple)) {
    std::string_view what;
    return TextArgument(vm, args, 1, &what) ? Value::Bool(matches(args[1])) : Value();
  }
  for (uint32_t i = 0; i < As<Tuple>(args[1])->size; ++i)
    if (matches(As<Tuple>(args[1])->items[i])) return Value::Bool(true);
  return Value::Bool(false);
}
Value StartsWith(Vm& vm, Args& args) {
  return Edge(vm, args, true);
}
Value EndsWith(Vm& vm, Args& args) {
  return Edge(vm, args, false);
}

Value Replace(Vm& vm, Args& args) {
  std::string_view from, to;
  int64_t limit = -1;
  if (!Expect(vm, args, "replace", 3, 4) || !TextArgument(vm, args, 1, &from) ||
      !TextArgument(vm, args, 2, &to) ||
      (args.count > 3 && !vm.ToIndex(args[3], &limit, "count", true)))
    return Value();
  const std::string_view s = Text(args[0]);
  std::string out;
  size_t at = 0;
  while (limit != 0) {
    size_t found = at;
    if (!from.empty() && !FindText(vm, s, from, at, false, &found)) return Value();
    if (found == kNone) break;
    out += s.substr(at, found - at);
    out += to;
    if (static_cast<int64_t>(out.size()) > vm.heap.limit()) return vm.OutOfMemory();
    --limit;
    at = found + from.size();
    if (from.empty()) {
      if (at >= s.size()) break;
      const size_t size = Utf8Size(s[at]);
      out += s.substr(at, size);
      at += size;
    }
  }
  if (at < s.size()) out += s.substr(at);
  return vm.ChargeSteps(static_cast<int64_t>(out.size() / 32)) ? vm.NewString(out) : Value();
}

bool Add(Vm& vm, Value list, std::string_view piece) {
  Value v = vm.NewString(piece);
  return !v.empty() && vm.Append(As<List>(list), v);
}

Value SplitBlanks(Vm& vm, std::string_view s, int64_t limit, bool right) {
  Value list = vm.NewList(nullptr, 0);
  if (list.empty() || !vm.ChargeSteps(static_cast<int64_t>(s.size() / 16))) return Value();
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t at = 0; at < s.size();) {
    size_t next = at;
    if (IsSpace(Utf8Next(s, &next))) {
      at = next;
      continue;
    }
    const size_t start = at;
    while (at < s.size()) {
      next = at;
      if (IsSpace(Utf8Next(s, &next))) break;
      at = next;
    }
    words.emplace_back(start, at);
  }
  const size_t count = words.size(), most = limit < 0 ? count : static_cast<size_t>(limit) + 1;
  if (count > most) {
    if (right) {
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count - most));
      words[0].first = 0;
      size_t start = 0;
      for (size_t next = 0; next < s.size() && IsSpace(Utf8Next(s, &next));) start = next;
      words[0].first = start;
    } else {
      words.resize(most);
      size_t end = s.size();
      while (end > 0 && IsSpace(static_cast<unsigned char>(s[end - 1]))) --end;
      words.back().second = end;
    }
  }
  for (const auto& [start, end] : words)
    if (!Add(vm, list, s.substr(start, end - start))) return Value();
  return list;
}

Value SplitAny(Vm& vm, Args& args, bool right) {
  Value bound[3];
  static constexpr const char* kNames[] = {"self", "sep", "maxsplit"};
  int64_t limit = -1;
  if (!BindBuiltin(vm, args, "split", kNames, 1, 3, bound) ||
      (!bound[2].empty() && !vm.ToIndex(bound[2], &limit, "maxsplit", true)))
    return Value();
  const std::string_view s = Text(args[0]);
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 32))) return Value();
  if (bound[1].empty() || bound[1].IsNone()) return SplitBlanks(vm, s, limit, right);
  if (!IsStr(bound[1]))
    return vm.Throw(Error::kTypeError, "must be str or None, not {}", vm.TypeName(bound[1]));
  const std::string_view separator = Text(bound[1]);
  if (separator.empty()) return vm.Raise(Error::kValueError, "empty separator");
  std::vector<std::string_view> pieces;
  std::string_view rest = s;
  for (size_t at; limit != 0; --limit) {
    if (!FindText(vm, rest, separator, 0, right, &at)) return Value();
    if (at == kNone) break;
    pieces.push_back(right ? rest.substr(at + separator.size()) : rest.substr(0, at));
    rest = right ? rest.substr(0, at) : rest.substr(at + separator.size());
  }
  pieces.push_back(rest);
  if (right) std::reverse(pieces.begin(), pieces.end());
  Value list = vm.NewList(nullptr, pieces.size());
  for (std::string_view piece : pieces)
    if (list.empty() || !Add(vm, list, piece)) return Value();
  return list;
}
Value Split(Vm& vm, Args& args) {
  return SplitAny(vm, args, false);
}
Value RSplit(Vm& vm, Args& args) {
  return SplitAny(vm, args, true);
}

Value SplitLines(Vm& vm, Args& args) {
  Value list = vm.NewList(nullptr, 0);
  const std::string_view s = Text(args[0]);
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 16))) return Value();
  for (size_t at = 0; at < s.size() && !list.empty();) {
    const size_t end = std::min(s.find_first_of("\r\n", at), s.size());
    if (!Add(vm, list, s.substr(at, end - at))) return Value();
    at = end + (s.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return list;
}

Value PartitionAt(Vm& vm, Args& args, bool last) {
  std::string_view what;
  if (!Expect(vm, args, "partition", 2, 2) || !TextArgument(vm, args, 1, &what)) return Value();
  if (what.empty()) return vm.Raise(Error::kValueError, "empty separator");
  const std::string_view s = Text(args[0]);
  size_t at;
  if (!FindText(vm, s, what, 0, last, &at)) return Value();
  Value parts[3] = {vm.empty_string, vm.empty_string, vm.empty_string};
  if (at == kNone) {
    parts[last ? 2 : 0] = args[0];
  } else {
    parts[0] = vm.NewString(s.substr(0, at));
    parts[1] = args[1];
    parts[2] = vm.NewString(s.substr(at + what.size()));
  }
  return parts[0].empty() || parts[2].empty() ? Value() : vm.NewTuple(parts, 3);
}
Value Partition(Vm& vm, Args& args) {
  return PartitionAt(vm, args, false);
}
Value RPartition(Vm& vm, Args& args) {
  return PartitionAt(vm, args, true);
}

Value Join(Vm& vm, Args& args) {
  if (!Expect(vm, args, "join", 2, 2)) return Value();
  Roots roots(vm);
  Value list = roots.Add(Is(args[1], Type::kList) ? args[1] : vm.ToList(args[1]));
  if (list.empty()) return list;
  std::string out;
  for (uint32_t i = 0; i < As<List>(list)->size; ++i) {
    Value item = As<List>(list)->items[i];
    if (!IsStr(item))
      return vm.Throw(Error::kTypeError, "sequence item {}: expected str instance, {} found", i,
                      vm.TypeName(item));
    if (i > 0) out += Text(args[0]);
    out += Text(item);
    if (static_cast<int64_t>(out.size()) > vm.heap.limit()) return vm.OutOfMemory();
  }
  return vm.ChargeSteps(static_cast<int64_t>(out.size() / 32)) ? vm.NewString(out) : Value();
}

Value RemoveEdge(Vm& vm, Args& args, bool start) {
  std::string_view what, s = Text(args[0]);
  if (!Expect(vm, args, "removeprefix", 2, 2) || !TextArgument(vm, args, 1, &what)) return Value();
  if (start ? s.starts_with(what) : s.ends_with(what))
    return vm.NewString(start ? s.substr(what.size()) : s.substr(0, s.size() - what.size()));
  return args[0];
}
Value RemovePrefix(Vm& vm, Args& args) {
  return RemoveEdge(vm, args, true);
}
Value RemoveSuffix(Vm& vm, Args& args) {
  return RemoveEdge(vm, args, false);
}

constexpr BuiltinRow kRows[] = {{"count", Count},
                                {"endswith", EndsWith},
                                {"find", Find},
                                {"index", IndexOf},
                                {"join", Join, true},
                                {"partition", Partition},
                                {"removeprefix", RemovePrefix},
                                {"removesuffix", RemoveSuffix},
                                {"replace", Replace},
                                {"rfind", RFind},
                                {"rindex", RIndex},
                                {"rpartition", RPartition},
                                {"rsplit", RSplit},
                                {"split", Split},
                                {"splitlines", SplitLines},
                                {"startswith", StartsWith}};

}  // namespace

bool InstallStrSearch(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kString)], kRows);
}

}  // namespace ferry::vm

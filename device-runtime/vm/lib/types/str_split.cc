// Methods of str that take it apart and put it together: split, partition, join ...
#include <algorithm>
#include <cstring>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/lib/types/str_arguments.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/search.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr size_t kNone = std::string_view::npos;

constexpr bool IsAsciiSpace(unsigned char c) {
  return c <= ' ' && ((c >= 9 && c <= 13) || c >= 0x1C);
}

// A list of pieces that grows to the right, or to the left (then Finish turns it round).
class Pieces {
 public:
  // `text`: bytes that will be taken apart; a guess at how many pieces spares growing.
  explicit Pieces(Vm& vm, size_t text = 0) : vm_(vm), list_(vm.NewList(nullptr, 0)) {
    if (ok() && text >= 16 && !vm.Reserve(As<List>(list_), std::min<size_t>(text / 4, 12)))
      list_ = Value();
  }
  bool ok() const { return !list_.empty(); }
  bool Add(std::string_view piece) {
    Value v = vm_.NewString(piece);
    return !v.empty() && vm_.Append(As<List>(list_), v);
  }
  bool AddWhole(Value v) { return vm_.Append(As<List>(list_), v); }
  Value Finish(bool reversed) {
    auto* list = As<List>(list_);
    if (reversed) std::reverse(list->items, list->items + list->size);
    return list_;
  }

 private:
  Vm& vm_;
  Value list_;
};

// The end of the blanks, or of the word, that begin at `at`.
size_t SkipBlanks(std::string_view s, size_t at, bool blanks) {
  while (at < s.size()) {
    size_t next = at;
    if (IsSpace(Utf8Next(s, &next)) != blanks) break;
    at = next;
  }
  return at;
}

size_t SkipBlanksBack(std::string_view s, size_t end, bool blanks) {
  while (end > 0) {
    size_t start = end - 1;
    while (start > 0 && (static_cast<unsigned char>(s[start]) & 0xC0) == 0x80) --start;
    size_t next = start;
    if (IsSpace(Utf8Next(s, &next)) != blanks) break;
    end = start;
  }
  return end;
}

// All words of a text without other characters than ASCII.
Value SplitAscii(Vm& vm, std::string_view s) {
  Pieces pieces(vm, s.size());
  if (!pieces.ok()) return Value();
  const auto blank = [](char c) { return IsAsciiSpace(static_cast<unsigned char>(c)); };
  for (size_t at = 0;;) {
    while (at < s.size() && blank(s[at])) ++at;
    if (at == s.size()) return pieces.Finish(false);
    const size_t start = at;
    while (at < s.size() && !blank(s[at])) ++at;
    if (!pieces.Add(s.substr(start, at - start))) return Value();
  }
}

Value SplitBlanks(Vm& vm, Value self, int64_t limit, bool right) {
  const std::string_view s = Text(self);
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 16))) return Value();
  if (limit < 0 && As<String>(self)->ascii()) return SplitAscii(vm, s);
  Pieces pieces(vm);
  if (!pieces.ok()) return Value();
  size_t at = right ? SkipBlanksBack(s, s.size(), true) : SkipBlanks(s, 0, true);
  while (at != (right ? 0 : s.size())) {
    if (limit == 0) {  // the rest keeps its blanks, those at its far end too
      if (!pieces.Add(right ? s.substr(0, at) : s.substr(at))) return Value();
      break;
    }
    const size_t end = right ? SkipBlanksBack(s, at, false) : SkipBlanks(s, at, false);
    const std::string_view word = right ? s.substr(end, at - end) : s.substr(at, end - at);
    if (!pieces.Add(word)) return Value();
    at = right ? SkipBlanksBack(s, end, true) : SkipBlanks(s, end, true);
    if (limit > 0) --limit;
  }
  return vm.failed() ? Value() : pieces.Finish(right);
}

// By one byte, from the left.
bool SplitByByte(Pieces* pieces, std::string_view* rest, char separator, int64_t limit) {
  while (limit-- != 0) {
    const void* found = std::memchr(rest->data(), separator, rest->size());
    if (found == nullptr) return true;
    const auto at = static_cast<size_t>(static_cast<const char*>(found) - rest->data());
    if (!pieces->Add(rest->substr(0, at))) return false;
    rest->remove_prefix(at + 1);
  }
  return true;
}

Value SplitBy(Vm& vm, Value self, std::string_view separator, int64_t limit, bool right) {
  Pieces pieces(vm, limit < 0 ? Text(self).size() : 0);
  if (!pieces.ok()) return Value();
  std::string_view rest = Text(self);
  if (!vm.ChargeSteps(static_cast<int64_t>(rest.size() / 32))) return Value();
  bool any = false;
  if (separator.size() == 1 && !right && rest.size() <= 4096) {  // FindText charges longer ones
    if (!SplitByByte(&pieces, &rest, separator[0], limit)) return Value();
    any = rest.size() < Text(self).size();
    limit = 0;
  }
  for (size_t at; limit != 0; --limit) {
    if (!FindText(vm, rest, separator, 0, right, &at)) return Value();
    if (at == kNone) break;
    any = true;
    if (!pieces.Add(right ? rest.substr(at + separator.size()) : rest.substr(0, at)))
      return Value();
    rest = right ? rest.substr(0, at) : rest.substr(at + separator.size());
  }
  if (any ? !pieces.Add(rest) : !pieces.AddWhole(PlainString(vm, self))) return Value();
  return vm.failed() ? Value() : pieces.Finish(right);
}

Value SplitAny(Vm& vm, Args& args, const char* name, bool right) {
  Value bound[2];
  static constexpr const char* kNames[] = {"sep", "maxsplit"};
  int64_t limit = -1;
  if (args.count == 2 && args.names == nullptr) {
    bound[0] = args[1];
  } else if (!Named(vm, args, name, kNames, 0, bound) ||
             (!bound[1].empty() && !vm.ToIndex(bound[1], &limit, "maxsplit"))) {
    return Value();
  }
  if (limit < 0) limit = -1;
  if (bound[0].empty() || bound[0].IsNone()) return SplitBlanks(vm, args[0], limit, right);
  if (!IsStr(bound[0]))
    return vm.Throw(Error::kTypeError, "must be str or None, not {}", vm.TypeName(bound[0]));
  if (Text(bound[0]).empty()) return vm.Raise(Error::kValueError, "empty separator");
  return SplitBy(vm, args[0], Text(bound[0]), limit, right);
}
Value Split(Vm& vm, Args& args) {
  return SplitAny(vm, args, "split", false);
}
Value RSplit(Vm& vm, Args& args) {
  return SplitAny(vm, args, "rsplit", true);
}

bool EndsLine(uint32_t c) {
  return (c >= 0xA && c <= 0xD) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

Value SplitLines(Vm& vm, Args& args) {
  Value bound[1];
  static constexpr const char* kNames[] = {"keepends"};
  bool keep = false;
  if (!Named(vm, args, "splitlines", kNames, 0, bound)) return Value();
  if (!bound[0].empty()) {
    int64_t flag;
    if (!vm.ToIndex(bound[0], &flag, "keepends")) return Value();
    keep = flag != 0;
  }
  const std::string_view s = Text(args[0]);
  Pieces pieces(vm);
  if (!pieces.ok() || !vm.ChargeSteps(static_cast<int64_t>(s.size() / 16))) return Value();
  for (size_t at = 0; at < s.size();) {
    size_t end = at, next = at;
    while (end < s.size()) {
      if (static_cast<unsigned char>(s[end]) - 0x20u < 0x5F) {  // most characters
        next = ++end;
        continue;
      }
      next = end;
      if (EndsLine(Utf8Next(s, &next))) break;
      end = next;
    }
    if (end < s.size() && s[end] == '\r' && next < s.size() && s[next] == '\n') ++next;
    if (!pieces.Add(s.substr(at, (keep ? next : end) - at))) return Value();
    at = next;
  }
  return pieces.Finish(false);
}

Value PartitionAt(Vm& vm, Args& args, const char* name, bool last) {
  if (!OneArgument(vm, args, name)) return Value();
  if (!IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "must be str, not {}", vm.TypeName(args[1]));
  const std::string_view what = Text(args[1]), s = Text(args[0]);
  if (what.empty()) return vm.Raise(Error::kValueError, "empty separator");
  size_t at;
  if (!FindText(vm, s, what, 0, last, &at)) return Value();
  Value parts[3] = {vm.empty_string, vm.empty_string, vm.empty_string};
  if (at == kNone) {
    parts[last ? 2 : 0] = PlainString(vm, args[0]);
  } else {
    parts[0] = vm.NewString(s.substr(0, at));
    parts[1] = PlainString(vm, args[1]);
    parts[2] = vm.NewString(s.substr(at + what.size()));
  }
  return vm.failed() ? Value() : vm.NewTuple(parts, 3);
}
Value Partition(Vm& vm, Args& args) {
  return PartitionAt(vm, args, "str.partition", false);
}
Value RPartition(Vm& vm, Args& args) {
  return PartitionAt(vm, args, "str.rpartition", true);
}

// Writes the text; where it ends.
char* Put(char* to, const String* text) {
  if (text->size == 1) {
    *to = *text->data;
  } else {
    std::memcpy(to, text->data, text->size);
  }
  return to + text->size;
}

Value Join(Vm& vm, Args& args) {
  if (!OneArgument(vm, args, "str.join")) return Value();
  Roots roots(vm);
  Value all = args[1];
  if (!IsExact(all, Type::kList) && !IsExact(all, Type::kTuple)) {
    const Value iterator = roots.Add(vm.Iterate(all));
    if (iterator.empty() && vm.TakePending(Error::kTypeError))
      return vm.Raise(Error::kTypeError, "can only join an iterable");
    all = iterator.empty() ? iterator : roots.Add(vm.ToList(iterator));
    if (all.empty()) return all;
  }
  const uint32_t count = Is(all, Type::kList) ? As<List>(all)->size : As<Tuple>(all)->size;
  const Value* items = Is(all, Type::kList) ? As<List>(all)->items : As<Tuple>(all)->items;
  const String* separator = As<String>(args[0]);
  uint64_t size = 0, length = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!IsStr(items[i]))
      return vm.Throw(Error::kTypeError, "sequence item {}: expected str instance, {} found", i,
                      vm.TypeName(items[i]));
    size += As<String>(items[i])->size;
    length += As<String>(items[i])->length;
  }
  if (count == 0) return vm.empty_string;
  if (count == 1) return PlainString(vm, items[0]);
  size += uint64_t{count - 1} * separator->size;
  length += uint64_t{count - 1} * separator->length;
  if (!vm.ChargeSteps(static_cast<int64_t>(size / 64 + count / 8))) return Value();
  char* out;
  Value v = NewText(vm, size, length, &out);
  if (v.empty()) return v;
  for (uint32_t i = 0; i < count; ++i) {
    if (i > 0) out = Put(out, separator);
    out = Put(out, As<String>(items[i]));
  }
  return v;
}

constexpr BuiltinRow kRows[] = {{"join", Join, true},       {"partition", Partition},
                                {"rpartition", RPartition}, {"rsplit", RSplit},
                                {"split", Split},           {"splitlines", SplitLines}};

}  // namespace

bool InstallStrSplit(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kString)], kRows);
}

}  // namespace ferry::vm

// Searching, splitting and replacing by patterns.
#include "device-runtime/vm/lib/modules/_re/re.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

using regex::Anchor;
using regex::Matcher;
using regex::Outcome;

// All matches one after the other; after an empty one the next is not empty at its place.
class Matches {
 public:
  Matches(Vm& vm, Record* pattern, const ReText& text)
      : matcher_(vm, ProgramOf(pattern), text.subject()), at_(text.start) {}
  // False: there are no more, or *failed.
  bool Next(bool* failed) {
    const Outcome outcome = matcher_.Run(at_, Anchor::kSearch, advance_);
    *failed = outcome == Outcome::kFailed;
    if (outcome != Outcome::kFound) return false;
    at_ = static_cast<size_t>(end());
    advance_ = start() == end();
    return true;
  }
  int64_t start() const { return matcher_.mark(0); }
  int64_t end() const { return matcher_.mark(1); }
  const Matcher& matcher() const { return matcher_; }
  // What a group took, or `missing`.
  Value Group(Vm& vm, const ReText& text, uint32_t group, Value missing) const {
    const int64_t from = matcher_.mark(2 * group), to = matcher_.mark(2 * group + 1);
    return from < 0 || to < 0 ? missing : text.Slice(vm, from, to);
  }

 private:
  Matcher matcher_;
  size_t at_;
  bool advance_ = false;
};

Value Empty(Vm& vm, const ReText& text) {
  return text.bytes ? vm.NewBytes("") : vm.empty_string;
}

// What a finditer or scanner holds.
enum ScanValue : uint32_t {
  kScanPattern,
  kScanString,
  kScanAt,
  kScanEnd,
  kScanAdvance,
  kScanPos,
  kScanValues
};

Value ScanNext(Vm& vm, Value self, Anchor anchor) {
  Roots roots(vm);
  roots.Add(self);
  auto* scan = As<Record>(self);
  if (scan->values[kScanAt].IsNone()) return Value();
  ReText text = WholeText(scan->values[kScanString]);
  text.end = static_cast<size_t>(scan->values[kScanEnd].AsSmallInt());
  const auto at = static_cast<size_t>(scan->values[kScanAt].AsSmallInt());
  text.pos = scan->values[kScanPos].AsSmallInt();
  text.endpos = text.PlaceOf(static_cast<int64_t>(text.end));
  Matcher matcher(vm, ProgramOf(As<Record>(scan->values[kScanPattern])), text.subject());
  const Outcome outcome = matcher.Run(at, anchor, scan->values[kScanAdvance].IsTrue());
  if (outcome != Outcome::kFound) {
    scan->values[kScanAt] = Value::None();
    return Value();
  }
  scan->values[kScanAt] = Value::SmallInt(matcher.mark(1));
  scan->values[kScanAdvance] = Value::Bool(matcher.mark(0) == matcher.mark(1));
  return NewMatch(vm, scan->values[kScanPattern], text, matcher);
}
Value IterNext(Vm& vm, Value self) {
  return ScanNext(vm, self, Anchor::kSearch);
}
Value ScannerSearch(Vm& vm, Args& args) {
  Value v = ScanNext(vm, args[0], Anchor::kSearch);
  return v.empty() && !vm.failed() ? Value::None() : v;
}
Value ScannerMatch(Vm& vm, Args& args) {
  Value v = ScanNext(vm, args[0], Anchor::kMatch);
  return v.empty() && !vm.failed() ? Value::None() : v;
}
constexpr BuiltinRow kScannerRows[] = {{"match", ScannerMatch}, {"search", ScannerSearch}};
const RecordType kFindIter{"builtins", "callable_iterator", {}, IterNext};
const RecordType kScanner{"_sre", "SRE_Scanner", kScannerRows};

Value NewScan(Vm& vm, const RecordType& type, Value pattern, Value string, Value pos,
              Value endpos) {
  Roots roots(vm);
  ReText text;
  Class* cls = ClassOfRecord(vm, type);
  if (cls == nullptr || !OpenText(vm, As<Record>(pattern), string, pos, endpos, &text))
    return Value();
  Value v = vm.NewRecord(cls, kScanValues);
  if (v.empty()) return v;
  auto* scan = As<Record>(v);
  scan->values[kScanPattern] = pattern;
  scan->values[kScanString] = text.string;
  scan->values[kScanAt] = Value::SmallInt(static_cast<int64_t>(text.start));
  scan->values[kScanEnd] = Value::SmallInt(static_cast<int64_t>(text.end));
  scan->values[kScanAdvance] = Value::Bool(false);
  scan->values[kScanPos] = Value::SmallInt(text.pos);
  return v;
}

// What stands for one match, as pieces of text.
struct Replacement {
  Value callable, pieces, literal;  // one of them
};

bool OpenReplacement(Vm& vm, Record* pattern, Value given, Roots* roots, Replacement* out) {
  const bool text = IsStr(given) || Is(given, Type::kBytes);
  if (!text) {
    // Anything that can be called: other things fail when they are.
    out->callable = given;
    return true;
  }
  const std::string_view s = IsStr(given) ? Text(given) : As<BytesObject>(given)->view();
  if (s.find('\\') == std::string_view::npos) {
    out->literal = given;
    return true;
  }
  out->pieces = roots->Add(ParseTemplate(vm, pattern, given));
  return !out->pieces.empty();
}

bool AddReplacement(Vm& vm, const Replacement& replacement, Value pattern, const ReText& text,
                    const Matcher& matcher, List* out) {
  if (!replacement.literal.empty()) return vm.Append(out, replacement.literal);
  Roots roots(vm);
  Value match = roots.Add(NewMatch(vm, pattern, text, matcher));
  if (match.empty()) return false;
  if (!replacement.pieces.empty()) return ExpandTemplate(vm, replacement.pieces, text, match, out);
  Value result = vm.Call(replacement.callable, &match, 1);
  return !result.empty() && (result.IsNone() || vm.Append(out, result));
}

}  // namespace

Value ReMatchOnce(Vm& vm, Value pattern, Value string, Value pos, Value endpos, Anchor anchor) {
  ReText text;
  if (!OpenText(vm, As<Record>(pattern), string, pos, endpos, &text)) return Value();
  if (text.start > text.end) return Value::None();
  Matcher matcher(vm, ProgramOf(As<Record>(pattern)), text.subject());
  switch (matcher.Run(text.start, anchor, false)) {
    case Outcome::kFound:
      return NewMatch(vm, pattern, text, matcher);
    case Outcome::kNone:
      return Value::None();
    default:
      return Value();
  }
}

Value ReFindAll(Vm& vm, Value pattern, Value string, Value pos, Value endpos) {
  ReText text;
  Value list = vm.NewList(nullptr, 0);
  if (list.empty() || !OpenText(vm, As<Record>(pattern), string, pos, endpos, &text))
    return Value();
  if (text.start > text.end) return list;
  Matches matches(vm, As<Record>(pattern), text);
  const uint32_t groups = matches.matcher().groups();
  const Value missing = Empty(vm, text);
  bool failed = missing.empty();
  while (!failed && matches.Next(&failed)) {
    Value item;
    if (groups <= 1) {
      item = matches.Group(vm, text, groups, missing);
    } else {
      item = vm.NewTuple(nullptr, groups);
      for (uint32_t i = 0; i < groups && !item.empty() && !vm.failed(); ++i)
        As<Tuple>(item)->items[i] = matches.Group(vm, text, i + 1, missing);
    }
    if (item.empty() || vm.failed() || !vm.Append(As<List>(list), item)) return Value();
  }
  return failed ? Value() : list;
}

Value ReFindIter(Vm& vm, Value pattern, Value string, Value pos, Value endpos) {
  return NewScan(vm, kFindIter, pattern, string, pos, endpos);
}

Value ReScanner(Vm& vm, Value pattern, Value string, Value pos, Value endpos) {
  return NewScan(vm, kScanner, pattern, string, pos, endpos);
}

Value ReSplit(Vm& vm, Value pattern, Value string, int64_t most) {
  ReText text;
  Value list = vm.NewList(nullptr, 0);
  if (list.empty() || !OpenText(vm, As<Record>(pattern), string, Value(), Value(), &text))
    return Value();
  Matches matches(vm, As<Record>(pattern), text);
  int64_t last = 0;
  bool failed = false;
  for (int64_t n = 0; (most == 0 || n < most) && matches.Next(&failed); ++n) {
    Value piece = text.Slice(vm, last, matches.start());
    if (piece.empty() || !vm.Append(As<List>(list), piece)) return Value();
    for (uint32_t i = 1; i <= matches.matcher().groups(); ++i) {
      Value group = matches.Group(vm, text, i, Value::None());
      if (group.empty() || !vm.Append(As<List>(list), group)) return Value();
    }
    last = matches.end();
  }
  if (failed) return Value();
  Value rest = text.Slice(vm, last, static_cast<int64_t>(text.all.size()));
  return !rest.empty() && vm.Append(As<List>(list), rest) ? list : Value();
}

Value ReSub(Vm& vm, Value pattern, Value given, Value string, int64_t most, bool counted) {
  Roots roots(vm);
  roots.Add(pattern);
  roots.Add(given);
  roots.Add(string);
  ReText text;
  Replacement replacement;
  Value list = roots.Add(vm.NewList(nullptr, 0));
  if (list.empty() || !OpenReplacement(vm, As<Record>(pattern), given, &roots, &replacement) ||
      !OpenText(vm, As<Record>(pattern), string, Value(), Value(), &text))
    return Value();
  roots.Add(text.string);
  Matches matches(vm, As<Record>(pattern), text);
  int64_t last = 0, n = 0;
  bool failed = false;
  while ((most == 0 || n < most) && matches.Next(&failed)) {
    if (last < matches.start()) {
      Value piece = text.Slice(vm, last, matches.start());
      if (piece.empty() || !vm.Append(As<List>(list), piece)) return Value();
    }
    if (!AddReplacement(vm, replacement, pattern, text, matches.matcher(), As<List>(list)))
      return Value();
    last = matches.end();
    ++n;
  }
  if (failed) return Value();
  Value rest = text.Slice(vm, last, static_cast<int64_t>(text.all.size()));
  if (rest.empty() || !vm.Append(As<List>(list), rest)) return Value();
  Value joined = n == 0 ? rest : JoinPieces(vm, As<List>(list), text.bytes);
  if (joined.empty() || !counted) return joined;
  Value pair[2] = {joined, Value::SmallInt(n)};
  return vm.NewTuple(pair, 2);
}

Value JoinPieces(Vm& vm, List* pieces, bool bytes) {
  TextBuilder out(vm);
  for (uint32_t i = 0; i < pieces->size; ++i) {
    const Value piece = pieces->items[i];
    if (bytes ? !Is(piece, Type::kBytes) : !IsStr(piece))
      return vm.Throw(Error::kTypeError, "sequence item {}: expected {}, {} found", i,
                      bytes ? "a bytes-like object" : "str instance", vm.TypeName(piece));
    if (!out.Append(bytes ? As<BytesObject>(piece)->view() : Text(piece))) return Value();
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(out.size() / 16 + pieces->size))) return Value();
  return bytes ? vm.NewBytes(out.view()) : out.ToString();
}

}  // namespace ferry::vm

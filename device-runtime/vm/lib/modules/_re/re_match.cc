// re.Match.
#include <cstring>

#include "device-runtime/vm/lib/modules/_re/re.h"
#include "device-runtime/vm/lib/types/str_arguments.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

Record* Self(Args& args) {
  return As<Record>(args[0]);
}
Record* PatternOf(Record* match) {
  return As<Record>(match->values[kMatchPattern]);
}
uint32_t GroupsOf(Record* match) {
  return static_cast<uint32_t>(PatternOf(match)->values[kPatternGroups].AsSmallInt());
}

Value GroupText(Vm& vm, Record* match, uint32_t group, Value missing) {
  int64_t start, end;
  MarksOf(match, group, &start, &end);
  if (start < 0 || end < 0) return missing;
  return WholeText(match->values[kMatchString]).Slice(vm, start, end);
}

// The number of the group that `v` names.
bool GroupNumber(Vm& vm, Record* match, Value v, uint32_t* group) {
  int64_t number = -1;
  if (IsInt(v) || (!IsStr(v) && !vm.FindInClass(vm.ClassOf(v), vm.names.index).empty())) {
    if (!vm.ToIndex(v, &number, "group", true)) return false;
  } else {
    bool failed = false;
    Value* found = vm.DictFind(As<Dict>(PatternOf(match)->values[kPatternIndex]), v, &failed);
    if (failed) vm.TakePending(Error::kTypeError);
    if (found != nullptr) number = found->AsSmallInt();
  }
  if (number < 0 || number > GroupsOf(match)) {
    if (!vm.failed()) vm.Raise(Error::kIndexError, "no such group");
    return false;
  }
  *group = static_cast<uint32_t>(number);
  return true;
}

Value Group(Vm& vm, Args& args) {
  if (args.keywords() > 0)
    return vm.Raise(Error::kTypeError, "Match.group() takes no keyword arguments");
  Record* match = Self(args);
  if (args.count == 1) return GroupText(vm, match, 0, Value::None());
  Roots roots(vm);
  Value tuple = args.count > 2 ? roots.Add(vm.NewTuple(nullptr, args.count - 1)) : Value();
  if (args.count > 2 && tuple.empty()) return tuple;
  for (uint32_t i = 1; i < args.count; ++i) {
    uint32_t group;
    if (!GroupNumber(vm, match, args[i], &group)) return Value();
    Value text = GroupText(vm, match, group, Value::None());
    if (text.empty() || args.count == 2) return text;
    As<Tuple>(tuple)->items[i - 1] = text;
  }
  return tuple;
}

Value GetItem(Vm& vm, Args& args) {
  uint32_t group;
  if (!OneArgument(vm, args, "re.Match.__getitem__") ||
      !GroupNumber(vm, Self(args), args[1], &group))
    return Value();
  return GroupText(vm, Self(args), group, Value::None());
}

bool Default(Vm& vm, Args& args, const char* name, Value* out) {
  static constexpr const char* kNames[] = {"default"};
  if (!Named(vm, args, name, kNames, 0, out)) return false;
  if (out->empty()) *out = Value::None();
  return true;
}

Value Groups(Vm& vm, Args& args) {
  Value missing;
  if (!Default(vm, args, "groups", &missing)) return Value();
  const uint32_t count = GroupsOf(Self(args));
  Value tuple = vm.NewTuple(nullptr, count);
  for (uint32_t i = 0; i < count && !tuple.empty(); ++i) {
    As<Tuple>(tuple)->items[i] = GroupText(vm, Self(args), i + 1, missing);
    if (vm.failed()) return Value();
  }
  return tuple;
}

Value GroupDict(Vm& vm, Args& args) {
  Value missing;
  if (!Default(vm, args, "groupdict", &missing)) return Value();
  Value out = vm.NewDict();
  auto* index = As<Dict>(PatternOf(Self(args))->values[kPatternIndex]);
  for (uint32_t i = 0; i < index->used && !out.empty(); ++i) {
    const Entry& entry = index->entries[i];
    if (entry.key.empty()) continue;
    Value text =
        GroupText(vm, Self(args), static_cast<uint32_t>(entry.value.AsSmallInt()), missing);
    if (text.empty() || !vm.DictSet(As<Dict>(out), entry.key, text)) return Value();
  }
  return out;
}

bool Span(Vm& vm, Args& args, const char* name, int64_t* start, int64_t* end) {
  uint32_t group = 0;
  if (!Positional(vm, args, name, 0, 1)) return false;
  if (args.count > 1 && !GroupNumber(vm, Self(args), args[1], &group)) return false;
  int64_t from, to;
  MarksOf(Self(args), group, &from, &to);
  const ReText text = WholeText(Self(args)->values[kMatchString]);
  if (!vm.ChargeSteps(text.wide ? static_cast<int64_t>(text.all.size() / 64) : 0)) return false;
  const bool absent = from < 0 || to < 0;
  *start = absent ? -1 : text.PlaceOf(from);
  *end = absent ? -1 : text.PlaceOf(to);
  return true;
}
Value Start(Vm& vm, Args& args) {
  int64_t start, end;
  return Span(vm, args, "start", &start, &end) ? Value::SmallInt(start) : Value();
}
Value End(Vm& vm, Args& args) {
  int64_t start, end;
  return Span(vm, args, "end", &start, &end) ? Value::SmallInt(end) : Value();
}
Value Pair(Vm& vm, int64_t start, int64_t end) {
  Value pair[2] = {Value::SmallInt(start), Value::SmallInt(end)};
  return vm.NewTuple(pair, 2);
}
Value SpanOf(Vm& vm, Args& args) {
  int64_t start, end;
  return Span(vm, args, "span", &start, &end) ? Pair(vm, start, end) : Value();
}

Value Expand(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"template"};
  Value text;
  if (!Named(vm, args, "expand", kNames, 1, &text)) return Value();
  const ReText whole = WholeText(Self(args)->values[kMatchString]);
  Value pieces = ParseTemplate(vm, PatternOf(Self(args)), text);
  Value out = pieces.empty() ? pieces : vm.NewList(nullptr, 0);
  if (out.empty() || !ExpandTemplate(vm, pieces, whole, args[0], As<List>(out))) return Value();
  return JoinPieces(vm, As<List>(out), whole.bytes);
}

Value ReprOf(Vm& vm, Args& args) {
  int64_t from, to;
  MarksOf(Self(args), 0, &from, &to);
  const ReText text = WholeText(Self(args)->values[kMatchString]);
  std::string out =
      fmt::format("<re.Match object; span=({}, {}), match=", text.PlaceOf(from), text.PlaceOf(to));
  Value slice = text.Slice(vm, from, to);
  std::string shown;
  if (slice.empty() || !vm.Repr(slice, &shown)) return Value();
  size_t end = 0;
  for (int i = 0; i < 50 && end < shown.size(); ++i) Utf8Next(shown, &end);  // no more is shown
  return vm.NewString(out + shown.substr(0, end) + ">");
}

Value Same(Vm&, Args& args) {
  return args[0];
}

// ---- attributes ----

Value Regs(Vm& vm, Args& args) {
  const uint32_t count = GroupsOf(Self(args)) + 1;
  const ReText text = WholeText(Self(args)->values[kMatchString]);
  Value out = vm.NewTuple(nullptr, count);
  for (uint32_t i = 0; i < count && !out.empty(); ++i) {
    int64_t from, to;
    MarksOf(Self(args), i, &from, &to);
    const bool absent = from < 0 || to < 0;
    Value pair = Pair(vm, absent ? -1 : text.PlaceOf(from), absent ? -1 : text.PlaceOf(to));
    if (pair.empty()) return pair;
    As<Tuple>(out)->items[i] = pair;
  }
  return out;
}
template <uint32_t value>
Value Get(Vm&, Args& args) {
  return Self(args)->values[value];
}
Value LastIndex(Vm&, Args& args) {
  const Value last = Self(args)->values[kMatchLast];
  return last.AsSmallInt() == 0 ? Value::None() : last;
}
Value LastGroup(Vm&, Args& args) {
  const int64_t last = Self(args)->values[kMatchLast].AsSmallInt();
  return last == 0 ? Value::None()
                   : As<Tuple>(PatternOf(Self(args))->values[kPatternNames])->items[last];
}

constexpr BuiltinRow kRows[] = {
    {"__copy__", Same},     {"__deepcopy__", Same},   {"__getitem__", GetItem, true},
    {"__repr__", ReprOf},   {"end", End, true},       {"expand", Expand},
    {"group", Group, true}, {"groupdict", GroupDict}, {"groups", Groups},
    {"span", SpanOf, true}, {"start", Start, true}};
constexpr BuiltinRow kAttributes[] = {{"endpos", Get<kMatchEnd>},   {"lastgroup", LastGroup},
                                      {"lastindex", LastIndex},     {"pos", Get<kMatchPos>},
                                      {"re", Get<kMatchPattern>},   {"regs", Regs},
                                      {"string", Get<kMatchString>}};

}  // namespace

const RecordType kReMatch{"re", "Match", kRows};

void MarksOf(Record* match, uint32_t group, int64_t* start, int64_t* end) {
  int32_t marks[2];
  std::memcpy(marks, As<BytesObject>(match->values[kMatchMarks])->data + size_t{8} * group, 8);
  *start = marks[0];
  *end = marks[1];
}

Value NewMatch(Vm& vm, Value pattern, const ReText& text, const regex::Matcher& matcher) {
  Class* cls = ClassOfRecord(vm, kReMatch);
  if (cls == nullptr) return Value();
  const uint32_t groups = matcher.groups();
  TextBuilder marks(vm);
  for (uint32_t i = 0; i < 2 * (groups + 1); ++i) {
    const auto mark = static_cast<int32_t>(matcher.mark(i));
    char word[4];
    std::memcpy(word, &mark, 4);
    if (!marks.Append(std::string_view(word, 4))) return Value();
  }
  Value bytes = vm.NewBytes(marks.view());
  if (bytes.empty()) return bytes;
  Value v = vm.NewRecord(cls, kMatchValues);
  if (v.empty()) return v;
  auto* match = As<Record>(v);
  match->values[kMatchString] = text.string;
  match->values[kMatchPattern] = pattern;
  match->values[kMatchPos] = Value::SmallInt(text.pos);
  match->values[kMatchEnd] = Value::SmallInt(text.endpos);
  match->values[kMatchMarks] = bytes;
  match->values[kMatchLast] = Value::SmallInt(matcher.last_group());
  return v;
}

bool InstallReMatch(Vm& vm) {
  Class* cls = ClassOfRecord(vm, kReMatch);
  return cls != nullptr && AddReProperties(vm, cls, kAttributes) &&
         vm.DictSetText(cls->attributes, "__iter__", Value::None());  // its [] takes groups
}

}  // namespace ferry::vm

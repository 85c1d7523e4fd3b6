// The module re below its Python part (py/re.py): patterns and the functions that use them.
#include "device-runtime/vm/lib/modules/_re/re.h"
#include "device-runtime/vm/lib/types/str_arguments.h"
#include "device-runtime/vm/regex/node.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

Value ReScanner(Vm& vm, Value pattern, Value string, Value pos, Value endpos);

namespace {

using regex::Anchor;

Value MatchOnce(Vm& vm, Args& args, const char* name, Anchor anchor) {
  static constexpr const char* kNames[] = {"string", "pos", "endpos"};
  Value v[3];
  if (!Named(vm, args, name, kNames, 1, v)) return Value();
  return ReMatchOnce(vm, args[0], v[0], v[1], v[2], anchor);
}
Value Match(Vm& vm, Args& args) {
  return MatchOnce(vm, args, "match", Anchor::kMatch);
}
Value FullMatch(Vm& vm, Args& args) {
  return MatchOnce(vm, args, "fullmatch", Anchor::kFull);
}
Value Search(Vm& vm, Args& args) {
  return MatchOnce(vm, args, "search", Anchor::kSearch);
}

using Finder = Value (*)(Vm&, Value, Value, Value, Value);
template <Finder finder>
Value Find(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"string", "pos", "endpos"};
  Value v[3];
  if (!Named(vm, args, finder == ReFindAll ? "findall" : "finditer", kNames, 1, v)) return Value();
  return finder(vm, args[0], v[0], v[1], v[2]);
}

Value Split(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"string", "maxsplit"};
  Value v[2];
  int64_t most = 0;
  if (!Named(vm, args, "split", kNames, 1, v) ||
      (!v[1].empty() && !vm.ToIndex(v[1], &most, "maxsplit")))
    return Value();
  return ReSplit(vm, args[0], v[0], most);
}

template <bool counted>
Value Sub(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"repl", "string", "count"};
  Value v[3];
  int64_t most = 0;
  if (!Named(vm, args, counted ? "subn" : "sub", kNames, 2, v) ||
      (!v[2].empty() && !vm.ToIndex(v[2], &most, "count")))
    return Value();
  return ReSub(vm, args[0], v[0], v[1], most, counted);
}

Value Repr(Vm& vm, Args& args) {
  auto* pattern = As<Record>(args[0]);
  static constexpr struct {
    uint32_t flag;
    const char* name;
  } kFlags[] = {{regex::kIgnoreCase, "re.IGNORECASE"}, {regex::kLocale, "re.LOCALE"},
                {regex::kMultiLine, "re.MULTILINE"},   {regex::kDotAll, "re.DOTALL"},
                {regex::kUnicode, "re.UNICODE"},       {regex::kVerbose, "re.VERBOSE"},
                {regex::kDebug, "re.DEBUG"},           {regex::kAscii, "re.ASCII"}};
  auto flags = static_cast<uint32_t>(pattern->values[kPatternFlags].AsSmallInt());
  const bool text = IsStr(pattern->values[kPatternText]);
  if (text && (flags & (regex::kLocale | regex::kUnicode | regex::kAscii)) == regex::kUnicode)
    flags &= ~regex::kUnicode;
  std::string shown, out = "re.compile(";
  if (!vm.Repr(pattern->values[kPatternText], &shown)) return Value();
  constexpr size_t kShown = 200;  // characters of the pattern
  out += shown.substr(0, Utf8Offset(shown, kShown));
  bool first = true;
  for (const auto& [flag, name] : kFlags) {
    if ((flags & flag) == 0) continue;
    out += (first ? ", " : "|") + std::string(name);
    first = false;
    flags &= ~flag;
  }
  if (flags != 0) out += fmt::format("{}0x{:x}", first ? ", " : "|", flags);
  return vm.NewString(out + ")");
}

Value Equals(Vm& vm, Args& args) {
  if (!OneArgument(vm, args, "re.Pattern.__eq__")) return Value();
  Record *a = As<Record>(args[0]), *b = AsRecord(vm, args[1], kRePattern);
  if (b == nullptr) return vm.not_implemented;
  bool equal;
  if (IsStr(a->values[kPatternText]) != IsStr(b->values[kPatternText]) ||
      !(a->values[kPatternFlags] == b->values[kPatternFlags]))
    return Value::Bool(false);
  return vm.Equal(a->values[kPatternText], b->values[kPatternText], &equal) ? Value::Bool(equal)
                                                                            : Value();
}
Value HashOf(Vm& vm, Args& args) {
  uint64_t hash;
  auto* pattern = As<Record>(args[0]);
  if (!vm.Hash(pattern->values[kPatternText], &hash)) return Value();
  return Value::SmallInt(static_cast<int64_t>(hash >> 20) ^
                         pattern->values[kPatternFlags].AsSmallInt());
}
Value Same(Vm&, Args& args) {
  return args[0];
}
template <uint32_t value>
Value Get(Vm&, Args& args) {
  return As<Record>(args[0])->values[value];
}
Value GroupIndex(Vm& vm, Args& args) {
  Value copy = vm.NewDict();
  if (copy.empty() || As<Dict>(Get<kPatternIndex>(vm, args))->used == 0) return copy;
  return vm.DictMerge(As<Dict>(copy), Get<kPatternIndex>(vm, args), false)
             ? vm.NewView(ViewKind::kProxy, copy)
             : Value();
}

constexpr BuiltinRow kPatternRows[] = {{"__copy__", Same},
                                       {"__deepcopy__", Same},
                                       {"__eq__", Equals},
                                       {"__hash__", HashOf},
                                       {"__repr__", Repr},
                                       {"findall", Find<ReFindAll>},
                                       {"finditer", Find<ReFindIter>},
                                       {"fullmatch", FullMatch},
                                       {"match", Match},
                                       {"scanner", Find<ReScanner>},
                                       {"search", Search},
                                       {"split", Split},
                                       {"sub", Sub<false>, true},
                                       {"subn", Sub<true>, true}};
constexpr BuiltinRow kAttributes[] = {{"flags", Get<kPatternFlags>},
                                      {"groupindex", GroupIndex},
                                      {"groups", Get<kPatternGroups>},
                                      {"pattern", Get<kPatternText>}};

// ---- functions of the module ----

// Arguments (pattern, others..., flags=0) of the function `name`; the pattern comes compiled.
bool Open(Vm& vm, Args& args, const char* name, std::span<const char* const> names,
          uint32_t required, Value* out) {
  const auto most = static_cast<uint32_t>(names.size());
  if (!BindBuiltin(vm, args, name, names, required, most, out)) return false;
  int64_t flags = 0;
  Value given = out[most - 1];
  if (!given.empty() && !vm.ToIndex(given, &flags, "flags")) return false;
  out[0] = CompilePattern(vm, out[0], flags);
  return !out[0].empty();
}

Value FunctionOnce(Vm& vm, Args& args, const char* name, Anchor anchor) {
  static constexpr const char* kNames[] = {"pattern", "string", "flags"};
  Value v[3];
  if (!Open(vm, args, name, kNames, 2, v)) return Value();
  return ReMatchOnce(vm, v[0], v[1], Value(), Value(), anchor);
}
Value MatchFunction(Vm& vm, Args& args) {
  return FunctionOnce(vm, args, "match", Anchor::kMatch);
}
Value FullMatchFunction(Vm& vm, Args& args) {
  return FunctionOnce(vm, args, "fullmatch", Anchor::kFull);
}
Value SearchFunction(Vm& vm, Args& args) {
  return FunctionOnce(vm, args, "search", Anchor::kSearch);
}
template <Finder finder>
Value FindFunction(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"pattern", "string", "flags"};
  Value v[3];
  if (!Open(vm, args, finder == ReFindAll ? "findall" : "finditer", kNames, 2, v)) return Value();
  return finder(vm, v[0], v[1], Value(), Value());
}
Value SplitFunction(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"pattern", "string", "maxsplit", "flags"};
  Value v[4];
  int64_t most = 0;
  if (!Open(vm, args, "split", kNames, 2, v) ||
      (!v[2].empty() && !vm.ToIndex(v[2], &most, "maxsplit")))
    return Value();
  return ReSplit(vm, v[0], v[1], most);
}
template <bool counted>
Value SubFunction(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"pattern", "repl", "string", "count", "flags"};
  Value v[5];
  int64_t most = 0;
  if (!Open(vm, args, counted ? "subn" : "sub", kNames, 3, v)) return Value();
  Roots roots(vm);
  roots.Add(v[0]);
  if (!v[3].empty() && !vm.ToIndex(v[3], &most, "count")) return Value();
  return ReSub(vm, v[0], v[1], v[2], most, counted);
}
Value CompileFunction(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"pattern", "flags"};
  Value v[2];
  return Open(vm, args, "compile", kNames, 1, v) ? v[0] : Value();
}

Value Escape(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"pattern"};
  Value v;
  if (!BindBuiltin(vm, args, "escape", kNames, 1, 1, &v)) return Value();
  const bool bytes = Is(v, Type::kBytes);
  if (!bytes && !IsStr(v))
    return vm.Throw(Error::kTypeError, "decoding to str: need a bytes-like object, {} found",
                    vm.TypeName(v));
  const std::string_view s = bytes ? As<BytesObject>(v)->view() : Text(v);
  TextBuilder out(vm);
  for (char c : s) {
    static constexpr std::string_view kSpecial = "()[]{}?*+-|^$\\.&~# \t\n\r\v\f";
    if (kSpecial.find(c) != std::string_view::npos && !out.Append('\\')) return Value();
    if (!out.Append(c)) return Value();
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 8))) return Value();
  return bytes ? vm.NewBytes(out.view()) : out.ToString();
}

Value Purge(Vm& vm, Args& args) {
  (void)args;
  const Value found = vm.Imported("_re");
  String* name = vm.Intern("_cache");
  if (found.empty() || name == nullptr) return Value::None();
  Value cache = vm.GetAttributeOrEmpty(found, name);
  if (IsExact(cache, Type::kDict)) vm.DictClear(As<Dict>(cache));
  return Value::None();
}

constexpr BuiltinRow kFunctions[] = {{"compile", CompileFunction},
                                     {"escape", Escape},
                                     {"findall", FindFunction<ReFindAll>},
                                     {"finditer", FindFunction<ReFindIter>},
                                     {"fullmatch", FullMatchFunction},
                                     {"match", MatchFunction},
                                     {"purge", Purge},
                                     {"search", SearchFunction},
                                     {"split", SplitFunction},
                                     {"sub", SubFunction<false>, true},
                                     {"subn", SubFunction<true>, true}};

}  // namespace

const RecordType kRePattern{"re", "Pattern", kPatternRows};

bool InstallRePattern(Vm& vm) {
  Class* cls = ClassOfRecord(vm, kRePattern);
  return cls != nullptr && AddReProperties(vm, cls, kAttributes);
}

Value MakeRe(Vm& vm) {
  Value module = MakeModule(vm, "_re", kFunctions);
  if (module.empty() || !InstallRePattern(vm) || !InstallReMatch(vm)) return Value();
  Value cache = vm.NewDict();
  if (cache.empty() || !vm.SetVariable(As<Module>(module), "_cache", cache) ||
      !vm.SetVariable(As<Module>(module), "Pattern", Value::Of(ClassOfRecord(vm, kRePattern))) ||
      !vm.SetVariable(As<Module>(module), "Match", Value::Of(ClassOfRecord(vm, kReMatch))))
    return Value();
  return module;
}

}  // namespace ferry::vm

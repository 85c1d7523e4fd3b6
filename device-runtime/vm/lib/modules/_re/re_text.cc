// The texts that patterns run on, and compiled patterns.
#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/modules/_re/re.h"
#include "device-runtime/vm/regex/program.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr int64_t kMaxCached = 512;
constexpr int64_t kSetSteps = 300;  // what making the tables of a set counts

Module* ReModule(Vm& vm) {
  const Value found = vm.Imported("_re");
  return found.empty() ? nullptr : As<Module>(found);
}

Value ModuleValue(Vm& vm, const char* name) {
  Module* module = ReModule(vm);
  String* text = module == nullptr ? nullptr : vm.Intern(name);
  Value* slot = text == nullptr ? nullptr : vm.DictFindString(module->index, text);
  return slot == nullptr ? Value() : module->slots[slot->AsSmallInt()].value;
}

// The flags that hold, from those given and those that the pattern sets itself.
bool FixFlags(Vm& vm, bool bytes, uint32_t* flags) {
  const char* wrong = nullptr;
  if (!bytes) {
    if ((*flags & regex::kLocale) != 0) wrong = "cannot use LOCALE flag with a str pattern";
    if ((*flags & regex::kAscii) != 0 && (*flags & regex::kUnicode) != 0 && wrong == nullptr)
      wrong = "ASCII and UNICODE flags are incompatible";
    if ((*flags & regex::kAscii) == 0) *flags |= regex::kUnicode;
  } else {
    if ((*flags & regex::kUnicode) != 0) wrong = "cannot use UNICODE flag with a bytes pattern";
    if ((*flags & regex::kLocale) != 0 && (*flags & regex::kAscii) != 0 && wrong == nullptr)
      wrong = "ASCII and LOCALE flags are incompatible";
  }
  if (wrong != nullptr) vm.Raise(Error::kValueError, wrong);
  return wrong == nullptr;
}

void RaiseProblem(Vm& vm, const regex::Problem& problem, Value pattern) {
  switch (problem.kind) {
    case regex::Problem::kOverflow:
      vm.Raise(Error::kOverflowError, problem.message);
      return;
    case regex::Problem::kRecursion:
      vm.Raise(Error::kRecursionError, problem.message);
      return;
    default:
      RaiseReError(vm, problem.message, pattern, problem.place);
  }
}

Value NewPattern(Vm& vm, Value text, const regex::Tree& tree, uint32_t flags,
                 const std::vector<uint32_t>& program) {
  Class* cls = ClassOfRecord(vm, kRePattern);
  if (cls == nullptr) return Value();
  Value code = vm.NewBytes(
      {reinterpret_cast<const char*>(program.data()), program.size() * sizeof(uint32_t)});
  Value index = vm.NewDict();
  Value names = vm.NewTuple(nullptr, tree.groups + 1);
  if (code.empty() || index.empty() || names.empty()) return Value();
  for (const auto& [name, group] : tree.names) {
    Value key = vm.NewString(name);
    if (key.empty() || !vm.DictSet(As<Dict>(index), key, Value::SmallInt(group))) return Value();
    As<Tuple>(names)->items[group] = key;
  }
  Value v = vm.NewRecord(cls, kPatternValues);
  if (v.empty()) return v;
  auto* pattern = As<Record>(v);
  pattern->values[kPatternText] = text;
  pattern->values[kPatternFlags] = Value::SmallInt(flags);
  pattern->values[kPatternGroups] = Value::SmallInt(tree.groups);
  pattern->values[kPatternIndex] = index;
  pattern->values[kPatternProgram] = code;
  pattern->values[kPatternNames] = names;
  return v;
}

Value Compile(Vm& vm, Value text, uint32_t flags) {
  const bool bytes = !IsStr(text);
  const std::string_view pattern = bytes ? As<BytesObject>(text)->view() : Text(text);
  if (pattern.size() > regex::kMaxPatternBytes)
    return vm.Raise(Error::kOverflowError, "regular expression code size limit exceeded");
  // A character is a node of some 50 bytes or a range of a set, and words of the program.
  if (!vm.Scratch(pattern.size() * 100) ||
      !vm.ChargeSteps(static_cast<int64_t>(pattern.size()) * 2 + 20))
    return Value();
  regex::Problem problem;
  regex::Tree tree = regex::Parse(pattern, bytes, flags, &problem);
  flags = tree.flags;
  std::vector<uint32_t> program;
  const bool ok = problem.kind == regex::Problem::kNone;
  if (ok && !FixFlags(vm, bytes, &flags)) return Value();
  if (!vm.ChargeSteps(static_cast<int64_t>(tree.sets.size()) * kSetSteps)) return Value();
  if (!ok || !regex::Compile(tree, bytes, &program, &problem)) {
    RaiseProblem(vm, problem, text);
    return Value();
  }
  if (!vm.ChargeSteps(static_cast<int64_t>(program.size() / 4))) return Value();
  return NewPattern(vm, text, tree, flags, program);
}

}  // namespace

int64_t ReText::PlaceOf(int64_t offset) const {
  if (!wide || offset < 0) return offset;
  const auto byte = static_cast<size_t>(offset);
  if (byte >= known_byte) {
    known_place += static_cast<int64_t>(CodePoints(all.substr(known_byte, byte - known_byte)));
  } else {
    known_place = static_cast<int64_t>(CodePoints(all.substr(0, byte)));
  }
  known_byte = byte;
  return known_place;
}

Value ReText::Slice(Vm& vm, int64_t from, int64_t to) const {
  if (from < 0 || to < from) from = to = 0;
  if (from == 0 && static_cast<size_t>(to) == all.size() && !bytes &&
      vm.ClassOf(string) == vm.classes[static_cast<int>(Type::kString)])
    return string;
  const std::string_view part =
      all.substr(static_cast<size_t>(from), static_cast<size_t>(to - from));
  return bytes ? vm.NewBytes(part) : vm.NewString(part);
}

ReText WholeText(Value string) {
  ReText out;
  out.string = string;
  out.bytes = !IsStr(string);
  out.all = out.bytes ? As<BytesObject>(string)->view() : Text(string);
  out.wide = !out.bytes && !As<String>(string)->ascii();
  out.end = out.all.size();
  out.endpos = out.wide ? As<String>(string)->length : static_cast<int64_t>(out.end);
  return out;
}

bool OpenText(Vm& vm, Record* pattern, Value string, Value pos, Value endpos, ReText* out) {
  const bool bytes = IsBytesLike(string);
  if (!IsStr(string) && !bytes) {
    vm.Throw(Error::kTypeError, "expected string or bytes-like object, got '{}'",
             vm.TypeName(string));
    return false;
  }
  const bool bytes_pattern = !IsStr(pattern->values[kPatternText]);
  if (bytes != bytes_pattern) {
    vm.Raise(Error::kTypeError, bytes ? "cannot use a string pattern on a bytes-like object"
                                      : "cannot use a bytes pattern on a string-like object");
    return false;
  }
  if (bytes && !Is(string, Type::kBytes)) {  // what may change is searched as it is now
    std::string copy;
    std::string_view view;
    if (!BytesOf(vm, string, &copy, &view)) return false;
    string = vm.NewBytes(view);
    if (string.empty()) return false;
  }
  *out = WholeText(string);
  int64_t from = 0, to = out->endpos;
  const int64_t length = out->endpos;
  if (!pos.empty() && !vm.ToIndex(pos, &from, "pos", true)) return false;
  if (!endpos.empty() && !vm.ToIndex(endpos, &to, "endpos", true)) return false;
  from = std::clamp<int64_t>(from, 0, length);
  to = std::clamp<int64_t>(to, 0, length);
  out->pos = from;
  out->endpos = to;
  const auto offset = [&](int64_t place) {
    return out->wide && place < length ? Utf8Offset(out->all, static_cast<size_t>(place))
           : place < length            ? static_cast<size_t>(place)
                                       : out->all.size();
  };
  if (out->wide && (from > 0 || to < length) &&
      !vm.ChargeSteps(static_cast<int64_t>(out->all.size() / 64)))
    return false;
  out->start = offset(from);
  out->end = offset(to);
  return true;
}

const uint32_t* ProgramOf(Record* pattern) {
  return reinterpret_cast<const uint32_t*>(As<BytesObject>(pattern->values[kPatternProgram])->data);
}

Value RaiseReError(Vm& vm, std::string_view message, Value pattern, int64_t place) {
  Roots roots(vm);
  roots.Add(pattern);
  Value cls = ModuleValue(vm, "error");
  if (cls.empty()) return vm.Raise(Error::kValueError, message);
  Value args[3] = {roots.Add(vm.NewString(message)), pattern,
                   place < 0 ? Value::None() : Value::SmallInt(place)};
  if (args[0].empty()) return Value();
  const Value exception = vm.Call(cls, args, 3);
  if (exception.empty()) return Value();
  if (!Is(exception, Type::kException)) return vm.Raise(Error::kValueError, message);
  vm.pending = exception;
  return Value();
}

Value CompilePattern(Vm& vm, Value pattern, int64_t flags) {
  if (AsRecord(vm, pattern, kRePattern) != nullptr) {
    if (flags != 0)
      return vm.Raise(Error::kValueError, "cannot process flags argument with a compiled pattern");
    return pattern;
  }
  if (!IsStr(pattern) && !Is(pattern, Type::kBytes))
    return vm.Raise(Error::kTypeError, "first argument must be string or compiled pattern");
  Roots roots(vm);
  Value key = pattern;
  // Scripts can reach the cache: what it holds is looked at before it is used.
  Value cache = ModuleValue(vm, "_cache");
  if (!IsExact(cache, Type::kDict)) cache = Value();
  if (flags != 0) {
    Value pair[2] = {pattern, vm.NewInt(flags)};
    key = roots.Add(vm.NewTuple(pair, 2));
    if (key.empty()) return key;
  }
  bool failed = false;
  if (!cache.empty()) {
    Value* found = vm.DictFind(As<Dict>(cache), key, &failed);
    if (failed) return Value();
    if (found != nullptr && AsRecord(vm, *found, kRePattern) != nullptr) return *found;
  }
  Value made = roots.Add(Compile(vm, pattern, static_cast<uint32_t>(flags)));
  if (made.empty() || cache.empty()) return made;
  if (As<Dict>(cache)->count >= kMaxCached) vm.DictClear(As<Dict>(cache));
  return vm.DictSet(As<Dict>(cache), key, made) ? made : Value();
}

bool AddReProperties(Vm& vm, Class* cls, std::span<const BuiltinRow> rows) {
  for (const BuiltinRow& row : rows) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty()) return false;
    As<Native>(native)->owner = cls;
    Value property = vm.NewDescriptor(DescriptorKind::kProperty, native);
    if (property.empty() || !vm.DictSetText(cls->attributes, row.name, property)) return false;
  }
  return true;
}

}  // namespace ferry::vm

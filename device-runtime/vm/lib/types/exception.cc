// Attributes and methods of exceptions beyond `args` (exec/classes/special.cc), and their texts.
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

Class* ErrorClass(Vm& vm, Error error) {
  return vm.errors[static_cast<int>(error)];
}
Exception* Self(Args& args) {
  return As<Exception>(args[0]);
}
Value Argument(const Exception* exception, uint32_t i) {
  const auto* args = As<Tuple>(exception->args);
  return i < args->size ? args->items[i] : Value::None();
}
uint32_t Count(const Exception* exception) {
  return As<Tuple>(exception->args)->size;
}

// Tracebacks: scripts see them as objects; what they were made of stays with the exception.
Value GetTraceback(Vm& vm, Args& args) {
  return TracebackOf(vm, Self(args));
}
bool TakeTraceback(Vm& vm, Exception* exception, Value v, std::string_view message) {
  if (v.IsNone()) {
    exception->trace.count = 0;
    return true;
  }
  if (vm.TypeName(v) == "traceback") return true;
  vm.Raise(Error::kTypeError, message);
  return false;
}
Value SetTraceback(Vm& vm, Args& args) {
  return TakeTraceback(vm, Self(args), args[1], "__traceback__ must be a traceback or None")
             ? Value::None()
             : Value();
}
Value WithTraceback(Vm& vm, Args& args) {
  if (!Expect(vm, args, "with_traceback", 2, 2)) return Value();
  return TakeTraceback(vm, Self(args), args[1], "__traceback__ must be a traceback or None")
             ? args[0]
             : Value();
}

Value AddNote(Vm& vm, Args& args) {
  if (!Expect(vm, args, "add_note", 2, 2)) return Value();
  if (!IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "note must be a str, not '{}'", vm.TypeName(args[1]));
  String* const name = vm.Intern("__notes__");
  if (name == nullptr) return Value();
  Roots roots(vm);
  Value notes = roots.Add(vm.GetAttributeOrEmpty(args[0], name));
  if (vm.failed()) return Value();
  if (notes.empty()) {
    notes = roots.Add(vm.NewList(nullptr, 0));
    if (notes.empty() || !vm.SetAttribute(args[0], name, notes)) return Value();
  }
  if (!Is(notes, Type::kList))
    return vm.Raise(Error::kTypeError, "Cannot add note: __notes__ is not a list");
  return vm.Append(As<List>(notes), args[1]) ? Value::None() : Value();
}

// Groups.
Value GroupMessage(Vm&, Args& args) {
  return Argument(Self(args), 0);
}
Value GroupExceptions(Vm& vm, Args& args) {
  const Value parts = Self(args)->detail;
  return Is(parts, Type::kTuple) ? parts : vm.empty_tuple;
}

// OSError: an error number, its text and up to two file names.
bool HasNumber(const Exception* exception) {
  return Count(exception) == 2;
}
// The names of files lie in the detail: they are no arguments.
Value SystemPart(const Exception* exception, uint32_t i) {
  if (i < 2) return HasNumber(exception) ? Argument(exception, i) : Value::None();
  const Value files = exception->detail;
  return Is(files, Type::kTuple) && i - 2 < As<Tuple>(files)->size ? As<Tuple>(files)->items[i - 2]
                                                                   : Value::None();
}
template <uint32_t I>
Value SystemField(Vm&, Args& args) {
  return SystemPart(Self(args), I);
}

struct SystemClass {
  int number;
  Error error;
};
constexpr SystemClass kSystemClasses[] = {
    {1, Error::kPermissionError},        {2, Error::kFileNotFoundError},
    {3, Error::kProcessLookupError},     {4, Error::kInterruptedError},
    {10, Error::kChildProcessError},     {11, Error::kBlockingIOError},
    {13, Error::kPermissionError},       {17, Error::kFileExistsError},
    {20, Error::kNotADirectoryError},    {21, Error::kIsADirectoryError},
    {32, Error::kBrokenPipeError},       {103, Error::kConnectionAbortedError},
    {104, Error::kConnectionResetError}, {108, Error::kBrokenPipeError},
    {110, Error::kTimeoutError},         {111, Error::kConnectionRefusedError},
    {114, Error::kBlockingIOError},      {115, Error::kBlockingIOError}};

// OSError(number, text) makes an object of the class that stands for the number.
Value NewSystemError(Vm& vm, Args& args) {
  if (args.count == 0 || !Is(args[0], Type::kClass) ||
      As<Class>(args[0])->layout != Type::kException)
    return vm.Raise(Error::kTypeError, "OSError.__new__(X): X is not a type object");
  auto* cls = As<Class>(args[0]);
  const bool files = args.count >= 4 && args.count <= 6;
  Roots roots(vm);
  const Value tuple = roots.Add(vm.NewTuple(args.args + 1, files ? 2 : args.count - 1));
  const Value names = files ? roots.Add(vm.NewTuple(args.args + 3, args.count - 3)) : Value();
  if (tuple.empty() || (files && names.empty())) return Value();
  int64_t number;
  if (cls == ErrorClass(vm, Error::kOSError) && args.count >= 3 && SmallOf(args[1], &number)) {
    for (const SystemClass& one : kSystemClasses)
      if (one.number == number) cls = ErrorClass(vm, one.error);
  }
  const Value error = vm.MakeException(cls, tuple);
  if (!error.empty()) As<Exception>(error)->detail = names;
  return error;
}

// SyntaxError(message, (file, line, column, text, end line, end column)).
template <uint32_t I>
Value SyntaxField(Vm&, Args& args) {
  const Value place = Argument(Self(args), 1);
  if (I == 0) return Argument(Self(args), 0);
  if (!Is(place, Type::kTuple) || As<Tuple>(place)->size < I) return Value::None();
  return As<Tuple>(place)->items[I - 1];
}

// What NameError, AttributeError and ImportError know besides their text.
template <uint32_t I>
Value NameField(Vm&, Args& args) {
  const Value told = Self(args)->detail;
  return Is(told, Type::kTuple) && I < As<Tuple>(told)->size ? As<Tuple>(told)->items[I]
                                                             : Value::None();
}
template <uint32_t I>
Value SetNameField(Vm& vm, Args& args) {
  const Value old = Self(args)->detail;
  Value pair[] = {Value::None(), Value::None()};
  for (uint32_t i = 0; Is(old, Type::kTuple) && i < 2 && i < As<Tuple>(old)->size; ++i)
    pair[i] = As<Tuple>(old)->items[i];
  pair[I] = args[1];
  const Value told = vm.NewTuple(pair, 2);
  if (told.empty()) return told;
  Self(args)->detail = told;
  return Value::None();
}

Value ImportMessage(Vm&, Args& args) {
  return Count(Self(args)) == 1 ? Argument(Self(args), 0) : Value::None();
}

struct FieldRow {
  const char* name;
  Builtin get;
  Builtin set = nullptr;
};
constexpr FieldRow kBase[] = {{"__traceback__", GetTraceback, SetTraceback}};
constexpr FieldRow kGroup[] = {{"exceptions", GroupExceptions}, {"message", GroupMessage}};
constexpr FieldRow kSystem[] = {{"errno", SystemField<0>},
                                {"filename", SystemField<2>},
                                {"filename2", SystemField<4>},
                                {"strerror", SystemField<1>}};
constexpr FieldRow kSyntax[] = {{"end_lineno", SyntaxField<5>}, {"end_offset", SyntaxField<6>},
                                {"filename", SyntaxField<1>},   {"lineno", SyntaxField<2>},
                                {"msg", SyntaxField<0>},        {"offset", SyntaxField<3>},
                                {"text", SyntaxField<4>}};
constexpr FieldRow kName[] = {{"name", NameField<0>, SetNameField<0>}};
constexpr FieldRow kAttribute[] = {{"name", NameField<0>, SetNameField<0>},
                                   {"obj", NameField<1>, SetNameField<1>}};
constexpr FieldRow kImport[] = {{"msg", ImportMessage},
                                {"name", NameField<0>, SetNameField<0>},
                                {"path", NameField<1>, SetNameField<1>}};
constexpr BuiltinRow kMethods[] = {{"add_note", AddNote, true}, {"with_traceback", WithTraceback}};
constexpr BuiltinRow kSystemMethods[] = {{"__new__", NewSystemError}};

bool AddFields(Vm& vm, Error error, std::span<const FieldRow> rows) {
  Class* cls = ErrorClass(vm, error);
  for (const FieldRow& row : rows) {
    const Value get = vm.NewNative(row.name, row.get, nullptr, false);
    const Value set =
        row.set == nullptr ? Value() : vm.NewNative(row.name, row.set, nullptr, false);
    const Value property = get.empty() ? get : vm.NewDescriptor(DescriptorKind::kProperty, get);
    if (property.empty() || (row.set != nullptr && set.empty())) return false;
    As<Native>(get)->owner = cls;
    if (row.set != nullptr) {
      As<Native>(set)->owner = cls;
      As<Descriptor>(property)->set = set;
    }
    if (!vm.DictSetText(cls->attributes, row.name, property)) return false;
  }
  return true;
}

}  // namespace

bool ExceptionText(Vm& vm, Exception* exception, std::string* out, bool* done) {
  const auto is = [&](Error error) { return vm.IsSubclass(exception->cls, ErrorClass(vm, error)); };
  *done = true;
  if (is(Error::kOSError) && HasNumber(exception)) {
    std::string text, file;
    *out += "[Errno ";
    if (!vm.Str(Argument(exception, 0), out)) return false;
    *out += "] ";
    if (!vm.Str(Argument(exception, 1), out)) return false;
    if (SystemPart(exception, 2).IsNone()) return true;
    *out += ": ";
    if (!vm.Repr(SystemPart(exception, 2), out)) return false;
    if (SystemPart(exception, 4).IsNone()) return true;
    *out += " -> ";
    return vm.Repr(SystemPart(exception, 4), out);
  }
  if (is(Error::kBaseExceptionGroup) && Is(exception->detail, Type::kTuple)) {
    const uint32_t count = As<Tuple>(exception->detail)->size;
    if (!vm.Str(Argument(exception, 0), out)) return false;
    *out += fmt::format(" ({} sub-exception{})", count, count == 1 ? "" : "s");
    return true;
  }
  if (is(Error::kSyntaxError) && Count(exception) == 2 &&
      Is(Argument(exception, 1), Type::kTuple)) {
    const auto* place = As<Tuple>(Argument(exception, 1));
    if (!vm.Str(Argument(exception, 0), out)) return false;
    if (place->size < 2) return true;
    const bool file = IsStr(place->items[0]);
    const std::string line =
        place->items[1].IsSmallInt() ? fmt::format("{}", place->items[1].AsSmallInt()) : "";
    if (!file && line.empty()) return true;
    std::string_view name = file ? Text(place->items[0]) : std::string_view();
    name = name.substr(name.rfind('/') + 1);
    *out += file && !line.empty() ? fmt::format(" ({}, line {})", name, line)
            : file                ? fmt::format(" ({})", name)
                                  : fmt::format(" (line {})", line);
    return true;
  }
  *done = false;
  return true;
}

bool InstallException(Vm& vm) {
  return AddMethods(vm, ErrorClass(vm, Error::kBaseException), kMethods) &&
         AddFields(vm, Error::kBaseException, kBase) &&
         AddFields(vm, Error::kBaseExceptionGroup, kGroup) &&
         AddFields(vm, Error::kOSError, kSystem) && AddFields(vm, Error::kSyntaxError, kSyntax) &&
         AddFields(vm, Error::kImportError, kImport) && AddFields(vm, Error::kNameError, kName) &&
         AddFields(vm, Error::kAttributeError, kAttribute) &&
         AddMethods(vm, ErrorClass(vm, Error::kOSError), kSystemMethods) &&
         vm.DictSetText(vm.builtins, "EnvironmentError",
                        Value::Of(ErrorClass(vm, Error::kOSError))) &&
         vm.DictSetText(vm.builtins, "IOError", Value::Of(ErrorClass(vm, Error::kOSError)));
}

}  // namespace ferry::vm

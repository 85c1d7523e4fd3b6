// io.StringIO: text in memory. Writing at the end appends in place (exec/heap/append.cc).
#include <cstring>

#include "device-runtime/vm/lib/modules/_io/stream.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

enum class Ends { kUniversal, kAny, kNewline, kReturn, kBoth };
constexpr std::string_view kMarks[] = {"\n", "", "\n", "\r", "\r\n"};
// Fields of the record. kOffset: the byte where `kPlace` lies, as long as that is in the text.
enum { kText, kPlace, kOffset, kEnds, kClosed, kReadLine, kFields };

class Stream {
 public:
  Stream(Vm& vm, const Args& args) : vm_(vm), values_(As<Record>(args[0])->values) {}
  bool Open(const char* error = "I/O operation on closed file") const {
    if (!values_[kClosed].IsTrue()) return true;
    vm_.Raise(Error::kValueError, error);
    return false;
  }
  String* text() const { return As<String>(values_[kText]); }
  int64_t place() const { return values_[kPlace].AsSmallInt(); }
  size_t offset() const { return static_cast<size_t>(values_[kOffset].AsSmallInt()); }
  Ends ends() const { return static_cast<Ends>(values_[kEnds].AsSmallInt()); }
  void SetText(Value v) { values_[kText] = v; }
  void Move(int64_t place, size_t offset) {
    values_[kPlace] = Value::SmallInt(place);
    values_[kOffset] = Value::SmallInt(static_cast<int64_t>(offset));
  }
  void MoveTo(int64_t place) {
    Move(place,
         vm_.OffsetOf(text(), static_cast<size_t>(std::min<int64_t>(place, text()->length))));
  }
  bool AtEnd() const { return place() >= text()->length; }
  // The text up to byte `end`, or `most` characters of it, from where the stream is.
  Value Take(size_t end, int64_t most) {
    const std::string_view rest = text()->view().substr(offset(), end - offset());
    std::string_view part = rest;
    if (most >= 0 && static_cast<size_t>(most) < rest.size())
      part = rest.substr(0, text()->ascii() ? static_cast<size_t>(most)
                                            : Utf8Offset(rest, static_cast<size_t>(most)));
    if (!vm_.ChargeSteps(static_cast<int64_t>(part.size() / 64))) return Value();
    const Value taken = part.size() == text()->size ? values_[kText] : vm_.NewString(part);
    if (!taken.empty()) Move(place() + As<String>(taken)->length, offset() + part.size());
    return taken;
  }
  bool Put(String* what);

 private:
  Vm& vm_;
  Value* values_;
};

// Writes `what` over what is there.
bool Stream::Put(String* what) {
  if (what->size == 0) return true;
  const int64_t after = place() + what->length;
  if (after > static_cast<int64_t>(kMaxStringBytes)) return !vm_.TooLarge().empty();
  if (place() == text()->length) {
    const Value longer = vm_.AppendString(text(), what);
    if (longer.empty()) return false;
    SetText(IsExact(longer, Type::kString) ? longer : PlainString(vm_, longer));
    Move(after, text()->size);
    return true;
  }
  const std::string_view old = text()->view();
  const auto gap = static_cast<size_t>(std::max<int64_t>(place() - text()->length, 0));
  const size_t before = std::min(offset(), old.size());
  const size_t rest =
      after >= text()->length ? old.size() : vm_.OffsetOf(text(), static_cast<size_t>(after));
  const size_t size = before + gap + what->size + old.size() - rest;
  if (!vm_.ChargeSteps(static_cast<int64_t>(size / 64))) return false;
  char* out;
  const Value made =
      NewText(vm_, size, static_cast<size_t>(std::max<int64_t>(after, text()->length)), &out);
  if (made.empty()) return false;
  std::memcpy(out, old.data(), before);
  std::memset(out + before, 0, gap);
  std::memcpy(out + before + gap, what->data, what->size);
  std::memcpy(out + before + gap + what->size, old.data() + rest, old.size() - rest);
  SetText(made);
  Move(after, before + gap + what->size);
  return true;
}

// What is written of `text`: with the stream's ends of lines.
Value Translated(Vm& vm, Value text, Ends ends) {
  const std::string_view s = Text(text);
  const char wanted = ends == Ends::kUniversal ? '\r' : '\n';
  if (ends == Ends::kAny || ends == Ends::kNewline || s.find(wanted) == s.npos) return text;
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 16))) return Value();
  TextBuilder out(vm);
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == wanted && ends == Ends::kUniversal && i + 1 < s.size() && s[i + 1] == '\n') ++i;
    const bool end = s[i] == wanted || (ends == Ends::kUniversal && s[i] == '\n');
    if (!(end ? out.Append(kMarks[static_cast<int>(ends)]) : out.Append(s[i]))) return Value();
  }
  return out.ToString();
}

Value New(Vm& vm, Args&) {
  Class* cls = ClassOfRecord(vm, kTextStream);
  const Value made = cls == nullptr ? Value() : vm.NewRecord(cls, kFields);
  String* name = made.empty() ? nullptr : vm.Intern("readline");
  if (name == nullptr) return Value();
  Value* values = As<Record>(made)->values;
  values[kText] = vm.empty_string;
  values[kPlace] = values[kOffset] = Value::SmallInt(0);
  values[kEnds] = Value::SmallInt(static_cast<int64_t>(Ends::kNewline));
  values[kReadLine] = Value::Of(name);
  return made;
}

Value Init(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"initial_value", "newline"};
  Value bound[2];
  if (!BindMethod(vm, args, "StringIO", kNames, 0, 2, bound)) return Value();
  Ends ends = Ends::kNewline;
  if (bound[1].IsNone()) {
    ends = Ends::kUniversal;
  } else if (!bound[1].empty()) {
    if (!IsStr(bound[1]))
      return vm.Throw(Error::kTypeError, "newline must be str or None, not {}",
                      vm.TypeName(bound[1]));
    int at = 1;
    while (at < 5 && kMarks[at] != Text(bound[1])) ++at;
    std::string shown;
    if (at == 5)
      return vm.Repr(bound[1], &shown)
                 ? vm.Throw(Error::kValueError, "illegal newline value: {}", shown)
                 : Value();
    ends = static_cast<Ends>(at);
  }
  if (!bound[0].empty() && !bound[0].IsNone() && !IsStr(bound[0]))
    return vm.Throw(Error::kTypeError, "initial_value must be str or None, not {}",
                    vm.TypeName(bound[0]));
  Stream stream(vm, args);
  Value* values = As<Record>(args[0])->values;
  values[kText] = vm.empty_string;
  values[kEnds] = Value::SmallInt(static_cast<int64_t>(ends));
  values[kClosed] = Value::Bool(false);
  stream.Move(0, 0);
  if (!bound[0].empty() && IsStr(bound[0])) {
    const Value text = Translated(vm, bound[0], ends);
    if (text.empty() || !stream.Put(As<String>(text))) return Value();
    stream.Move(0, 0);
  }
  return Value::None();
}

Value Write(Vm& vm, Args& args) {
  Stream stream(vm, args);
  if (!ExpectMethod(vm, args, "write", 1, 1)) return Value();
  if (!IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "string argument expected, got '{}'", vm.TypeName(args[1]));
  if (!stream.Open()) return Value();
  const Value text = Translated(vm, args[1], stream.ends());
  if (text.empty() || !stream.Put(As<String>(text))) return Value();
  return Value::SmallInt(As<String>(args[1])->length);
}

Value Read(Vm& vm, Args& args) {
  Stream stream(vm, args);
  int64_t size;
  if (!ExpectMethod(vm, args, "read", 0, 1) || !stream.Open() || !ReadSize(vm, args, &size))
    return Value();
  return stream.AtEnd() ? vm.empty_string : stream.Take(stream.text()->size, size);
}

// The byte behind the line that begins at `from`.
size_t LineEnd(std::string_view s, size_t from, Ends ends) {
  if (ends == Ends::kAny) {
    const size_t at = s.find_first_of("\r\n", from);
    if (at == s.npos) return s.size();
    return s[at] == '\r' && at + 1 < s.size() && s[at + 1] == '\n' ? at + 2 : at + 1;
  }
  const std::string_view mark = kMarks[static_cast<int>(ends)];
  const size_t at = s.find(mark, from);
  return at == s.npos ? s.size() : at + mark.size();
}
Value ReadLine(Vm& vm, Args& args) {
  Stream stream(vm, args);
  int64_t size;
  if (!ExpectMethod(vm, args, "readline", 0, 1) || !stream.Open() || !ReadSize(vm, args, &size))
    return Value();
  if (stream.AtEnd()) return vm.empty_string;
  return stream.Take(LineEnd(stream.text()->view(), stream.offset(), stream.ends()), size);
}

Value Iter(Vm& vm, Args& args) {
  return Stream(vm, args).Open("I/O operation on closed file.") ? args[0] : Value();
}
Value Next(Vm& vm, Args& args) {
  return Stream(vm, args).Open()
             ? NextLine<ReadLine>(vm, args, As<Record>(args[0])->values[kReadLine])
             : Value();
}

Value GetValue(Vm& vm, Args& args) {
  const Stream stream(vm, args);
  return ExpectMethod(vm, args, "getvalue", 0, 0) && stream.Open() ? Value::Of(stream.text())
                                                                   : Value();
}

Value Seek(Vm& vm, Args& args) {
  Stream stream(vm, args);
  int64_t place, whence = 0;
  if (!ExpectMethod(vm, args, "seek", 1, 2) || !vm.ToIndex(args[1], &place, "seek", true) ||
      (args.count > 2 && !vm.ToIndex(args[2], &whence, "whence", true)) || !stream.Open())
    return Value();
  if (whence < 0 || whence > 2)
    return vm.Throw(Error::kValueError, "Invalid whence ({}, should be 0, 1 or 2)", whence);
  if (whence == 0 && place < 0)
    return vm.Throw(Error::kValueError, "Negative seek position {}", place);
  if (whence != 0 && place != 0)
    return vm.Raise(Error::kOSError, "Can't do nonzero cur-relative seeks");
  if (whence == 1) place = stream.place();
  if (whence == 2) place = stream.text()->length;
  place = std::min(place, Value::kMaxInt);
  if (!vm.ChargeSteps(stream.text()->ascii() ? 0 : stream.text()->size / 64)) return Value();
  stream.MoveTo(place);
  return Value::SmallInt(place);
}
Value Tell(Vm& vm, Args& args) {
  const Stream stream(vm, args);
  return ExpectMethod(vm, args, "tell", 0, 0) && stream.Open() ? Value::SmallInt(stream.place())
                                                               : Value();
}

Value Truncate(Vm& vm, Args& args) {
  Stream stream(vm, args);
  int64_t size;
  if (!ExpectMethod(vm, args, "truncate", 0, 1) || !stream.Open()) return Value();
  const bool here = args.count < 2 || args[1].IsNone();
  if (!here && !ReadSize(vm, args, &size)) return Value();
  if (here) size = stream.place();
  int64_t asked = 0;
  if (size < 0 && vm.ToIndex(args[1], &asked, "size", true))
    return vm.Throw(Error::kValueError, "Negative size value {}", asked);
  if (size < stream.text()->length) {
    const size_t end = vm.OffsetOf(stream.text(), static_cast<size_t>(size));
    if (!vm.ChargeSteps(static_cast<int64_t>(end / 64))) return Value();
    const Value shorter = vm.NewString(stream.text()->view().substr(0, end));
    if (shorter.empty()) return shorter;
    stream.SetText(shorter);
    stream.MoveTo(stream.place());
  }
  return vm.NewInt(size);
}

Value Close(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "close", 0, 0)) return Value();
  Value* values = As<Record>(args[0])->values;
  values[kText] = vm.empty_string;
  values[kClosed] = Value::Bool(true);
  return Value::None();
}
Value Closed(Vm&, Args& args) {
  return Value::Bool(As<Record>(args[0])->values[kClosed].IsTrue());
}
Value LineBuffering(Vm&, Args&) {
  return Value::Bool(false);
}
Value Able(Vm& vm, Args& args) {
  return Stream(vm, args).Open() ? Value::Bool(true) : Value();
}

constexpr BuiltinRow kRows[] = {
    {"__init__", Init, true},     {"__iter__", Iter}, {"__new__", New},
    {"__next__", Next, true},     {"close", Close},   {"getvalue", GetValue},
    {"read", Read, true},         {"readable", Able}, {"readline", ReadLine, true},
    {"seek", Seek, true},         {"seekable", Able}, {"tell", Tell},
    {"truncate", Truncate, true}, {"writable", Able}, {"write", Write}};

}  // namespace

const RecordType kTextStream = {"_io", "StringIO", kRows};

bool AddTextProperties(Vm& vm, Class* cls) {
  return AddProperty(vm, cls, "closed", Closed) &&
         AddProperty(vm, cls, "line_buffering", LineBuffering);
}

}  // namespace ferry::vm

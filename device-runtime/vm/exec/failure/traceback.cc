#include "device-runtime/vm/exec/failure/traceback.h"

#include <algorithm>

#include "device-runtime/vm/exec/loop/helper.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/syntax/anchors.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr std::string_view kBlanks = " \t\f";

const Place& PlaceOf(const TraceEntry& entry) {
  return entry.code->places[std::min<size_t>(entry.pc, entry.code->places.size() - 1)];
}

std::string_view LineOf(std::string_view source, uint32_t line) {
  size_t begin = 0;
  for (uint32_t i = 1; i < line; ++i) {
    begin = source.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  const std::string_view rest = source.substr(begin);
  return rest.substr(0, rest.find_first_of("\r\n"));
}

// The line of carets below `line`, whose blanks at the start are gone; empty: there is none.
std::string Carets(const Place& place, std::string_view line) {
  if (place.column == kNoColumn || place.end_column == kNoColumn) return "";
  const size_t indent = std::min(line.find_first_not_of(kBlanks), line.size());
  const size_t last = line.find_last_not_of(kBlanks) + 1;
  const size_t start = place.column;
  const size_t end = place.more_lines > 0 ? last : std::min<size_t>(place.end_column, line.size());
  if (start < indent || end <= start || end > line.size()) return "";
  size_t left = 0, right = 0;
  const bool parts =
      place.more_lines == 0 && FindAnchors(line.substr(start, end - start), &left, &right);
  if (!parts && end - start == last - indent) return "";
  std::string out(CodePoints(line.substr(indent, start - indent)), ' ');
  for (size_t i = start; i < end; i += Utf8Size(line[i]))
    out += parts && (i - start < left || i - start >= right) ? '~' : '^';
  return out;
}

template <uint32_t I>
Value Field(Vm&, Args& args) {
  return As<Record>(args[0])->values[I];
}
Value ReprCode(Vm& vm, Args& args) {
  const Value* values = As<Record>(args[0])->values;
  return vm.NewString(fmt::format("<code object {} at 0x{:x}, file \"{}\", line {}>",
                                  Text(values[0]), vm.Identity(args[0]), Text(values[2]),
                                  values[3].AsSmallInt()));
}
constexpr BuiltinRow kCodeRows[] = {{"__repr__", ReprCode}};
constexpr RecordType kCode{"builtins", "code", kCodeRows}, kTraceback{"builtins", "traceback", {}};
constexpr FieldRow kCodeFields[] = {
    {"co_name", Field<0>},           {"co_qualname", Field<1>},  {"co_filename", Field<2>},
    {"co_firstlineno", Field<3>},    {"co_argcount", Field<4>},  {"co_posonlyargcount", Field<5>},
    {"co_kwonlyargcount", Field<6>}, {"co_varnames", Field<7>},  {"co_nlocals", Field<8>},
    {"co_flags", Field<9>},          {"co_freevars", Field<10>}, {"co_cellvars", Field<11>},
    {"co_stacksize", Field<12>}};
constexpr uint32_t kCodePlace = 13;  // where the CodeObject lies
constexpr FieldRow kTracebackFields[] = {
    {"tb_frame", Field<0>}, {"tb_lineno", Field<1>}, {"tb_lasti", Field<2>}, {"tb_next", Field<3>}};

}  // namespace

Value NewFields(Vm& vm, const RecordType& type, std::span<const FieldRow> rows,
                std::initializer_list<Value> values) {
  Roots roots(vm);
  for (Value v : values) roots.Add(v);
  Class* cls = ClassOfRecord(vm, type);
  if (cls == nullptr) return Value();
  if (vm.FindInClass(cls, vm.Intern(rows[0].name)).empty()) {
    for (const FieldRow& row : rows) {
      const Value native = vm.NewNative(row.name, row.get, nullptr, false);
      if (!native.empty()) As<Native>(native)->owner = cls;
      const Value property =
          native.empty() ? native : vm.NewDescriptor(DescriptorKind::kProperty, native);
      if (property.empty() || !vm.DictSetText(cls->attributes, row.name, property)) return Value();
    }
    for (Vm::MethodCacheLine& line : vm.method_cache) line = {};
  }
  const Value record = vm.NewRecord(cls, static_cast<uint32_t>(values.size()));
  uint32_t at = 0;
  for (Value v : values) {
    if (!record.empty()) As<Record>(record)->values[at++] = v;
  }
  return record;
}

// Whether functions inside read the local of that register.
static bool Captured(const CodeObject& code, uint16_t reg) {
  for (const CodeObject* inner : code.functions)
    for (const Capture& capture : inner->captures)
      if (capture.local && capture.index == reg) return true;
  return false;
}

// Names of locals as CPython orders them: parameters, then the others.
static Value NamesOf(Vm& vm, const CodeObject& code) {
  Roots roots(vm);
  const Value list = roots.Add(vm.NewList(nullptr, 0));
  if (list.empty()) return list;
  for (String* name : code.parameters)
    if (!vm.Append(As<List>(list), Value::Of(name))) return Value();
  for (const auto& [name, reg] : code.variables)
    if (reg >= code.parameters.size() && !Captured(code, reg) &&
        !vm.Append(As<List>(list), Value::Of(name)))
      return Value();
  return vm.NewTuple(As<List>(list)->items, As<List>(list)->size);
}

static Value FreeNamesOf(Vm& vm, const CodeObject& code) {
  std::vector<String*> names(code.captures.size(), nullptr);
  for (const Instruction& i : code.instructions)
    if (i.op == Op::kLoadFree && i.b < names.size()) names[i.b] = As<String>(code.constants[i.c]);
  std::erase(names, nullptr);
  std::sort(names.begin(), names.end(),
            [](const String* a, const String* b) { return a->view() < b->view(); });
  std::vector<Value> values;
  for (String* name : names) values.push_back(Value::Of(name));
  return vm.NewTuple(values.data(), values.size());
}

// Locals that functions inside read: parameters first.
static Value CellNamesOf(Vm& vm, const CodeObject& code) {
  Roots roots(vm);
  const Value list = roots.Add(vm.NewList(nullptr, 0));
  for (const auto& [name, reg] : code.variables) {
    if (Captured(code, reg) && (list.empty() || !vm.Append(As<List>(list), Value::Of(name))))
      return Value();
  }
  return list.empty() ? list : vm.NewTuple(As<List>(list)->items, As<List>(list)->size);
}

CodeObject* CodeBehind(Vm& vm, Value code) {
  const Record* record = AsRecord(vm, code, kCode);
  if (record == nullptr) return nullptr;
  return reinterpret_cast<CodeObject*>(
      static_cast<uintptr_t>(record->values[kCodePlace].AsSmallInt()));
}

Value CodeOf(Vm& vm, const CodeObject& code) {
  if (!code.object.empty()) return code.object;
  Roots roots(vm);
  const Value names = roots.Add(NamesOf(vm, code));
  const Value free = names.empty() ? names : roots.Add(FreeNamesOf(vm, code));
  const Value cells = free.empty() ? free : roots.Add(CellNamesOf(vm, code));
  if (cells.empty()) return cells;
  constexpr int kKinds[] = {0x20, 0x80, 0x200};  // generator, coroutine, async generator
  const int flags = 3 | (code.rest ? 4 : 0) | (code.keyword_rest ? 8 : 0) |
                    (code.captures.empty() ? 0 : 0x10) |
                    (code.generator ? kKinds[static_cast<int>(code.generator_kind)] : 0);
  const auto place = static_cast<int64_t>(reinterpret_cast<uintptr_t>(&code));
  code.object =
      NewFields(vm, kCode, kCodeFields,
                {Value::Of(code.name), Value::Of(code.qualified_name), Value::Of(code.module->file),
                 Value::SmallInt(code.places.empty() ? 1 : code.places[0].line),
                 Value::SmallInt(code.positional), Value::SmallInt(code.positional_only),
                 Value::SmallInt(code.keyword_only), names, Value::SmallInt(As<Tuple>(names)->size),
                 Value::SmallInt(flags), free, cells, Value::SmallInt(code.registers),
                 Value::SmallInt(place)});
  return code.object;
}

bool TracebackText(Vm& vm, Value traceback, std::string* out) {
  Record* trace = AsRecord(vm, traceback, kTraceback);
  uint32_t line, pc = 0;
  const CodeObject* code = CodeOfFrame(vm, trace == nullptr ? traceback : trace->values[0], &line);
  if (code == nullptr) return !vm.Raise(Error::kTypeError, "not a traceback").empty();
  if (trace != nullptr) {
    pc = static_cast<uint32_t>(trace->values[2].AsSmallInt() / 2);
  } else {
    while (pc + 1 < code->places.size() && code->places[pc].line != line) ++pc;
  }
  AppendFrame({code, pc}, "", out);
  return true;
}

void AddTrace(Heap& heap, Exception* exception, const TraceEntry& entry) {
  Trace& trace = exception->trace;
  if (trace.count >= kMaxTraceEntries) return;
  const uint32_t room = trace.buffer == nullptr ? Trace::kFew : trace.capacity;
  if (trace.count == room) {
    auto* more = static_cast<TraceEntry*>(heap.NewBuffer(2 * room * sizeof(TraceEntry)));
    if (more == nullptr) return;
    std::copy(trace.begin(), trace.end(), more);
    heap.FreeBuffer(trace.buffer, trace.capacity * sizeof(TraceEntry));
    trace.buffer = more;
    trace.capacity = 2 * room;
  }
  (trace.buffer == nullptr ? trace.few : trace.buffer)[trace.count++] = entry;
}

void SetTrace(Heap& heap, Exception* to, const Exception* from) {
  if (to == from || from->trace.empty()) return;
  to->trace.count = 0;
  for (const TraceEntry& entry : from->trace) AddTrace(heap, to, entry);
}

bool SameTrace(const Exception* a, const Exception* b) {
  return std::equal(
      a->trace.begin(), a->trace.end(), b->trace.begin(), b->trace.end(),
      [](const TraceEntry& x, const TraceEntry& y) { return x.code == y.code && x.pc == y.pc; });
}

Value TracebackOf(Vm& vm, Exception* exception) {
  Value next = Value::None();
  if (exception->trace.empty()) return next;
  Roots roots(vm);
  for (const TraceEntry& entry : exception->trace) {  // the innermost frame first
    const Value line = Value::SmallInt(PlaceOf(entry).line);
    const Value frame = roots.Add(FrameOfTrace(vm, *entry.code, line));
    if (frame.empty()) return frame;
    next = roots.Add(NewFields(vm, kTraceback, kTracebackFields,
                               {frame, line, Value::SmallInt(entry.pc * 2), next}));
    if (next.empty()) return next;
  }
  return next;
}

Value TracebackOfHelper(Vm& vm, Value* args) {
  return Is(args[0], Type::kException) ? TracebackOf(vm, As<Exception>(args[0])) : BadOperands(vm);
}

void AppendFrame(const TraceEntry& entry, std::string_view margin, std::string* out) {
  const Place& place = PlaceOf(entry);
  const Module* module = entry.code->module;
  *out += fmt::format("{}  File \"{}\", line {}, in {}\n", margin, module->file->view(), place.line,
                      entry.code->name->view());
  if (module->source == nullptr) return;
  const std::string_view line = LineOf(module->source->view(), place.line);
  const size_t indent = line.find_first_not_of(kBlanks);
  if (indent == std::string_view::npos) return;
  const size_t last = line.find_last_not_of(kBlanks) + 1;
  *out += fmt::format("{}    {}\n", margin, line.substr(indent, last - indent));
  const std::string carets = Carets(place, line);
  if (!carets.empty()) *out += fmt::format("{}    {}\n", margin, carets);
}

namespace {

constexpr int kMaxChain = 100;
constexpr int kMaxGroupDepth = 10;  // as CPython shows
constexpr uint32_t kMaxGroupWidth = 15;

void AppendException(Vm& vm, Exception* exception, std::string_view margin, int depth, int chain,
                     std::string* out);

// Lines of `text`, each after the margin.
void AppendLines(std::string_view text, std::string_view margin, std::string* out) {
  for (;;) {
    const size_t end = text.find('\n');
    *out += fmt::format("{}{}\n", margin, text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string ClassName(const Class* cls) {
  const bool plain = cls->module_name == nullptr || cls->module_name->view() == "builtins" ||
                     cls->module_name->view() == "__main__";
  return plain ? std::string(cls->qualified_name->view())
               : fmt::format("{}.{}", cls->module_name->view(), cls->qualified_name->view());
}

void AppendFrames(const Exception* exception, std::string_view margin, std::string* out) {
  constexpr size_t kRepeats = 3;  // of one line before the rest is only counted
  const Trace& trace = exception->trace;
  size_t same = 0;
  for (size_t i = trace.size(); i-- > 0;) {
    const bool again = i + 1 < trace.size() && trace[i].code == trace[i + 1].code &&
                       PlaceOf(trace[i]).line == PlaceOf(trace[i + 1]).line;
    same = again ? same + 1 : 0;
    if (same < kRepeats) AppendFrame(trace[i], margin, out);
    const bool last = i == 0 || trace[i - 1].code != trace[i].code ||
                      PlaceOf(trace[i - 1]).line != PlaceOf(trace[i]).line;
    if (last && same >= kRepeats)
      *out += fmt::format("{}  [Previous line repeated {} more time{}]\n", margin,
                          same - kRepeats + 1, same == kRepeats ? "" : "s");
  }
}

void AppendHeadline(Vm& vm, Exception* exception, std::string_view margin, std::string* out) {
  std::string text, line = ClassName(exception->cls);
  if (!vm.Str(Value::Of(exception), &text)) {
    vm.pending = Value();
    text = "<exception str() failed>";
  }
  if (!text.empty()) line += ": " + text;
  AppendLines(line, margin, out);
  String* const name = vm.Intern("__notes__");
  const Value notes =
      name == nullptr ? Value() : vm.GetAttributeOrEmpty(Value::Of(exception), name);
  if (Is(notes, Type::kList)) {
    for (uint32_t i = 0; i < As<List>(notes)->size; ++i) {
      std::string note;
      if (vm.Str(As<List>(notes)->items[i], &note)) AppendLines(note, margin, out);
    }
  }
  if (vm.fatal.ok()) vm.pending = Value();
}

bool IsGroup(Vm& vm, const Exception* exception) {
  return Is(exception->detail, Type::kTuple) &&
         vm.IsSubclass(exception->cls, vm.errors[static_cast<int>(Error::kBaseExceptionGroup)]);
}

// `bar` is what stands before the group's own bar.
void AppendGroup(Vm& vm, Exception* group, const std::string& bar, int depth, std::string* out) {
  const auto* parts = As<Tuple>(group->detail);
  const std::string inner = bar + "  ";
  if (depth + 1 > kMaxGroupDepth) {
    *out += fmt::format("{}... (max_group_depth is {})\n", inner, kMaxGroupDepth);
    return;
  }
  bool closed = false;  // by the last part, which is a group
  for (uint32_t i = 0; i < parts->size; ++i) {
    const bool more = i >= kMaxGroupWidth;
    *out += fmt::format("{}{}---------------- {} ----------------\n", bar, i == 0 ? "+-+" : "  +",
                        more ? "..." : fmt::format("{}", i + 1));
    if (more) {
      const uint32_t left = parts->size - kMaxGroupWidth;
      *out += fmt::format("{}| and {} more exception{}\n", inner, left, left == 1 ? "" : "s");
      break;
    }
    auto* const part = As<Exception>(parts->items[i]);
    AppendException(vm, part, inner + "| ", depth + 1, 0, out);
    closed = i + 1 == parts->size && IsGroup(vm, part) && depth + 2 <= kMaxGroupDepth;
  }
  if (!closed) *out += inner + "+------------------------------------\n";
}

void AppendException(Vm& vm, Exception* exception, std::string_view margin, int depth, int chain,
                     std::string* out) {
  const bool caused = Is(exception->cause, Type::kException);
  const Value before = caused                        ? exception->cause
                       : exception->suppress_context ? Value()
                                                     : exception->context;
  if (Is(before, Type::kException) && chain < kMaxChain) {
    AppendException(vm, As<Exception>(before), margin, depth, chain + 1, out);
    *out +=
        fmt::format("{0}\n{0}{1}\n{0}\n", margin,
                    caused ? "The above exception was the direct cause of the following exception:"
                           : "During handling of the above exception, another exception occurred:");
  }
  const bool group = IsGroup(vm, exception);
  const std::string own = group && depth == 0 ? std::string(margin) + "  | " : std::string(margin);
  if (!exception->trace.empty()) {
    const std::string first = group && depth == 0 ? std::string(margin) + "  + " : own;
    *out += fmt::format("{}{}Traceback (most recent call last):\n", first,
                        group ? "Exception Group " : "");
    AppendFrames(exception, own, out);
  }
  AppendHeadline(vm, exception, own, out);
  if (group)
    AppendGroup(
        vm, exception,
        depth == 0 ? std::string(margin) + "  " : std::string(margin.substr(0, margin.size() - 2)),
        depth, out);
}

}  // namespace

void AppendHeadline(Vm& vm, Exception* exception, std::string* out) {
  AppendHeadline(vm, exception, "", out);
}

uint32_t LineOf(const Frame& frame) {
  const auto at = frame.pc - frame.code->instructions.data();
  return PlaceOf({frame.code, static_cast<uint32_t>(at == 0 ? 0 : at - 1)}).line;
}

std::string Vm::FormatTraceback(Exception* exception) {
  std::string out;
  Roots roots(*this);
  roots.Add(Value::Of(exception));
  AppendException(*this, exception, "", 0, 0, &out);
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

}  // namespace ferry::vm

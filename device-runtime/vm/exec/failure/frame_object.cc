// Frame objects: what scripts see of calls that run, of suspended generators and of the frames that
// tracebacks name. Each holds where its frame lies and looks there again when it is asked.
#include <algorithm>

#include "device-runtime/vm/compile/code.h"
#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

enum Place : uint32_t {
  kCodeAt,
  kLineAt,
  kBackAt,
  kWhereAt,  // the number of the frame, a generator, or None: it is over
  kBaseAt,   // where its registers lie: another call may have taken its number
};

const Record* Self(const Args& args) {
  return As<Record>(args[0]);
}
Value Address(const Value* registers) {
  return Value::SmallInt(static_cast<int64_t>(reinterpret_cast<uintptr_t>(registers) >> 3));
}
// The frame, while its call runs.
const Frame* Running(Vm& vm, const Record* self) {
  const CodeObject* code = CodeBehind(vm, self->values[kCodeAt]);
  if (!self->values[kWhereAt].IsSmallInt()) {
    // A traceback does not know: the innermost call of that code.
    for (size_t i = vm.frames.size(); i-- > 0;)
      if (vm.frames[i].code == code && !Is(self->values[kWhereAt], Type::kGenerator))
        return &vm.frames[i];
    return nullptr;
  }
  const auto at = static_cast<size_t>(self->values[kWhereAt].AsSmallInt());
  if (at >= vm.frames.size()) return nullptr;
  const Frame& frame = vm.frames[at];
  return frame.code == code && Address(frame.base) == self->values[kBaseAt] ? &frame : nullptr;
}

Value Code(Vm&, Args& args) {
  return Self(args)->values[kCodeAt];
}
Value Line(Vm& vm, Args& args) {
  const Record* self = Self(args);
  const Frame* frame = self->values[kWhereAt].IsNone() ? nullptr : Running(vm, self);
  return frame == nullptr ? self->values[kLineAt] : Value::SmallInt(LineOf(*frame));
}
Value Back(Vm&, Args& args) {
  return Self(args)->values[kBackAt];
}
Value Globals(Vm& vm, Args& args) {
  return ModuleDict(vm, CodeBehind(vm, Self(args)->values[kCodeAt])->module);
}
Value Locals(Vm& vm, Args& args) {
  const Record* self = Self(args);
  const CodeObject* code = CodeBehind(vm, self->values[kCodeAt]);
  if (code->name->view() == "<module>") return ModuleDict(vm, code->module);
  const Frame* const frame = Running(vm, self);
  if (frame != nullptr && code->class_body) return frame->base[0];
  if (frame != nullptr) return VariablesOf(vm, *code, frame->base, frame->function);
  if (Is(self->values[kWhereAt], Type::kGenerator)) {
    const auto* generator = As<Generator>(self->values[kWhereAt]);
    const bool there =
        generator->state == Generator::kFresh || generator->state == Generator::kSuspended;
    if (there) return VariablesOf(vm, *code, generator->registers, generator->function);
  }
  return vm.NewDict();
}
Value Builtins(Vm& vm, Args&) {
  const Value dict = vm.NewDict();
  return !dict.empty() && vm.DictMerge(As<Dict>(dict), Value::Of(vm.builtins), false) ? dict
                                                                                      : Value();
}
Value LastInstruction(Vm& vm, Args& args) {
  const Frame* frame = Running(vm, Self(args));
  return Value::SmallInt(frame == nullptr ? 0 : 2 * (frame->pc - frame->code->instructions.data()));
}
Value Nothing(Vm&, Args&) {
  return Value::None();
}

constexpr BuiltinRow kMethods[] = {{"clear", Nothing}};
constexpr RecordType kFrame{"builtins", "frame", kMethods};
constexpr FieldRow kFields[] = {{"f_code", Code},
                                {"f_lineno", Line},
                                {"f_back", Back},
                                {"f_globals", Globals},
                                {"f_locals", Locals},
                                {"f_builtins", Builtins},
                                {"f_lasti", LastInstruction},
                                {"f_trace", Nothing}};

Value NewFrame(Vm& vm, const CodeObject& code, Value line, Value back, Value where, Value base) {
  Roots roots(vm);
  roots.Add(back);
  const Value object = CodeOf(vm, code);
  return object.empty() ? object
                        : NewFields(vm, kFrame, kFields, {object, line, back, where, base});
}

}  // namespace

Value FrameOfTrace(Vm& vm, const CodeObject& code, Value line) {
  return NewFrame(vm, code, line, Value::None(), Value::None(), Value::None());
}

Value FrameOfGenerator(Vm& vm, Generator* generator) {
  const CodeObject& code = *generator->function->code;
  const uint32_t last = generator->pc - (generator->pc > 0 ? 1 : 0);  // it goes on behind it
  const size_t at = std::min<size_t>(last, code.places.size() - 1);
  return NewFrame(vm, code, Value::SmallInt(code.places.empty() ? 1 : code.places[at].line),
                  Value::None(), Value::Of(generator), Value::None());
}

Value FrameAt(Vm& vm, int64_t depth) {
  std::vector<size_t> shown;  // the innermost first
  for (size_t i = vm.frames.size(); i-- > 0;)
    if (!vm.frames[i].code->places.empty()) shown.push_back(i);
  if (depth >= static_cast<int64_t>(shown.size()))
    return vm.Raise(Error::kValueError, "call stack is not deep enough");
  Roots roots(vm);
  Value made = Value::None();
  for (size_t i = shown.size(); i-- > static_cast<size_t>(std::max<int64_t>(depth, 0));) {
    const Frame& frame = vm.frames[shown[i]];
    made = NewFrame(vm, *frame.code, Value::SmallInt(LineOf(frame)), made,
                    Value::SmallInt(static_cast<int64_t>(shown[i])), Address(frame.base));
    if (made.empty() || !vm.ChargeSteps(1)) return Value();
    roots.Add(made);
  }
  return made;
}

const CodeObject* CodeOfFrame(Vm& vm, Value frame, uint32_t* line) {
  const Record* record = AsRecord(vm, frame, kFrame);
  if (record == nullptr) return nullptr;
  *line = static_cast<uint32_t>(record->values[kLineAt].AsSmallInt());
  return CodeBehind(vm, record->values[kCodeAt]);
}

}  // namespace ferry::vm

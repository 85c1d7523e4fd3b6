#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

Value Vm::MakeException(Class* cls, Value args) {
  auto* exception = static_cast<Exception*>(heap.NewObject(Type::kException, sizeof(Exception)));
  if (exception == nullptr) return OutOfMemory();
  exception->cls = cls;
  exception->args = args;
  exception->cause = Value();
  exception->context = Value();
  return Value::Of(exception);
}

Value Vm::RaiseValue(Error error, Value argument) {
  if (!fatal.ok() || argument.empty()) return Value();
  Value args = NewTuple(&argument, 1);
  if (args.empty()) return Value();
  Value exception = MakeException(errors[static_cast<int>(error)], args);
  if (!exception.empty()) pending = exception;
  return Value();
}

Value Vm::Raise(Error error, std::string_view message) {
  if (!fatal.ok()) return Value();
  return RaiseValue(error, NewStringChecked(message));
}

Value Vm::Fatal(Code code, std::string message) {
  if (fatal.ok()) fatal = Status(code, std::move(message));
  pending = Value();
  return Value();
}

Value Vm::OutOfMemory() {
  return Fatal(Code::kScriptMemory,
               fmt::format("script needs more than its memory: {} bytes in use of {} allowed",
                           heap.used(), heap.limit()));
}

bool Vm::TakePending(Error error) {
  if (!fatal.ok() || pending.empty() ||
      !IsSubclass(As<Exception>(pending)->cls, errors[static_cast<int>(error)]))
    return false;
  pending = Value();
  return true;
}

Value Vm::RaiseStatus(const Status& status) {
  if (failed()) return Value();
  switch (status.code()) {
    case Code::kScriptTime:
    case Code::kScriptMemory:
    case Code::kScriptDepth:
    case Code::kCancelled:
      return Fatal(status.code(), status.message());
    case Code::kOutOfMemory:
      return Fatal(Code::kScriptMemory, status.message());
    case Code::kInvalidArgument:
    case Code::kShapeMismatch:
    case Code::kMalformed:
      return Raise(Error::kValueError, status.message());
    case Code::kNotFound:
      return Raise(Error::kLookupError, status.message());
    case Code::kUnsupported:
      return Raise(Error::kNotImplementedError, status.message());
    default:
      return Raise(Error::kRuntimeError, status.ToString());
  }
}

std::string Vm::FormatTraceback(Exception* exception, int depth) {
  constexpr int kMaxChain = 8;
  std::string out;
  Value before = !exception->cause.empty() && !exception->cause.IsNone() ? exception->cause
                 : exception->suppress_context                           ? Value()
                                                                         : exception->context;
  if (Is(before, Type::kException) && depth < kMaxChain) {
    out += FormatTraceback(As<Exception>(before), depth + 1);
    out += before == exception->cause
               ? "\n\nThe above exception was the direct cause of the following exception:\n\n"
               : "\n\nDuring handling of the above exception, another exception occurred:\n\n";
  }
  if (exception->trace != nullptr && !exception->trace->empty()) {
    out += "Traceback (most recent call last):\n";
    for (size_t i = exception->trace->size(); i-- > 0;) {
      const TraceEntry& entry = (*exception->trace)[i];
      out += fmt::format("  File \"{}\", line {}, in {}\n", entry.code->module->file->view(),
                         entry.line, entry.code->name->view());
    }
  }
  out += exception->cls->name->view();
  std::string text;
  if (!Str(Value::Of(exception), &text)) {
    pending = Value();
    text = "<exception str() failed>";
  }
  if (!text.empty()) out += ": " + text;
  return out;
}

Status Vm::TakeFailure() {
  Status status = fatal;
  if (fatal.ok() && !pending.empty()) {
    Roots roots(*this);
    auto* exception = As<Exception>(roots.Add(pending));
    pending = Value();
    std::string text = FormatTraceback(exception);
    // The last line first: what people read; then the traceback that leads to it.
    const size_t last = text.rfind("Traceback (most recent call last)");
    size_t line = last == std::string::npos
                      ? 0
                      : text.find("\n" + std::string(exception->cls->name->view()), last);
    line = line == std::string::npos || last == std::string::npos ? 0 : line + 1;
    const std::string headline = text.substr(line);
    status = fatal.ok() ? Status(Code::kScriptRaised, headline + "\n" + text) : fatal;
  }
  fatal = Status();
  pending = Value();
  frames.clear();
  kept.clear();
  top = stack.get();
  native_depth = 0;
  collection_blocked = 0;
  return status;
}

bool Vm::RefillSteps() {
  if (interrupted.exchange(false)) {
    Fatal(Code::kCancelled, "script was interrupted");
    return false;
  }
  if (steps_left <= 0) {
    Fatal(Code::kScriptTime,
          fmt::format("script passed its limit of {} steps", options.limits.steps));
    return false;
  }
  steps_slice += std::min(steps_left, kStepSlice);
  steps_left -= std::min(steps_left, kStepSlice);
  return true;
}

bool Vm::ChargeSteps(int64_t steps) {
  steps_slice -= steps;
  while (steps_slice < 0)
    if (!RefillSteps()) return false;
  return true;
}

}  // namespace ferry::vm

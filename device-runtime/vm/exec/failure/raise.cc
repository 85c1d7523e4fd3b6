#include <chrono>
#include <thread>

#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

Value Vm::MakeException(Class* cls, Value args) {
  auto* exception = Cast<Exception>(heap.NewObject(Type::kException, sizeof(Exception)));
  if (exception == nullptr) return OutOfMemory();
  exception->cls = cls;
  exception->args = args;
  exception->cause = Value();
  exception->context = Value();
  exception->detail = Value();
  if (cls->members > 0) {  // places of __slots__
    exception->slots = static_cast<Value*>(heap.NewBuffer(cls->members * sizeof(Value)));
    exception->shape = exception->slots == nullptr ? nullptr : RootShape(cls);
    if (exception->shape == nullptr) return OutOfMemory();
    exception->aux = cls->members;
    for (uint32_t i = 0; i < cls->members; ++i) exception->slots[i] = Value();
  }
  return Value::Of(exception);
}

Value Vm::NewError(Error error) {
  return MakeException(errors[static_cast<int>(error)], empty_tuple);
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
  return RaiseValue(error, IsText(message) ? NewString(message) : NewStringChecked(message));
}

Value Vm::ThrowText(Error error, fmt::string_view format, fmt::format_args args) {
  return Raise(error, fmt::vformat(format, args));
}

Value Vm::ThrowNamed(Error error, fmt::string_view format, std::string_view name) {
  return ThrowText(error, format, fmt::make_format_args(name));
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

Value Vm::TooLarge() {
  if (!options.limits.memory_error) return OutOfMemory();
  pending = NewError(Error::kMemoryError);
  return Value();
}

Value Vm::TooDeep(std::string_view where) {
  return Throw(Error::kRecursionError, "maximum recursion depth exceeded{}", where);
}

void Vm::PassedDepth() {
  Fatal(Code::kScriptDepth, fmt::format("script passed its limit of {} nested calls", depth_limit));
}

bool Vm::WriteOutput(std::string_view text, bool error) {
  if (!ChargeSteps(static_cast<int64_t>(text.size() / 16))) return false;
  const int64_t limit = options.limits.output_bytes;
  output_bytes += static_cast<int64_t>(text.size());
  if (limit > 0 && output_bytes > limit) {
    Fatal(Code::kLimitExceeded,
          fmt::format("script passed its limit of {} bytes of output", limit));
    return false;
  }
  const PrintSink& sink = error ? options.print_error : options.print;
  if (sink != nullptr) sink(text);
  return true;
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
  kept.TakeBack(0);
  top = stack.get();
  native_depth = 0;
  collection_blocked = 0;
  return status;
}

// Waiting for its turn costs a script nothing of its own time.
static bool Pace(Vm& vm, int64_t steps) {
  const bool timed = vm.deadline_ns != INT64_MAX;
  const int64_t start = timed ? vm.clock().MonotonicNs() : 0;
  const Status status = vm.pacer->Pace(steps);
  if (timed) vm.deadline_ns += vm.clock().MonotonicNs() - start;
  if (!status.ok()) vm.Fatal(status.code(), status.message());
  return status.ok();
}

bool Vm::RefillSteps() {
  if (interrupted.exchange(false)) {
    Fatal(Code::kCancelled, "script was interrupted");
    return false;
  }
  if (steps_left <= 0) {
    Fatal(Code::kScriptTime,
          fmt::format("script passed its limit of {} instructions", options.limits.steps));
    return false;
  }
  if (deadline_ns != INT64_MAX && clock().MonotonicNs() >= deadline_ns) {
    Fatal(Code::kDeadlineExceeded,
          fmt::format("script passed its limit of {} ms", options.limits.wall_ns / 1'000'000));
    return false;
  }
  const int64_t slice = std::min(steps_left, kStepSlice);
  steps_slice += slice;
  steps_left -= slice;
  return pacer == nullptr || Pace(*this, slice);
}

void Vm::Sleep(int64_t ns) const {
  if (options.sleep) {
    options.sleep(ns);
  } else {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  }
}

bool Vm::PaySteps() {
  while (steps_slice < 0)
    if (!RefillSteps()) return false;
  return true;
}

}  // namespace ferry::vm

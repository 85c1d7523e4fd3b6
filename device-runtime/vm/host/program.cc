// A script as a program: `__main__`, and what Python ends with.
#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

void WriteError(Vm& vm, std::string text) {
  text += '\n';
  (void)vm.WriteOutput(text, true);
}

// What sys.exit(code) leaves with.
int ExitStatus(Vm& vm, Exception* exit) {
  Roots roots(vm);
  roots.Add(Value::Of(exit));
  String* name = vm.Intern("code");
  Value code = name == nullptr ? Value() : vm.GetAttributeOrEmpty(Value::Of(exit), name);
  if (code.empty() && !vm.failed()) {
    const auto* args = As<Tuple>(exit->args);
    code = args->size == 0 ? Value::None() : args->size == 1 ? args->items[0] : exit->args;
  }
  vm.pending = Value();
  if (code.IsNone()) return 0;
  int64_t status;
  if (IsInt(code)) return IntToInt64(code, &status) ? static_cast<int>(status & 0xff) : 0xff;
  std::string text;
  if (!code.empty() && vm.Str(roots.Add(code), &text)) WriteError(vm, std::move(text));
  vm.pending = Value();
  return 1;
}

// Whether a script's own sys.excepthook has told of it.
bool Hooked(Vm& vm, Exception* exception) {
  const Value sys = vm.Imported("sys");
  String *name = vm.Intern("excepthook"), *usual = vm.Intern("__excepthook__");
  if (sys.empty() || name == nullptr || usual == nullptr) return false;
  Roots roots(vm);
  const Value hook = roots.Add(vm.GetAttributeOrEmpty(sys, name));
  if (hook.empty() || hook == vm.GetAttributeOrEmpty(sys, usual)) return false;
  const Value args[] = {Value::Of(exception->cls), Value::Of(exception),
                        roots.Add(TracebackOf(vm, exception))};
  if (args[2].empty()) return false;
  if (!vm.Call(hook, args, 3).empty()) return true;
  if (vm.fatal.ok() && Is(vm.pending, Type::kException)) {
    const Value failure = roots.Add(std::exchange(vm.pending, Value()));
    WriteError(vm, "Error in sys.excepthook:");
    WriteError(vm, vm.FormatTraceback(As<Exception>(failure)));
    WriteError(vm, "\nOriginal exception was:");
  }
  return false;
}

// The exit status after a failure that is no limit.
int Uncaught(Vm& vm) {
  Roots roots(vm);
  auto* exception = As<Exception>(roots.Add(vm.pending));
  vm.pending = Value();
  if (vm.IsSubclass(exception->cls, vm.errors[static_cast<int>(Error::kSystemExit)]))
    return ExitStatus(vm, exception);
  if (!Hooked(vm, exception) && vm.fatal.ok()) WriteError(vm, vm.FormatTraceback(exception));
  return 1;
}

}  // namespace

Result<int> Isolate::RunMain(std::string_view source, std::string_view file) {
  vm_->Reset();
  int status = 1;
  if (!vm_->RunModule(source, "__main__", file).empty()) {
    status = 0;
  } else if (vm_->fatal.code() == Code::kScriptSyntax) {
    WriteError(*vm_, vm_->fatal.message());
    vm_->fatal = Status();
  } else if (vm_->fatal.ok()) {
    status = Uncaught(*vm_);
  }
  FERRY_TRY(vm_->TakeFailure());
  vm_->Finish();
  FERRY_TRY(vm_->TakeFailure());
  return status;
}

}  // namespace ferry::vm

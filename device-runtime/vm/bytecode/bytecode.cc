#include "device-runtime/vm/bytecode.h"

#include "device-runtime/vm/bytecode/format.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::vm {
namespace {

constexpr int64_t kMemory = 256 << 20;  // for one module

}  // namespace

bool IsBytecode(std::string_view bytes) {
  return bytes.starts_with(kBytecodeMagic);
}

Status CheckBytecode(std::string_view bytes) {
  FERRY_ASSIGN_OR_RETURN(auto isolate, Isolate::Create({.limits = {.memory_bytes = kMemory}}));
  Vm& vm = isolate->vm();
  Module* module = vm.NewModule("__check__", "");
  if (module == nullptr) return vm.TakeFailure();
  return ReadBytecode(vm, bytes, module).status();
}

}  // namespace ferry::vm

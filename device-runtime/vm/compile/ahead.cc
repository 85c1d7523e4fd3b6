// Compiling without running: for packages and for those who only want to know whether a script is
// right.
#include "device-runtime/vm/bytecode.h"
#include "device-runtime/vm/bytecode/format.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::vm {
namespace {

constexpr int64_t kMemory = 256 << 20;  // for one module and what the compiler makes of it

}  // namespace

bool HasCompiler() {
  return true;
}

Status CheckSyntax(std::string_view source, std::string_view file) {
  return CompileToBytecode(source, file, false).status();
}

Result<std::string> CompileToBytecode(std::string_view source, std::string_view file,
                                      bool with_source, bool with_places) {
  FERRY_ASSIGN_OR_RETURN(auto isolate, Isolate::Create({.limits = {.memory_bytes = kMemory}}));
  Vm& vm = isolate->vm();
  Module* module = vm.NewModule("__compiled__", file);
  if (module == nullptr) return vm.TakeFailure();
  FERRY_ASSIGN_OR_RETURN(CodeObject * code, CompileModule(vm, source, file, module));
  return WriteBytecode(vm, *code, with_source ? source : std::string_view(), with_places);
}

}  // namespace ferry::vm

// What stands for the compiler where it is left out: every source text is refused.
#include "device-runtime/vm/bytecode.h"
#include "device-runtime/vm/compile/imports.h"
#include "device-runtime/vm/compile/lint.h"
#include "device-runtime/vm/exec/vm.h"
#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/syntax/anchors.h"

namespace ferry::vm {
namespace {

Status NoCompiler(std::string_view file) {
  return Status::Of(Code::kUnsupported,
                    "{} is source text, and this build runs bytecode only: compile it with "
                    "`ferry pack`",
                    file);
}

}  // namespace

bool HasCompiler() {
  return false;
}

Status CheckSyntax(std::string_view, std::string_view file) {
  return NoCompiler(file);
}

Result<std::string> CompileToBytecode(std::string_view, std::string_view file, bool, bool) {
  return NoCompiler(file);
}

Result<std::vector<Finding>> Lint(std::string_view, std::string_view file) {
  return NoCompiler(file);
}

Result<std::vector<ImportStatement>> Imports(std::string_view, std::string_view file) {
  return NoCompiler(file);
}

Result<CodeObject*> CompileModule(Vm&, std::string_view, std::string_view file, Module*) {
  return NoCompiler(file);
}

// Carets stand below the whole expression then.
bool FindAnchors(std::string_view, size_t*, size_t*) {
  return false;
}

}  // namespace ferry::vm

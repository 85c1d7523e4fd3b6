// The VM without its compiler: bytecode runs as it does elsewhere, source text is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "device-runtime/vm/bytecode.h"
#include "device-runtime/vm/compile/lint.h"
#include "device-runtime/vm/embed/modules.h"
#include "device-runtime/vm/isolate.h"

#define FERRY_TABLE "device-runtime/vm/bytecode_only.gen.inc"
#include "device-runtime/vm/embed/table.inc"
#undef FERRY_TABLE

namespace ferry::vm {
namespace {

using ::testing::HasSubstr;

Result<ModuleFile> Load(std::string_view name) {
  if (name == "written") return ModuleFile("value = 1\n");
  for (const EmbeddedModule& script : kModules)
    if (script.name == name) return ModuleFile(Unpacked(script));
  return Status::Of(Code::kNotFound, "no module {}", name);
}

std::unique_ptr<Isolate> Make() {
  return Isolate::Create({.loader = Load}).value();
}

TEST(BytecodeOnly, RunsCompiledScriptsAndTheLibrary) {
  EXPECT_FALSE(HasCompiler());
  const auto isolate = Make();
  const auto events = nlohmann::json::parse(R"([{"name": "a", "n": 7}, {"name": "a", "n": 12}])");
  const auto result = isolate->CallJson("task", "on_trigger", {&events, 1});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(*result, nlohmann::json::parse(
                         R"({"a": 2, "point": 2, "answer": 42, "digits": 2, "twice": 42})"));
}

TEST(BytecodeOnly, TracebacksShowFilesAndLines) {
  const auto isolate = Make();
  const auto result = isolate->CallJson("task", "fail", {});
  EXPECT_EQ(result.code(), Code::kScriptRaised);
  EXPECT_THAT(result.status().message(), HasSubstr("File \"task.py\", line 34, in fail"));
  EXPECT_THAT(result.status().message(), HasSubstr("TypeError: 'int' object is not subscriptable"));
}

TEST(BytecodeOnly, RefusesSourceText) {
  const auto isolate = Make();
  for (const Status& status :
       {isolate->RunSource("x = 1\n", "plain").status(),
        isolate->RunMain("x = 1\n", "main").status(),
        isolate->CallJson("task", "from_source", {}).status(), CheckSyntax("x = 1\n", "x.py"),
        CompileToBytecode("x = 1\n", "x.py").status(), Lint("x = 1\n", "x.py").status()}) {
    EXPECT_EQ(status.code(), Code::kUnsupported) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("is source text, and this build runs bytecode only"));
  }
  EXPECT_THAT(isolate->RunSource("x = 1\n", "again").status().message(), HasSubstr("again.py is"));
  EXPECT_TRUE(isolate->CallJson("helper", "twice", {}).code() == Code::kScriptRaised);
}

// Built by another version, with its source: the source is no way out here.
TEST(BytecodeOnly, RefusesBytecodeOfAnotherVersion) {
  std::string bytes = Load("helper")->bytes;
  ++bytes[4];
  EXPECT_EQ(CheckBytecode(bytes).code(), Code::kUnsupported);
  EXPECT_EQ(Make()->RunSource(bytes, "other").code(), Code::kUnsupported);
}

}  // namespace
}  // namespace ferry::vm

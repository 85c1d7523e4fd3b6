// The desk library is apart from the runtime's: nothing that every runtime has asks for it, and
// without it its modules are not there.
#include "device-runtime/vm/embed/desk.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "device-runtime/vm/compile/imports.h"
#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/lib/desk_names.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

namespace fs = std::filesystem;

const fs::path kLibrary = fs::path(FERRY_SOURCE_DIR) / "device-runtime/vm/lib";

std::string OutputOf(const std::string& program, const EmbeddedLibrary* desk,
                     SourceLoader loader = nullptr) {
  std::string out;
  auto isolate = Isolate::Create({.loader = std::move(loader),
                                  .print = [&](std::string_view text) { out += text; },
                                  .desk = desk});
  EXPECT_TRUE(isolate.ok());
  const Status status = (*isolate)->RunSource(program, "__main__").status();
  if (!status.ok()) out += "raised: " + status.message();
  return out;
}

std::vector<std::string> NamesIn(const char* folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kLibrary / folder))
    if (entry.path().extension() == ".py") names.push_back(entry.path().stem().string());
  return names;
}

TEST(Desk, TheTwoLibrariesAreWhatTheirFoldersHold) {
  for (const auto& [library, folder] :
       {std::pair(&RuntimeLibrary(), "py"), std::pair(&DeskLibrary(), "desk")}) {
    const std::vector<std::string> names = NamesIn(folder);
    EXPECT_EQ(library->modules.size(), names.size());
    for (const std::string& name : names) EXPECT_NE(library->Find(name), nullptr) << name;
  }
  EXPECT_EQ(RuntimeLibrary().Find("pickle"), nullptr);
  EXPECT_EQ(DeskLibrary().Find("json"), nullptr);
  EXPECT_TRUE(DeskLibrary().IsPackage("unittest"));
  EXPECT_FALSE(RuntimeLibrary().IsPackage("unittest"));
}

// IsDeskModule has a list of its own, for programs without the desk library.
TEST(Desk, ItsNamesAreKnownToEveryRuntime) {
  for (const EmbeddedModule& module : DeskLibrary().modules)
    EXPECT_TRUE(IsDeskModule(module.name)) << module.name;
  for (const EmbeddedModule& module : RuntimeLibrary().modules)
    EXPECT_FALSE(IsDeskModule(module.name)) << module.name;
  for (const LibModule& module : LibModules()) EXPECT_FALSE(IsDeskModule(module.name));
  EXPECT_TRUE(IsDeskModule("unittest.anything"));
  EXPECT_FALSE(IsDeskModule("unittests"));
}

// No statement of the modules that stay asks for it, in no function and in no `try` either.
TEST(Desk, NoModuleOfTheRuntimeImportsIt) {
  const std::vector<std::string> names = NamesIn("py");
  ASSERT_GT(names.size(), 40u);
  for (const std::string& name : names) {
    std::stringstream source;
    source << std::ifstream(kLibrary / "py" / (name + ".py"), std::ios::binary).rdbuf();
    const auto imports = Imports(source.str(), name);
    ASSERT_TRUE(imports.ok()) << imports.status().ToString();
    for (const ImportStatement& one : *imports)
      EXPECT_FALSE(IsDeskModule(one.module))
          << name << ":" << one.line << " imports " << one.module;
  }
}

TEST(Desk, EveryModuleOfTheRuntimeWorksWithoutIt) {
  std::vector<std::string> names;
  for (const EmbeddedModule& module : RuntimeLibrary().modules) names.push_back(module.name);
  for (const LibModule& module : LibModules()) names.push_back(module.name);
  for (const std::string& name : names)
    EXPECT_EQ(OutputOf("import sys, " + name + "\nprint(sys.modules['" + name + "'].__name__)\n",
                       nullptr),
              name + "\n");
}

TEST(Desk, ItsModulesAreThereOnlyWithIt) {
  for (const EmbeddedModule& module : DeskLibrary().modules) {
    const std::string name = module.name, first = name.substr(0, name.find('.'));
    const std::string shows = "import sys, " + name + "\nprint(sys.modules['" + name +
                              "'].__name__, sys.modules['" + name + "'].__file__)\n";
    EXPECT_EQ(OutputOf(shows, &DeskLibrary()), name + " <lib>/" + name + ".py\n");
    EXPECT_EQ(
        OutputOf("try: import " + name + "\nexcept ModuleNotFoundError as e: print(e.name, e)\n",
                 nullptr),
        first + " No module named '" + first +
            "': it is only on the desk (`ferry task exec`, `ferry task test`)\n");
  }
  EXPECT_EQ(
      OutputOf("try: from unittest import mock\nexcept ImportError: print('none')\n", nullptr),
      "none\n");
  for (const char* name : {"nowhere", "unittest.nowhere"})
    EXPECT_EQ(OutputOf(std::string("try: import ") + name + "\nexcept ImportError as e: print(e)\n",
                       &DeskLibrary()),
              std::string("No module named '") + name + "'\n");
}

TEST(Desk, ATasksModuleOfThatNameComesFirst) {
  const SourceLoader loader = [](std::string_view name) -> Result<ModuleFile> {
    if (!IsDeskModule(name)) return Status(Code::kNotFound, "no module");
    return ModuleFile("name = 'mine'\n");
  };
  for (const EmbeddedModule& module : DeskLibrary().modules) {
    const std::string name = module.name;
    if (name.starts_with('_') || name.find('.') != std::string::npos) continue;
    for (const EmbeddedLibrary* desk :
         {&DeskLibrary(), static_cast<const EmbeddedLibrary*>(nullptr)})
      EXPECT_EQ(OutputOf("import " + name + "\nprint(" + name + ".name)\n", desk, loader),
                "mine\n");
  }
}

}  // namespace
}  // namespace ferry::vm

// ferry inspect.
#include "tools/ferry/local/inspect.h"

namespace ferry::cli {

void AddInspectCommand(Commands& commands) {
  const auto request = std::make_shared<InspectRequest>();
  CLI::App* inspect =
      commands.Add(nullptr, "inspect", "print what a package, model, metadata or sealed file is",
                   "ferry inspect targets.json --root root.json",
                   [request](const GlobalOptions&) { return Inspect(*request); });
  inspect->add_option("file", request->file, ".fpk, .onnx, .fm, metadata, bundle, sealed file")
      ->required();
  inspect->add_option("--root", request->root, "check metadata by this root.json");
  inspect->add_option("--targets", request->targets, "find a sealed file in this targets.json");
}

}  // namespace ferry::cli

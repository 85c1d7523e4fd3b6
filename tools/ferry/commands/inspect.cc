// ferry inspect.
#include "tools/ferry/local/inspect.h"
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

void AddInspectCommand(Commands& commands) {
  const auto request = std::make_shared<InspectRequest>();
  const auto stage = std::make_shared<StageRequest>();
  CLI::App* inspect = commands.Add(
      nullptr, "inspect", "print what a package, model, metadata or sealed file is",
      "ferry inspect targets.json --root root.json", [request, stage](const GlobalOptions&) {
        if (stage->stage.empty() && stage->after.empty()) return Inspect(*request);
        stage->file = request->file;
        return ShowStage(*stage);
      });
  inspect->add_option("file", request->file, ".fpk, .onnx, .fm, metadata, bundle, sealed file")
      ->required();
  inspect->add_option("--root", request->root, "check metadata by this root.json");
  inspect->add_option("--targets", request->targets, "find a sealed file in this targets.json");
  inspect->add_flag("--graph-json", request->graph,
                    "print a model's graph as one JSON object: nodes, shapes, estimated cost, "
                    "quantisation");
  inspect->add_option("--model", request->model, "the .fm file of a package, with --graph-json");
  inspect->add_option("--profile", request->profile,
                      "what ferry bench MODEL --explain --json printed: times of nodes, with "
                      "--graph-json");
  inspect->add_option("--stage", stage->stage, "print a model as text at this stage")
      ->check(CLI::IsMember({"imported", "compiled", "specialized", "program", "plan"}));
  inspect->add_option("--after", stage->after, "print the stage as it is after this pass");
  inspect->add_option("--shape", stage->shapes,
                      "NAME=1x3x224x224 of an input; free dimensions are 1 otherwise");
}

}  // namespace ferry::cli

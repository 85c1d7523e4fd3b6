// ferry compare.
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

void AddCompareCommand(Commands& commands) {
  const auto request = std::make_shared<CompareRequest>();
  CLI::App* compare =
      commands.Add(nullptr, "compare", "run a model on golden inputs, print the error per output",
                   "ferry compare model.onnx golden.npz",
                   [request](const GlobalOptions&) { return CompareModel(*request); });
  compare->add_option("model", request->file, ".onnx or .fm")->required();
  compare
      ->add_option("golden", request->golden,
                   ".npz: arrays named as the inputs and outputs, or in_0__NAME, out_0__NAME")
      ->required();
  compare->add_option("--tolerance", request->tolerance, "of the largest golden magnitude")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  compare->add_option("--isa", request->isa, "instruction set of the kernels");
  compare
      ->add_option(
          "--error-bound", request->error_bound,
          "largest error that an algorithm may add: Winograd, split products, products of bfloat16")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

}  // namespace ferry::cli

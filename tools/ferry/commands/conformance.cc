// ferry conformance.
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

void AddConformanceCommand(Commands& commands) {
  const auto request = std::make_shared<ConformanceRequest>();
  CLI::App* conformance = commands.Add(
      nullptr, "conformance", "run ONNX backend cases", "ferry conformance cases --isa avx2",
      [request](const GlobalOptions&) { return RunConformance(*request); });
  conformance->add_option("directory", request->directory, "where the cases lie")->required();
  conformance->add_option("patterns", request->patterns,
                          "only cases whose names match one of these globs");
  conformance->add_option(
      "--isa", request->isa,
      "kernels: reference, avx2, avxvnni, avx512, vnni, avx512bf16, amx, neon, dotprod or i8mm; "
      "the fastest by default");
  conformance->add_flag("--naive", request->naive, "the naive references instead of sessions");
}

}  // namespace ferry::cli

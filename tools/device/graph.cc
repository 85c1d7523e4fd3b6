#include <cstdio>

#include "common/base/json.h"
#include "common/package/reader.h"
#include "common/sys/filesystem.h"
#include "tools/device/commands.h"
#include "tools/device/forbidden_call.h"
#include "tools/model_graph/model_graph.h"

namespace ferry::device {
namespace {

Result<Json> GraphIn(const GraphOptions& options) {
  FERRY_ASSIGN_OR_RETURN(const package::Package package,
                         package::Package::OpenFile(sys::SystemFileSystem(), options.package_file));
  return model_graph::GraphOfPackage(package, options.model);
}

}  // namespace

int PrintGraph(const GraphOptions& options) {
  NameForbiddenCalls();
  const Result<Json> graph = GraphIn(options);
  if (!graph.ok()) {
    const Json failure = {{"error",
                           {{"code", static_cast<int>(graph.code())},
                            {"name", InfoOf(graph.code()).name},
                            {"text", graph.status().message()}}}};
    std::printf("%s\n", WriteJson(failure).c_str());
    std::fprintf(stderr, "ferry-device: %s\n", graph.status().ToString().c_str());
    return 1;
  }
  std::printf("%s\n", WriteJson(*graph).c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace ferry::device

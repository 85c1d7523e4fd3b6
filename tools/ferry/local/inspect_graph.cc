#include "common/base/json.h"
#include "common/package/reader.h"
#include "device-runtime/formats/onnx.h"
#include "tools/ferry/local/given_file.h"
#include "tools/ferry/local/inspect.h"
#include "tools/model_graph/model_graph.h"
#include "tools/model_graph/profile.h"

namespace ferry::cli {
namespace {

// Of an .onnx file as it was imported, of a .fm file as it is stored.
Result<Json> GraphIn(const InspectRequest& request) {
  const std::string& path = request.file;
  sys::FileSystem& files = sys::SystemFileSystem();
  if (path.ends_with(".onnx")) {
    Status unknown;
    FERRY_ASSIGN_OR_RETURN(
        const ir::Graph graph,
        formats::ImportOnnxFile(files, path, formats::OnnxTensors::kAligned, &unknown));
    Json json = model_graph::GraphToJson(graph);
    if (!unknown.ok()) json["unknown"] = unknown.message();
    return json;
  }
  if (path.ends_with(".fm")) {
    FERRY_ASSIGN_OR_RETURN(const std::shared_ptr<const sys::MappedFile> file, files.Map(path));
    return model_graph::GraphOfModelFile(file->bytes(), file).Context("{}", path);
  }
  if (path.ends_with(".fpk")) {
    FERRY_ASSIGN_OR_RETURN(const package::Package package, package::Package::OpenFile(files, path));
    return model_graph::GraphOfPackage(package, request.model);
  }
  return Status::Of(Code::kInvalidArgument, "{} is no model (.onnx, .fm) or package (.fpk)", path);
}

}  // namespace

Result<Output> InspectGraph(const InspectRequest& request) {
  FERRY_ASSIGN_OR_RETURN(Json graph, GraphIn(request));
  if (!request.profile.empty()) {
    FERRY_TRY(CheckGiven(request.profile));
    FERRY_ASSIGN_OR_RETURN(
        const Bytes profile,
        sys::ReadFile(sys::SystemFileSystem(), request.profile, model_graph::kMaxProfileBytes));
    FERRY_TRY(model_graph::AddProfile(profile, graph).Context("{}", request.profile));
  }
  std::string text = WriteJson(graph) + "\n";
  Output out{std::move(graph), std::move(text)};
  out.exact = true;
  return out;
}

}  // namespace ferry::cli

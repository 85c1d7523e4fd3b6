// ferry convert: ONNX to Ferry's own model file.
#include "common/sys/filesystem.h"
#include "tools/ferry/command.h"
#include "tools/ferry/local/models.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

Result<Output> Convert(const std::string& source, std::string target) {
  if (target.empty()) {
    if (!source.ends_with(".onnx")) {
      return Status::Of(Code::kInvalidArgument, "{} is no .onnx file: give -o", source);
    }
    target = source.substr(0, source.size() - 5) + ".fm";
  }
  FERRY_ASSIGN_OR_RETURN(ConvertedModel model, ConvertOnnx(source));
  FERRY_TRY(
      sys::WriteFileAtomically(sys::SystemFileSystem(), target, model.file, sys::kPublicFile));
  Output out;
  out.json() = std::move(model.summary);
  out.json()["file"] = target;
  FERRY_ASSIGN_OR_RETURN(const int64_t before, GetInt(out.json(), "nodes_before"));
  FERRY_ASSIGN_OR_RETURN(const int64_t after, GetInt(out.json(), "nodes_after"));
  out.text = fmt::format("{} -> {} ({}): {} nodes, {} after folding and fusing\n{}", source, target,
                         SizeText(model.file.size()), before, after, ModelText(out.json()));
  return out;
}

}  // namespace

void AddConvertCommand(Commands& commands) {
  const auto paths = std::make_shared<std::pair<std::string, std::string>>();
  CLI::App* convert =
      commands.Add(nullptr, "convert", "convert an ONNX model to a .fm file",
                   "ferry convert digits.onnx -o digits.fm",
                   [paths](const GlobalOptions&) { return Convert(paths->first, paths->second); });
  convert->add_option("model", paths->first, "the .onnx file")->required();
  convert->add_option("-o,--output", paths->second, "the .fm file; beside the model by default");
}

}  // namespace ferry::cli

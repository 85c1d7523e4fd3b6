#include <algorithm>
#include <cctype>

#include "device-runtime/formats/onnx_writer.h"
#include "device-runtime/ir/text.h"
#include "tools/ferry/cli.h"
#include "tools/ferry/local/project/project.h"

namespace ferry::cli {
namespace {

using std::string_view_literals::operator""sv;

struct ProjectTemplate {
  std::string_view path;  // "/app/cpp/main.cc"
  std::string_view text;
};
constexpr ProjectTemplate kProjectTemplates[] = {
#define FERRY_PAGE(path, ...) {path, __VA_ARGS__##sv},
#include "tools/ferry/project_files.gen.inc"
#undef FERRY_PAGE
};

// What the projects' models are: four features in, the probabilities of three classes out.
constexpr char kClassifier[] = R"(graph classifier
input features f32 ["n",4]
const weights f32 [4,3] = 0.8 -0.2 -0.6 -0.5 0.9 0.1 0.3 -0.4 0.7 -0.1 0.2 0.5
const bias f32 [3] = 0.1 0 -0.1
node Gemm scores (features, weights, bias) -> (scores)
node Softmax probabilities (scores) -> (prob) axis=i-1
output prob
)";

void ReplaceMark(std::string& text, std::string_view what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

std::string LowerName(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The path in the project's folder; "" for a file of another project.
std::string_view PathIn(const ProjectKind& project, std::string_view path) {
  const std::string kind = fmt::format("/{}/", project.kind);
  if (!path.starts_with(kind)) return "";
  path.remove_prefix(kind.size());
  if (path.find('/') == path.npos) return path;  // of all languages
  const std::string language = fmt::format("{}/", project.language);
  return path.starts_with(language) ? path.substr(language.size()) : "";
}

}  // namespace

std::string Filled(std::string_view text, const std::string& name, const std::string& folder) {
  std::string out(text);
  ReplaceMark(out, "@NAME@", name);
  ReplaceMark(out, "@LOWER@", LowerName(name));
  ReplaceMark(out, "@VERSION@", kVersion);
  ReplaceMark(out, "@FOLDER@", folder);
  return out;
}

Result<ProjectFiles> FilesOf(const ProjectKind& project, const std::string& name) {
  ProjectFiles files;
  for (const ProjectTemplate& one : kProjectTemplates) {
    const std::string_view path = PathIn(project, one.path);
    if (!path.empty()) files.emplace_back(path, ToBytes(Filled(one.text, name, ".")));
  }
  if (!project.model.empty()) {
    FERRY_ASSIGN_OR_RETURN(const ir::Graph graph, ir::Parse(kClassifier));
    FERRY_ASSIGN_OR_RETURN(Bytes onnx, formats::WriteOnnx(graph));
    files.emplace_back(Filled(project.model, name, "."), std::move(onnx));
  }
  return files;
}

}  // namespace ferry::cli

#include "tools/ferry/local/project/project.h"

#include <cctype>

#include <fmt/ranges.h>

#include "common/base/json.h"
#include "common/sys/filesystem.h"

namespace ferry::cli {

#define FERRY_PROJECT(Name) extern const ProjectKind k##Name##Project;
#include "tools/ferry/local/project/kinds/list.inc"
#undef FERRY_PROJECT

namespace {

constexpr size_t kLongestName = 64;

const ProjectKind* const kProjects[] = {
#define FERRY_PROJECT(Name) &k##Name##Project,
#include "tools/ferry/local/project/kinds/list.inc"
#undef FERRY_PROJECT
};

bool IsName(const std::string& name) {
  if (name.empty() || name.size() > kLongestName ||
      std::isalpha(static_cast<unsigned char>(name[0])) == 0)
    return false;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_') return false;
  return true;
}

Result<const ProjectKind*> FindProject(const std::string& kind, const std::string& language) {
  std::vector<std::string_view> languages;
  for (const ProjectKind* one : kProjects) {
    if (one->kind != kind) continue;
    if (language.empty() || one->language == language) return one;
    languages.push_back(one->language);
  }
  if (languages.empty()) {
    return Status::Of(Code::kUnsupported, "there is no project of kind {} yet", kind);
  }
  return Status::Of(Code::kUnsupported, "no {} in {}; there are: {}", kind, language,
                    fmt::join(languages, ", "));
}

void Replace(std::string& text, std::string_view what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

}  // namespace

std::string Filled(std::string text, const std::string& folder, const std::string& name) {
  Replace(text, "NAME", name);
  Replace(text, "FOLDER", folder);
  return text;
}

std::pair<std::string, Bytes> TextFile(const std::string& path, std::string_view text,
                                       const std::string& name) {
  return {path, ToBytes(Filled(std::string(text), "", name))};
}

Result<Output> MakeProject(const std::string& kind, const std::string& language,
                           const std::string& folder) {
  FERRY_ASSIGN_OR_RETURN(const ProjectKind* const project, FindProject(kind, language));
  const std::string name = folder.substr(folder.find_last_of('/') + 1);
  if (!IsName(name))
    return Status::Of(Code::kInvalidArgument,
                      "\"{}\": a {}'s name is letters, digits, - and _, a letter first", name,
                      kind);
  sys::FileSystem& fs = sys::SystemFileSystem();
  if (sys::Exists(fs, folder)) return Status::Of(Code::kAlreadyExists, "{} exists", folder);
  FERRY_ASSIGN_OR_RETURN(const ProjectFiles files, project->files(name));
  FERRY_TRY(fs.MakeDirectories(folder));
  Output out;
  const std::string test = Filled(std::string(project->test), folder, name);
  out.json() = {{kind, name}, {"folder", folder}, {"files", Json::array()}, {"test", test}};
  for (const auto& [path, bytes] : files) {
    FERRY_TRY(sys::WriteFileAtomically(fs, sys::JoinPath(folder, path), bytes, sys::kPublicFile));
    out.json()["files"].push_back(path);
  }
  out.text = fmt::format("{}: a {} that runs. Next: {}\n", folder, kind, test);
  return out;
}

}  // namespace ferry::cli

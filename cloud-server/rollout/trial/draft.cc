#include "cloud-server/rollout/trial/draft.h"

#include <vector>

#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/script_source.h"
#include "common/package/writer.h"

namespace ferry::server {
namespace {

constexpr std::string_view kTaskFile = "task.json";
constexpr std::string_view kSource = ".py";
constexpr std::string_view kDraftCases = "cases.json";  // where the base has none

// Where the manifest says that the recorded cases are; it says so from now on.
std::string CasesFile(package::Manifest* manifest) {
  const auto found = manifest->simulation.find("cases");
  if (found != manifest->simulation.end() && found->is_string()) return found->get<std::string>();
  manifest->simulation = {{"cases", kDraftCases}};
  return std::string(kDraftCases);
}

// Of the compiled "task.fbc" the script "task.py"; of another file itself.
std::string SourceOf(const std::string& path) {
  if (!path.ends_with(package::kCompiledSuffix)) return path;
  return path.substr(0, path.size() - package::kCompiledSuffix.size()) + std::string(kSource);
}

Status SetTask(const std::string& text, package::Manifest* manifest) {
  FERRY_ASSIGN_OR_RETURN(Json task, ParseJson(text).Context("files: {}", kTaskFile));
  if (!task.is_object())
    return Status::Of(Code::kMalformed, "files: {}: it is no object", kTaskFile);
  manifest->task = std::move(task);
  return OkStatus();
}

}  // namespace

Status CheckDraft(const Draft& draft) {
  if (draft.files.size() > kMaxDraftFiles)
    return Status::Of(Code::kLimitExceeded, "files: {}, at most {}", draft.files.size(),
                      kMaxDraftFiles);
  size_t bytes = 0;
  for (const auto& [path, text] : draft.files) {
    if (!package::IsFilePath(path))
      return Status::Of(Code::kInvalidArgument, "files: \"{}\" is no path of a package",
                        path.substr(0, package::kMaxPathBytes));
    bytes += text.size();
  }
  if (bytes > kMaxDraftBytes)
    return Status::Of(Code::kLimitExceeded, "files: {} bytes, at most {}", bytes, kMaxDraftBytes);
  if (!draft.version.empty() && !package::IsVersion(draft.version))
    return Status::Of(Code::kInvalidArgument, "version: \"{}\" is no semantic version",
                      draft.version.substr(0, package::kMaxPathBytes));
  if (!draft.cases.is_null() && !draft.cases.is_array())
    return Status(Code::kInvalidArgument, "cases: they are an array");
  return OkStatus();
}

Status WriteDraft(sys::FileSystem& fs, const std::string& base_file, const Draft& draft,
                  const std::string& to) {
  FERRY_ASSIGN_OR_RETURN(const package::Package base, package::Package::OpenFile(fs, base_file));
  package::Manifest manifest = base.manifest();
  if (manifest.content != "task")
    return Status::Of(Code::kFailedPrecondition, "{} {} is a model: it has no script to change",
                      manifest.name, manifest.version);
  std::map<std::string, std::string> texts = draft.files;
  if (const auto task = texts.find(std::string(kTaskFile));
      task != texts.end() && !base.Has(kTaskFile)) {
    FERRY_TRY(SetTask(task->second, &manifest));
    texts.erase(task);
  }
  if (!draft.cases.is_null()) texts[CasesFile(&manifest)] = WriteJson(Json{{"cases", draft.cases}});
  manifest.git.reset();  // it was not made of that commit
  if (!draft.version.empty()) manifest.version = draft.version;
  if (manifest.task.contains("version")) manifest.task["version"] = manifest.version;
  std::vector<package::SourceFile> files;
  for (const package::FileEntry& entry : manifest.files) {
    if (texts.contains(entry.path) || texts.contains(SourceOf(entry.path))) continue;
    FERRY_ASSIGN_OR_RETURN(const ByteView bytes, base.VerifiedFile(entry.path));
    files.push_back({entry.path, bytes});
  }
  for (const auto& [path, text] : texts) files.push_back({path, AsBytes(text)});
  manifest.files.clear();
  return package::WritePackageFile(fs, to, std::move(manifest), std::move(files));
}

}  // namespace ferry::server

#include "tools/ferry/publisher/bases.h"
#include "tools/ferry/remote/list.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/crypto/hash.h"

namespace ferry::cli {
namespace {

Status CheckSigned(const PublisherDirectory& directory, const std::string& package,
                   const std::string& version, const std::string& file) {
  const auto bytes = sys::SystemFileSystem().Map(file);
  if (bytes.code() == Code::kNotFound) return Status::Of(Code::kNotFound, "{} is not there", file);
  if (!bytes.ok()) return bytes.status();
  const trust::Targets* targets = directory.targets();
  const std::string path = trust::FullPath(package, version);
  const bool known = targets != nullptr && targets->entries.contains(path);
  if (known && targets->entries.at(path).plain_sha256 == crypto::Sha256((*bytes)->bytes()))
    return OkStatus();
  return Status::Of(Code::kNotFound, "{} is not what was published", file);
}

Status FindPackage(const PublisherDirectory& directory, const std::string& package,
                   const std::string& folder, const GitSource& git, const std::string& scratch,
                   BaseChoice* choice) {
  const std::string name = fmt::format("{}-{}.fpk", package, choice->version);
  std::string file = sys::JoinPath(folder, name);
  if (git.given()) {
    file = sys::JoinPath(scratch, name);
    GitSource source = git;
    source.tag = fmt::format("{}/{}", package, choice->version);
    PackRequest request;
    request.out = file;
    FERRY_TRY(AsStatus(PackTag(source, request)));
  }
  FERRY_TRY(CheckSigned(directory, package, choice->version, file));
  choice->file = std::move(file);
  return OkStatus();
}

}  // namespace

Result<std::vector<BaseChoice>> ChooseBases(const Api& api, const PublisherDirectory& directory,
                                            const std::string& package, const std::string& version,
                                            size_t count, const std::string& folder,
                                            const GitSource& git, const std::string& scratch) {
  FERRY_ASSIGN_OR_RETURN(const Json answer, GetList(api, "/packages", "packages"));
  FERRY_ASSIGN_OR_RETURN(const Json* packages, GetArray(answer, "packages"));
  std::vector<BaseChoice> choices;
  for (const Json& item : *packages) {
    FERRY_ASSIGN_OR_RETURN(const std::string name, GetString(item, "name"));
    BaseChoice choice;
    FERRY_ASSIGN_OR_RETURN(choice.version, GetString(item, "version"));
    FERRY_ASSIGN_OR_RETURN(choice.devices, GetIntOr(item, "devices", 0));
    if (name == package && choice.version != version && choice.devices > 0)
      choices.push_back(std::move(choice));
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const BaseChoice& a, const BaseChoice& b) { return a.devices > b.devices; });
  if (choices.size() > count) choices.resize(count);
  for (BaseChoice& choice : choices) {
    const Status found = FindPackage(directory, package, folder, git, scratch, &choice);
    if (!found.ok()) choice.why = found.message();
  }
  return choices;
}

}  // namespace ferry::cli

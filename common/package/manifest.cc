#include "common/package/manifest.h"

#include <algorithm>

#include "common/package/reader.h"
#include "common/trust/key.h"
#include "common/trust/targets.h"

namespace ferry::package {
namespace {

bool IsDigits(std::string_view text) {
  if (text.empty() || text.size() > 9 || (text.size() > 1 && text.front() == '0')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Parts separated by dots, each of letters, digits and hyphens: semver's pre-release and build.
bool IsSuffix(std::string_view text) {
  bool empty_part = true;
  for (const char c : text) {
    if (c == '.') {
      if (empty_part) return false;
      empty_part = true;
      continue;
    }
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (!good) return false;
    empty_part = false;
  }
  return !empty_part;
}

Result<FileEntry> FileFromJson(const Json& object) {
  FileEntry out;
  FERRY_ASSIGN_OR_RETURN(out.path, GetString(object, "path"));
  if (!IsFilePath(out.path)) {
    return Status::Of(Code::kBadPackage, "\"{:.255}\" is no path for a file", out.path);
  }
  FERRY_ASSIGN_OR_RETURN(const int64_t offset, GetInt(object, "offset"));
  FERRY_ASSIGN_OR_RETURN(const int64_t length, GetInt(object, "length"));
  const int64_t most = static_cast<int64_t>(kMaxPackageBytes);
  if (offset < 0 || length < 0 || offset > most || length > most) {
    return Status::Of(Code::kBadPackage, "file \"{}\": offset {} or length {} is out of range",
                      out.path, offset, length);
  }
  out.offset = static_cast<uint64_t>(offset);
  out.length = static_cast<uint64_t>(length);
  FERRY_ASSIGN_OR_RETURN(out.sha256,
                         trust::GetHash32(object, "sha256").Context("file \"{}\"", out.path));
  return out;
}

Status ReadFiles(const Json& list, std::vector<FileEntry>& out) {
  if (list.size() > kMaxPackageFiles) {
    return Status::Of(Code::kLimitExceeded, "{} files, at most {}", list.size(), kMaxPackageFiles);
  }
  uint64_t next = 0;
  for (const Json& item : list) {
    FERRY_ASSIGN_OR_RETURN(FileEntry file, FileFromJson(item).Context("file {}", out.size()));
    if (!out.empty() && out.back().path >= file.path) {
      return Status::Of(Code::kBadPackage, "file \"{}\" after \"{}\": not sorted, or twice",
                        file.path, out.back().path);
    }
    if (file.offset != next) {
      return Status::Of(Code::kBadPackage,
                        "file \"{}\" at offset {}, wanted {}: overlap, gap or alignment", file.path,
                        file.offset, next);
    }
    next = AlignUp(file.offset + file.length);
    out.push_back(std::move(file));
  }
  return OkStatus();
}

Result<Json> ObjectOr(const Json& object, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(const Json* found, GetObjectOrNull(object, key));
  return found == nullptr ? Json::object() : *found;
}

Result<Manifest> Read(const Json& object) {
  Manifest out;
  FERRY_ASSIGN_OR_RETURN(out.name, GetString(object, "name"));
  FERRY_ASSIGN_OR_RETURN(out.version, GetString(object, "version"));
  FERRY_ASSIGN_OR_RETURN(out.content, GetString(object, "content"));
  if (!IsPackageName(out.name)) {
    return Status::Of(Code::kBadPackage, "field \"name\" is \"{:.200}\"", out.name);
  }
  if (!IsVersion(out.version)) {
    return Status::Of(Code::kBadPackage, "field \"version\" is \"{:.200}\", wanted like 1.2.3",
                      out.version);
  }
  if (out.content != "task" && out.content != "model") {
    return Status::Of(Code::kBadPackage, "field \"content\" is \"{:.40}\", wanted task or model",
                      out.content);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetArray(object, "files"));
  FERRY_TRY(ReadFiles(*files, out.files));
  FERRY_ASSIGN_OR_RETURN(out.task, ObjectOr(object, "task"));
  FERRY_ASSIGN_OR_RETURN(out.probe, ObjectOr(object, "probe"));
  FERRY_ASSIGN_OR_RETURN(out.simulation, ObjectOr(object, "simulation"));
  FERRY_ASSIGN_OR_RETURN(out.requires_, ObjectOr(object, "requires"));
  FERRY_ASSIGN_OR_RETURN(out.licence, GetStringOr(object, "licence", ""));
  FERRY_ASSIGN_OR_RETURN(out.description, GetStringOr(object, "description", ""));
  if (out.licence.size() > trust::kMaxLicenceBytes ||
      out.description.size() > trust::kMaxDescriptionBytes) {
    return Status::Of(Code::kLimitExceeded,
                      "licence of {} bytes, at most {}; description of {}, "
                      "at most {}",
                      out.licence.size(), trust::kMaxLicenceBytes, out.description.size(),
                      trust::kMaxDescriptionBytes);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* git, GetObjectOrNull(object, "git"));
  if (git != nullptr) {
    FERRY_ASSIGN_OR_RETURN(out.git, trust::GitOriginFromJson(*git).Context("field \"git\""));
  }
  return out;
}

}  // namespace

bool IsFilePath(std::string_view path) {
  if (path.empty() || path.size() > kMaxPathBytes) return false;
  while (true) {
    const size_t slash = path.find('/');
    if (!trust::IsName(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool IsPackageName(std::string_view name) {
  return trust::IsName(name);
}

bool IsVersion(std::string_view version) {
  if (version.size() > trust::kMaxNameBytes) return false;
  if (const size_t plus = version.find('+'); plus != std::string_view::npos) {
    if (!IsSuffix(version.substr(plus + 1))) return false;
    version = version.substr(0, plus);
  }
  if (const size_t hyphen = version.find('-'); hyphen != std::string_view::npos) {
    if (!IsSuffix(version.substr(hyphen + 1))) return false;
    version = version.substr(0, hyphen);
  }
  const size_t first = version.find('.');
  if (first == std::string_view::npos) return false;
  const size_t second = version.find('.', first + 1);
  if (second == std::string_view::npos) return false;
  return IsDigits(version.substr(0, first)) &&
         IsDigits(version.substr(first + 1, second - first - 1)) &&
         IsDigits(version.substr(second + 1));
}

Json ManifestToJson(const Manifest& manifest) {
  Json files = Json::array();
  for (const FileEntry& file : manifest.files) {
    files.push_back({{"path", file.path},
                     {"offset", file.offset},
                     {"length", file.length},
                     {"sha256", ToHex(file.sha256)}});
  }
  Json out = {{"name", manifest.name},
              {"version", manifest.version},
              {"content", manifest.content},
              {"files", std::move(files)}};
  if (!manifest.task.empty()) out["task"] = manifest.task;
  if (!manifest.probe.empty()) out["probe"] = manifest.probe;
  if (!manifest.simulation.empty()) out["simulation"] = manifest.simulation;
  if (!manifest.requires_.empty()) out["requires"] = manifest.requires_;
  if (!manifest.licence.empty()) out["licence"] = manifest.licence;
  if (!manifest.description.empty()) out["description"] = manifest.description;
  if (manifest.git) out["git"] = trust::GitOriginToJson(*manifest.git);
  return out;
}

Result<Manifest> ManifestFromJson(const Json& object) {
  Result<Manifest> out = Read(object);
  if (out.code() != Code::kMalformed) return out;
  return Status(Code::kBadPackage, out.status().message());
}

}  // namespace ferry::package

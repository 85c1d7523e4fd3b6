#include "device-runtime/agent/state/slots.h"

#include "common/base/json.h"
#include "common/crypto/hash.h"

namespace ferry::agent {
namespace {

constexpr uint64_t kMaxCurrentBytes = 64 << 10;
constexpr size_t kHashPieceBytes = 256 << 10;
constexpr char kCurrentFile[] = "current";

Json ToJson(const Installed& installed) {
  Json json = {{"slot", installed.slot},
               {"release", installed.release},
               {"running", trust::RunningToJson(installed.running)}};
  if (!installed.files.empty()) json["files"] = installed.files;
  return json;
}

Result<Installed> InstalledFromJson(const Json& json) {
  Installed installed;
  FERRY_ASSIGN_OR_RETURN(installed.slot, GetString(json, "slot"));
  if (installed.slot != "a" && installed.slot != "b") {
    return Status::Of(Code::kMalformed, "slot \"{}\" is neither a nor b", installed.slot);
  }
  FERRY_ASSIGN_OR_RETURN(installed.release, GetString(json, "release"));
  FERRY_ASSIGN_OR_RETURN(installed.files, GetStringOr(json, "files", ""));
  if (!installed.files.empty() && installed.files != kFiles && installed.files != kOtherFiles) {
    return Status::Of(Code::kMalformed, "files \"{}\"", installed.files);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* running, GetObject(json, "running"));
  FERRY_ASSIGN_OR_RETURN(installed.running, trust::RunningFromJson(*running));
  return installed;
}

Result<Current> CurrentFromJson(const Json& json) {
  Current current;
  FERRY_ASSIGN_OR_RETURN(const Json* now, GetObject(json, "now"));
  FERRY_ASSIGN_OR_RETURN(current.now, InstalledFromJson(*now));
  FERRY_ASSIGN_OR_RETURN(const Json* before, GetObjectOrNull(json, "before"));
  if (before != nullptr) {
    FERRY_ASSIGN_OR_RETURN(current.before, InstalledFromJson(*before));
  }
  FERRY_ASSIGN_OR_RETURN(current.trying, GetBool(json, "trying"));
  FERRY_ASSIGN_OR_RETURN(current.starts, GetInt(json, "starts"));
  FERRY_ASSIGN_OR_RETURN(current.settled, GetBoolOr(json, "settled", false));
  FERRY_ASSIGN_OR_RETURN(current.switched_ms, GetIntOr(json, "switched_ms", 0));
  FERRY_ASSIGN_OR_RETURN(current.disabled, GetBoolOr(json, "disabled", false));
  FERRY_ASSIGN_OR_RETURN(current.personal, GetStringOr(json, "personal", ""));
  if (!current.personal.empty() && current.personal != kPersonal &&
      current.personal != kOtherPersonal) {
    return Status::Of(Code::kMalformed, "personal \"{:.40}\"", current.personal);
  }
  return current;
}

Result<Current> CurrentFromText(ByteView text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)));
  return CurrentFromJson(json);
}

Status CheckCurrent(ByteView text) {
  return CurrentFromText(text).status();
}

}  // namespace

std::string Slots::Home(const std::string& package) const {
  return sys::JoinPath(sys::JoinPath(directory_, "packages"), package);
}

std::string Slots::SlotDirectory(const std::string& package, const std::string& slot) const {
  return sys::JoinPath(Home(package), slot);
}

std::string Slots::PackageFile(const std::string& package, const std::string& slot) const {
  return sys::JoinPath(SlotDirectory(package, slot), "package.fpk");
}

std::string Slots::Spare(const std::optional<Current>& current) {
  return current && current->now.slot == "a" ? "b" : "a";
}

Result<std::vector<std::string>> Slots::Packages() const {
  const std::string root = sys::JoinPath(directory_, "packages");
  std::vector<std::string> packages;
  if (!sys::Exists(*fs_, root)) return packages;
  FERRY_ASSIGN_OR_RETURN(const auto names, fs_->List(root));
  for (const std::string& name : names) {
    if (TwinExists(*fs_, sys::JoinPath(Home(name), kCurrentFile))) packages.push_back(name);
  }
  return packages;
}

TwinFile Slots::CurrentFile(const std::string& package) const {
  return {*fs_, sys::JoinPath(Home(package), kCurrentFile)};
}

Result<std::optional<Current>> Slots::Read(const std::string& package, std::string* damage) const {
  TwinFile file = CurrentFile(package);
  const auto body = file.Read(kMaxCurrentBytes, CheckCurrent);
  if (damage != nullptr) *damage = file.damage();
  if (body.code() == Code::kNotFound) return std::optional<Current>();
  if (!body.ok()) return body.status();
  FERRY_ASSIGN_OR_RETURN(Current current, CurrentFromText(*body));
  return std::optional<Current>(std::move(current));
}

Status Slots::Heal(const std::string& package) const {
  TwinFile file = CurrentFile(package);
  const auto body = file.Read(kMaxCurrentBytes, CheckCurrent);
  if (!body.ok()) return body.status();
  return file.whole() ? OkStatus() : file.Write(*body);
}

Status Slots::Write(const std::string& package, const Current& current) const {
  Json json = {{"now", ToJson(current.now)},
               {"trying", current.trying},
               {"starts", current.starts},
               {"settled", current.settled},
               {"switched_ms", current.switched_ms}};
  if (current.before) json["before"] = ToJson(*current.before);
  if (current.disabled) json["disabled"] = true;
  if (!current.personal.empty()) json["personal"] = current.personal;
  // Read first for the number: what is written must be newer.
  TwinFile file = CurrentFile(package);
  const auto before = file.Read(kMaxCurrentBytes, CheckCurrent);
  if (!before.ok() && before.code() != Code::kNotFound && before.code() != Code::kCorruptContent) {
    return before.status();
  }
  return file.Write(AsBytes(WriteJsonPretty(json)));
}

bool Slots::Holds(const std::string& package, const std::string& slot,
                  const trust::Hash& sha256) const {
  const auto file = fs_->OpenForRead(PackageFile(package, slot));
  if (!file.ok()) return false;
  // In pieces: one that is sealed at rest would be in memory as a whole where it is mapped.
  crypto::Sha256Stream hash;
  Bytes piece(kHashPieceBytes);
  for (uint64_t at = 0;;) {
    const auto read = (*file)->ReadAt(at, piece);
    if (!read.ok()) return false;
    hash.Update(ByteView(piece).first(*read));
    if (*read < piece.size()) return hash.Finish() == sha256;
    at += *read;
  }
}

}  // namespace ferry::agent

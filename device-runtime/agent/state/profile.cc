#include "device-runtime/agent/state/profile.h"

#include "common/base/json.h"
#include "device-runtime/agent/state/twin_file.h"

namespace ferry::agent {
namespace {

// Far above what the limits of attributes allow, escapes included.
constexpr uint64_t kMaxProfileBytes = 1 << 20;

Result<target::Attributes> ProfileFrom(ByteView body) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(body)));
  return target::AttributesFromJson(json);
}

Status CheckProfileBody(ByteView body) {
  return ProfileFrom(body).status();
}

// What was kept; nullopt where nothing was or both copies are damaged. Heals one damaged copy.
Result<std::optional<target::Attributes>> ReadKept(TwinFile& file, std::string* damage) {
  const Result<Bytes> body = file.Read(kMaxProfileBytes, CheckProfileBody);
  if (!file.damage().empty() && damage != nullptr) {
    if (!damage->empty()) *damage += "; ";
    *damage += file.damage() + (body.ok() ? "; the other copy was taken" : "; begun anew");
  }
  if (body.code() == Code::kNotFound) return std::optional<target::Attributes>();
  if (body.code() == Code::kCorruptContent) {
    FERRY_TRY(file.SetAside());
    return std::optional<target::Attributes>();
  }
  FERRY_TRY(body);
  if (!file.whole()) FERRY_TRY(file.Write(*body));
  FERRY_ASSIGN_OR_RETURN(target::Attributes kept, ProfileFrom(*body));
  return std::optional<target::Attributes>(std::move(kept));
}

Status WriteProfile(TwinFile& file, const target::Attributes& profile) {
  return file.Write(AsBytes(WriteJson(target::AttributesToJson(profile))));
}

}  // namespace

Result<target::Attributes> KeepProfile(sys::FileSystem& fs, const std::string& directory,
                                       const std::optional<target::Attributes>& said,
                                       std::string* damage) {
  TwinFile file(fs, sys::JoinPath(directory, kProfileFile));
  FERRY_ASSIGN_OR_RETURN(const std::optional<target::Attributes> kept, ReadKept(file, damage));
  if (!said) return kept.value_or(target::Attributes());
  const bool same = kept && target::AttributesToJson(*kept) == target::AttributesToJson(*said);
  if (!same) FERRY_TRY(WriteProfile(file, *said));
  return *said;
}

Status ForgetUser(sys::FileSystem& fs, const std::string& directory) {
  TwinFile file(fs, sys::JoinPath(directory, kProfileFile));
  FERRY_ASSIGN_OR_RETURN(std::optional<target::Attributes> kept, ReadKept(file, nullptr));
  if (!kept || kept->user.empty()) return OkStatus();
  kept->user.clear();
  return WriteProfile(file, *kept);
}

}  // namespace ferry::agent

#include "cloud-server/gateway/profile.h"

#include "common/proto/wire.pb.h"

namespace ferry::server {
namespace {

Status CheckText(const std::string& text, const char* field) {
  if (text.size() <= kMaxProfileText) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "profile: {}: {} bytes, at most {}", field, text.size(),
                    kMaxProfileText);
}

Status CheckCount(int count, const char* field) {
  if (count <= kMaxProfileEntries) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "profile: {}: {} entries, at most {}", field, count,
                    kMaxProfileEntries);
}

// The runtime's version does not count: every device says it by itself.
bool HasAttributes(const proto::Profile& profile) {
  return !profile.os().empty() || !profile.app_version().empty() ||
         !profile.device_class().empty() || profile.tags_size() > 0 || !profile.extra().empty();
}

}  // namespace

Status CheckProfile(const proto::Profile& profile) {
  FERRY_TRY(CheckText(profile.os(), "os"));
  FERRY_TRY(CheckText(profile.app_version(), "app_version"));
  FERRY_TRY(CheckText(profile.device_class(), "device_class"));
  FERRY_TRY(CheckText(profile.runtime_version(), "runtime_version"));
  FERRY_TRY(CheckCount(profile.tags_size(), "tags"));
  FERRY_TRY(CheckCount(static_cast<int>(profile.extra().size()), "extra"));
  for (const std::string& tag : profile.tags()) FERRY_TRY(CheckText(tag, "tags"));
  for (const auto& [key, value] : profile.extra()) {
    FERRY_TRY(CheckText(key, "extra"));
    FERRY_TRY(CheckText(value, "extra"));
  }
  return OkStatus();
}

bool PutProfile(const proto::Profile& profile, DeviceRow* row) {
  const DeviceRow before = *row;
  if (HasAttributes(profile)) {
    row->os = profile.os();
    row->app_version = profile.app_version();
    row->device_class = profile.device_class();
    row->tags.assign(profile.tags().begin(), profile.tags().end());
    row->extra = {profile.extra().begin(), profile.extra().end()};
  }
  if (!profile.runtime_version().empty()) row->runtime_version = profile.runtime_version();
  return *row != before;
}

}  // namespace ferry::server

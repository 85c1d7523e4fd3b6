#include "cloud-server/gateway/profile.h"

#include <cstdlib>

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
         !profile.device_class().empty() || profile.tags_size() > 0 || !profile.extra().empty() ||
         !profile.user().empty();
}

Status CheckBytes(int64_t bytes, const char* field) {
  if (bytes >= 0) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "profile: {}: {} is below zero", field, bytes);
}

template <typename Map>
Status CheckMap(const Map& map, const char* field) {
  FERRY_TRY(CheckCount(static_cast<int>(map.size()), field));
  for (const auto& [key, value] : map) {
    FERRY_TRY(CheckText(key, field));
    FERRY_TRY(CheckText(value, field));
  }
  return OkStatus();
}

// The next value of RoundedSpace above `rounded`.
int64_t NextSpace(int64_t rounded) {
  int64_t step = 1;
  while (rounded / step >= 16) step *= 2;
  return rounded + step;
}

void PutMachine(const proto::Profile& profile, DeviceRow* row) {
  if (profile.has_memory_bytes()) row->memory_bytes = profile.memory_bytes();
  if (profile.has_free_bytes()) {
    const int64_t space = RoundedSpace(profile.free_bytes());
    const bool near =
        row->free_bytes >= 0 && space >= row->free_bytes && space <= NextSpace(row->free_bytes);
    if (!near) row->free_bytes = space;
  }
  if (profile.isa_size() > 0) row->isa.assign(profile.isa().begin(), profile.isa().end());
  if (!profile.measured_class().empty()) row->measured_class = profile.measured_class();
  if (profile.has_utc_offset_minutes()) row->utc_offset_minutes = profile.utc_offset_minutes();
  row->at_rest = profile.at_rest();
}

}  // namespace

int64_t RoundedSpace(int64_t bytes) {
  int64_t step = 1;
  while (bytes / step >= 16) step *= 2;
  return bytes / step * step;
}

Status CheckProfile(const proto::Profile& profile) {
  FERRY_TRY(CheckText(profile.os(), "os"));
  FERRY_TRY(CheckText(profile.app_version(), "app_version"));
  FERRY_TRY(CheckText(profile.device_class(), "device_class"));
  FERRY_TRY(CheckText(profile.runtime_version(), "runtime_version"));
  FERRY_TRY(CheckCount(profile.tags_size(), "tags"));
  FERRY_TRY(CheckCount(profile.isa_size(), "isa"));
  FERRY_TRY(CheckText(profile.measured_class(), "measured_class"));
  FERRY_TRY(CheckBytes(profile.memory_bytes(), "memory_bytes"));
  FERRY_TRY(CheckBytes(profile.free_bytes(), "free_bytes"));
  if (std::abs(int64_t{profile.utc_offset_minutes()}) > kMaxOffsetMinutes)
    return Status::Of(Code::kInvalidArgument, "profile: utc_offset_minutes {} is no time zone",
                      profile.utc_offset_minutes());
  for (const std::string& tag : profile.tags()) FERRY_TRY(CheckText(tag, "tags"));
  for (const std::string& isa : profile.isa()) FERRY_TRY(CheckText(isa, "isa"));
  FERRY_TRY(CheckMap(profile.extra(), "extra"));
  return CheckMap(profile.user(), "user");
}

bool PutProfile(const proto::Profile& profile, DeviceRow* row) {
  const DeviceRow before = *row;
  if (HasAttributes(profile)) {
    row->os = profile.os();
    row->app_version = profile.app_version();
    row->device_class = profile.device_class();
    row->tags.assign(profile.tags().begin(), profile.tags().end());
    row->extra = {profile.extra().begin(), profile.extra().end()};
    row->user = {profile.user().begin(), profile.user().end()};
  }
  if (!profile.runtime_version().empty()) row->runtime_version = profile.runtime_version();
  PutMachine(profile, row);
  return *row != before;
}

}  // namespace ferry::server

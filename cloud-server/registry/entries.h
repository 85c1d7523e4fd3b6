// Between signed target entries and stored rows. Private to registry.
#pragma once

#include "cloud-server/core/rows.h"
#include "common/trust/targets.h"

namespace ferry::server {

inline constexpr char kMadeKind[] = "made";  // of a delta by this server, which nobody signed

std::string_view KindText(trust::ArtefactKind kind);
ArtefactRow ArtefactOf(const std::string& path, const trust::TargetEntry& entry);
PackageRow PackageOf(const trust::TargetEntry& full, int64_t now_ms);
// The entry as it was signed; kInternal names the path.
Result<trust::TargetEntry> EntryOf(const ArtefactRow& artefact);

// What `next` may change against `before` (may be null): nothing that was there, and new versions
// only upwards. Errors name the path.
Status CheckSuccession(const trust::Targets* before, const trust::Targets& next);

}  // namespace ferry::server

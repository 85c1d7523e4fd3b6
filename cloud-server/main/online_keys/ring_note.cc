#include "cloud-server/main/online_keys/ring_note.h"

#include "common/base/json.h"
#include "common/sys/filesystem.h"

namespace ferry::server {

Result<std::optional<int64_t>> ReadRingNote(const std::string& directory) {
  const std::string path = sys::JoinPath(directory, kRingNoteFile);
  const Result<Bytes> bytes = sys::ReadFile(sys::SystemFileSystem(), path);
  if (bytes.code() == Code::kNotFound) return std::optional<int64_t>();
  FERRY_TRY(bytes);
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(*bytes)).Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(const int64_t sealed_ms, GetInt(json, "sealed_ms"));
  return std::optional<int64_t>(sealed_ms);
}

Status WriteRingNote(const std::string& directory, int64_t sealed_ms) {
  return sys::WriteFileAtomically(sys::SystemFileSystem(), sys::JoinPath(directory, kRingNoteFile),
                                  AsBytes(WriteJson({{"sealed_ms", sealed_ms}})));
}

}  // namespace ferry::server

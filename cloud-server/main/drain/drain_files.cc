#include "cloud-server/main/drain/drain_files.h"

#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr const char* kOrderFile = "drain.json";
constexpr const char* kProgressFile = "draining.json";

Result<std::optional<Json>> ReadDrainJson(sys::FileSystem& fs, const std::string& directory,
                                          const char* file) {
  const std::string path = sys::JoinPath(directory, file);
  const Result<Bytes> bytes = sys::ReadFile(fs, path);
  if (bytes.code() == Code::kNotFound) return std::optional<Json>();
  FERRY_TRY(bytes);
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(AsText(*bytes)).Context("{}", path));
  return std::optional<Json>(std::move(json));
}

Status WriteDrainJson(sys::FileSystem& fs, const std::string& directory, const char* file,
                      const Json& json) {
  return sys::WriteFileAtomically(fs, sys::JoinPath(directory, file), AsBytes(WriteJson(json)));
}

}  // namespace

Status WriteOrder(sys::FileSystem& fs, const std::string& directory, const DrainOrder& order) {
  return WriteDrainJson(fs, directory, kOrderFile,
                        {{"asked_ms", order.asked_ms}, {"within_ms", order.within_ms}});
}

Result<std::optional<DrainOrder>> ReadOrder(sys::FileSystem& fs, const std::string& directory) {
  FERRY_ASSIGN_OR_RETURN(const auto json, ReadDrainJson(fs, directory, kOrderFile));
  if (!json) return std::optional<DrainOrder>();
  DrainOrder order;
  FERRY_ASSIGN_OR_RETURN(order.asked_ms, GetInt(*json, "asked_ms"));
  FERRY_ASSIGN_OR_RETURN(order.within_ms, GetInt(*json, "within_ms"));
  if (order.within_ms < 0 || order.within_ms > kMaxDrainMs)
    return Status::Of(Code::kMalformed, "{}: within_ms is not from 0 to {}", kOrderFile,
                      kMaxDrainMs);
  return std::optional<DrainOrder>(order);
}

Status WriteProgress(sys::FileSystem& fs, const std::string& directory,
                     const DrainProgress& progress) {
  return WriteDrainJson(fs, directory, kProgressFile,
                        {{"asked_ms", progress.asked_ms},
                         {"devices", progress.devices},
                         {"left", progress.left},
                         {"transfers", progress.transfers},
                         {"ends_ms", progress.ends_ms},
                         {"done", progress.done}});
}

Result<std::optional<DrainProgress>> ReadProgress(sys::FileSystem& fs,
                                                  const std::string& directory) {
  FERRY_ASSIGN_OR_RETURN(const auto json, ReadDrainJson(fs, directory, kProgressFile));
  if (!json) return std::optional<DrainProgress>();
  DrainProgress progress;
  FERRY_ASSIGN_OR_RETURN(progress.asked_ms, GetInt(*json, "asked_ms"));
  FERRY_ASSIGN_OR_RETURN(progress.devices, GetInt(*json, "devices"));
  FERRY_ASSIGN_OR_RETURN(progress.left, GetInt(*json, "left"));
  FERRY_ASSIGN_OR_RETURN(progress.transfers, GetInt(*json, "transfers"));
  FERRY_ASSIGN_OR_RETURN(progress.ends_ms, GetInt(*json, "ends_ms"));
  FERRY_ASSIGN_OR_RETURN(progress.done, GetBool(*json, "done"));
  return std::optional<DrainProgress>(progress);
}

Status ForgetDrain(sys::FileSystem& fs, const std::string& directory) {
  for (const char* file : {kOrderFile, kProgressFile}) {
    const std::string path = sys::JoinPath(directory, file);
    if (sys::Exists(fs, path)) FERRY_TRY(fs.Remove(path));
  }
  return OkStatus();
}

}  // namespace ferry::server

#include "tools/ferry/publisher/describe.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/trust/time.h"

namespace ferry::cli {
namespace {

Json RoleJson(const PublisherDirectory& directory, const trust::RoleKeys& role,
              std::string_view name) {
  const auto here = directory.SignersOf({role.key_ids, 0}, name);
  return {{"threshold", role.threshold},
          {"keys", role.key_ids},
          {"private_keys_here", here.ok() ? here->size() : 0}};
}

void WarnOfExpiry(std::string_view what, int64_t expires_ms, int64_t now_ms, Output& out) {
  if (expires_ms > now_ms + kWarnBeforeMs) return;
  const std::string warning = fmt::format("{} {} {}: `ferry keys refresh` signs it anew", what,
                                          expires_ms <= now_ms ? "expired at" : "expires at",
                                          trust::FormatTime(expires_ms));
  out.json()["warnings"].push_back(warning);
  out.text += "  WARNING: " + warning + "\n";
}

}  // namespace

Output DescribeKeys(const PublisherDirectory& directory, std::string_view done, int64_t now_ms) {
  const trust::Root& root = directory.root();
  const trust::Targets* targets = directory.targets();
  Output out;
  out.json() = {{"directory", directory.path()},
                {"root_version", root.version},
                {"root_sha256", crypto::Sha256Hex(directory.root_document())},
                {"expires", trust::FormatTime(root.expires_ms)},
                {"roles",
                 {{"root", RoleJson(directory, root.root, "root")},
                  {"targets", RoleJson(directory, root.targets, "targets")},
                  {"snapshot", RoleJson(directory, root.snapshot, "snapshot")},
                  {"timestamp", RoleJson(directory, root.timestamp, "timestamp")},
                  {"director", RoleJson(directory, root.director, "director")}}},
                {"line", trust::LineToJson(root.line)},
                {"targets_version", targets == nullptr ? Json() : Json(targets->version)},
                {"targets_expires",
                 targets == nullptr ? Json() : Json(trust::FormatTime(targets->expires_ms))},
                {"warnings", Json::array()}};
  if (targets != nullptr && targets->bins) {
    out.json()["bins"] = {{"bits", targets->bins->bit_length},
                          {"count", targets->bins->count()},
                          {"expires", trust::FormatTime(targets->bins->expires_ms)}};
  }
  if (targets != nullptr && targets->personal) {
    out.json()["personal"] = {{"keys", targets->personal->role.key_ids},
                              {"paths", targets->personal->patterns},
                              {"max_bytes", targets->personal->max_bytes}};
  }
  out.text = fmt::format("{}{}: root version {}, expires {}\n  SHA-256 {}\n", done,
                         directory.path(), root.version, trust::FormatTime(root.expires_ms),
                         crypto::Sha256Hex(directory.root_document()));
  const std::pair<const char*, const trust::RoleKeys*> roles[] = {{"root", &root.root},
                                                                  {"targets", &root.targets},
                                                                  {"snapshot", &root.snapshot},
                                                                  {"timestamp", &root.timestamp},
                                                                  {"director", &root.director}};
  for (const auto& [name, role] : roles) {
    out.text += fmt::format("  {:<10} {} of {}:", name, role->threshold, role->key_ids.size());
    for (const std::string& id : role->key_ids) out.text += fmt::format(" {:.12}", id);
    out.text += "\n";
  }
  for (const std::string& pin : root.line.authorities)
    out.text += fmt::format("  authority  {}\n", pin);
  for (const std::string& address : root.line.addresses)
    out.text += fmt::format("  address    {}\n", address);
  if (targets != nullptr && targets->personal) {
    out.text +=
        fmt::format("  {:<10} {} of {}: {:.12}, at most {} bytes a file of", "personal",
                    targets->personal->role.threshold, targets->personal->role.key_ids.size(),
                    targets->personal->role.key_ids.front(), targets->personal->max_bytes);
    for (const std::string& pattern : targets->personal->patterns) out.text += " " + pattern;
    out.text += "\n";
  }
  if (targets != nullptr && targets->bins)
    out.text +=
        fmt::format("  bins       {} of {} targets, the first expires {}\n", targets->bins->count(),
                    targets->entries.size(), trust::FormatTime(targets->bins->expires_ms));
  WarnOfExpiry("root", root.expires_ms, now_ms, out);
  if (targets == nullptr) return out;
  const int64_t bins_ms = targets->bins ? targets->bins->expires_ms : targets->expires_ms;
  WarnOfExpiry("targets", std::min(targets->expires_ms, bins_ms), now_ms, out);
  return out;
}

}  // namespace ferry::cli

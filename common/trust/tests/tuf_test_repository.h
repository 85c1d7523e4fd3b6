// A general TUF repository in memory: what it serves can be changed at will.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "common/trust/tests/test_fixture.h"
#include "common/trust/tuf/updater.h"

namespace ferry::tuf {

class TestRepository final : public Repository, public Keep {
 public:
  using Signers = std::map<std::string, std::vector<trust::SigningKey>>;

  TestRepository() {
    uint8_t tag = 1;
    for (const char* role : {"root", "timestamp", "snapshot", "targets"}) {
      signers[role] = {trust::TestKey(tag++)};
      version[role] = 0;
    }
    body["targets"] = {{"targets", Json::object()}};
    PublishRoot();
    Publish({"targets"});
    kept["root.json"] = files["1.root.json"];
  }

  Result<Bytes> Fetch(const std::string& name, size_t limit) override {
    asked.push_back(name);
    const auto found = files.find(name);
    if (found == files.end()) return Status(Code::kNotFound, name);
    if (found->second.size() > limit) return Status(Code::kLimitExceeded, name);
    return found->second;
  }
  Result<Bytes> Load(const std::string& name) override {
    const auto found = kept.find(name);
    if (found == kept.end()) return Status(Code::kNotFound, name);
    return found->second;
  }
  Status Save(const std::string& name, ByteView document) override {
    kept[name] = ToBytes(document);
    return OkStatus();
  }
  Status Drop(const std::string& name) override {
    kept.erase(name);
    return OkStatus();
  }

  static Json KeyJson(const trust::SigningKey& key) { return trust::KeyToJson(key.public_key()); }
  static std::string Id(const trust::SigningKey& key) { return trust::KeyIdOf(key.public_key()); }
  // {"keyids","threshold"} of the signers of a role; their keys go into `keys`.
  Json RoleJson(const std::string& role, Json& keys) const {
    Json ids = Json::array();
    for (const trust::SigningKey& key : signers.at(role)) {
      keys[Id(key)] = KeyJson(key);
      ids.push_back(Id(key));
    }
    const auto found = threshold.find(role);
    return {{"keyids", ids}, {"threshold", found == threshold.end() ? 1 : found->second}};
  }
  Json Head(const std::string& type, int64_t number) const {
    return {{"_type", type},
            {"spec_version", "1.0.34"},
            {"version", number},
            {"expires", trust::FormatTime(expires_ms.contains(type) ? expires_ms.at(type)
                                                                    : now_ms + trust::kDayMs)}};
  }

  // The next root, signed by the keys of `also` and the present ones.
  void PublishRoot(const std::vector<trust::SigningKey>& also = {}) {
    Json part = Head("root", ++version["root"]);
    part["consistent_snapshot"] = consistent;
    Json keys = Json::object();
    for (const char* role : {"root", "timestamp", "snapshot", "targets"})
      part["roles"][role] = RoleJson(role, keys);
    part["keys"] = std::move(keys);
    std::vector<trust::SigningKey> all = signers["root"];
    all.insert(all.end(), also.begin(), also.end());
    files[fmt::format("{}.root.json", version["root"])] = *trust::SignDocument(part, all);
  }
  // The next version of these targets roles, then snapshot and timestamp.
  void Publish(const std::vector<std::string>& roles) {
    for (const std::string& role : roles) {
      Json part = Head("targets", ++version[role]);
      part.update(body[role]);
      Put(role, *trust::SignDocument(part, signers[role]));
    }
    PublishSnapshot();
  }
  void PublishSnapshot() {
    Json part = Head("snapshot", ++version["snapshot"]);
    part["meta"] = Json::object();
    for (const auto& [role, number] : version) {
      if (role == "root" || role == "snapshot" || role == "timestamp") continue;
      part["meta"][role + ".json"] = Meta(role, number);
    }
    part["meta"].update(more_meta);
    Put("snapshot", *trust::SignDocument(part, signers["snapshot"]));
    PublishTimestamp();
  }
  void PublishTimestamp() {
    Json part = Head("timestamp", ++version["timestamp"]);
    part["meta"] = {{"snapshot.json", Meta("snapshot", version["snapshot"])}};
    files["timestamp.json"] = *trust::SignDocument(part, signers["timestamp"]);
  }
  // `by` delegates `patterns` to `role`, whose key is TestKey(tag).
  void Delegate(const std::string& by, const std::string& role, uint8_t tag,
                std::vector<std::string> patterns, bool terminating = false) {
    signers[role] = {trust::TestKey(tag)};
    if (!body.contains(role)) body[role] = {{"targets", Json::object()}};
    Json& delegations = body[by]["delegations"];
    if (delegations.is_null()) delegations = {{"keys", Json::object()}, {"roles", Json::array()}};
    Json item = RoleJson(role, delegations["keys"]);
    item.update({{"name", role}, {"terminating", terminating}, {"paths", std::move(patterns)}});
    delegations["roles"].push_back(std::move(item));
  }
  void AddTarget(const std::string& role, const std::string& path, std::string_view content) {
    body[role]["targets"][path] = {{"length", content.size()},
                                   {"hashes", {{"sha256", crypto::Sha256Hex(AsBytes(content))}}}};
  }

  Status Refresh() { return Updater(*this, *this, now_ms).Refresh(); }
  Result<TargetFile> Find(std::string_view path) {
    Updater updater(*this, *this, now_ms);
    FERRY_TRY(updater.Refresh());
    asked.clear();
    return updater.Find(path);
  }
  int64_t KeptVersion(const std::string& role) {
    const auto found = kept.find(role + ".json");
    if (found == kept.end()) return 0;
    return GetInt(ParseSigned(found->second)->part, "version").value();
  }

  int64_t now_ms = trust::kTestNow;
  bool consistent = true;
  bool with_hashes = false;
  Signers signers;
  std::map<std::string, int> threshold;
  std::map<std::string, int64_t> version;
  std::map<std::string, int64_t> expires_ms;  // by type; a day from now otherwise
  std::map<std::string, Json> body;           // of targets roles
  Json more_meta = Json::object();
  std::map<std::string, Bytes> files;  // served
  std::map<std::string, Bytes> kept;
  std::vector<std::string> asked;

 private:
  std::string NameOf(const std::string& role, int64_t number) const {
    const std::string name = Quoted(role) + ".json";
    return consistent ? fmt::format("{}.{}", number, name) : name;
  }
  void Put(const std::string& role, const Bytes& document) {
    files[NameOf(role, version[role])] = document;
  }
  Json Meta(const std::string& role, int64_t number) const {
    const auto found = files.find(NameOf(role, number));
    if (!with_hashes || found == files.end()) return {{"version", number}};
    return {{"version", number},
            {"length", found->second.size()},
            {"hashes", {{"sha256", crypto::Sha256Hex(found->second)}}}};
  }
};

}  // namespace ferry::tuf

#include "tools/ferry/publisher/staged.h"

#include <algorithm>
#include <set>

#include "common/crypto/keyfile.h"
#include "common/trust/builder.h"
#include "common/trust/envelope.h"
#include "tools/ferry/publisher/bundle.h"
#include "tools/ferry/publisher/roots.h"

namespace ferry::cli {
namespace {

std::string StagedPath(const PublisherDirectory& directory, std::string_view name) {
  return fmt::format("{}/staged/{}", directory.path(), name);
}

Result<Bytes> ReadDocument(const std::string& file) {
  return sys::ReadFile(sys::SystemFileSystem(), file, trust::kMaxMetadataBytes);
}

bool HasKey(const trust::RoleKeys& role, std::string_view id) {
  return std::find(role.key_ids.begin(), role.key_ids.end(), id) != role.key_ids.end();
}

// The role that must sign a document of that type, by the given root or a root's own word.
Result<std::optional<trust::RoleKeys>> RoleOf(const std::string& type, const Json& part,
                                              const std::string& root_file) {
  std::optional<trust::Root> root;
  if (type == "root") {
    FERRY_ASSIGN_OR_RETURN(root, trust::RootFromJson(part));
  }
  if (!root_file.empty()) {
    FERRY_ASSIGN_OR_RETURN(const Bytes document, ReadDocument(root_file));
    FERRY_ASSIGN_OR_RETURN(const trust::Root given, trust::ParseSelfSignedRoot(document));
    if (type == "targets") return std::optional(given.targets);
    // A key that the next root drops signs it as well, and then counts for the present one.
    trust::RoleKeys both = root->root;
    for (const std::string& id : given.root.key_ids)
      if (!HasKey(both, id)) both.key_ids.push_back(id);
    return std::optional(std::move(both));
  }
  if (root) return std::optional(root->root);
  return std::optional<trust::RoleKeys>();
}

}  // namespace

Result<std::string> StageDocument(const PublisherDirectory& directory, const std::string& name,
                                  ByteView document) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_TRY(fs.MakeDirectories(directory.path() + "/staged"));
  if (name == "targets.json") {
    FERRY_TRY(fs.RemoveTree(StagedPath(directory, "publication.bundle")));
  }
  std::string path = StagedPath(directory, name);
  FERRY_TRY(sys::WriteFileAtomically(fs, path, document, sys::kPublicFile));
  return path;
}

Result<std::string> StagePublication(const PublisherDirectory& directory,
                                     const Publication& publication) {
  FERRY_ASSIGN_OR_RETURN(std::string path,
                         StageDocument(directory, "targets.json", publication.targets.top));
  FERRY_TRY(WriteBundle(StagedPath(directory, "publication.bundle"), publication));
  return path;
}

Result<Json> SignStaged(const std::string& file, const std::string& key, const std::string& root) {
  FERRY_ASSIGN_OR_RETURN(const Bytes before, ReadDocument(file));
  FERRY_ASSIGN_OR_RETURN(const trust::SigningKey signer,
                         crypto::ReadSigningKey(sys::SystemFileSystem(), key));
  FERRY_ASSIGN_OR_RETURN(const Bytes document,
                         trust::AddSignature(before, signer).Context("{}", file));
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope, trust::ParseEnvelope(document));
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(envelope.signed_part, "_type"));
  if (type != "root" && type != "targets") {
    return Status::Of(Code::kInvalidArgument, "{}: \"{:.40}\" is not signed by people", file, type);
  }
  FERRY_ASSIGN_OR_RETURN(const int64_t version, GetInt(envelope.signed_part, "version"));
  FERRY_ASSIGN_OR_RETURN(const auto role, RoleOf(type, envelope.signed_part, root));
  const std::string id = trust::KeyIdOf(signer.public_key());
  if (role && !HasKey(*role, id)) {
    return Status::Of(Code::kWrongKey, "{}: key {:.12} is not of the role {}", key, id, type);
  }
  Json out = {{"file", file},
              {"role", type},
              {"version", version},
              {"key", id},
              {"signatures", envelope.signatures.size()},
              {"needed", role ? Json(role->threshold) : Json()}};
  if (role) {
    out["signatures"] =
        std::count_if(envelope.signatures.begin(), envelope.signatures.end(),
                      [&](const trust::Signature& one) { return HasKey(*role, one.key_id); });
  }
  FERRY_TRY(sys::WriteFileAtomically(sys::SystemFileSystem(), file, document, sys::kPublicFile));
  return out;
}

Result<Json> PublishStaged(const Api& api, PublisherDirectory& directory, const std::string& file) {
  FERRY_ASSIGN_OR_RETURN(const Bytes document, ReadDocument(file));
  FERRY_ASSIGN_OR_RETURN(const trust::Targets next,
                         trust::OpenTargets(directory.root(), document).Context("{}", file));
  FERRY_TRY(CheckOneDocument(&next));
  FERRY_TRY(CheckSamePublisher(api, directory));
  const std::string bundle = StagedPath(directory, "publication.bundle");
  Json answer;
  if (sys::Exists(sys::SystemFileSystem(), bundle)) {
    FERRY_ASSIGN_OR_RETURN(answer, UploadBundle(api, bundle, &document));
  } else {
    FERRY_ASSIGN_OR_RETURN(
        answer, api.Post("/packages", {{"targets", ToBase64(document)}, {"keys", Json::array()}}));
  }
  FERRY_TRY(directory.KeepTargets({document, {}}));
  FERRY_TRY(sys::SystemFileSystem().RemoveTree(bundle));
  FERRY_TRY(sys::SystemFileSystem().RemoveTree(StagedPath(directory, "targets.json")));
  return answer;
}

Status TakeStaged(PublisherDirectory& directory, const std::string& file) {
  FERRY_ASSIGN_OR_RETURN(const Bytes document, ReadDocument(file));
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope,
                         trust::ParseEnvelope(document).Context("{}", file));
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(envelope.signed_part, "_type"));
  if (type == "root") return directory.TakeRoot(document).Context("{}", file);
  if (type != "targets") {
    return Status::Of(Code::kInvalidArgument, "{}: \"{:.40}\" is not kept here", file, type);
  }
  FERRY_ASSIGN_OR_RETURN(const trust::Targets next,
                         trust::OpenTargets(directory.root(), document).Context("{}", file));
  if (directory.targets() != nullptr && next.version <= directory.targets()->version) {
    return Status::Of(Code::kVersionRollback, "{}: targets version {} offered after version {}",
                      file, next.version, directory.targets()->version);
  }
  FERRY_TRY(CheckOneDocument(&next));
  return directory.KeepTargets({document, {}});
}

}  // namespace ferry::cli

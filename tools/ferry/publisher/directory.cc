#include "tools/ferry/publisher/directory.h"

#include <algorithm>
#include <set>

#include "common/crypto/keyfile.h"
#include "common/trust/builder.h"
#include "common/trust/envelope.h"
#include "common/trust/time.h"
#include "common/trust/trusted_set.h"

namespace ferry::cli {
namespace {

std::string KeyPath(const std::string& folder, std::string_view stem) {
  return fmt::format("{}/keys/{}.json", folder, stem);
}

std::string BinPath(const std::string& folder, const std::string& name, int64_t version) {
  return fmt::format("{}/bins/{}.{}.json", folder, version, name);
}

std::string RootPath(const std::string& folder, int64_t version) {
  return fmt::format("{}/roots/{}.json", folder, version);
}

Status KeepRoot(const std::string& folder, const trust::Root& root, ByteView document) {
  FERRY_TRY(sys::WriteFileAtomically(sys::SystemFileSystem(), RootPath(folder, root.version),
                                     document, sys::kPublicFile));
  return sys::WriteFileAtomically(sys::SystemFileSystem(), folder + "/root.json", document,
                                  sys::kPublicFile);
}

Status CheckCount(std::string_view role, int keys, int threshold) {
  if (keys >= 1 && keys <= kMaxKeysOfRole && threshold >= 1 && threshold <= keys) {
    return OkStatus();
  }
  return Status::Of(Code::kInvalidArgument, "{} {} keys with threshold {}: wanted 1 to {} keys",
                    keys, role, threshold, kMaxKeysOfRole);
}

// Makes `count` keys of a role, writes them and names them in the root.
Status AddKeys(const std::string& folder, std::string_view role, int count, trust::Root& root,
               trust::RoleKeys& keys, std::vector<trust::SigningKey>* made) {
  for (int i = 1; i <= count; ++i) {
    const auto key = trust::SigningKey::Generate(sys::SystemRandom());
    FERRY_TRY(crypto::WriteKey(sys::SystemFileSystem(),
                               KeyPath(folder, fmt::format("{}-{}", role, i)), key));
    root.AddKey(keys, key.public_key());
    if (made != nullptr) made->push_back(key);
  }
  return OkStatus();
}

}  // namespace

Status CheckOneDocument(const trust::Targets* targets) {
  if (targets == nullptr || !targets->bins) return OkStatus();
  return Status(Code::kUnsupported,
                "targets in bins are signed on one machine: `ferry keys bins --bits 0` makes them "
                "one document again, which several can sign");
}

Result<PublisherDirectory> PublisherDirectory::Create(const std::string& path,
                                                      const trust::OnlineKeys& online,
                                                      const NewKeys& wanted, int64_t now_ms) {
  if (sys::Exists(sys::SystemFileSystem(), path + "/root.json")) {
    return Status::Of(Code::kAlreadyExists, "{} has keys already (ferry keys rotate changes them)",
                      path);
  }
  FERRY_TRY(CheckCount("root", wanted.root_keys, wanted.root_threshold));
  FERRY_TRY(CheckCount("targets", wanted.targets_keys, wanted.targets_threshold));
  FERRY_TRY(sys::SystemFileSystem().MakeDirectories(path + "/keys"));
  FERRY_TRY(sys::SystemFileSystem().MakeDirectories(path + "/roots"));
  trust::Root root;
  root.expires_ms = now_ms + wanted.root_days * trust::kDayMs;
  std::vector<trust::SigningKey> signers;
  FERRY_TRY(AddKeys(path, "root", wanted.root_keys, root, root.root, &signers));
  FERRY_TRY(AddKeys(path, "targets", wanted.targets_keys, root, root.targets, nullptr));
  root.root.threshold = wanted.root_threshold;
  root.targets.threshold = wanted.targets_threshold;
  root.AddKey(root.snapshot, online.snapshot);
  root.AddKey(root.timestamp, online.timestamp);
  root.AddKey(root.director, online.director);
  root.escrow = online.escrow;
  if (online.line) root.line = *online.line;
  FERRY_ASSIGN_OR_RETURN(const Bytes document, trust::SignRoot(root, signers));
  FERRY_TRY(KeepRoot(path, root, document));
  return Open(path);
}

Result<PublisherDirectory> PublisherDirectory::Open(const std::string& path) {
  PublisherDirectory out;
  out.path_ = path;
  auto root = sys::ReadFile(sys::SystemFileSystem(), path + "/root.json", trust::kMaxMetadataBytes);
  if (root.code() == Code::kNotFound) {
    return Status::Of(Code::kNotFound,
                      "{} is no publisher's folder: no root.json (ferry keys init)", path);
  }
  FERRY_ASSIGN_OR_RETURN(out.root_document_, std::move(root));
  FERRY_ASSIGN_OR_RETURN(
      out.root_, trust::ParseSelfSignedRoot(out.root_document_).Context("{}/root.json", path));
  auto targets =
      sys::ReadFile(sys::SystemFileSystem(), path + "/targets.json", trust::kMaxMetadataBytes);
  if (targets.code() == Code::kNotFound) return out;
  FERRY_ASSIGN_OR_RETURN(out.documents_.top, std::move(targets));
  FERRY_TRY(out.ReadBins().Context("{}/targets.json", path));
  FERRY_ASSIGN_OR_RETURN(out.targets_, out.CheckTargets().Context("{}/targets.json", path));
  return out;
}

// Right after a rotation of targets keys the last targets still has the signatures of the root
// before; the next publication signs anew.
Result<trust::Targets> PublisherDirectory::CheckTargets() const {
  auto now = trust::OpenTargets(root_, documents_);
  if (now.code() != Code::kBadSignature || root_.version == 1) return now;
  FERRY_ASSIGN_OR_RETURN(const Bytes before, RootVersion(root_.version - 1));
  FERRY_ASSIGN_OR_RETURN(const trust::Root root, trust::ParseSelfSignedRoot(before));
  auto then = trust::OpenTargets(root, documents_);
  return then.ok() ? std::move(then) : std::move(now);
}

Result<Bytes> PublisherDirectory::RootVersion(int64_t version) const {
  return sys::ReadFile(sys::SystemFileSystem(), RootPath(path_, version), trust::kMaxMetadataBytes);
}

Result<std::vector<trust::SigningKey>> PublisherDirectory::SignersOf(const trust::RoleKeys& role,
                                                                     std::string_view name) const {
  FERRY_ASSIGN_OR_RETURN(const auto files, sys::SystemFileSystem().List(path_ + "/keys"));
  std::vector<trust::SigningKey> out;
  for (const std::string& file : files) {
    if (!file.ends_with(".json")) continue;
    FERRY_ASSIGN_OR_RETURN(
        const trust::SigningKey key,
        crypto::ReadSigningKey(sys::SystemFileSystem(), path_ + "/keys/" + file));
    const std::string id = trust::KeyIdOf(key.public_key());
    for (const std::string& known : role.key_ids) {
      if (known == id) out.push_back(key);
    }
  }
  if (out.size() < static_cast<size_t>(role.threshold)) {
    return Status::Of(Code::kFailedPrecondition, "{}/keys has {} of the {} {} keys that must sign",
                      path_, out.size(), role.threshold, name);
  }
  return out;
}

Result<PublisherDirectory::MadeKey> PublisherDirectory::MakeKey(std::string_view role,
                                                                size_t ahead) const {
  for (int i = 1; i < 10000; ++i) {
    std::string stem = fmt::format("{}-{}", role, i);
    if (!sys::Exists(sys::SystemFileSystem(), KeyPath(path_, stem)) && ahead-- == 0) {
      return MadeKey{std::move(stem), trust::SigningKey::Generate(sys::SystemRandom())};
    }
  }
  return Status::Of(Code::kLimitExceeded, "{}/keys is full", path_);
}

Status PublisherDirectory::RotateTo(trust::Root next, const std::vector<MadeKey>& made) {
  FERRY_ASSIGN_OR_RETURN(std::vector<trust::SigningKey> signers, SignersOf(root_.root, "root"));
  for (const MadeKey& key : made) signers.push_back(key.key);
  // Only root keys sign roots; made keys of other roles are dropped here.
  std::erase_if(signers, [&](const trust::SigningKey& key) {
    const std::string id = trust::KeyIdOf(key.public_key());
    const auto has = [&](const trust::RoleKeys& role) {
      return std::find(role.key_ids.begin(), role.key_ids.end(), id) != role.key_ids.end();
    };
    return !has(root_.root) && !has(next.root);
  });
  FERRY_ASSIGN_OR_RETURN(const Bytes document, trust::SignNextRoot(root_, next, signers));
  for (const MadeKey& key : made) {
    FERRY_TRY(crypto::WriteKey(sys::SystemFileSystem(), KeyPath(path_, key.stem), key.key));
  }
  FERRY_ASSIGN_OR_RETURN(root_, trust::ParseSelfSignedRoot(document));
  root_document_ = document;
  return KeepRoot(path_, root_, document);
}

// Who may read them sees to it that they are signed: here their form counts.
Status PublisherDirectory::ReadBins() {
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope, trust::ParseEnvelope(documents_.top));
  FERRY_ASSIGN_OR_RETURN(const trust::Targets top, trust::TargetsFromJson(envelope.signed_part));
  for (const auto& [name, version] : trust::BinsOf(top)) {
    FERRY_ASSIGN_OR_RETURN(documents_.bins[name],
                           sys::ReadFile(sys::SystemFileSystem(), BinPath(path_, name, version),
                                         trust::kMaxMetadataBytes));
  }
  return OkStatus();
}

Result<trust::TargetsDocuments> PublisherDirectory::SignTargets(const trust::Targets& targets,
                                                                bool all_bins) const {
  FERRY_ASSIGN_OR_RETURN(const auto signers, SignersOf(root_.targets, "targets"));
  const int64_t keep_ms =
      all_bins ? INT64_MAX : targets.expires_ms - kTargetsDays * trust::kDayMs / 2;
  FERRY_ASSIGN_OR_RETURN(trust::TargetsDocuments out,
                         trust::SignSpread(targets, root_, signers, documents_, keep_ms));
  FERRY_TRY(trust::CheckSent(out.top, "targets"));
  for (const auto& [name, document] : out.bins) FERRY_TRY(trust::CheckSent(document, name));
  return out;
}

Result<Bytes> PublisherDirectory::SignTargetsHere(const trust::Targets& targets) const {
  FERRY_TRY(CheckOneDocument(&targets));
  FERRY_ASSIGN_OR_RETURN(const auto signers, SignersOf({root_.targets.key_ids, 0}, "targets"));
  FERRY_ASSIGN_OR_RETURN(Bytes document, trust::SignTargets(targets, signers));
  FERRY_TRY(trust::CheckSent(document, "targets"));
  return document;
}

Result<Bytes> PublisherDirectory::SignNextRootHere(trust::Root next) const {
  FERRY_ASSIGN_OR_RETURN(const auto signers, SignersOf({root_.root.key_ids, 0}, "root"));
  next.version = root_.version + 1;
  return trust::SignRoot(next, signers);
}

Status PublisherDirectory::TakeRoot(ByteView document) {
  FERRY_ASSIGN_OR_RETURN(
      trust::TrustedSet set,
      trust::TrustedSet::FromPinnedRoot(root_document_, crypto::Sha256(root_document_)));
  FERRY_TRY(set.UpdateRoot(document));
  root_ = set.root();
  root_document_ = ToBytes(document);
  return KeepRoot(path_, root_, document);
}

// The bins lie there before the document that names them, and those of before go after it.
Status PublisherDirectory::KeepTargets(const trust::TargetsDocuments& documents) {
  FERRY_ASSIGN_OR_RETURN(trust::Targets next, trust::OpenTargets(root_, documents));
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string bins = path_ + "/bins";
  std::set<std::string> named;
  if (next.bins) FERRY_TRY(fs.MakeDirectories(bins));
  for (const auto& [name, version] : trust::BinsOf(next)) {
    const std::string path = BinPath(path_, name, version);
    named.insert(path);
    FERRY_TRY(
        sys::WriteFileAtomically(fs, path, documents.bins.find(name)->second, sys::kPublicFile));
  }
  FERRY_TRY(sys::WriteFileAtomically(fs, path_ + "/targets.json", documents.top, sys::kPublicFile));
  targets_ = std::move(next);
  documents_ = documents;
  if (!sys::Exists(fs, bins)) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> files, fs.List(bins));
  for (const std::string& file : files)
    if (!named.contains(bins + "/" + file)) FERRY_TRY(fs.Remove(bins + "/" + file));
  return OkStatus();
}

}  // namespace ferry::cli

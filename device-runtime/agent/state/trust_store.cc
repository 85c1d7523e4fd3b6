#include "device-runtime/agent/state/trust_store.h"

namespace ferry::agent {
namespace {

constexpr uint64_t kMaxTrustBytes = 64 << 20;  // four documents of at most 8 MiB, escaped

}  // namespace

Result<TrustStore> TrustStore::Open(sys::FileSystem& fs, const std::string& directory) {
  TrustStore store(fs, sys::JoinPath(directory, kTrustFile));
  auto body = store.file_.Read(kMaxTrustBytes, [](ByteView candidate) {
    return trust::TrustedSet::FromState(candidate).status();
  });
  if (body.code() == Code::kNotFound) return store;
  if (body.code() == Code::kCorruptContent) {
    store.lost_ = true;
    return store;
  }
  if (!body.ok()) return body.status();
  store.saved_ = std::move(body).value();
  auto set = trust::TrustedSet::FromState(store.saved_);
  if (!set.ok()) return set.status();
  store.set_ = std::move(set).value();
  return store;
}

Status TrustStore::Heal() {
  if (lost_) FERRY_TRY(file_.SetAside());
  lost_ = false;
  return saved_.empty() || file_.whole() ? OkStatus() : file_.Write(saved_);
}

Status TrustStore::Pin(ByteView root_document, const trust::Hash& sha256) {
  auto set = trust::TrustedSet::FromPinnedRoot(root_document, sha256);
  if (!set.ok()) return set.status();
  set_ = std::move(set).value();
  return Save();
}

Status TrustStore::Save() {
  if (!set_) return OkStatus();
  Bytes state = set_->SaveState();
  if (state == saved_ && file_.whole()) return OkStatus();
  FERRY_TRY(file_.Write(state));
  saved_ = std::move(state);
  return OkStatus();
}

}  // namespace ferry::agent

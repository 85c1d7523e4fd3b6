#include "device-runtime/agent/state/trust_store.h"

namespace ferry::agent {
namespace {

constexpr uint64_t kMaxTrustBytes = 64 << 20;  // four documents of at most 8 MiB, escaped

}  // namespace

Result<TrustStore> TrustStore::Open(sys::FileSystem& fs, const std::string& directory) {
  TrustStore store(fs, sys::JoinPath(directory, kTrustFile));
  if (!sys::Exists(fs, store.path_)) return store;
  FERRY_ASSIGN_OR_RETURN(store.saved_, sys::ReadFile(fs, store.path_, kMaxTrustBytes));
  auto set = trust::TrustedSet::FromState(store.saved_);
  if (!set.ok()) return set.status().Context("{}", store.path_);
  store.set_ = std::move(set).value();
  return store;
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
  if (state == saved_) return OkStatus();
  FERRY_TRY(sys::WriteFileAtomically(*fs_, path_, state));
  saved_ = std::move(state);
  return OkStatus();
}

}  // namespace ferry::agent

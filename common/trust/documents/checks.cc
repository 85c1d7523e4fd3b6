#include "common/trust/documents/checks.h"

#include "common/trust/time.h"

namespace ferry::trust {

Status CheckExpiry(std::string_view role, int64_t version, int64_t expires_ms, int64_t now_ms) {
  if (now_ms < expires_ms) return OkStatus();
  return Status::Of(Code::kExpired, "{} version {} expired at {}, now is {}", role, version,
                    FormatTime(expires_ms), FormatTime(now_ms));
}

Status CheckNotOlder(std::string_view role, int64_t version, int64_t trusted) {
  if (version >= trusted) return OkStatus();
  return Status::Of(Code::kVersionRollback, "{} version {} offered after version {}", role, version,
                    trusted);
}

Status CheckBytes(std::string_view role, ByteView document, const MetaFile& wanted) {
  if (document.size() != wanted.length) {
    return Status::Of(Code::kCorruptContent, "{} version {}: {} bytes, signed were {}", role,
                      wanted.version, document.size(), wanted.length);
  }
  if (crypto::Sha256(document) != wanted.sha256) {
    return Status::Of(Code::kCorruptContent, "{} version {}: SHA-256 {:.12} was signed, got {:.12}",
                      role, wanted.version, ToHex(wanted.sha256), crypto::Sha256Hex(document));
  }
  return OkStatus();
}

Status CheckVersionNamed(std::string_view role, int64_t version, int64_t named) {
  if (version == named) return OkStatus();
  return Status::Of(version < named ? Code::kVersionRollback : Code::kMalformed,
                    "{} version {} where version {} was signed", role, version, named);
}

}  // namespace ferry::trust

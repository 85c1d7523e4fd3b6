// The envelope of every signed document: {"signatures":[{"keyid","sig"}],"signed":{...}}.
// Signatures are Ed25519 over the canonical JSON of "signed". Source: TUF specification 1.0,
// section 4.2.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/trust/key.h"

namespace ferry::trust {

inline constexpr size_t kMaxMetadataBytes = 8 << 20;  // one document
inline constexpr size_t kMaxSignatures = 64;          // in one document
// What fits a frame of a device's line, with the message around it: a larger document reaches
// nobody, so it is not published.
inline constexpr size_t kMaxSentDocumentBytes = (4 << 20) - 4096;

struct Signature {
  std::string key_id;
  Bytes sig;  // 64 bytes
};

struct Envelope {
  Json signed_part;
  Bytes canonical;  // of signed_part: what signatures cover
  std::vector<Signature> signatures;
};

// kMalformed or kLimitExceeded. Checks no signature.
Result<Envelope> ParseEnvelope(ByteView document);

// kBadSignature unless at least role.threshold different keys of the role signed `envelope`; the
// message names `what` ("targets version 3"), how many keys of how many, and the keys whose
// signatures do not match. Signatures of keys outside the role do not count and do not harm.
Status VerifyEnvelope(const Envelope& envelope, const KeyMap& keys, const RoleKeys& role,
                      std::string_view what);

// The document of `signed_part` with one signature a signer, in canonical JSON. kInvalidArgument
// for floats.
Result<Bytes> SignDocument(const Json& signed_part, std::span<const SigningKey> signers);
// `document` with one more signature (or that signer's replaced): for approvers on different
// machines.
Result<Bytes> AddSignature(ByteView document, const SigningKey& signer);

// kLimitExceeded for a document over kMaxSentDocumentBytes; `what` names it.
Status CheckSent(ByteView document, std::string_view what);

}  // namespace ferry::trust

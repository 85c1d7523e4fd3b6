// The second factor: codes of a phone's app that change every 30 s (TOTP, RFC 6238), and recovery
// codes for who has lost it. Pure: time and secrets come in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::server {

inline constexpr size_t kTotpSecretBytes = 20;  // of HMAC-SHA-1, which all apps know
inline constexpr int kTotpDigits = 6;
inline constexpr int64_t kTotpStepMs = 30'000;
inline constexpr int64_t kTotpDrift = 1;  // steps that a clock may be off, either way
inline constexpr size_t kRecoveryCodes = 10;

// RFC 4648, section 6, without padding, as apps take secrets.
std::string Base32(ByteView bytes);
// The code of a step (RFC 4226, section 5.3), with leading zeros.
std::string TotpCode(ByteView secret, int64_t step, int digits = kTotpDigits);
// "otpauth://totp/Ferry:vera?secret=...", which apps read from a picture.
std::string TotpUri(const std::string& user, ByteView secret);

// What is stored of a user's second factor.
struct Totp {
  Bytes secret;
  bool confirmed = false;  // a first code was given; before that no login asks for one
  int64_t step = -1;       // of the last code that was taken: each logs in once
  std::vector<std::string> recovery_sha256;

  // As the account's row keeps it; empty text for none. kMalformed.
  static Result<Totp> Parse(const std::string& text);
  std::string Text() const;
  bool none() const { return secret.empty(); }

  // Uses a code of about now up, or a recovery code. Whether it was right.
  bool Take(const std::string& code, int64_t now_ms);
};

// A recovery code of random bytes: "k3v9d-7wq2m".
std::string RecoveryCode(ByteView random);
inline constexpr size_t kRecoveryCodeBytes = 7;
// The hash that is kept of it, whatever spaces, dashes and capitals it is typed with.
std::string RecoveryHash(const std::string& code);

}  // namespace ferry::server

// Where a key lies in a hardware security module, as a PKCS #11 URI. Source: RFC 7512.
//
//   pkcs11:token=ferry;object=key-ring?module-path=/usr/lib/.../libsofthsm2.so&pin-source=file:/..
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::server {

struct Pkcs11Uri {
  std::string token;       // label of the token; "": the only one there is
  std::string serial;      // its serial number; "": any
  std::string object;      // label of the key
  std::string module;      // file of the module's library
  std::string pin_source;  // file with the PIN; "": FERRY_PKCS11_PIN has it
};

inline constexpr std::string_view kPkcs11Scheme = "pkcs11:";

// kInvalidArgument names the attribute that is missing, unknown or given twice. A PIN in the URI
// (`pin-value`) is refused, as everyone on a machine sees command lines.
Result<Pkcs11Uri> ParsePkcs11Uri(std::string_view text);

}  // namespace ferry::server

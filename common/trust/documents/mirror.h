// Where content is to be had besides the server. A mirror needs no trust: what it gives is sealed,
// and its hash is signed.
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"
#include "common/sys/net.h"

namespace ferry::trust {

struct Mirror {
  std::string text;  // as it was said
  sys::Endpoint at;
  std::string prefix;  // of paths there: "" or "/models"
};

// "host:port": over TLS, under an authority that devices believe. "http[s]://host[:port][/path]":
// any web server. Below each lies content/<sha256>. kMalformed.
Result<Mirror> MirrorFromText(std::string_view text);

}  // namespace ferry::trust

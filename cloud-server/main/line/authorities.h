// By what devices know the server and where they find it: its certificate authorities, one after
// another as they are replaced, and its addresses. What devices believe is said by the publisher's
// root (trust::Line); here is what that shall say next, and the keys.
//
//   line.json                             which chains there are, and the next root's line; absent:
//                                         the one of `ferry-server init`, and no line
//   ca.pem ca.key server.pem server.key   the first chain
//   authorities/<n>/ with the same four   those after it
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/net/certificate.h"
#include "common/sys/filesystem.h"
#include "common/trust/root.h"

namespace ferry::server {

inline constexpr int kCertificateDays = 3650;

struct AuthorityChain {
  std::string folder;             // below the server's directory; "": itself
  net::CertificateAndKey server;  // its certificate, then the authority's
  std::string authority_pem;
  std::string pin;  // of the authority
};

// Files are replaced whole; line.json, which names them, comes last. One process at a time.
class Authorities {
 public:
  // `fs` outlives it.
  Authorities(sys::FileSystem& fs, std::string directory);

  // The one that devices know longest first; at least one. Errors name the file.
  Result<std::vector<AuthorityChain>> Chains() const;
  // What the next root shall say; nothing where it was never asked to say anything.
  Result<std::optional<trust::Line>> Wanted() const;

  // One more authority with a certificate for `names`, before the present ones in the next root's
  // line. Returns its pin. kLimitExceeded past trust::kMaxLineAuthorities.
  Result<std::string> Add(const std::string& common_name, const std::vector<std::string>& names);
  // The next root's line no longer names the first one, which serves on. kFailedPrecondition when
  // it is the only one.
  Status Retire();
  // Forgets the first one, keys and all.
  Status Drop();
  // The next root's line says these addresses ("host:port").
  Status SetAddresses(const std::vector<std::string>& addresses);
  // A certificate and key for `names`, by the authority that devices know longest, for a mirror of
  // content. Kept nowhere. Errors name the key of an authority that is not here.
  Result<net::CertificateAndKey> Issue(const std::vector<std::string>& names, int valid_days) const;
  // Certificates for `names` in place of the present ones, by the same authorities. Errors name the
  // key of an authority that is not here.
  Status Rename(const std::vector<std::string>& names);

 private:
  struct Index {
    std::vector<std::string> folders{""};
    std::optional<trust::Line> line;
  };
  Result<Index> ReadIndex() const;
  Status WriteIndex(const Index& index);
  Result<AuthorityChain> ReadChain(const std::string& folder) const;
  // Returns the new folder, which no index names yet.
  Result<std::string> WriteChain(const net::CertificateAndKey& authority,
                                 const net::CertificateAndKey& server);
  Status RemoveChain(const std::string& folder);
  std::string Path(const std::string& folder, const char* name) const;
  // The line that is there, or one that says what devices know by their join tokens.
  Result<trust::Line> LineOf(const Index& index) const;

  sys::FileSystem& fs_;
  std::string directory_;
};

// Writes the four files of a chain into `folder`, which exists.
Status WriteAuthorityFiles(sys::FileSystem& fs, const std::string& folder,
                           const net::CertificateAndKey& authority,
                           const net::CertificateAndKey& server);

}  // namespace ferry::server

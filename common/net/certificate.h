// Certificates: an authority of one's own and the server certificates it signs. ECDSA P-256, X.509
// v3.
#pragma once

#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace ferry::net {

struct CertificateAndKey {
  std::string certificate_pem;
  std::string private_key_pem;  // PKCS#8
};

Result<CertificateAndKey> MakeAuthority(const std::string& common_name, int valid_days);
// For `names`: host names and IP addresses, at least one. The PEM holds the server's certificate
// and then the authority's, so that clients may pin the latter by hash.
Result<CertificateAndKey> MakeServerCertificate(const CertificateAndKey& authority,
                                                const std::vector<std::string>& names,
                                                int valid_days);
// The host names, without addresses, that the first certificate of a PEM text is for.
Result<std::vector<std::string>> CertificateNames(const std::string& certificate_pem);
// "sha256:<hex>" of the first certificate's DER form: ClientOptions::authority.
Result<std::string> CertificatePin(const std::string& certificate_pem);
// When the first certificate is valid no longer, in Unix milliseconds.
Result<int64_t> CertificateExpiresMs(const std::string& certificate_pem);

}  // namespace ferry::net

#include "common/net/certificate.h"

#include <openssl/ec.h>

#include <functional>

#include "common/net/io/asio.h"
#include "common/net/tls/openssl.h"

namespace ferry::net {
namespace {

constexpr int kVersion3 = 2;  // X.509 counts from 0
constexpr int kSerialBits = 127;
constexpr int kMaxValidDays = 36'500;
constexpr long kClockSkewSeconds = 3600;  // a client's clock may be behind by so much

Status Failed(const char* what) {
  return Status::Of(Code::kInternal, "certificate: {}: {}", what, OpensslError());
}

Result<std::string> TextOf(const std::function<int(BIO*)>& write) {
  OpensslPtr<BIO> bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || write(bio.get()) != 1) return Failed("writing PEM");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  OpensslPtr<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetSerial(X509* certificate) {
  OpensslPtr<BIGNUM> number(BN_new());
  return number != nullptr && BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ANY, 0) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

// A certificate for `key` with name and dates; not yet signed.
OpensslPtr<X509> Blank(EVP_PKEY* key, const std::string& common_name, int valid_days) {
  OpensslPtr<X509> certificate(X509_new());
  if (certificate == nullptr) return nullptr;
  X509* x = certificate.get();
  const auto* name = reinterpret_cast<const unsigned char*>(common_name.data());
  const bool ok =
      X509_set_version(x, kVersion3) == 1 && SetSerial(x) &&
      X509_gmtime_adj(X509_getm_notBefore(x), -kClockSkewSeconds) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(x), 86'400L * valid_days) != nullptr &&
      X509_NAME_add_entry_by_NID(X509_get_subject_name(x), NID_commonName, MBSTRING_UTF8, name,
                                 static_cast<int>(common_name.size()), -1, 0) == 1 &&
      X509_set_pubkey(x, key) == 1;
  return ok ? std::move(certificate) : nullptr;
}

Result<std::string> KeyPem(EVP_PKEY* key) {
  return TextOf([key](BIO* bio) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

Status CheckDays(int valid_days) {
  if (valid_days >= 1 && valid_days <= kMaxValidDays) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "certificate: valid for {} days", valid_days);
}

Result<std::string> AlternativeNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    ErrorCode error;
    asio::ip::make_address(name, error);
    // A comma would begin another entry.
    if (name.empty() || name.find_first_of(",:\n\r ") != std::string::npos) {
      if (error) {
        return Status::Of(Code::kInvalidArgument, "certificate: bad host name \"{}\"", name);
      }
    }
    text += (text.empty() ? "" : ",") + std::string(error ? "DNS:" : "IP:") + name;
  }
  if (text.empty()) return Status(Code::kInvalidArgument, "certificate: no host names");
  return text;
}

}  // namespace

Result<CertificateAndKey> MakeAuthority(const std::string& common_name, int valid_days) {
  FERRY_TRY(CheckDays(valid_days));
  OpensslPtr<EVP_PKEY> key(EVP_EC_gen("P-256"));
  OpensslPtr<X509> certificate =
      key != nullptr ? Blank(key.get(), common_name, valid_days) : nullptr;
  if (certificate == nullptr) return Failed("making an authority");
  X509* x = certificate.get();
  const bool ok = X509_set_issuer_name(x, X509_get_subject_name(x)) == 1 &&
                  AddExtension(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                  AddExtension(x, x, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                  AddExtension(x, x, NID_subject_key_identifier, "hash") &&
                  X509_sign(x, key.get(), EVP_sha256()) != 0;
  if (!ok) return Failed("signing an authority");
  CertificateAndKey out;
  FERRY_ASSIGN_OR_RETURN(out.certificate_pem,
                         TextOf([x](BIO* bio) { return PEM_write_bio_X509(bio, x); }));
  FERRY_ASSIGN_OR_RETURN(out.private_key_pem, KeyPem(key.get()));
  return out;
}

Result<CertificateAndKey> MakeServerCertificate(const CertificateAndKey& authority,
                                                const std::vector<std::string>& names,
                                                int valid_days) {
  FERRY_TRY(CheckDays(valid_days));
  FERRY_ASSIGN_OR_RETURN(const std::string alternatives, AlternativeNames(names));
  const OpensslPtr<X509> issuer = CertificateFromPem(authority.certificate_pem);
  OpensslPtr<BIO> bio(BIO_new_mem_buf(authority.private_key_pem.data(),
                                      static_cast<int>(authority.private_key_pem.size())));
  auto no_password = [](char*, int, int, void*) { return 0; };
  OpensslPtr<EVP_PKEY> issuer_key(
      bio != nullptr ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr) : nullptr);
  if (issuer == nullptr || issuer_key == nullptr ||
      X509_check_private_key(issuer.get(), issuer_key.get()) != 1) {
    return Status::Of(Code::kInvalidArgument, "certificate: the authority: {}", OpensslError());
  }
  OpensslPtr<EVP_PKEY> key(EVP_EC_gen("P-256"));
  OpensslPtr<X509> certificate = key != nullptr ? Blank(key.get(), names[0], valid_days) : nullptr;
  if (certificate == nullptr) return Failed("making a server certificate");
  X509* x = certificate.get();
  const bool ok = X509_set_issuer_name(x, X509_get_subject_name(issuer.get())) == 1 &&
                  AddExtension(x, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                  AddExtension(x, issuer.get(), NID_key_usage, "critical,digitalSignature") &&
                  AddExtension(x, issuer.get(), NID_ext_key_usage, "serverAuth") &&
                  AddExtension(x, issuer.get(), NID_subject_alt_name, alternatives) &&
                  AddExtension(x, issuer.get(), NID_authority_key_identifier, "keyid") &&
                  X509_sign(x, issuer_key.get(), EVP_sha256()) != 0;
  if (!ok) return Failed("signing a server certificate");
  CertificateAndKey out;
  FERRY_ASSIGN_OR_RETURN(out.certificate_pem,
                         TextOf([x](BIO* b) { return PEM_write_bio_X509(b, x); }));
  out.certificate_pem += authority.certificate_pem;
  FERRY_ASSIGN_OR_RETURN(out.private_key_pem, KeyPem(key.get()));
  return out;
}

Result<std::vector<std::string>> CertificateNames(const std::string& certificate_pem) {
  const OpensslPtr<X509> certificate = CertificateFromPem(certificate_pem);
  if (certificate == nullptr)
    return Status::Of(Code::kInvalidArgument, "certificate: no PEM: {}", OpensslError());
  const OpensslPtr<GENERAL_NAMES> entries(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> names;
  for (int i = 0; entries != nullptr && i < sk_GENERAL_NAME_num(entries.get()); ++i) {
    const GENERAL_NAME* entry = sk_GENERAL_NAME_value(entries.get(), i);
    if (entry->type != GEN_DNS) continue;
    const ASN1_IA5STRING* name = entry->d.dNSName;
    names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name)),
                       static_cast<size_t>(ASN1_STRING_length(name)));
  }
  return names;
}

Result<std::string> CertificatePin(const std::string& certificate_pem) {
  const OpensslPtr<X509> certificate = CertificateFromPem(certificate_pem);
  if (certificate == nullptr) {
    return Status::Of(Code::kInvalidArgument, "certificate: no PEM: {}", OpensslError());
  }
  return PinOf(certificate.get());
}

Result<int64_t> CertificateExpiresMs(const std::string& certificate_pem) {
  const OpensslPtr<X509> certificate = CertificateFromPem(certificate_pem);
  if (certificate == nullptr) {
    return Status::Of(Code::kInvalidArgument, "certificate: no PEM: {}", OpensslError());
  }
  const OpensslPtr<ASN1_TIME> epoch(ASN1_TIME_set(nullptr, 0));
  int days = 0, seconds = 0;
  if (epoch == nullptr ||
      ASN1_TIME_diff(&days, &seconds, epoch.get(), X509_get0_notAfter(certificate.get())) != 1) {
    return Failed("its expiry");
  }
  return (int64_t{days} * 86'400 + seconds) * 1000;
}

}  // namespace ferry::net

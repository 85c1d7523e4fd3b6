#include "cloud-server/main/door/admin_door.h"

#include <algorithm>

#include "common/net/http_head.h"

namespace ferry::server {
namespace {

constexpr uint64_t kMaxPemBytes = 1 << 20;
constexpr int kMadeDays = 3650;

Result<std::string> ReadPem(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(fs, path, kMaxPemBytes));
  return std::string(AsText(bytes));
}

// The server's certificate where it names the address that is listened on, else one made for it:
// clients believe the authority, not the certificate.
Result<net::CertificateAndKey> OwnIdentity(sys::FileSystem& fs, const ServerHome& home,
                                           const std::string& host) {
  std::vector<std::string> names = home.config.names;
  const bool any = host == "0.0.0.0" || host == "::";
  if (any || std::find(names.begin(), names.end(), host) != names.end())
    return net::CertificateAndKey{home.certificate_pem, home.private_key_pem};
  names.push_back(host);
  const std::string folder =
      home.authority_folder.empty() ? home.directory : home.Path(home.authority_folder);
  net::CertificateAndKey authority;
  FERRY_ASSIGN_OR_RETURN(authority.certificate_pem, ReadPem(fs, sys::JoinPath(folder, "ca.pem")));
  FERRY_ASSIGN_OR_RETURN(authority.private_key_pem, ReadPem(fs, sys::JoinPath(folder, "ca.key")));
  return net::MakeServerCertificate(authority, names, kMadeDays);
}

}  // namespace

Result<std::optional<net::CertificateAndKey>> AdminIdentity(sys::FileSystem& fs,
                                                            const ServerHome& home,
                                                            const AdminDoorOptions& options) {
  const bool own_files = !options.chain_file.empty() || !options.key_file.empty();
  if (options.plain && (options.tls || own_files))
    return Status(Code::kInvalidArgument,
                  "--admin-plain excludes --admin-tls, --admin-cert and --admin-key");
  if (own_files && (options.chain_file.empty() || options.key_file.empty()))
    return Status(Code::kInvalidArgument, "--admin-cert and --admin-key go together");
  std::optional<net::CertificateAndKey> identity;
  if (own_files) {
    identity.emplace();
    FERRY_ASSIGN_OR_RETURN(identity->certificate_pem, ReadPem(fs, options.chain_file));
    FERRY_ASSIGN_OR_RETURN(identity->private_key_pem, ReadPem(fs, options.key_file));
  } else if (options.tls || (!options.plain && !net::IsLoopback(options.host))) {
    FERRY_ASSIGN_OR_RETURN(identity, OwnIdentity(fs, home, options.host));
  }
  return identity;
}

std::string AdminUrl(const AdminDoorOptions& options, uint16_t port, bool tls) {
  const bool bare = options.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}/", tls ? "https" : "http", bare ? "[" : "", options.host,
                     bare ? "]" : "", port);
}

}  // namespace ferry::server

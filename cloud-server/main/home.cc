#include "cloud-server/main/home.h"

#include <algorithm>
#include <cctype>

#include "cloud-server/main/online_keys/key_files.h"
#include "cloud-server/store/open.h"
#include "common/base/json.h"
#include "common/crypto/keyfile.h"
#include "common/net/certificate.h"

namespace ferry::server {
namespace {

constexpr uint64_t kMaxTextFile = 1 << 20;
constexpr const char* kConfig = "server.json";
constexpr size_t kMaxTenant = 58;  // "Ferry " and it fit the 64 bytes of a common name

// Keys are wrapped for "tenant|release|device|key id", and a certificate's subject holds the name.
Status CheckTenant(std::string_view tenant) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
  };
  if (!tenant.empty() && tenant.size() <= kMaxTenant &&
      std::all_of(tenant.begin(), tenant.end(), fits))
    return OkStatus();
  return Status::Of(Code::kInvalidArgument,
                    "tenant \"{}\": 1 to {} letters, digits, dots, underscores and hyphens", tenant,
                    kMaxTenant);
}

Status PutText(sys::FileSystem& fs, const std::string& path, std::string_view text,
               int permissions = sys::kPrivateFile) {
  return sys::WriteFileAtomically(fs, path, AsBytes(text), permissions);
}

Result<std::string> GetText(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(fs, path, kMaxTextFile));
  return std::string(AsText(bytes));
}

Status MakeCertificates(sys::FileSystem& fs, const std::string& directory,
                        const ServerConfig& config) {
  FERRY_ASSIGN_OR_RETURN(const net::CertificateAndKey authority,
                         net::MakeAuthority("Ferry " + config.tenant, kCertificateDays));
  FERRY_ASSIGN_OR_RETURN(const net::CertificateAndKey server,
                         net::MakeServerCertificate(authority, config.names, kCertificateDays));
  return WriteAuthorityFiles(fs, directory, authority, server);
}

Result<ServerConfig> ReadConfig(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetText(fs, path));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("{}", path));
  ServerConfig config;
  FERRY_ASSIGN_OR_RETURN(config.tenant, GetString(json, "tenant").Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(config.names, GetStrings(json, "names").Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(config.device_host, GetString(json, "device_host").Context("{}", path));
  if (json.contains("store")) {
    FERRY_ASSIGN_OR_RETURN(config.store, GetString(json, "store").Context("{}", path));
  }
  return config;
}

// 0 when there is no last run, or its file is damaged: it is a convenience only.
uint16_t LastPort(sys::FileSystem& fs, const std::string& path) {
  const Result<std::string> text = GetText(fs, path);
  if (!text.ok()) return 0;
  const Result<Json> json = ParseJson(*text);
  if (!json.ok()) return 0;
  const Result<int64_t> port = GetInt(*json, "port");
  return port.ok() && *port > 0 && *port < 65536 ? static_cast<uint16_t>(*port) : 0;
}

}  // namespace

Status SetStore(ServerConfig& config, const std::string& store) {
  if (store == "ferry.db") {
    config.store.clear();
    return OkStatus();
  }
  if (!IsPostgres(store))
    return Status(Code::kInvalidArgument,
                  "--store: neither an address of PostgreSQL (postgres://user@host:port/database) "
                  "nor ferry.db");
  FERRY_TRY(AsStatus(ShownPlace(store)).Context("--store"));
  config.store = store;
  return OkStatus();
}

Status MakeHome(sys::FileSystem& fs, const std::string& directory, const ServerConfig& config,
                sys::Random& random) {
  FERRY_TRY(CheckTenant(config.tenant));
  const std::string marker = sys::JoinPath(directory, kConfig);
  if (sys::Exists(fs, marker)) {
    return Status::Of(Code::kAlreadyExists, "{}: a server lives here already", directory);
  }
  FERRY_TRY(fs.MakeDirectories(directory));
  FERRY_TRY(fs.MakeDirectories(sys::JoinPath(directory, "content")));
  FERRY_TRY(fs.MakeDirectories(sys::JoinPath(directory, "scratch")));
  if (config.store.empty()) {
    // SQLite would let everyone read it; its other files take after it.
    FERRY_ASSIGN_OR_RETURN(auto database,
                           fs.OpenForWrite(sys::JoinPath(directory, "ferry.db"),
                                           sys::WriteMode::kAppend, sys::kPrivateFile));
    FERRY_TRY(database->Close());
  }
  FERRY_TRY(MakeCertificates(fs, directory, config));
  FERRY_TRY(KeyFiles(fs, directory).Make(random));
  // Last: with it the server is complete.
  FERRY_TRY(SaveConfig(fs, directory, config));
  return fs.SyncDirectory(sys::ParentPath(directory));
}

Result<ServerHome> OpenHome(sys::FileSystem& fs, const std::string& directory) {
  const std::string marker = sys::JoinPath(directory, kConfig);
  if (!sys::Exists(fs, marker)) {
    return Status::Of(Code::kNotFound, "{}: no server here; run `ferry-server init --dir {}`",
                      directory, directory);
  }
  FERRY_ASSIGN_OR_RETURN(ServerConfig config, ReadConfig(fs, marker));
  FERRY_ASSIGN_OR_RETURN(OnlineSecrets secrets, KeyFiles(fs, directory).Read());
  FERRY_ASSIGN_OR_RETURN(const crypto::Secret32 content,
                         crypto::ReadSecret(fs, sys::JoinPath(directory, "keys/content.key")));
  FERRY_ASSIGN_OR_RETURN(std::vector<AuthorityChain> chains, Authorities(fs, directory).Chains());
  const uint16_t port = LastPort(fs, sys::JoinPath(directory, "run.json"));
  AuthorityChain& first = chains.front();
  ServerHome home{directory,
                  std::move(config),
                  first.server.certificate_pem,
                  first.server.private_key_pem,
                  first.pin,
                  first.folder,
                  {},
                  std::move(secrets),
                  content,
                  port};
  for (size_t i = 1; i < chains.size(); ++i) home.further.push_back(std::move(chains[i].server));
  return home;
}

std::string ConfigText(const ServerConfig& config) {
  Json json = {
      {"tenant", config.tenant}, {"names", config.names}, {"device_host", config.device_host}};
  if (!config.store.empty()) json["store"] = config.store;
  return WriteJsonPretty(json) + "\n";
}

Status SaveConfig(sys::FileSystem& fs, const std::string& directory, const ServerConfig& config) {
  return PutText(fs, sys::JoinPath(directory, kConfig), ConfigText(config));
}

Status SavePorts(sys::FileSystem& fs, const ServerHome& home, uint16_t port, uint16_t admin_port) {
  const Json json = {{"port", port}, {"admin_port", admin_port}};
  return PutText(fs, home.Path("run.json"), WriteJson(json) + "\n");
}

}  // namespace ferry::server

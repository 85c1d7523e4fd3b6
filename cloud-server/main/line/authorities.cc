#include "cloud-server/main/line/authorities.h"

#include <algorithm>

#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr uint64_t kMaxLineFile = 1 << 20;
constexpr char kIndexFile[] = "line.json";
constexpr char kFolder[] = "authorities";
constexpr int kMaxFolderNumber = 1'000'000;

Result<std::string> ReadLineText(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(fs, path, kMaxLineFile));
  return std::string(AsText(bytes));
}

}  // namespace

Status WriteAuthorityFiles(sys::FileSystem& fs, const std::string& folder,
                           const net::CertificateAndKey& authority,
                           const net::CertificateAndKey& server) {
  const auto put = [&](const char* name, const std::string& text, int permissions) {
    return sys::WriteFileAtomically(fs, sys::JoinPath(folder, name), AsBytes(text), permissions);
  };
  FERRY_TRY(put("ca.pem", authority.certificate_pem, sys::kPublicFile));
  FERRY_TRY(put("ca.key", authority.private_key_pem, sys::kPrivateFile));
  FERRY_TRY(put("server.pem", server.certificate_pem, sys::kPublicFile));
  return put("server.key", server.private_key_pem, sys::kPrivateFile);
}

Authorities::Authorities(sys::FileSystem& fs, std::string directory)
    : fs_(fs), directory_(std::move(directory)) {}

std::string Authorities::Path(const std::string& folder, const char* name) const {
  return sys::JoinPath(folder.empty() ? directory_ : sys::JoinPath(directory_, folder), name);
}

Result<Authorities::Index> Authorities::ReadIndex() const {
  const std::string path = Path("", kIndexFile);
  Index index;
  if (!sys::Exists(fs_, path)) return index;
  FERRY_ASSIGN_OR_RETURN(const std::string text, ReadLineText(fs_, path));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(index.folders, GetStrings(json, "chains").Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(const Json* line, GetObject(json, "line").Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(index.line, trust::LineFromJson(*line).Context("{}", path));
  const bool inside =
      std::all_of(index.folders.begin(), index.folders.end(), [](const std::string& folder) {
        return folder.empty() || (folder.starts_with(std::string(kFolder) + "/") &&
                                  folder.find("..") == std::string::npos);
      });
  if (index.folders.empty() || !inside)
    return Status::Of(Code::kMalformed, "{}: \"chains\" names none, or another folder", path);
  return index;
}

Status Authorities::WriteIndex(const Index& index) {
  const Json json = {{"chains", index.folders},
                     {"line", trust::LineToJson(index.line.value_or(trust::Line()))}};
  return sys::WriteFileAtomically(fs_, Path("", kIndexFile), AsBytes(WriteJsonPretty(json) + "\n"),
                                  sys::kPrivateFile);
}

Result<AuthorityChain> Authorities::ReadChain(const std::string& folder) const {
  AuthorityChain chain;
  chain.folder = folder;
  FERRY_ASSIGN_OR_RETURN(chain.authority_pem, ReadLineText(fs_, Path(folder, "ca.pem")));
  FERRY_ASSIGN_OR_RETURN(
      chain.pin, net::CertificatePin(chain.authority_pem).Context("{}", Path(folder, "ca.pem")));
  FERRY_ASSIGN_OR_RETURN(chain.server.certificate_pem,
                         ReadLineText(fs_, Path(folder, "server.pem")));
  FERRY_ASSIGN_OR_RETURN(chain.server.private_key_pem,
                         ReadLineText(fs_, Path(folder, "server.key")));
  return chain;
}

Result<std::vector<AuthorityChain>> Authorities::Chains() const {
  FERRY_ASSIGN_OR_RETURN(const Index index, ReadIndex());
  std::vector<AuthorityChain> chains;
  for (const std::string& folder : index.folders) {
    FERRY_ASSIGN_OR_RETURN(AuthorityChain chain, ReadChain(folder));
    chains.push_back(std::move(chain));
  }
  return chains;
}

Result<std::optional<trust::Line>> Authorities::Wanted() const {
  FERRY_ASSIGN_OR_RETURN(Index index, ReadIndex());
  return std::move(index.line);
}

Result<trust::Line> Authorities::LineOf(const Index& index) const {
  trust::Line line = index.line.value_or(trust::Line());
  if (!line.authorities.empty()) return line;
  for (auto folder = index.folders.rbegin(); folder != index.folders.rend(); ++folder) {
    FERRY_ASSIGN_OR_RETURN(const AuthorityChain chain, ReadChain(*folder));
    line.authorities.push_back(chain.pin);
  }
  return line;
}

Result<std::string> Authorities::Add(const std::string& common_name,
                                     const std::vector<std::string>& names) {
  FERRY_ASSIGN_OR_RETURN(Index index, ReadIndex());
  if (index.folders.size() >= trust::kMaxLineAuthorities) {
    return Status::Of(Code::kLimitExceeded, "{} authorities are in use: retire one first",
                      index.folders.size());
  }
  FERRY_ASSIGN_OR_RETURN(trust::Line line, LineOf(index));
  FERRY_ASSIGN_OR_RETURN(const net::CertificateAndKey authority,
                         net::MakeAuthority(common_name, kCertificateDays));
  FERRY_ASSIGN_OR_RETURN(const net::CertificateAndKey server,
                         net::MakeServerCertificate(authority, names, kCertificateDays));
  FERRY_ASSIGN_OR_RETURN(const std::string pin, net::CertificatePin(authority.certificate_pem));
  FERRY_ASSIGN_OR_RETURN(const std::string folder, WriteChain(authority, server));
  index.folders.push_back(folder);
  line.authorities.insert(line.authorities.begin(), pin);
  index.line = std::move(line);
  FERRY_TRY(WriteIndex(index));
  return pin;
}

Status Authorities::Retire() {
  FERRY_ASSIGN_OR_RETURN(Index index, ReadIndex());
  if (index.folders.size() < 2) {
    return Status(Code::kFailedPrecondition,
                  "this server has one authority; `ferry-server keys rotate authority` makes the "
                  "next");
  }
  FERRY_ASSIGN_OR_RETURN(trust::Line line, LineOf(index));
  FERRY_ASSIGN_OR_RETURN(const AuthorityChain first, ReadChain(index.folders.front()));
  std::erase(line.authorities, first.pin);
  index.line = std::move(line);
  return WriteIndex(index);
}

Status Authorities::Drop() {
  FERRY_ASSIGN_OR_RETURN(Index index, ReadIndex());
  if (index.folders.size() < 2)
    return Status(Code::kFailedPrecondition, "this server has one authority");
  const std::string folder = index.folders.front();
  index.folders.erase(index.folders.begin());
  FERRY_TRY(WriteIndex(index));
  return RemoveChain(folder);
}

Status Authorities::SetAddresses(const std::vector<std::string>& addresses) {
  FERRY_ASSIGN_OR_RETURN(Index index, ReadIndex());
  trust::Line line = index.line.value_or(trust::Line());
  line.addresses = addresses;
  FERRY_TRY(trust::LineFromJson(trust::LineToJson(line)).status());
  index.line = std::move(line);
  return WriteIndex(index);
}

Result<net::CertificateAndKey> Authorities::Issue(const std::vector<std::string>& names,
                                                  int valid_days) const {
  FERRY_ASSIGN_OR_RETURN(const Index index, ReadIndex());
  const std::string& folder = index.folders.front();
  net::CertificateAndKey authority;
  FERRY_ASSIGN_OR_RETURN(authority.certificate_pem, ReadLineText(fs_, Path(folder, "ca.pem")));
  FERRY_ASSIGN_OR_RETURN(authority.private_key_pem, ReadLineText(fs_, Path(folder, "ca.key")));
  return net::MakeServerCertificate(authority, names, valid_days);
}

Status Authorities::Rename(const std::vector<std::string>& names) {
  FERRY_ASSIGN_OR_RETURN(Index index, ReadIndex());
  const std::vector<std::string> before = index.folders;
  for (std::string& folder : index.folders) {
    net::CertificateAndKey authority;
    FERRY_ASSIGN_OR_RETURN(authority.certificate_pem, ReadLineText(fs_, Path(folder, "ca.pem")));
    FERRY_ASSIGN_OR_RETURN(authority.private_key_pem, ReadLineText(fs_, Path(folder, "ca.key")));
    FERRY_ASSIGN_OR_RETURN(const net::CertificateAndKey server,
                           net::MakeServerCertificate(authority, names, kCertificateDays));
    FERRY_ASSIGN_OR_RETURN(folder, WriteChain(authority, server));
  }
  FERRY_TRY(WriteIndex(index));
  for (const std::string& folder : before) FERRY_TRY(RemoveChain(folder));
  return OkStatus();
}

// Into a folder of its own: line.json names it afterwards, so that a certificate never stands
// beside another's key.
Result<std::string> Authorities::WriteChain(const net::CertificateAndKey& authority,
                                            const net::CertificateAndKey& server) {
  std::string folder;
  for (int n = 2; folder.empty() && n < kMaxFolderNumber; ++n) {
    const std::string name = fmt::format("{}/{}", kFolder, n);
    if (!sys::Exists(fs_, sys::JoinPath(directory_, name))) folder = name;
  }
  const std::string path = sys::JoinPath(directory_, folder);
  FERRY_TRY(fs_.MakeDirectories(path));
  FERRY_TRY(WriteAuthorityFiles(fs_, path, authority, server));
  FERRY_TRY(fs_.SyncDirectory(sys::ParentPath(path)));
  FERRY_TRY(fs_.SyncDirectory(directory_));
  return folder;
}

Status Authorities::RemoveChain(const std::string& folder) {
  for (const char* name : {"ca.key", "server.key", "ca.pem", "server.pem"})
    if (sys::Exists(fs_, Path(folder, name))) FERRY_TRY(fs_.Remove(Path(folder, name)));
  return fs_.SyncDirectory(folder.empty() ? directory_ : sys::JoinPath(directory_, folder));
}

}  // namespace ferry::server

#include "cloud-server/main/line/line_commands.h"

#include <algorithm>
#include <cstdio>

#include "cloud-server/main/online_keys/key_files.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

void PrintLine(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

bool Names(const trust::Line& line, const std::string& pin) {
  return std::find(line.authorities.begin(), line.authorities.end(), pin) != line.authorities.end();
}

// The first of the stored roots from which on none names `pin`, and devices have others to believe;
// 0 when the newest still does.
Result<int64_t> RootWithout(const AdminOptions& admin, const std::string& pin) {
  FERRY_ASSIGN_OR_RETURN(const int64_t newest, admin.registry->RootVersion());
  int64_t without = 0;
  for (int64_t version = newest; version > 0; --version) {
    const Result<MetadataRow> row = admin.registry->Metadata("root", version);
    if (row.code() == Code::kNotFound) break;
    FERRY_TRY(row);
    FERRY_ASSIGN_OR_RETURN(const trust::Root root, trust::ParseSelfSignedRoot(row->document));
    if (root.line.authorities.empty() || Names(root.line, pin)) break;
    without = version;
  }
  return without;
}

Status ExportNext(const ServerHome& home, const AdminOptions& admin) {
  FERRY_ASSIGN_OR_RETURN(const Registry::NextKeys next, admin.registry->KeysOfNextRoot());
  return KeyFiles(sys::SystemFileSystem(), home.directory).Export(next.keys);
}

Status DropOldest(const ServerHome& home, const AdminOptions& admin, const RetireCommand& command,
                  int64_t without, Authorities* authorities) {
  int64_t lacking = 0;
  FERRY_TRY(admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(lacking, tx.devices().CountBelowRoot(home.config.tenant, without));
    return OkStatus();
  }));
  if (lacking > 0 && !command.force) {
    return Status::Of(Code::kFailedPrecondition,
                      "{} devices have not got root {} yet: without authority {} they never come "
                      "again. Block those that are gone, wait for the others, or use --force",
                      lacking, without, home.authority_pin);
  }
  FERRY_TRY(authorities->Drop());
  FERRY_ASSIGN_OR_RETURN(const std::vector<AuthorityChain> chains, authorities->Chains());
  const Json json = {{"dir", command.directory},
                     {"dropped", home.authority_pin},
                     {"authority", chains.front().pin},
                     {"devices_lost", lacking}};
  PrintLine(command.json
                ? WriteJson(json) + "\n"
                : fmt::format("dropped {}\nnow restart the server. Operators' command lines log in "
                              "again with --pin {}\n",
                              home.authority_pin, chains.front().pin));
  return OkStatus();
}

}  // namespace

std::string NextRootText(const ServerHome& home) {
  return fmt::format(
      "next, where the root key is:\n"
      "  ferry keys rotate --dir PUBLISHER --role online --online-keys {}\n"
      "  ferry keys upload --dir PUBLISHER\n",
      home.Path("online-keys.json"));
}

Status RunKeysRetire(const RetireCommand& command) {
  FERRY_ASSIGN_OR_RETURN(const ServerHome home,
                         OpenHome(sys::SystemFileSystem(), command.directory));
  return WithAudit(
      home, "ferry-server keys retire", home.authority_pin,
      [&](const AdminOptions& admin) -> Status {
        Authorities authorities(sys::SystemFileSystem(), command.directory);
        FERRY_ASSIGN_OR_RETURN(const int64_t without, RootWithout(admin, home.authority_pin));
        if (without > 0) return DropOldest(home, admin, command, without, &authorities);
        FERRY_TRY(authorities.Retire());
        FERRY_TRY(ExportNext(home, admin));
        const Json json = {{"dir", command.directory},
                           {"retiring", home.authority_pin},
                           {"online_keys", home.Path("online-keys.json")}};
        PrintLine(command.json
                      ? WriteJson(json) + "\n"
                      : fmt::format("{} is not in the next root; devices that have that root "
                                    "believe it no longer\n{}"
                                    "and when devices have it, the same command once more\n",
                                    home.authority_pin, NextRootText(home)));
        return OkStatus();
      });
}

Status RunAddress(const AddressCommand& command) {
  FERRY_ASSIGN_OR_RETURN(ServerHome home, OpenHome(sys::SystemFileSystem(), command.directory));
  Authorities authorities(sys::SystemFileSystem(), command.directory);
  if (command.addresses.empty()) {
    FERRY_ASSIGN_OR_RETURN(const auto line, authorities.Wanted());
    const Json json = {{"dir", command.directory},
                       {"device_host", home.config.device_host},
                       {"names", home.config.names},
                       {"line", trust::LineToJson(line.value_or(trust::Line()))}};
    PrintLine(command.json ? WriteJson(json) + "\n" : WriteJsonPretty(json) + "\n");
    return OkStatus();
  }
  std::vector<std::string> hosts;
  for (const std::string& text : command.addresses) {
    auto address = trust::AddressFromText(text);
    if (!address.ok()) return Status(Code::kInvalidArgument, address.status().message());
    hosts.push_back(address->host);
  }
  std::string target;
  for (const std::string& text : command.addresses) target += (target.empty() ? "" : ",") + text;
  return WithAudit(home, "ferry-server address", target, [&](const AdminOptions& admin) -> Status {
    std::vector<std::string> names = home.config.names;
    for (const std::string& host : hosts)
      if (std::find(names.begin(), names.end(), host) == names.end()) names.push_back(host);
    if (names != home.config.names) FERRY_TRY(authorities.Rename(names));
    home.config.names = names;
    home.config.device_host = hosts.front();
    FERRY_TRY(SaveConfig(sys::SystemFileSystem(), command.directory, home.config));
    FERRY_TRY(authorities.SetAddresses(command.addresses));
    FERRY_TRY(ExportNext(home, admin));
    const Json json = {{"dir", command.directory},
                       {"addresses", command.addresses},
                       {"names", names},
                       {"online_keys", home.Path("online-keys.json")}};
    PrintLine(command.json ? WriteJson(json) + "\n"
                           : NextRootText(home) +
                                 "a running server shows the new names from that upload on; "
                                 "join tokens say the new host after its next start\n");
    return OkStatus();
  });
}

Status RunCertificate(const CertificateCommand& command) {
  FERRY_ASSIGN_OR_RETURN(const ServerHome home,
                         OpenHome(sys::SystemFileSystem(), command.directory));
  std::string target;
  for (const std::string& name : command.names) target += (target.empty() ? "" : ",") + name;
  return WithAudit(home, "ferry-server certificate", target, [&](const AdminOptions&) -> Status {
    sys::FileSystem& fs = sys::SystemFileSystem();
    FERRY_ASSIGN_OR_RETURN(
        const net::CertificateAndKey made,
        Authorities(fs, command.directory).Issue(command.names, command.valid_days));
    FERRY_TRY(fs.MakeDirectories(command.to));
    const std::string pem = sys::JoinPath(command.to, "mirror.pem");
    const std::string key = sys::JoinPath(command.to, "mirror.key");
    FERRY_TRY(sys::WriteFileAtomically(fs, key, AsBytes(made.private_key_pem), sys::kPrivateFile));
    FERRY_TRY(sys::WriteFileAtomically(fs, pem, AsBytes(made.certificate_pem), sys::kPublicFile));
    const Json json = {{"certificate", pem}, {"key", key}, {"authority_pin", home.authority_pin}};
    PrintLine(
        command.json
            ? WriteJson(json) + "\n"
            : fmt::format("{} and {}, good for {} days\nA copy of {} is to be served over TLS 1.3, "
                          "each file as /content/<its name>; nginx:\n"
                          "  location ~ \"^/content/((..).*)$\" {{ alias COPY/$2/$1; }}\n"
                          "then name the mirror: ferry-server run --mirror HOST:PORT\n",
                          pem, key, command.valid_days, home.Path("content")));
    return OkStatus();
  });
}

}  // namespace ferry::server

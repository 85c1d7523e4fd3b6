// ferry login: trades a password for a token, and keeps it for later commands.
#include "common/sys/filesystem.h"
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/secret.h"

namespace ferry::cli {
namespace {

struct LoginOptions {
  std::string url, user, code;
};

Result<Output> Login(const LoginOptions& login, const GlobalOptions& options) {
  FERRY_ASSIGN_OR_RETURN(const ServerTrust trust, TrustFrom(options));
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(login.url, "", trust));
  FERRY_ASSIGN_OR_RETURN(const std::string password, ReadSecret("FERRY_PASSWORD", "password"));
  Json body = {{"password", password}};
  if (!login.user.empty()) body["user"] = login.user;
  if (!login.code.empty()) body["code"] = login.code;
  FERRY_ASSIGN_OR_RETURN(const Json answer, api.Post("/login", body));
  FERRY_ASSIGN_OR_RETURN(const std::string token, GetString(answer, "token"));
  const std::string path = LoginPath();
  auto& fs = sys::SystemFileSystem();
  FERRY_TRY(fs.MakeDirectories(sys::ParentPath(path)));
  Json kept = {{"server", api.url()}, {"token", token}};
  if (!trust.pin.empty()) kept["pin"] = trust.pin;
  if (!trust.ca.empty()) kept["ca"] = trust.ca;
  const std::string text = WriteJsonPretty(kept) + "\n";
  FERRY_TRY(sys::WriteFileAtomically(fs, path, AsBytes(text)));
  return Output{{{"server", api.url()}, {"login", path}},
                fmt::format("logged in to {}; the token is in {}\n", api.url(), path)};
}

}  // namespace

void AddLoginCommand(Commands& commands) {
  const auto kept = std::make_shared<LoginOptions>();
  CLI::App* login = commands.Add(
      nullptr, "login", "log in to a server; it asks for the password, or reads FERRY_PASSWORD",
      "ferry login https://ferry.example:8443 --user NAME --pin sha256:...",
      [kept](const GlobalOptions& options) { return Login(*kept, options); });
  commands.AddTrust(login);
  login->add_option("--user", kept->user, "who logs in; admin when left out");
  login->add_option("--code", kept->code,
                    "of the user's second factor: what its app shows now, or a recovery code");
  login->add_option("url", kept->url, "URL of the server's admin port")->required();
}

}  // namespace ferry::cli

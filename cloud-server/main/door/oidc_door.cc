#include "cloud-server/main/door/oidc_door.h"

#include <CLI/CLI.hpp>

#include "cloud-server/admin/login/cookies.h"
#include "cloud-server/admin/login/oidc_login.h"
#include "cloud-server/webhook/post.h"
#include "common/base/bytes.h"

namespace ferry::server {
namespace {

constexpr uint64_t kMaxSecretBytes = 4096;
constexpr uint64_t kMaxCaBytes = 1 << 20;
constexpr int kOthers = 0007;  // permissions of who is neither the owner nor of its group

Result<std::string> SecretOf(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                         sys::ReadFile(fs, path, kMaxSecretBytes).Context("--oidc-secret-file"));
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
  if ((info.permissions & kOthers) != 0)
    return Status::Of(Code::kInvalidArgument,
                      "--oidc-secret-file: everybody may read {} (chmod 600)", path);
  std::string secret(AsText(bytes));
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
  if (secret.empty())
    return Status::Of(Code::kInvalidArgument, "--oidc-secret-file: {} is empty", path);
  return secret;
}

Status CheckCa(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                         sys::ReadFile(fs, path, kMaxCaBytes).Context("--oidc-ca"));
  if (AsText(bytes).find("-----BEGIN CERTIFICATE-----") != std::string_view::npos)
    return OkStatus();
  return Status::Of(Code::kInvalidArgument, "--oidc-ca: {} holds no certificate in PEM", path);
}

// Options that say something of an issuer where there is none are a mistake in the name of one.
Status CheckAlone(const OidcDoorOptions& options) {
  const bool any = !options.client.empty() || !options.secret_file.empty() ||
                   !options.roles.empty() || !options.name.empty() || !options.return_url.empty() ||
                   !options.ca_file.empty();
  return any ? Status(Code::kInvalidArgument, "--oidc-issuer is missing beside its other options")
             : OkStatus();
}

Status CheckReturn(const std::string& url) {
  if (url.empty() || url.ends_with(kOidcReturnPath)) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "--oidc-return \"{}\": wanted https://HOST{}",
                    url.substr(0, 200), kOidcReturnPath);
}

}  // namespace

void AddOidcOptions(CLI::App& run, OidcDoorOptions& options) {
  run.add_option("--oidc-issuer", options.issuer,
                 "https://... of an OpenID Connect provider where users may sign in, as it names "
                 "itself; register https://HOST/api/v1/oidc/return there");
  run.add_option("--oidc-client", options.client, "What this server is called there");
  run.add_option("--oidc-secret-file", options.secret_file,
                 "File with the client's secret; without it PKCE alone protects the sign-in");
  run.add_option("--oidc-name", options.name,
                 "\"Sign in with NAME\" on the page; the issuer's host if absent");
  run.add_option("--oidc-role", options.roles,
                 "VALUE=ROLE[;packages=GLOB,..][;groups=GROUP,..]: who has VALUE in the claim of "
                 "--oidc-roles-claim; the first that fits, * fits all; repeatable");
  run.add_option("--oidc-roles-claim", options.roles_claim,
                 "Claim with what --oidc-role names; dots lead into objects")
      ->capture_default_str();
  run.add_option("--oidc-user-claim", options.user_claim, "Claim with the user's name")
      ->capture_default_str();
  run.add_option("--oidc-scope", options.scope, "What is asked for")->capture_default_str();
  run.add_option("--oidc-return", options.return_url,
                 "Where browsers come back to, behind a proxy that ends TLS; else the host that "
                 "they called");
  run.add_option("--oidc-ca", options.ca_file,
                 "PEM of the authority of the issuer's certificate, where the system does not "
                 "know it");
}

Result<std::unique_ptr<oidc::SignIn>> MakeSignIn(const OidcDoorOptions& options,
                                                 sys::FileSystem& fs, const sys::Clock& clock,
                                                 sys::Random& random) {
  if (options.issuer.empty()) {
    FERRY_TRY(CheckAlone(options));
    return std::unique_ptr<oidc::SignIn>();
  }
  oidc::SignInOptions made;
  made.client.issuer = options.issuer;
  made.client.id = options.client;
  made.client.ca_file = options.ca_file;
  if (!options.secret_file.empty()) {
    FERRY_ASSIGN_OR_RETURN(made.client.secret, SecretOf(fs, options.secret_file));
  }
  if (!options.ca_file.empty()) FERRY_TRY(CheckCa(fs, options.ca_file));
  FERRY_ASSIGN_OR_RETURN(const WebhookUrl url,
                         ParseWebhookUrl(options.issuer).Context("--oidc-issuer"));
  made.name = options.name.empty() ? url.host : options.name;
  made.scope = options.scope;
  made.user_claim = options.user_claim;
  made.roles_claim = options.roles_claim;
  for (const std::string& text : options.roles) {
    FERRY_ASSIGN_OR_RETURN(oidc::RoleRow row, oidc::ParseRoleRow(text).Context("--oidc-role"));
    made.roles.push_back(std::move(row));
  }
  FERRY_TRY(CheckOidcRoles(made).Context("--oidc-role"));
  FERRY_TRY(CheckReturn(options.return_url));
  made.return_url = options.return_url;
  made.clock = &clock;
  made.random = &random;
  return oidc::SignIn::Make(std::move(made)).Context("--oidc");
}

}  // namespace ferry::server

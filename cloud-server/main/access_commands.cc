// Who may call the console: password and tokens, of a server that runs or of one that does not.
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <iostream>

#include "cloud-server/main/commands.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr size_t kPasswordLetters = 20;
constexpr size_t kMaxPasswordLine = 4096;

void PrintAccess(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// The first line of standard input; empty when there is none, or a person sits before it.
Result<std::string> PasswordOfInput() {
  std::string line;
  if (isatty(STDIN_FILENO) != 0) return line;
  for (char c; std::cin.get(c) && c != '\n';) {
    if (line.size() >= kMaxPasswordLine)
      return Status::Of(Code::kLimitExceeded, "standard input: a line over {} bytes is no password",
                        kMaxPasswordLine);
    line += c;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::string UtcMinute(int64_t unix_ms) {
  if (unix_ms == 0) return "never";
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts));
}

std::string TokensText(const std::vector<AdminToken>& tokens) {
  std::string text = fmt::format("{:<14}{:<20}{:<18}{:<18}{} (UTC)\n", "id", "by", "created",
                                 "last used", "expires");
  for (const AdminToken& token : tokens) {
    text += fmt::format("{:<14}{:<20}{:<18}{:<18}{}\n", token.id, token.name,
                        UtcMinute(token.created_ms), UtcMinute(token.last_used_ms),
                        UtcMinute(token.expires_ms));
  }
  return text;
}

Json TokensJson(const std::vector<AdminToken>& tokens) {
  Json list = Json::array();
  for (const AdminToken& token : tokens) {
    list.push_back({{"id", token.id},
                    {"name", token.name},
                    {"created_ms", token.created_ms},
                    {"last_used_ms", token.last_used_ms == 0 ? Json() : Json(token.last_used_ms)},
                    {"expires_ms", token.expires_ms}});
  }
  return {{"tokens", list}};
}

}  // namespace

std::string MakePassword(sys::Random& random) {
  constexpr std::string_view kLetters = "abcdefghjkmnpqrstuvwxyz23456789-";
  std::string password;
  for (size_t i = 0; i < kPasswordLetters; ++i) {
    // A dash first or last is easily lost when it is copied.
    const bool edge = i == 0 || i + 1 == kPasswordLetters;
    password += kLetters[random.Below(kLetters.size() - (edge ? 1 : 0))];
  }
  return password;
}

Status RunPassword(const PasswordCommand& command) {
  FERRY_ASSIGN_OR_RETURN(const ServerHome home,
                         OpenHome(sys::SystemFileSystem(), command.directory));
  std::string password;
  if (!command.make) {
    FERRY_ASSIGN_OR_RETURN(password, PasswordOfInput());
  }
  const bool made = password.empty();
  if (made) password = MakePassword(sys::SystemRandom());
  FERRY_TRY(WithAudit(home, "ferry-server password", "admin", [&](const AdminOptions& admin) {
    return SetAdminPassword(admin, password);
  }));
  if (command.json) {
    Json json = {{"dir", command.directory}, {"made", made}};
    if (made) json["admin_password"] = password;
    PrintAccess(WriteJson(json) + "\n");
  } else if (made) {
    PrintAccess(fmt::format("admin password: {}   (kept as a hash only: note it)\n", password));
  } else {
    PrintAccess("The admin password is set. Whoever was logged in has to log in again.\n");
  }
  return OkStatus();
}

Status RunPin(const PinCommand& command) {
  FERRY_ASSIGN_OR_RETURN(const ServerHome home,
                         OpenHome(sys::SystemFileSystem(), command.directory));
  PrintAccess(
      (command.json ? WriteJson({{"authority_pin", home.authority_pin}}) : home.authority_pin) +
      "\n");
  return OkStatus();
}

Status RunTokens(const TokensCommand& command) {
  FERRY_ASSIGN_OR_RETURN(const ServerHome home,
                         OpenHome(sys::SystemFileSystem(), command.directory));
  if (command.revoke) {
    FERRY_TRY(WithAudit(
        home, "ferry-server tokens", *command.revoke,
        [&](const AdminOptions& admin) { return RevokeAdminToken(admin, *command.revoke); }));
    PrintAccess(command.json ? WriteJson({{"revoked", *command.revoke}}) + "\n"
                             : fmt::format("Token {} is revoked.\n", *command.revoke));
    return OkStatus();
  }
  return WithAdmin(home, [&](const AdminOptions& admin) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<AdminToken> tokens, AdminTokens(admin));
    PrintAccess(command.json ? WriteJson(TokensJson(tokens)) + "\n" : TokensText(tokens));
    return OkStatus();
  });
}

}  // namespace ferry::server

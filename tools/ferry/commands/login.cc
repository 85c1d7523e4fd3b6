// ferry login: trades a password for a token, and keeps it for later commands.
#include <cstdlib>
#include <iostream>

#include "common/sys/filesystem.h"
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {
namespace {

// From FERRY_PASSWORD, else the first line of standard input: never an argument, which other users
// of the machine could see.
Result<std::string> ReadPassword() {
  if (const char* value = std::getenv("FERRY_PASSWORD"); value != nullptr)
    return std::string(value);
  std::cerr << "password: " << std::flush;
  std::string line;
  if (!std::getline(std::cin, line) || line.empty()) {
    return Status(Code::kInvalidArgument, "no password on standard input or in FERRY_PASSWORD");
  }
  return line;
}

Result<Output> Login(const std::string& url) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(url, ""));
  FERRY_ASSIGN_OR_RETURN(const std::string password, ReadPassword());
  FERRY_ASSIGN_OR_RETURN(const Json answer, api.Post("/login", {{"password", password}}));
  FERRY_ASSIGN_OR_RETURN(const std::string token, GetString(answer, "token"));
  const std::string path = LoginPath();
  auto& fs = sys::SystemFileSystem();
  FERRY_TRY(fs.MakeDirectories(sys::ParentPath(path)));
  const std::string text = WriteJsonPretty(Json{{"server", api.url()}, {"token", token}}) + "\n";
  FERRY_TRY(sys::WriteFileAtomically(fs, path, AsBytes(text)));
  return Output{{{"server", api.url()}, {"login", path}},
                fmt::format("logged in to {}; the token is in {}\n", api.url(), path)};
}

}  // namespace

void AddLoginCommand(Commands& commands) {
  const auto url = std::make_shared<std::string>();
  CLI::App* login = commands.Add(
      nullptr, "login", "log in to a server; the password comes from standard input",
      "ferry login http://127.0.0.1:8080", [url](const GlobalOptions&) { return Login(*url); });
  login->add_option("url", *url, "URL of the server's admin port")->required();
}

}  // namespace ferry::cli

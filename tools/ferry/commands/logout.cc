// ferry logout: ends the session that `ferry login` began, at the server and here.
#include "common/sys/filesystem.h"
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {
namespace {

// Only with its end at the server is a session over: the file stays when that cannot be had, unless
// it is to go anyway. A session that the server does not know has ended before.
Result<Output> Logout(bool here_only) {
  FERRY_ASSIGN_OR_RETURN(const KeptLogin kept, ReadLogin());
  bool ended = false;
  if (!here_only) {
    FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(kept.server, kept.token, kept.trust));
    const Status status = api.Post("/logout", Json::object()).status();
    if (!status.ok() && status.code() != Code::kUnauthenticated)
      return status.WithPrefix("still logged in (`ferry logout --here` forgets the session here)");
    ended = status.ok();
  }
  FERRY_TRY(sys::SystemFileSystem().Remove(LoginPath()));
  const char* there = here_only ? "; the session goes on there until it expires"
                      : ended   ? ""
                                : "; the session had ended there before";
  return Output{{{"server", kept.server}, {"ended", ended}},
                fmt::format("logged out of {}{}\n", kept.server, there)};
}

}  // namespace

void AddLogoutCommand(Commands& commands) {
  const auto here = std::make_shared<bool>(false);
  CLI::App* logout =
      commands.Add(nullptr, "logout", "end the session of `ferry login`, at the server and here",
                   "ferry logout", [here](const GlobalOptions&) { return Logout(*here); });
  logout->add_flag("--here", *here, "forget it here alone, as when the server is gone");
}

}  // namespace ferry::cli

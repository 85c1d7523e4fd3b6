// ferry doctor: what is wrong with this machine, its server, and the way between them.
#include "common/sys/clock.h"
#include "tools/ferry/command.h"
#include "tools/ferry/doctor/checks.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

Result<Output> Examine(const GlobalOptions& global) {
  DoctorChecks checks;
  CheckMachine(checks);
  const Result<Api> api = Api::Open(global);
  if (api.ok()) CheckServer(*api, sys::SystemClock().NowUnixMs(), checks);
  if (api.code() == Code::kFailedPrecondition) {
    checks.push_back(GoodCheck("server", "none is known: --server URL looks at one"));
  } else if (!api.ok()) {
    checks.push_back(BadCheck("server", api.status().message(), "mend --server, --pin or --ca"));
  }
  Output out;
  Json& list = out.json()["checks"] = Json::array();
  for (const DoctorCheck& check : checks) {
    list.push_back(
        {{"name", check.name}, {"ok", check.ok}, {"text", check.text}, {"remedy", check.remedy}});
    out.text +=
        fmt::format("{:<5}{:<16} {}\n", check.ok ? "ok" : "FAIL", check.name, Visible(check.text));
    if (!check.ok) out.text += fmt::format("     {:<16} -> {}\n", "", Visible(check.remedy));
    if (!check.ok) out.exit = 1;
  }
  return out;
}

}  // namespace

void AddDoctorCommand(Commands& commands) {
  commands.AddOnline(nullptr, "doctor",
                     "what is wrong here, with the server and on the way to it, and what to do",
                     "ferry doctor --server https://ferry.example:8443", Examine);
}

}  // namespace ferry::cli

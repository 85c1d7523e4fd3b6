// ferry task log: from a task's commits to versions, releases and devices.
#include "common/trust/targets.h"
#include "common/trust/time.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {
namespace {

Result<std::string> VersionText(const Json& row) {
  FERRY_ASSIGN_OR_RETURN(const Json* git, GetObjectOrNull(row, "git"));
  FERRY_ASSIGN_OR_RETURN(const Json* releases, GetArray(row, "releases"));
  FERRY_ASSIGN_OR_RETURN(const int64_t published_ms, GetIntOr(row, "published_ms", 0));
  std::string from = "not from git";
  if (git != nullptr) {
    FERRY_ASSIGN_OR_RETURN(const trust::GitOrigin origin, trust::GitOriginFromJson(*git));
    from = trust::OriginText(origin);
  }
  std::string text = fmt::format("{:<14} {}", Field(row, "version"), from);
  if (published_ms > 0) text += ", published " + trust::FormatTime(published_ms);
  if (row.contains("withdrawn")) text += ", withdrawn: " + Field(row, "withdrawn");
  text += "\n";
  for (const Json& release : *releases) {
    text +=
        fmt::format("    {:<8} {:<12} {} devices: {} confirmed, {} failed, {} sent back\n",
                    Field(release, "id"), Field(release, "state"), Field(release, "devices"),
                    Field(release, "confirmed"), Field(release, "failed"), Field(release, "back"));
  }
  return text;
}

Result<Output> ShowLog(const std::string& package, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/tasks/" + PathPart(package) + "/log"));
  FERRY_ASSIGN_OR_RETURN(const Json* log, GetArray(answer, "log"));
  FERRY_ASSIGN_OR_RETURN(const bool more, GetBoolOr(answer, "more", false));
  std::string text;
  for (const Json& row : *log) {
    FERRY_ASSIGN_OR_RETURN(const std::string one, VersionText(row));
    text += one;
  }
  if (more) text += "older versions are left out\n";
  return Output{std::move(answer), std::move(text)};
}

}  // namespace

void AddTaskLog(Commands& commands, CLI::App* task) {
  const auto package = std::make_shared<std::string>();
  CLI::App* log = commands.AddOnline(
      task, "log", "a package's commits, versions, releases and devices, the newest first",
      "ferry task log sums",
      [package](const GlobalOptions& global) { return ShowLog(*package, global); });
  log->add_option("package", *package, "the package, which is the task's name")->required();
}

}  // namespace ferry::cli

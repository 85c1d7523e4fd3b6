// ferry approval: calls that wait until a second person agrees.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/list.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

struct ApprovalOptions {
  std::string id, why;
  std::vector<std::string> packages;
  bool all = false, off = false;
};

Table ApprovalTable() {
  return Table({{"REQUEST", 16},
                {"STATE", 10},
                {"USER", 20},
                {"ASKS", 80},
                {"UNTIL", 20},
                {"DECIDED BY", 20}});
}

void AddApproval(const Json& row, Table& table) {
  table.Add({Field(row, "id"), Field(row, "state"), Field(row, "user"),
             Field(row, "method") + " " + Field(row, "path"), TimeField(row, "expires_ms"),
             Field(row, "decided_by")});
}

std::string ApprovalText(const Json& row) {
  Table table = ApprovalTable();
  AddApproval(row, table);
  return table.Text();
}

Result<std::string> ApprovalPath(const ApprovalOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, ApprovalId(api, options.id));
  return "/approvals/" + PathPart(id);
}

Result<Output> List(const ApprovalOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, GetList(api, "/approvals", "approvals"));
  FERRY_ASSIGN_OR_RETURN(const Json* rows, GetArray(answer, "approvals"));
  Table table = ApprovalTable();
  for (const Json& row : *rows)
    if (options.all || Field(row, "state") == "open") AddApproval(row, table);
  std::string text = table.TextOr("nothing waits for approval");
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Show(const ApprovalOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, ApprovalPath(options, api));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(path));
  std::string text = ApprovalText(answer);
  if (const auto body = GetObjectOrNull(answer, "body"); body.ok() && *body != nullptr)
    text += WriteJsonPretty(**body) + "\n";
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Approve(const ApprovalOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, ApprovalPath(options, api));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post(path + "/approve", Json::object()));
  return Output{std::move(answer), fmt::format("{} is approved and done\n", options.id)};
}

Result<Output> Reject(const ApprovalOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, ApprovalPath(options, api));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post(path + "/reject", {{"why", options.why}}));
  std::string text = ApprovalText(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Policy(const ApprovalOptions& options, const Api& api) {
  Json answer;
  if (options.off || !options.packages.empty()) {
    if (options.off && !options.packages.empty())
      return Status(Code::kInvalidArgument, "--off and --package exclude each other");
    FERRY_ASSIGN_OR_RETURN(answer, api.Put("/approval-policy", {{"packages", options.packages}}));
  } else {
    FERRY_ASSIGN_OR_RETURN(const Json all, GetList(api, "/approvals", "approvals"));
    FERRY_ASSIGN_OR_RETURN(const Json* policy, GetObject(all, "policy"));
    answer = *policy;
  }
  FERRY_ASSIGN_OR_RETURN(const auto packages, GetStringsOr(answer, "packages"));
  std::string text = packages.empty() ? "nothing takes two people" : "two people for releases of:";
  for (const std::string& glob : packages) text += " " + glob;
  return Output{std::move(answer), text + "\n"};
}

}  // namespace

void AddApprovalCommand(Commands& commands) {
  const auto options = std::make_shared<ApprovalOptions>();
  CLI::App* group = commands.Group("approval", "calls that wait until a second person agrees");
  const auto online = [options](Result<Output> (*run)(const ApprovalOptions&, const Api&)) {
    return [options, run](const GlobalOptions& global) -> Result<Output> {
      FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
      return run(*options, api);
    };
  };
  const auto of_one = [&](const char* name, const char* what, const char* example, auto run) {
    CLI::App* command = commands.AddOnline(group, name, what, example, online(run));
    command->add_option("id", options->id, "the request")->required();
    return command;
  };
  CLI::App* list =
      commands.AddOnline(group, "list", "requests that wait", "ferry approval list", online(List));
  list->add_flag("--all", options->all, "those that were decided or expired, too");
  of_one("show", "one request, with what it would do", "ferry approval show 4c1f0a9b22", Show);
  of_one("approve", "agree: it is carried out at once", "ferry approval approve 4c1f0a9b22",
         Approve);
  CLI::App* reject =
      of_one("reject", "refuse", "ferry approval reject 4c1f0a9b22 --why no", Reject);
  reject->add_option("--why", options->why, "the reason");
  CLI::App* policy =
      commands.AddOnline(group, "policy", "which packages take two people; shown when left out",
                         "ferry approval policy --package '*'", online(Policy));
  policy->add_option("--package", options->packages,
                     "starting, resuming and taking back a complete release of these takes two "
                     "people (globs, may repeat)");
  policy->add_flag("--off", options->off, "nothing does");
}

}  // namespace ferry::cli

// ferry package: what is published, and taking a version out again.
#include "common/sys/clock.h"
#include "common/trust/time.h"
#include "tools/ferry/command.h"
#include "tools/ferry/publisher/documents.h"
#include "tools/ferry/publisher/kept.h"
#include "tools/ferry/publisher/staged.h"
#include "tools/ferry/remote/list.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

struct PackageOptions {
  std::string directory, name, version, reason;
  std::string path;   // of a file in the package; empty: list them
  std::string model;  // of a package with several
  bool force = false;
  bool stage_only = false;
};

Result<Output> ListPackages(const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(Json answer, GetList(api, "/packages", "packages"));
  FERRY_ASSIGN_OR_RETURN(const Json* packages, GetArray(answer, "packages"));
  FERRY_ASSIGN_OR_RETURN(const Json* withdrawn, GetArrayOrNull(answer, "withdrawn"));
  Table table({{"PACKAGE", 40},
               {"VERSION", 16},
               {"COUNTER", 8, true},
               {"FALLBACK", 16},
               {"DEVICES", 10, true},
               {"WITHDRAWN", kWordsColumns}});
  for (const Json& item : *packages)
    table.Add({Field(item, "name"), Field(item, "version"), Field(item, "release_counter"),
               Field(item, "fallback_version"), Field(item, "devices")});
  if (withdrawn != nullptr) {
    for (const Json& item : *withdrawn)
      table.Add({Field(item, "name"), Field(item, "version"), Field(item, "release_counter"), "",
                 "", Field(item, "reason")});
  }
  std::string text = table.TextOr("no packages yet");
  return Output{std::move(answer), std::move(text)};
}

Result<Output> ShowPackage(const PackageOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/packages/" + PathPart(options.name) + "/" +
                                              PathPart(options.version)));
  std::string text =
      fmt::format("{} {}: counter {}, fallback {}, published {}\n", Field(answer, "name"),
                  Field(answer, "version"), Field(answer, "release_counter"),
                  Field(answer, "fallback_version"), TimeField(answer, "published_ms"));
  for (const char* key : {"description", "licence", "requires", "git", "plain_sha256"})
    if (answer.contains(key)) text += fmt::format("  {}: {}\n", key, Field(answer, key));
  FERRY_ASSIGN_OR_RETURN(const Json* artefacts, GetArray(answer, "artefacts"));
  Table table({{"ARTEFACT", 60}, {"KIND", 10}, {"BYTES", 14, true}, {"FROM", 16}}, 2);
  for (const Json& item : *artefacts)
    table.Add({Field(item, "path"), Field(item, "kind"), Field(item, "length"),
               Field(item, "base_version")});
  text += table.Text();
  return Output{std::move(answer), std::move(text)};
}

std::string VersionPath(const PackageOptions& options) {
  return "/packages/" + PathPart(options.name) + "/" + PathPart(options.version);
}

Result<Output> ShowContents(const PackageOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  if (!options.path.empty()) {
    FERRY_ASSIGN_OR_RETURN(Json answer,
                           api.Get(VersionPath(options) + "/contents/" + PathPart(options.path)));
    FERRY_ASSIGN_OR_RETURN(std::string text, GetString(answer, "text"));
    Output out{std::move(answer), std::move(text)};
    out.exact = true;
    return out;
  }
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(VersionPath(options) + "/contents"));
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetArray(answer, "files"));
  Table table({{"FILE", 60}, {"BYTES", 14, true}, {"SHA-256", 64}});
  for (const Json& item : *files)
    table.Add({Field(item, "path"), Field(item, "length"), Field(item, "sha256")});
  std::string text = table.TextOr("no files");
  return Output{std::move(answer), std::move(text)};
}

Result<Output> ShowGraph(const PackageOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  const std::string query = options.model.empty() ? "" : "?model=" + PathPart(options.model);
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(VersionPath(options) + "/graph" + query));
  std::string text = WriteJson(answer) + "\n";
  Output out{std::move(answer), std::move(text)};
  out.exact = true;
  return out;
}

Result<Output> WithdrawVersion(const PackageOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_TRY(SyncTargets(api, directory));
  if (directory.targets() == nullptr) return Status(Code::kNotFound, "nothing is published yet");
  trust::Targets next = *directory.targets();
  FERRY_TRY(trust::Withdraw(next, options.name, options.version, options.reason, options.force));
  ++next.version;
  next.expires_ms = sys::SystemClock().NowUnixMs() + kTargetsDays * trust::kDayMs;
  Output out;
  out.json() = {{"package", options.name},
                {"version", options.version},
                {"reason", options.reason},
                {"targets_version", next.version}};
  if (options.stage_only) {
    FERRY_ASSIGN_OR_RETURN(const Bytes document, directory.SignTargetsHere(next));
    FERRY_ASSIGN_OR_RETURN(const std::string staged,
                           StageDocument(directory, "targets.json", document));
    out.json()["staged"] = staged;
    out.text = fmt::format("{} waits for signatures: `ferry keys sign`\n", staged);
    return out;
  }
  FERRY_ASSIGN_OR_RETURN(const trust::TargetsDocuments documents, directory.SignTargets(next));
  Json body = BodyOf(documents);
  body["force"] = options.force;
  FERRY_TRY(PostTargets(api, body));
  FERRY_TRY(directory.KeepTargets(documents));
  FERRY_TRY(SweepPublished(directory));
  out.text = fmt::format("withdrew {} {}: {} has targets version {}; devices keep what they run\n",
                         options.name, options.version, api.url(), next.version);
  return out;
}

}  // namespace

void AddPackageCommand(Commands& commands) {
  const auto options = std::make_shared<PackageOptions>();
  CLI::App* group = commands.Group("package", "what is published");
  commands.AddOnline(group, "list", "packages and versions, and what was withdrawn",
                     "ferry package list",
                     [](const GlobalOptions& global) { return ListPackages(global); });
  CLI::App* show = commands.AddOnline(
      group, "show", "one version: its files, what it needs, where it came from",
      "ferry package show digits 1.0.0",
      [options](const GlobalOptions& global) { return ShowPackage(*options, global); });
  show->add_option("name", options->name, "the package")->required();
  show->add_option("version", options->version, "the version")->required();
  CLI::App* contents = commands.AddOnline(
      group, "contents", "the files of a version, or one of them as text (role developer)",
      "ferry package contents digits 1.0.0 task.fbc",
      [options](const GlobalOptions& global) { return ShowContents(*options, global); });
  contents->add_option("name", options->name, "the package")->required();
  contents->add_option("version", options->version, "the version")->required();
  contents->add_option("path", options->path,
                       "a script or another text in it; .manifest.json: the manifest");
  CLI::App* graph = commands.AddOnline(
      group, "graph", "the graph of a version's model as JSON", "ferry package graph digits 1.0.0",
      [options](const GlobalOptions& global) { return ShowGraph(*options, global); });
  graph->add_option("name", options->name, "the package")->required();
  graph->add_option("version", options->version, "the version")->required();
  graph->add_option("--model", options->model, "its .fm file, where there are several");
  CLI::App* withdraw = commands.AddOnline(
      group, "withdraw", "take a version out of what is signed",
      "ferry package withdraw digits 1.0.0 --dir publisher --reason \"leaks memory\"",
      [options](const GlobalOptions& global) { return WithdrawVersion(*options, global); });
  withdraw->add_option("name", options->name, "the package")->required();
  withdraw->add_option("version", options->version, "the version")->required();
  withdraw->add_option("--dir", options->directory, "the publisher's folder")->required();
  withdraw->add_option("--reason", options->reason, "why; it is signed and shown")->required();
  withdraw->add_flag("--force", options->force,
                     "even if a fallback or a release under way needs it");
  withdraw->add_flag("--stage-only", options->stage_only,
                     "upload nothing: other machines sign first (ferry keys sign)");
}

}  // namespace ferry::cli

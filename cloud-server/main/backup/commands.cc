#include "cloud-server/main/backup/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>

#include "cloud-server/main/backup/backup.h"
#include "cloud-server/main/truth/cluster.h"
#include "common/base/json.h"
#include "common/sys/clock.h"

namespace ferry::server {
namespace {

constexpr int64_t kProgressMs = 2'000;

void Say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string Mebibytes(uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string UtcSecond(int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts));
}

// A line on standard error every kProgressMs, so that short work says nothing.
BackupProgress ShowProgress(const char* command) {
  auto last_ms = std::make_shared<int64_t>(sys::SystemClock().NowUnixMs());
  return [command, last_ms](const char* what, uint64_t bytes) {
    const int64_t now_ms = sys::SystemClock().NowUnixMs();
    if (now_ms - *last_ms < kProgressMs) return;
    *last_ms = now_ms;
    std::fprintf(stderr, "ferry-server %s: %s: %s\n", command, what, Mebibytes(bytes).c_str());
  };
}

void SayNodes(const Json& nodes) {
  for (const Json& node : nodes)
    Say(fmt::format("node {}: {}, schema {}, since {}, heard of {} s ago\n",
                    node["host"].get<std::string>(), node["version"].get<std::string>(),
                    node["schema"].get<int64_t>(), UtcSecond(node["started_ms"].get<int64_t>()),
                    node["silent_ms"].get<int64_t>() / 1000));
}

}  // namespace

void BackupCommands::AddTo(CLI::App& app) {
  const auto add = [&](const char* name, const char* what, const char* footer) {
    CLI::App* command = app.add_subcommand(name, what);
    command->footer(footer);
    command->add_option("--dir", directory_, "The server's directory")->required();
    command->add_flag("--json", json_, "One JSON object on standard output");
    return command;
  };
  CLI::App* backup = add(
      "backup", "Write a backup of the server, which may run meanwhile",
      "Holds private keys: 0700. A backup that is there is replaced when the new one is whole;\n"
      "content that did not change is taken over from it.\n"
      "Example: ferry-server backup --dir srv /backups/srv");
  backup->add_option("backup", backup_, "Folder of the backup, made if absent")->required();
  backup_app_ = backup;
  const auto add_blob = [&](CLI::App* command) {
    command->add_option("--blob", blob_, "s3://.. as of `run`: where content lies")
        ->envname("FERRY_BLOB");
  };
  add_blob(backup);
  CLI::App* restore =
      add("restore", "Make the server's directory of a backup, which is verified first",
          "Devices and publishers may be ahead of it afterwards: start it, then\n"
          "`ferry publish --again` brings what was published since.\n"
          "Example: ferry-server restore --dir srv /backups/srv");
  restore->add_option("backup", backup_, "Folder of the backup")->required();
  restore->add_flag("--replace,--force", replace_,
                    "Put aside what is in the directory; nothing is deleted");
  restore_app_ = restore;
  CLI::App* check = add("check", "Say what is damaged in the server's directory",
                        "Reads everything and changes nothing; a server may run meanwhile. Exit\n"
                        "status 1 when something is wrong.\n"
                        "Example: ferry-server check --dir srv --json");
  check->add_flag("--quick", quick_, "Do not read the content, only look whether it is there");
  check->add_flag("--deep", deep_, "With --blob: read all content of the bucket, too");
  add_blob(check);
  check->add_option("--bus", bus_, "nats://.. as of `run`: whether it answers")
      ->envname("FERRY_BUS");
  check_app_ = check;
}

Status BackupCommands::Run(bool* sound) const {
  if (backup_app_->parsed()) return RunBackup(sound);
  if (restore_app_->parsed()) return RunRestore();
  return RunCheck(sound);
}

Result<std::unique_ptr<BucketBeside>> BackupCommands::OpenBucket() const {
  if (blob_.empty()) return std::unique_ptr<BucketBeside>();
  return BucketBeside::Open(blob_);
}

Status BackupCommands::RunBackup(bool* sound) const {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<BucketBeside> bucket, OpenBucket());
  FERRY_ASSIGN_OR_RETURN(const BackupDone done,
                         MakeBackup(directory_, backup_, sys::SystemClock().NowUnixMs(),
                                    ShowProgress("backup"), bucket ? bucket->blobs() : nullptr));
  *sound = done.problems.empty();
  const size_t files = done.manifest.files.size();
  if (json_) {
    Say(WriteJson({{"dir", directory_},
                   {"backup", backup_},
                   {"made_ms", done.manifest.made_ms},
                   {"schema", done.manifest.schema},
                   {"files", files},
                   {"bytes", done.manifest.bytes()},
                   {"taken_over", done.taken_over},
                   {"problems", done.problems}}) +
        "\n");
    return OkStatus();
  }
  Say(
      fmt::format("A backup of {} is in {}: {} files, {}; {} of them taken over from the one "
                  "before.\n",
                  directory_, backup_, files, Mebibytes(done.manifest.bytes()), done.taken_over));
  for (const std::string& problem : done.problems) Say("problem: " + problem + "\n");
  return OkStatus();
}

Status BackupCommands::RunRestore() const {
  const int64_t now_ms = sys::SystemClock().NowUnixMs();
  FERRY_ASSIGN_OR_RETURN(const RestoreDone done, RestoreBackup(backup_, directory_, replace_,
                                                               now_ms, ShowProgress("restore")));
  if (json_) {
    Say(WriteJson({{"dir", directory_},
                   {"backup", backup_},
                   {"made_ms", done.manifest.made_ms},
                   {"restored_ms", now_ms},
                   {"files", done.manifest.files.size()},
                   {"bytes", done.manifest.bytes()},
                   {"replaced", done.replaced.empty() ? Json() : Json(done.replaced)}}) +
        "\n");
    return OkStatus();
  }
  std::string text = fmt::format("{} is the server of {} now: {} files, {}.\n", directory_,
                                 UtcSecond(done.manifest.made_ms), done.manifest.files.size(),
                                 Mebibytes(done.manifest.bytes()));
  if (!done.replaced.empty()) text += fmt::format("What was there is in {}.\n", done.replaced);
  Say(text +
      "Start it; then `ferry publish --again --dir PUBLISHER` brings what was published since.\n"
      "Rows that it had acknowledged since are named as lost: `ferry device losses`.\n");
  return OkStatus();
}

Status BackupCommands::RunCheck(bool* sound) const {
  std::vector<std::string> problems;
  Result<std::unique_ptr<BucketBeside>> bucket = OpenBucket();
  if (!bucket.ok()) problems.push_back("bucket: " + bucket.status().message());
  const bool in_bucket = bucket.ok() && *bucket != nullptr;
  FERRY_ASSIGN_OR_RETURN(
      const std::vector<std::string> of_home,
      CheckHome(directory_, in_bucket ? deep_ : !quick_, sys::SystemClock().NowUnixMs(),
                in_bucket ? (*bucket)->blobs() : nullptr));
  problems.insert(problems.end(), of_home.begin(), of_home.end());
  Json json;
  // Where the rows cannot be read, that is said already.
  const Result<ServerHome> home = OpenHome(sys::SystemFileSystem(), directory_);
  const bool readable = std::ranges::none_of(
      problems, [](const std::string& problem) { return problem.starts_with("database: "); });
  if (home.ok() && readable) {
    FERRY_ASSIGN_OR_RETURN(const ClusterView view, LookAtCluster(*home, bus_));
    problems.insert(problems.end(), view.problems.begin(), view.problems.end());
    if (!home->config.store.empty() || in_bucket || !bus_.empty()) json["cluster"] = view.json;
  }
  *sound = problems.empty();
  json["ok"] = problems.empty();
  json["problems"] = problems;
  if (json_) {
    Say(WriteJson(json) + "\n");
    return OkStatus();
  }
  if (json.contains("cluster")) SayNodes(json["cluster"]["nodes"]);
  for (const std::string& problem : problems) Say(problem + "\n");
  if (problems.empty()) Say(fmt::format("{}: everything is whole.\n", directory_));
  return OkStatus();
}

}  // namespace ferry::server

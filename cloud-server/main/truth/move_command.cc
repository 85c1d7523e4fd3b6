#include "cloud-server/main/truth/move_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cloud-server/main/backup/folder_lock.h"
#include "cloud-server/main/node.h"
#include "cloud-server/main/truth/claim.h"
#include "cloud-server/store/move/move.h"
#include "cloud-server/store/open.h"
#include "common/base/json.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

void SayMoved(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// The rows that lie there are those that this directory's keys belong to.
Status CheckSource(const std::string& place, const ServerHome& home) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(place));
  return CheckTruth(*store, place, home);
}

// What was the truth stays beside it under a name that nobody opens.
Status PutAside(const std::string& file) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  for (const char* end : {"-wal", "-shm", ""}) {
    if (!sys::Exists(fs, file + end)) continue;
    FERRY_TRY(fs.Rename(file + end, file + ".moved" + end));
  }
  return fs.SyncDirectory(sys::ParentPath(file));
}

Json TablesOf(const MoveDone& done) {
  Json tables = Json::array();
  for (const MovedTable& table : done.tables)
    tables.push_back({{"table", table.name}, {"rows", table.rows}, {"sha256_sum", table.sum}});
  return tables;
}

std::string TextOf(const MoveDone& done, const std::string& to, const std::string& directory) {
  std::string text = fmt::format("{:<20} {:>10}  {}\n", "table", "rows", "sum of SHA-256");
  int64_t rows = 0;
  for (const MovedTable& table : done.tables) {
    text += fmt::format("{:<20} {:>10}  {}\n", table.name, table.rows, table.sum);
    rows += table.rows;
  }
  return text + fmt::format(
                    "{} rows of {} tables are equal on both sides{}. They are in {} now.\n"
                    "Keys and content stay in {}; next: ferry-server run --dir {}\n",
                    rows, done.tables.size(),
                    done.was_there ? ", as an earlier move left them" : "", to, directory,
                    directory);
}

}  // namespace

void MoveCommand::AddTo(CLI::App& app) {
  CLI::App* move =
      app.add_subcommand("move", "Move a stopped server's rows to PostgreSQL, or back");
  move->footer(
      "Copies every table, compares its checksum on both sides and notes in the directory where "
      "the "
      "rows are; the target must be empty. A move that was cut off leaves the source as it was and "
      "a target that no server takes: begin it again. Content is copied by `run --blob`.\n"
      "Example: ferry-server move --from srv --to postgres://ferry@db.example/ferry\n"
      "         ferry-server move --from postgres://ferry@db.example/ferry --to srv");
  move->add_option("--from", from_, "A server's directory, or postgres://USER@HOST:PORT/DATABASE")
      ->required();
  move->add_option("--to", to_, "The other of both; a password is better in ~/.pgpass than here")
      ->required();
  move->add_flag("--json", json_, "One JSON object on standard output");
  app_ = move;
}

bool MoveCommand::parsed() const {
  return app_ != nullptr && app_->parsed();
}

Status MoveCommand::Run() const {
  const bool up = IsPostgres(to_);
  if (up == IsPostgres(from_))
    return Status(Code::kInvalidArgument,
                  "one of --from and --to is a server's directory, the other "
                  "postgres://USER@HOST:PORT/DATABASE");
  const std::string& directory = up ? from_ : to_;
  const std::string& database = up ? to_ : from_;
  FERRY_ASSIGN_OR_RETURN(const std::string shown, ShownPlace(database));
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(ServerHome home, OpenHome(fs, directory));
  FERRY_ASSIGN_OR_RETURN(
      const FolderLock lock,
      FolderLock::TakeHome(directory, "ferry-server move", sys::SystemClock().NowUnixMs()));
  if (up && !home.config.store.empty())
    return Status::Of(Code::kFailedPrecondition, "{}: its rows are on PostgreSQL already",
                      directory);
  const std::string file = home.Path("ferry.db");
  FERRY_TRY(CheckSource(up ? file : database, home));
  MoveOptions options;
  options.begun = [](const std::string& table) { LogInfo("move", "table {}", table); };
  options.committed = [&]() -> Status {
    FERRY_TRY(SetStore(home.config, up ? database : "ferry.db"));
    return SaveConfig(fs, directory, home.config);
  };
  FERRY_ASSIGN_OR_RETURN(const MoveDone done, up ? MoveRows(file, database, options)
                                                 : MoveRows(database, file, options));
  if (up) FERRY_TRY(PutAside(file));
  FERRY_TRY(WithAudit(home, "ferry-server move", up ? shown : "ferry.db",
                      [](const AdminOptions&) { return OkStatus(); }));
  SayMoved(json_ ? WriteJson({{"from", up ? directory : shown},
                              {"to", up ? shown : directory},
                              {"was_there", done.was_there},
                              {"tables", TablesOf(done)}}) +
                       "\n"
                 : TextOf(done, up ? shown : file, directory));
  return OkStatus();
}

}  // namespace ferry::server

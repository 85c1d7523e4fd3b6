// A server of PostgreSQL for tests, on a socket in a folder of its own under the temporary folder.
// Test programs that run at the same time share it: the first one starts it, the last one stops it,
// which a lock on a file decides. What it writes survives no power cut; the folder stays, for a
// server that is made already starts sooner.
#pragma once

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cloud-server/store/postgres/migrations.h"
#include "cloud-server/store/postgres/postgres_store.h"

namespace ferry::server {

class ScratchPostgres {
 public:
  // kUnsupported says why there is none: tests are skipped then.
  static Result<ScratchPostgres*> Get() {
    static std::mutex mutex;
    static std::unique_ptr<ScratchPostgres> one;
    static Status failed;
    const std::lock_guard lock(mutex);
    if (one == nullptr && failed.ok()) {
      std::unique_ptr<ScratchPostgres> made(new ScratchPostgres());
      failed = made->Start();
      if (failed.ok()) one = std::move(made);
    }
    if (one == nullptr) return failed;
    return one.get();
  }

  ~ScratchPostgres() {
    if (lock_ < 0) return;
    // Nobody else has it.
    if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) Run("pg_ctl -D data -m immediate stop");
    ::close(lock_);
  }

  std::string Url(const std::string& database) const {
    std::string host;
    for (const char c : folder_) host += c == '/' ? "%2F" : std::string(1, c);
    return "postgres://ferry@/" + database + "?host=" + host;
  }

  // The address of a new database: with the newest schema, or without any.
  Result<std::string> NewDatabase(bool with_schema = true) {
    static std::atomic<int> count = 0;
    const std::string name = fmt::format("t{}_{}", ::getpid(), ++count);
    FERRY_TRY(Tell(fmt::format("CREATE DATABASE {} TEMPLATE {}", name,
                               with_schema ? template_ : std::string("template0"))));
    return Url(name);
  }

  // Of a database's address, and whatever is connected to it.
  Status Remove(const std::string& url) {
    return Tell("DROP DATABASE IF EXISTS " + NameOf(url) + " WITH (FORCE)");
  }

  // Waits until nobody is connected to it.
  Status Settle(const std::string& url) {
    return Tell(
        fmt::format("DO $$ BEGIN WHILE EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname "
                    "= '{}') LOOP PERFORM pg_stat_clear_snapshot(); "
                    "PERFORM pg_sleep(0.01); END LOOP; END $$",
                    NameOf(url)));
  }

  // A statement beside the stores, as the server's owner.
  Status Tell(const std::string& sql) {
    FERRY_ASSIGN_OR_RETURN(auto connection, PostgresConnection::Open(Url("postgres")));
    return connection->Script(sql);
  }

 private:
  static std::string NameOf(const std::string& url) {
    const size_t begin = url.find("@/") + 2;
    return url.substr(begin, url.find('?') - begin);
  }

  ScratchPostgres() {
    std::string schema;
    for (const Migration& step : PostgresMigrations()) schema += step.sql;
    template_ = fmt::format("ferry_{:x}", std::hash<std::string>()(schema));
  }

  Status Start() {
    FERRY_ASSIGN_OR_RETURN(programs_, FindPrograms());
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("ferry_postgres_{}_{:x}", ::getuid(),
                          static_cast<uint32_t>(std::hash<std::string>()(programs_)));
    if (::getuid() == 0) {
      // It refuses to run as root.
      const passwd* user = ::getpwnam("postgres");
      if (user == nullptr) user = ::getpwnam("nobody");
      if (user == nullptr) return Status(Code::kUnsupported, "no user to run PostgreSQL as");
      as_ =
          fmt::format("setpriv --reuid={} --regid={} --clear-groups ", user->pw_uid, user->pw_gid);
      owner_ = user->pw_uid;
    }
    FERRY_TRY(MakeFolder());
    lock_ = ::open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ < 0) return Status::Of(Code::kUnsupported, "cannot lock in {}", folder_);
    for (int tries = 0; tries < 10; ++tries) {
      ::flock(lock_, LOCK_EX);
      FERRY_TRY(StartServer());
      // Who leaves may have stopped it between the two locks.
      ::flock(lock_, LOCK_SH);
      if (Tell("SELECT 1").ok()) return OkStatus();
    }
    return Status(Code::kUnsupported, "the scratch server of PostgreSQL does not stay");
  }

  // Of a name that everybody may know: it must be ours.
  Status MakeFolder() const {
    (void)::mkdir(folder_.c_str(), 0700);
    struct stat found {};
    const bool ours = ::lstat(folder_.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                      (found.st_uid == ::getuid() || (::getuid() == 0 && found.st_uid == owner_));
    if (ours && ::chmod(folder_.c_str(), 0700) == 0 &&
        (owner_ == 0 || ::chown(folder_.c_str(), owner_, 0) == 0))
      return OkStatus();
    return Status::Of(Code::kUnsupported, "cannot use the folder {}", folder_);
  }

  // With the lock.
  Status StartServer() {
    if (!Tell("SELECT 1").ok()) {
      if (!std::filesystem::exists(folder_ + "/data/PG_VERSION") &&
          !Run("initdb -D data -U ferry --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync"))
        return Failed("initdb");
      if (!Run(fmt::format("pg_ctl -D data -l server.log -w -t 60 -o \"-c listen_addresses= -c "
                           "unix_socket_directories={} -c fsync=off -c full_page_writes=off -c "
                           "max_connections=200 -c shared_buffers=64MB\" start",
                           folder_)))
        return Failed("pg_ctl start");
    }
    FERRY_ASSIGN_OR_RETURN(auto connection, PostgresConnection::Open(Url("postgres")));
    FERRY_ASSIGN_OR_RETURN(
        const std::string there,
        connection->Ask("SELECT 1 FROM pg_database WHERE datname = '" + template_ + "'"));
    if (!there.empty()) return OkStatus();
    FERRY_TRY(connection->Script("DROP DATABASE IF EXISTS ferry_making WITH (FORCE)"));
    FERRY_TRY(connection->Script("CREATE DATABASE ferry_making TEMPLATE template0"));
    FERRY_TRY(AsStatus(OpenPostgresStore(Url("ferry_making"))));
    return connection->Script("ALTER DATABASE ferry_making RENAME TO " + template_);
  }

  static Result<std::string> FindPrograms() {
    std::vector<std::string> folders;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored))
      folders.push_back(entry.path() / "bin");
    const char* path = std::getenv("PATH");
    for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
      const size_t end = rest.find(':');
      folders.emplace_back(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    for (const std::string& folder : folders)
      if (std::filesystem::exists(folder + "/initdb") &&
          std::filesystem::exists(folder + "/pg_ctl"))
        return folder + "/";
    return Status(Code::kUnsupported,
                  "PostgreSQL is not installed (Debian's package postgresql-15)");
  }

  bool Run(const std::string& command) const {
    return std::system(fmt::format("cd {} && {}{}{} >>commands.log 2>&1 </dev/null", folder_, as_,
                                   programs_, command)
                           .c_str()) == 0;
  }

  Status Failed(std::string_view what) const {
    return Status::Of(Code::kUnsupported, "{} failed: {}/commands.log says why", what, folder_);
  }

  std::string folder_, template_, programs_, as_;
  uid_t owner_ = 0;
  int lock_ = -1;
};

}  // namespace ferry::server

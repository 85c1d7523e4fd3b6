// `ferry-server backup`, `restore` and `check`: their options, and what they print.
#pragma once

#include <memory>
#include <string>

#include "common/base/status.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ferry::server {

class BucketBeside;

class BackupCommands {
 public:
  void AddTo(CLI::App& app);
  // Runs the one that was chosen. `sound` becomes false when it did its work and found something
  // damaged: the exit status is 1 then, too.
  Status Run(bool* sound) const;
  bool json() const { return json_; }

 private:
  Status RunBackup(bool* sound) const;
  Status RunRestore() const;
  Status RunCheck(bool* sound) const;
  Result<std::unique_ptr<BucketBeside>> OpenBucket() const;  // null where none is named

  std::string directory_;  // the server's
  std::string backup_;
  bool replace_ = false;
  bool quick_ = false;
  bool deep_ = false;
  std::string blob_, bus_;  // of a cluster
  bool json_ = false;
  const CLI::App* backup_app_ = nullptr;
  const CLI::App* restore_app_ = nullptr;
  const CLI::App* check_app_ = nullptr;
};

}  // namespace ferry::server

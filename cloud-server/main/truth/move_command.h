// `ferry-server move`: a stopped server's rows from its directory to PostgreSQL, and back.
#pragma once

#include <string>

#include "common/base/status.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ferry::server {

class MoveCommand {
 public:
  void AddTo(CLI::App& app);
  bool parsed() const;
  bool json() const { return json_; }
  // Prints each table with its rows and checksum. One of both places is a server's directory, which
  // notes afterwards where its rows are; content and keys stay there.
  Status Run() const;

  std::string from_, to_;

 private:
  bool json_ = false;
  const CLI::App* app_ = nullptr;
};

}  // namespace ferry::server

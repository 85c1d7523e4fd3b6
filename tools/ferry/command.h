// What a command of the command line is made of. commands/list.inc names them all; each file there
// adds its own by Commands::Add.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::cli {

// Options that every command takes.
struct GlobalOptions {
  bool json = false;
  std::string server;  // URL of the admin port; FERRY_SERVER or the login file when empty
  std::string token;   // FERRY_TOKEN or the login file when empty
  // Whom an https server must prove to be of; one of them, FERRY_PIN, FERRY_CA or the login file,
  // else those that this system believes.
  std::string pin;  // "sha256:<hex>" of its authority's certificate
  std::string ca;   // file of certificates in PEM
};

// What a command ends with: one JSON object for --json, and text for people (with its line ends).
// The JSON lies behind a pointer, so that the many files that only pass an Output on need not parse
// nlohmann/json.
struct Output {
  Output();
  Output(Json json, std::string text);
  Output(Output&& other) noexcept;
  Output& operator=(Output&& other) noexcept;
  ~Output();

  Json& json() { return *json_; }
  const Json& json() const { return *json_; }

  std::string text;
  Status failed = OkStatus();  // printed after the output; the program then ends with an error
  int exit = 0;                // the program's exit status when nothing failed
  // The text is somebody's content itself (a rendered template, decoded tokens, exported rows): not
  // on a terminal, it leaves byte for byte.
  bool exact = false;

 private:
  std::unique_ptr<Json> json_;  // never null, but in what was moved from
};

// {"code","name","text"}, as --json has it under "error".
Json ErrorJson(const Status& status);

using RunCommand = std::function<Result<Output>(const GlobalOptions&)>;

class Commands {
 public:
  explicit Commands(CLI::App& app);

  // A group ("keys") that only holds commands.
  CLI::App* Group(const std::string& name, const std::string& what);
  // A command below `parent` (null: at the top). `example` is shown by --help. Options are added to
  // the result; `run` is called after parsing.
  CLI::App* Add(CLI::App* parent, const std::string& name, const std::string& what,
                const std::string& example, RunCommand run);
  // The same for commands that talk to a server: adds --server, --token and AddTrust.
  CLI::App* AddOnline(CLI::App* parent, const std::string& name, const std::string& what,
                      const std::string& example, RunCommand run);

  void AddTrust(CLI::App* command);  // --pin and --ca

  const CLI::App& app() const { return app_; }  // all commands
  const GlobalOptions& options() const { return options_; }
  void Choose(RunCommand run) { chosen_ = std::move(run); }
  const RunCommand& chosen() const { return chosen_; }

 private:
  CLI::App& app_;
  GlobalOptions options_;
  RunCommand chosen_;
};

#define FERRY_COMMAND(Name) void Add##Name##Command(Commands& commands);
#include "tools/ferry/commands/list.inc"
#undef FERRY_COMMAND

}  // namespace ferry::cli

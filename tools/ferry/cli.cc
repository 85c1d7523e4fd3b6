#include "tools/ferry/cli.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "common/base/json.h"
#include "common/base/log.h"
#include "tools/ferry/command.h"
#include "tools/ferry/standard_streams.h"
#include "tools/ferry/text/usage/completion.h"
#include "tools/ferry/text/usage/unknown_word.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {

Output::Output() : json_(std::make_unique<Json>(Json::object())) {}
Output::Output(Json json, std::string shown)
    : text(std::move(shown)), json_(std::make_unique<Json>(std::move(json))) {}
Output::Output(Output&& other) noexcept = default;
Output& Output::operator=(Output&& other) noexcept = default;
Output::~Output() = default;

Json ErrorJson(const Status& status) {
  const ErrorInfo& info = InfoOf(status.code());
  return {{"code", static_cast<int>(info.code)}, {"name", info.name}, {"text", status.message()}};
}

namespace {

// A traceback has lines: none of those that follow looks like output of its own.
std::string OneError(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t end = text.find('\n');
    out += Visible(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += "\n  ";
    text.remove_prefix(end + 1);
  }
}

// What to do about errors whose texts come from far below, where no command is known.
const char* NextStep(Code code) {
  switch (code) {
    case Code::kCorruptContent:
    case Code::kTruncatedContent:
      return "; it was changed or cut: fetch it or make it again";
    case Code::kDiskFull:
      return "; make room and try again";
    default:
      return "";
  }
}

void PrintError(const Status& status, bool json) {
  if (json) std::printf("%s\n", WriteJson(Json{{"error", ErrorJson(status)}}).c_str());
  std::fprintf(stderr, "ferry: %s%s\n", OneError(status.ToString()).c_str(),
               NextStep(status.code()));
}

int PrintOutput(const Output& output, bool json) {
  // Devices, servers and files have their say in what is shown: no terminal obeys it.
  const bool as_it_is = output.exact && ::isatty(STDOUT_FILENO) == 0;
  const std::string text = json       ? WriteJson(output.json()) + "\n"
                           : as_it_is ? output.text
                                      : VisibleLines(output.text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  // What was written before may have failed too.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return kExitOk;
  std::fprintf(stderr, "ferry: io: standard output cannot be written\n");
  return kExitError;
}

// Help and version are no errors; anything else is one line and how to get help. A word that
// nothing knows is named before what is missing, for it is mostly the cause, and where help is
// asked for too: that of another command would be no answer.
int ParseFailed(const CLI::App& app, const CLI::ParseError& error, int argc,
                const char* const* argv, bool json) {
  const std::optional<std::string> unknown = UnknownWord(app, argc, argv);
  const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
  if (asked && !unknown) return app.exit(error);
  const bool told = asked ||
                    error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) ||
                    error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  const std::string text = told && unknown ? *unknown : error.what();
  if (json) {
    const Json usage = ErrorJson(Status::Of(Code::kInvalidArgument, "usage: {}", text));
    std::printf("%s\n", WriteJson(Json{{"error", usage}}).c_str());
  }
  std::fprintf(stderr, "ferry: usage: %s (try %s --help)\n", OneError(text).c_str(),
               PathOf(CommandOf(app)).c_str());
  return kExitUsage;
}

// For a command line that does not parse.
bool AsksForJson(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

int Run(int argc, const char* const* argv) {
  OpenClosedStreams();
  // What people are to know, commands say themselves.
  if (std::getenv("FERRY_LOG") == nullptr) SetLogLevel(LogLevel::kWarn);
  CLI::App app("Ferry: carries models and tasks from a publisher to devices, and runs them there.");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("ferry ") + kVersion);
  Commands commands(app);
#define FERRY_COMMAND(Name) Add##Name##Command(commands);
#include "tools/ferry/commands/list.inc"
#undef FERRY_COMMAND
  // Before parsing, for the words may be of any command and may be unfinished.
  if (argc > 2 && std::string_view(argv[1]) == "complete" && std::string_view(argv[2]) == "--") {
    return PrintCandidates(app, std::vector<std::string>(argv + 3, argv + argc));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ParseFailed(app, error, argc, argv, AsksForJson(argc, argv));
  }
  const bool json = commands.options().json;
  const Result<Output> output = commands.chosen()(commands.options());
  if (!output.ok()) {
    PrintError(output.status(), json);
    return kExitError;
  }
  const int exit = PrintOutput(*output, json);
  if (output->failed.ok()) return exit == kExitOk ? output->exit : exit;
  PrintError(output->failed, false);
  return kExitError;
}

}  // namespace

Commands::Commands(CLI::App& app) : app_(app) {
  app_.fallthrough();
  app_.add_flag("--json", options_.json, "print one JSON object");
  app_.add_option("--server", options_.server, "URL of the server's admin port");
  app_.add_option("--token", options_.token, "bearer token of the server's admin");
  AddTrust(&app_);
}

CLI::App* Commands::Group(const std::string& name, const std::string& what) {
  CLI::App* group = app_.add_subcommand(name, what);
  group->require_subcommand(1);
  group->fallthrough();
  return group;
}

CLI::App* Commands::Add(CLI::App* parent, const std::string& name, const std::string& what,
                        const std::string& example, RunCommand run) {
  CLI::App* command = (parent == nullptr ? &app_ : parent)->add_subcommand(name, what);
  command->fallthrough();
  command->footer("Example:\n  " + example);
  command->add_flag("--json", options_.json, "print one JSON object");
  command->callback([this, run = std::move(run)] { chosen_ = run; });
  return command;
}

CLI::App* Commands::AddOnline(CLI::App* parent, const std::string& name, const std::string& what,
                              const std::string& example, RunCommand run) {
  CLI::App* command = Add(parent, name, what, example, std::move(run));
  command->add_option("--server", options_.server,
                      "URL of the server's admin port (or FERRY_SERVER, or `ferry login`)");
  command->add_option("--token", options_.token, "bearer token (or FERRY_TOKEN, or `ferry login`)");
  AddTrust(command);
  return command;
}

void Commands::AddTrust(CLI::App* command) {
  command->add_option("--pin", options_.pin,
                      "SHA-256 of the authority that an https server must be of, as `ferry-server "
                      "pin` prints it (or FERRY_PIN, or `ferry login`)");
  command->add_option("--ca", options_.ca,
                      "file of authorities in PEM instead (or FERRY_CA, or `ferry login`)");
}

int Main(int argc, const char* const* argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ferry: internal: %s\n", error.what());
    return kExitError;
  }
}

}  // namespace ferry::cli

// ferry mirror: folders that any web server can give content from.
#include "tools/ferry/remote/mirror.h"

#include "tools/ferry/command.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

struct MirrorOptions {
  std::string folder;
  bool remove = false;
};

Result<Output> Sync(const MirrorOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(const MirrorOutcome done, SyncMirror(api, options.folder, options.remove));
  std::string text =
      fmt::format("{}: {} files, {} fetched ({}){}\n", options.folder, done.files, done.fetched,
                  SizeText(done.bytes),
                  options.remove ? fmt::format(", {} removed", done.removed) : std::string());
  return Output{Json{{"files", done.files},
                     {"fetched", done.fetched},
                     {"bytes", done.bytes},
                     {"removed", done.removed}},
                std::move(text)};
}

}  // namespace

void AddMirrorCommand(Commands& commands) {
  CLI::App* group = commands.Group("mirror", "folders that any web server can give content from");
  const auto options = std::make_shared<MirrorOptions>();
  CLI::App* sync = commands.AddOnline(
      group, "sync", "fetch what published packages are made of and the folder lacks",
      "ferry mirror sync /srv/mirror   # serve it, then: ferry-server run --mirror http://HOST",
      [options](const GlobalOptions& global) { return Sync(*options, global); });
  sync->add_option("folder", options->folder, "where content/<sha256> lies")->required();
  sync->add_flag("--remove", options->remove, "let go of what no package names");
}

}  // namespace ferry::cli

// ferry-tuf: a client of any TUF repository. `ferry-tuf --help` shows examples.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/tuf/client.h"

namespace {

constexpr int kExitUsage = 2;
constexpr char kExamples[] =
    "Examples:\n"
    "  ferry-tuf --metadata-dir trusted init root.json\n"
    "  ferry-tuf --metadata-dir trusted --metadata-url http://127.0.0.1:8080/tuf/metadata refresh\n"
    "  ferry-tuf --metadata-dir trusted --metadata-url http://127.0.0.1:8080/tuf/metadata\n"
    "            --target-name digits/1.0.0/full --target-base-url\n"
    "            http://127.0.0.1:8080/tuf/targets --target-dir files download\n";

}  // namespace

int main(int argc, char** argv) {
  ferry::tuf::ClientOptions options;
  std::string root;
  CLI::App app("ferry-tuf: updates from any TUF repository", "ferry-tuf");
  app.footer(kExamples);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--metadata-dir", options.metadata_dir, "Folder of trusted metadata")->required();
  app.add_option("--metadata-url", options.metadata_url, "Where the repository has its metadata");
  app.add_option("--target-name", options.target_names, "Path of a target (may repeat)")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--target-base-url", options.target_base_url, "Where it has its targets");
  app.add_option("--target-dir", options.target_dir, "Folder for targets");
  app.add_option("--ca", options.ca, "Certificates that an https server is checked by");
  app.add_option("--token", options.token, "Bearer token that targets are fetched with")
      ->envname("FERRY_TOKEN");
  CLI::App* init = app.add_subcommand("init", "Trust a first root");
  init->add_option("root", root, "File with root metadata")->required();
  CLI::App* refresh = app.add_subcommand("refresh", "Bring metadata up to date");
  CLI::App* download = app.add_subcommand("download", "Fetch targets");
  app.callback([&] {
    if (init->parsed()) return;
    if (options.metadata_url.empty()) throw CLI::RequiredError("--metadata-url");
    const bool whole = !options.target_names.empty() && !options.target_base_url.empty() &&
                       !options.target_dir.empty();
    if (download->parsed() && !whole) {
      throw CLI::RequiredError("--target-name, --target-base-url and --target-dir");
    }
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  const ferry::Status status = init->parsed()      ? Init(options, root)
                               : refresh->parsed() ? Refresh(options)
                                                   : Download(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "ferry-tuf: %s\n", status.ToString().c_str());
  return 1;
}

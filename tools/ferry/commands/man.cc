// ferry man.
#include <fmt/ranges.h>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "tools/ferry/command.h"
#include "tools/ferry/text/usage/man_page.h"

namespace ferry::cli {
namespace {

struct ManOptions {
  std::vector<std::string> words;
  std::string folder;
};

// Every page into a folder, as ferry.1, ferry-release.1 and so on.
Result<Output> WriteAll(const CLI::App& top, const std::string& folder) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_TRY(fs.MakeDirectories(folder));
  Output out;
  out.json() = {{"folder", folder}, {"pages", Json::array()}};
  std::vector<const CLI::App*> apps = ShownCommands(top);
  apps.insert(apps.begin(), &top);
  for (const CLI::App* app : apps) {
    const std::string name = ManPageName(*app) + ".1";
    const std::string page = ManPage(*app);
    FERRY_TRY(
        sys::WriteFileAtomically(fs, sys::JoinPath(folder, name), AsBytes(page), sys::kPublicFile));
    out.json()["pages"].push_back(name);
  }
  out.text = fmt::format("{}: {} pages\n", folder, apps.size());
  return out;
}

Result<Output> Man(const CLI::App& top, const ManOptions& options) {
  if (!options.folder.empty()) return WriteAll(top, options.folder);
  const CLI::App* app = FindCommand(top, options.words);
  if (app == nullptr) {
    return Status::Of(Code::kNotFound, "no command \"ferry {}\"; `ferry man` lists them",
                      fmt::join(options.words, " "));
  }
  // A command of a group stands on the group's page.
  const CLI::App* paged = app;
  while (paged->get_parent() != nullptr && paged->get_parent()->get_parent() != nullptr) {
    paged = paged->get_parent();
  }
  Output out;
  out.text = ManPage(*paged);
  out.exact = true;
  out.json() = {{"page", out.text}, {"commands", CommandsJson(DescribeAll(*app))}};
  return out;
}

}  // namespace

void AddManCommand(Commands& commands) {
  const auto options = std::make_shared<ManOptions>();
  const CLI::App* const top = &commands.app();
  CLI::App* man =
      commands.Add(nullptr, "man", "print the man page of a command, or write all of them",
                   "ferry man release | man -l -\n  ferry man --dir share/man/man1",
                   [options, top](const GlobalOptions&) { return Man(*top, *options); });
  man->add_option("command", options->words, "words of a command; none: the program");
  man->add_option("--dir", options->folder, "folder for the pages of all commands");
}

}  // namespace ferry::cli

#include "tools/ferry/text/usage/unknown_word.h"

#include <algorithm>

#include "common/base/nearest.h"
#include "common/base/status.h"
#include "tools/ferry/text/usage/describe.h"

namespace ferry::cli {
namespace {

std::vector<const CLI::App*> SubcommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); });
}

// The long options of a command, those of the groups above it too.
std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : AllOptions(*at)) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// The command named `name` somewhere below `app`, as it is typed.
std::string PathBelow(const CLI::App& app, const std::string& name) {
  for (const CLI::App* one : SubcommandsOf(app)) {
    if (one->get_name() == name) return PathOf(*one);
    const std::string below = PathBelow(*one, name);
    if (!below.empty()) return below;
  }
  return "";
}

std::string Meant(const std::string& name) {
  return fmt::format("; did you mean \"{}\"?", name);
}

std::string UnknownOption(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const auto near = NearName(name, OptionsOf(app));
  return fmt::format("unknown option \"{}\"{}", name, near ? Meant(std::string(*near)) : "");
}

std::string UnknownCommand(const CLI::App& app, const CLI::App& top, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* one : SubcommandsOf(app)) names.push_back(one->get_name());
  const auto near = NearName(word, names);
  const std::string meant = near ? PathOf(app) + " " + std::string(*near) : PathBelow(top, word);
  return fmt::format("unknown command \"{}\"{}", word, meant.empty() ? "" : Meant(meant));
}

}  // namespace

std::string PathOf(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "ferry";
  return PathOf(*app.get_parent()) + " " + app.get_name();
}

const CLI::App& CommandOf(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : CommandOf(*parsed.back());
}

std::optional<std::string> UnknownWord(const CLI::App& app, int argc, const char* const* argv) {
  const std::vector<std::string> left = app.remaining(/*recurse=*/true);
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto parsed = at->get_subcommands();
    const auto next = std::find_if(parsed.begin(), parsed.end(),
                                   [&](const CLI::App* one) { return one->get_name() == word; });
    if (next != parsed.end()) {
      at = *next;
    } else if (std::find(left.begin(), left.end(), word) != left.end()) {
      if (word.starts_with("-")) return UnknownOption(*at, word);
      if (!SubcommandsOf(*at).empty()) return UnknownCommand(*at, app, word);
      return fmt::format("\"{}\" is one argument too many", word);
    }
  }
  return std::nullopt;
}

}  // namespace ferry::cli

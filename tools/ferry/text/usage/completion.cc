#include "tools/ferry/text/usage/completion.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "common/base/json.h"
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/text/usage/unknown_word.h"

namespace ferry::cli {
namespace {

constexpr unsigned kPatienceSeconds = 3;  // of who pressed the key, for a server

constexpr char kBash[] = R"(_ferry() {
  local IFS=$'\n'
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($("${COMP_WORDS[0]}" complete -- "${words[@]}" 2>/dev/null | cut -f 1))
}
complete -o default -F _ferry ferry
)";

constexpr char kZsh[] = R"(#compdef ferry
_ferry() {
  local -a lines candidates
  local line
  lines=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${lines[@]}"; do
    [[ -n $line ]] && candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( ${#candidates} )); then
    _describe ferry candidates
  else
    _files
  fi
}
compdef _ferry ferry
)";

constexpr char kFish[] = R"(function __ferry_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] complete -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c ferry -f -a '(__ferry_complete)'
)";

// Arguments that name things: below a command (or all, ""), an option or a positional.
struct Naming {
  std::string_view command, argument;
  Things things;
};
constexpr Naming kNamings[] = {
    {"ferry device", "id", Things::kDevices},
    {"ferry file", "--device", Things::kDevices},
    {"ferry group", "devices", Things::kDevices},
    {"ferry package", "name", Things::kPackages},
    {"ferry pause", "id", Things::kReleases},
    {"ferry release", "id", Things::kReleases},
    {"ferry resume", "id", Things::kReleases},
    {"ferry rollback", "id", Things::kReleases},
    {"ferry status", "release", Things::kReleases},
    {"ferry task log", "package", Things::kPackages},
    {"", "--device", Things::kDevices},
    {"", "--package", Things::kPackages},
    {"", "--release", Things::kReleases},
};

Things ThingsOf(const CLI::App& app, const CLI::Option& option) {
  const std::string path = PathOf(app);
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  if (option.get_positional()) names.push_back(option.get_name(true));
  for (const Naming& one : kNamings) {
    const bool here = one.command.empty() || path == one.command ||
                      path.starts_with(std::string(one.command) + " ");
    if (here && std::find(names.begin(), names.end(), one.argument) != names.end()) {
      return one.things;
    }
  }
  return Things::kNone;
}

// The option of a command, or of the groups above it, that is written so.
const CLI::Option* FindOption(const CLI::App& app, const std::string& word) {
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : AllOptions(*at)) {
      if (!option->get_positional() && option->check_name(word)) return option;
    }
  }
  return nullptr;
}

bool TakesValue(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// Where the cursor stands among the words before it.
struct Cursor {
  const CLI::App* app;
  const CLI::Option* value_of = nullptr;  // an option that wants a value now
  int positionals = 0;                    // that have been given
};

Cursor CursorAfter(const CLI::App& top, const std::vector<std::string>& words) {
  Cursor cursor{&top};
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (cursor.value_of != nullptr) {
      cursor.value_of = nullptr;
    } else if (word.starts_with("-")) {
      const CLI::Option* option = FindOption(*cursor.app, word);
      if (option != nullptr && TakesValue(*option)) cursor.value_of = option;
    } else if (const CLI::App* next = FindCommand(*cursor.app, {word}); next != nullptr) {
      cursor.app = next;
      cursor.positionals = 0;
    } else {
      ++cursor.positionals;
    }
  }
  return cursor;
}

std::vector<Candidate> ValuesOf(const CLI::App& app, const CLI::Option& option,
                                const ThingNames& names) {
  std::vector<Candidate> out;
  const CommandText text = Describe(app);
  for (const auto* list : {&text.options, &text.positionals}) {
    for (const OptionText& one : *list) {
      const std::string name =
          option.get_positional() ? option.get_name(true) : option.get_name(false, true);
      if (one.names != name) continue;
      for (const std::string& choice : one.choices) out.push_back({choice, ""});
    }
  }
  const Things things = ThingsOf(app, option);
  if (things == Things::kNone) return out;
  for (const std::string& name : names(things)) out.push_back({name, ""});
  return out;
}

void AddOptions(const CLI::App& app, std::vector<Candidate>& out) {
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : AllOptions(*at)) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) {
        out.push_back({"--" + name, option->get_description()});
      }
    }
  }
}

std::vector<Candidate> AllCandidates(const Cursor& cursor, const std::string& begun,
                                     const ThingNames& names) {
  std::vector<Candidate> out;
  if (cursor.value_of != nullptr) return ValuesOf(*cursor.app, *cursor.value_of, names);
  if (begun.starts_with("-")) {
    AddOptions(*cursor.app, out);
    return out;
  }
  for (const CLI::App* one : ShownCommands(*cursor.app)) {
    out.push_back({one->get_name(), one->get_description()});
  }
  int place = cursor.positionals;
  for (const CLI::Option* option : AllOptions(*cursor.app)) {
    if (!option->get_positional()) continue;
    const bool is_many = option->get_items_expected_max() > 1;
    if (place-- == 0 || is_many) return ValuesOf(*cursor.app, *option, names);
  }
  return out;
}

// Names that the server of these words, or of the login, knows; none when there is no answer.
std::vector<std::string> AskServer(Things things, const std::vector<std::string>& words) {
  GlobalOptions options;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--server") options.server = words[i + 1];
    if (words[i] == "--token") options.token = words[i + 1];
    if (words[i] == "--pin") options.pin = words[i + 1];
    if (words[i] == "--ca") options.ca = words[i + 1];
  }
  const char* const list = things == Things::kDevices    ? "devices"
                           : things == Things::kPackages ? "packages"
                                                         : "releases";
  const char* const member = things == Things::kPackages ? "name" : "id";
  std::vector<std::string> names;
  const auto api = Api::Open(options);
  if (!api.ok()) return names;
  const auto answer = api->Get(std::string("/") + list);
  const auto rows = answer.ok() ? GetArray(*answer, list) : Result<const Json*>(answer.status());
  if (!rows.ok()) return names;
  for (const Json& row : **rows) {
    if (auto name = GetString(row, member); name.ok()) names.push_back(*std::move(name));
  }
  return names;
}

}  // namespace

Result<std::string> CompletionScript(const std::string& shell) {
  if (shell == "bash") return std::string(kBash);
  if (shell == "zsh") return std::string(kZsh);
  if (shell == "fish") return std::string(kFish);
  return Status::Of(Code::kInvalidArgument, "no completion for {}: there are bash, zsh, fish",
                    shell);
}

std::vector<Candidate> Complete(const CLI::App& top, const std::vector<std::string>& words,
                                const ThingNames& names) {
  const std::string begun = words.empty() ? "" : words.back();
  std::vector<Candidate> out = AllCandidates(CursorAfter(top, words), begun, names);
  std::erase_if(out, [&](const Candidate& one) { return !one.word.starts_with(begun); });
  const auto word = [](const Candidate& one) -> const std::string& { return one.word; };
  std::ranges::stable_sort(out, {}, word);
  const auto same = std::ranges::unique(out, {}, word);
  out.erase(same.begin(), same.end());
  return out;
}

int PrintCandidates(const CLI::App& top, const std::vector<std::string>& words) {
  std::signal(SIGALRM, [](int) { ::_exit(0); });  // who waits gets nothing
  ::alarm(kPatienceSeconds);
  const auto names = [&](Things things) { return AskServer(things, words); };
  for (const Candidate& one : Complete(top, words, names)) {
    std::printf("%s\t%s\n", one.word.c_str(), one.what.c_str());
  }
  return 0;
}

}  // namespace ferry::cli

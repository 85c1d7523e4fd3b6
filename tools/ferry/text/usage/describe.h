// The commands as text: what help, man pages and completion are made of.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"

namespace ferry::cli {

struct OptionText {
  std::string names;                 // "--threads", "-h,--help"; of a positional its name
  std::string value;                 // "INT", "TEXT"; "": a flag
  std::vector<std::string> choices;  // the only values that it takes; empty: any
  std::string what, standard;        // `standard`: what it is where it is not given
  bool is_required = false;
  bool is_many = false;
};

struct CommandText {
  std::string path;  // "ferry release start"
  std::string what;
  std::vector<OptionText> positionals, options;
  std::vector<std::string> examples;      // a command line each
  std::vector<const CLI::App*> commands;  // below a group
};

// Commands that are shown; one with an empty group is not.
std::vector<const CLI::App*> ShownCommands(const CLI::App& app);

// The options of a command, those of its option groups too.
std::vector<const CLI::Option*> AllOptions(const CLI::App& app);

CommandText Describe(const CLI::App& app);

// `app` and all below it, groups before their commands.
std::vector<CommandText> DescribeAll(const CLI::App& app);

// [{"command","what","options":[..],"positionals":[..],"examples":[..]}]
Json CommandsJson(const std::vector<CommandText>& commands);

// The command that `words` ("release", "start") lead to; nullptr where there is none.
const CLI::App* FindCommand(const CLI::App& top, const std::vector<std::string>& words);

}  // namespace ferry::cli

// Folders to begin with: a task, a model or an app that builds and passes its own test at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "tools/ferry/command.h"

namespace ferry::cli {

using ProjectFiles = std::vector<std::pair<std::string, Bytes>>;  // by path in the folder

// What one kind of project in one language is made of; kinds/list.inc has them all.
struct ProjectKind {
  std::string_view kind;      // "task"
  std::string_view language;  // "python"; of a model ""
  std::string_view test;      // a command line; FOLDER and NAME stand for what they say
  Result<ProjectFiles> (*files)(const std::string& name);
};

// Makes `folder`, whose last part is the project's name. `language`: one of the kind's, or "" for
// its first. kInvalidArgument for a name that is none, kAlreadyExists, kUnsupported naming the
// languages that there are.
Result<Output> MakeProject(const std::string& kind, const std::string& language,
                           const std::string& folder);

// Every FOLDER and NAME of `text` replaced.
std::string Filled(std::string text, const std::string& folder, const std::string& name);

// A file of text with its names filled in.
std::pair<std::string, Bytes> TextFile(const std::string& path, std::string_view text,
                                       const std::string& name);

}  // namespace ferry::cli

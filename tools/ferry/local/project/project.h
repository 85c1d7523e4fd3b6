// Folders to begin with: a task, a model or an app that builds and passes its own test at once.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "tools/ferry/command.h"

namespace ferry::cli {

inline constexpr char kUsualLanguage[] = "python";

// What one kind of project in one language is made of; list.inc has them all.
struct ProjectKind {
  std::string_view kind;      // "app"
  std::string_view language;  // "cpp"
  std::string_view test;      // a command line
  std::string_view model;     // where the made model goes; "" for none
};

// The languages of a kind, sorted.
std::vector<std::string> ProjectLanguages(std::string_view kind);

// The last part of a folder's path; kInvalidArgument where it is no name of a project.
Result<std::string> ProjectName(const std::string& kind, const std::string& folder);

// Makes `folder`, whose last part is the project's name, in one of the kind's languages.
// kInvalidArgument for a name that is none, kAlreadyExists, kUnsupported for a language that the
// kind has not.
Result<Output> MakeProject(const std::string& kind, const std::string& language,
                           const std::string& folder);

// The same as options of a command: words that MakeProject would refuse are wrong usage.
void AddProjectFolder(CLI::App* command, const std::string& kind, std::string& folder);
void AddProjectLanguage(CLI::App* command, const std::string& kind, std::string& language);

// ---- files.cc
using ProjectFiles = std::vector<std::pair<std::string, Bytes>>;  // by path in the folder

// The files of a project named `name`, its model among them.
Result<ProjectFiles> FilesOf(const ProjectKind& project, const std::string& name);
// @NAME@, @LOWER@ (the name in small letters), @VERSION@ (Ferry's) and @FOLDER@ replaced by what
// they stand for.
std::string Filled(std::string_view text, const std::string& name, const std::string& folder);

}  // namespace ferry::cli

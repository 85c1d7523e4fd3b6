#include "tools/ferry/local/project/project.h"

#include <algorithm>
#include <cctype>

#include <fmt/ranges.h>

#include "common/base/json.h"
#include "common/base/nearest.h"
#include "common/sys/filesystem.h"

namespace ferry::cli {
namespace {

constexpr size_t kLongestName = 64;

constexpr ProjectKind kProjects[] = {
#define FERRY_PROJECT(Name, ...) {__VA_ARGS__},
#include "tools/ferry/local/project/list.inc"
#undef FERRY_PROJECT
};

bool IsProjectName(const std::string& name) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  return !name.empty() && name.size() <= kLongestName && is_letter(name[0]) &&
         std::ranges::all_of(
             name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

const char* Article(std::string_view kind) {
  return kind == "app" ? "an" : "a";
}

// As one word of a shell.
std::string ProjectShellWord(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_./+=:,@").find(c) != std::string_view::npos;
  });
  if (is_plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Result<const ProjectKind*> FindProject(const std::string& kind, const std::string& language) {
  for (const ProjectKind& one : kProjects)
    if (one.kind == kind && one.language == language) return &one;
  const std::vector<std::string> mine = ProjectLanguages(kind), all = ProjectLanguages("app");
  if (std::ranges::find(all, language) != all.end()) {
    return Status::Of(Code::kUnsupported,
                      "a {}'s scripts are in {}; `ferry new app NAME --lang {}` makes an app that "
                      "has Ferry inside and can run it",
                      kind, fmt::join(mine, " or "), language);
  }
  const auto near = NearName(language, mine);
  return Status::Of(Code::kUnsupported, "{} {} is made in {}, not in \"{}\"{}", Article(kind), kind,
                    fmt::join(mine, ", "), language,
                    near ? fmt::format("; did you mean \"{}\"?", *near) : "");
}

// What a validator of the command line returns: "" where all is well.
template <typename T>
std::string Objection(const Result<T>& checked) {
  return checked.ok() ? "" : checked.status().message();
}

}  // namespace

std::vector<std::string> ProjectLanguages(std::string_view kind) {
  std::vector<std::string> languages;
  for (const ProjectKind& one : kProjects)
    if (one.kind == kind) languages.emplace_back(one.language);
  return languages;
}

Result<std::string> ProjectName(const std::string& kind, const std::string& folder) {
  const std::string path = folder.substr(0, folder.find_last_not_of('/') + 1);
  const std::string name = path.substr(path.find_last_of('/') + 1);
  if (!IsProjectName(name))
    return Status::Of(Code::kInvalidArgument,
                      "\"{}\": the name of {} {} is letters, digits, - and _, a letter first, at "
                      "most {}",
                      name, Article(kind), kind, kLongestName);
  if (Filled("@LOWER@", name, "") == "ferry")
    return Status::Of(Code::kInvalidArgument,
                      "\"{}\" is the name of the library that the project needs; give it another",
                      name);
  return name;
}

Result<Output> MakeProject(const std::string& kind, const std::string& language,
                           const std::string& folder) {
  FERRY_ASSIGN_OR_RETURN(const ProjectKind* const project, FindProject(kind, language));
  FERRY_ASSIGN_OR_RETURN(const std::string name, ProjectName(kind, folder));
  sys::FileSystem& fs = sys::SystemFileSystem();
  if (sys::Exists(fs, folder))
    return Status::Of(Code::kAlreadyExists, "{} exists; remove it, or name another", folder);
  FERRY_ASSIGN_OR_RETURN(const ProjectFiles files, FilesOf(*project, name));
  Output out;
  const std::string test = Filled(project->test, name, ProjectShellWord(folder));
  out.json() = {{kind, name},
                {"folder", folder},
                {"language", language},
                {"files", Json::array()},
                {"test", test}};
  for (const auto& [file, bytes] : files) {
    const std::string path = sys::JoinPath(folder, file);
    FERRY_TRY(fs.MakeDirectories(path.substr(0, path.find_last_of('/'))));
    FERRY_TRY(sys::WriteFileAtomically(fs, path, bytes, sys::kPublicFile));
    out.json()["files"].push_back(file);
  }
  out.text =
      fmt::format("{}: {} {} in {}. Its test: {}\n", folder, Article(kind), kind, language, test);
  return out;
}

void AddProjectFolder(CLI::App* command, const std::string& kind, std::string& folder) {
  command->add_option("folder", folder, "where it goes; its last part is the name")
      ->required()
      ->check(CLI::Validator(
          [kind](const std::string& given) { return Objection(ProjectName(kind, given)); }, ""));
}

void AddProjectLanguage(CLI::App* command, const std::string& kind, std::string& language) {
  language = kUsualLanguage;
  command
      ->add_option("--lang", language, fmt::format("its language; {} unless told", kUsualLanguage))
      ->check(CLI::Validator(
          [kind](const std::string& given) { return Objection(FindProject(kind, given)); },
          fmt::format("{{{}}}", fmt::join(ProjectLanguages(kind), ","))));
}

}  // namespace ferry::cli

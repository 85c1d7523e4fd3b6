#include "tools/ferry/stream/definition_file.h"

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/sys/filesystem.h"
#include "tools/ferry/task/packed.h"

namespace ferry::cli {
namespace {

constexpr std::string_view kPackageSuffix = ".fpk";

bool IsJsonText(std::string_view text) {
  const size_t at = text.find_first_not_of(" \t\r\n");
  return at != text.npos && (text[at] == '{' || text[at] == '[');
}

// Puts "rules" into the task.
Status AddRules(const std::string& path, Json* task) {
  FERRY_ASSIGN_OR_RETURN(std::string text, ReadDefinitionText(path));
  if (!IsJsonText(text)) {
    (*task)["rules"] = std::move(text);
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(text).Context("{}", path));
  if (json.is_object()) {
    const auto rules = json.find("rules");
    if (rules == json.end())
      return Status::Of(Code::kMalformed, "{}: there are no \"rules\"", path);
    json = Json(*rules);
  }
  (*task)["rules"] = std::move(json);
  return OkStatus();
}

// Puts "streams" and "tables" into the task.
Status AddStreams(const std::string& path, Json* task) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, ReadDefinitionText(path));
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(text).Context("{}", path));
  if (json.is_array()) {
    (*task)["streams"] = std::move(json);
    return OkStatus();
  }
  if (!json.is_object() || !json.contains("streams"))
    return Status::Of(Code::kMalformed, "{}: a list of streams, or an object with \"streams\"",
                      path);
  for (const char* member : {"streams", "tables"})
    if (const auto found = json.find(member); found != json.end()) (*task)[member] = *found;
  return OkStatus();
}

// A task that can be packed; else its task.json is read as it is.
bool HasScript(const std::string& folder) {
  const auto text = ReadDefinitionText(sys::JoinPath(folder, "task.json"));
  const Result<Json> task = text.ok() ? ParseJson(*text) : Result<Json>(text.status());
  const auto script = task.ok() ? GetString(*task, "script") : Result<std::string>(task.status());
  return script.ok() && sys::Exists(sys::SystemFileSystem(), sys::JoinPath(folder, *script));
}

}  // namespace

Result<std::string> ReadDefinitionText(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                         sys::ReadFile(sys::SystemFileSystem(), path, kMaxJsonBytes));
  return std::string(AsText(bytes));
}

Result<flow::Definition> ReadDefinition(const std::string& rules, const std::string& streams) {
  if (rules.empty() && streams.empty())
    return Status(Code::kInvalidArgument, "neither rules nor streams are given");
  Json task = Json::object();
  if (!rules.empty()) FERRY_TRY(AddRules(rules, &task));
  if (!streams.empty()) FERRY_TRY(AddStreams(streams, &task));
  Result<flow::Definition> read = flow::DefinitionFromJson(task);
  const bool of_rules = streams.empty() || read.status().message().starts_with("rules");
  return std::move(read).Context("{}", of_rules ? rules : streams);
}

Result<NamedTask> ReadNamedTask(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const PackedTask packed, PackedTask::Make(path));
  FERRY_ASSIGN_OR_RETURN(const auto program, packed.Load());
  return NamedTask{program->package->manifest().name, program->spec.flow};
}

Result<flow::Definition> ReadAnyDefinition(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(path));
  if (path.ends_with(kPackageSuffix) || (info.is_directory && HasScript(path))) {
    FERRY_ASSIGN_OR_RETURN(const NamedTask task, ReadNamedTask(path));
    return *task.definition;
  }
  const std::string file = info.is_directory ? sys::JoinPath(path, "task.json") : path;
  FERRY_ASSIGN_OR_RETURN(std::string text, ReadDefinitionText(file));
  Json task = Json::object();
  if (!IsJsonText(text)) {
    task["rules"] = std::move(text);
  } else {
    FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(text).Context("{}", file));
    // A list is one of rules when its members have steps.
    if (json.is_object())
      task = std::move(json);
    else if (!json.empty() && json[0].is_object() && json[0].contains("steps"))
      task["rules"] = std::move(json);
    else
      task["streams"] = std::move(json);
  }
  return flow::DefinitionFromJson(task).Context("{}", file);
}

}  // namespace ferry::cli

#include "device-runtime/task/task_spec.h"

#include <algorithm>

#include "device-runtime/vm/bytecode.h"

namespace ferry::task {
namespace {

constexpr std::string_view kScriptSuffix = ".py";
constexpr std::string_view kKnown[] = {
    "name",    "version", "script", "entry",  "modules", "models",     "trigger",  "rules",
    "streams", "tables",  "limits", "grants", "probe",   "simulation", "schedule", "fields"};

Status ReadLimit(const Json& limits, std::string_view key, int64_t most, int64_t* out) {
  FERRY_ASSIGN_OR_RETURN(*out, GetIntOr(limits, key, *out));
  if (*out >= 1 && *out <= most) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "limits: {} {} is not from 1 to {}", key, *out, most);
}

Status ReadLimits(const Json& task, ScriptLimits* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* limits, GetObjectOrNull(task, "limits"));
  if (limits == nullptr) return OkStatus();
  for (const auto& [key, value] : limits->items())
    if (key != "steps" && key != "memory_bytes" && key != "depth" && key != "wall_ms" &&
        key != "output_bytes")
      return Status::Of(Code::kMalformed, "limits: there is no member \"{}\"", key);
  FERRY_TRY(ReadLimit(*limits, "steps", kMaxSteps, &out->steps));
  FERRY_TRY(ReadLimit(*limits, "memory_bytes", kMaxMemoryBytes, &out->memory_bytes));
  FERRY_TRY(ReadLimit(*limits, "wall_ms", kMaxWallMs, &out->wall_ms));
  FERRY_TRY(ReadLimit(*limits, "output_bytes", kMaxOutputBytes, &out->output_bytes));
  return ReadLimit(*limits, "depth", kMaxDepth, &out->depth);
}

Status ReadSchedule(const Json& task, TaskSchedule* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* schedule, GetObjectOrNull(task, "schedule"));
  if (schedule == nullptr) return OkStatus();
  for (const auto& [key, value] : schedule->items())
    if (key != "priority" && key != "share" && key != "deadline_ms")
      return Status::Of(Code::kMalformed, "schedule: there is no member \"{}\"", key);
  static constexpr std::string_view kPriorities[] = {"idle", "normal", "urgent"};
  FERRY_ASSIGN_OR_RETURN(const std::string priority, GetStringOr(*schedule, "priority", "normal"));
  const auto* const found = std::find(std::begin(kPriorities), std::end(kPriorities), priority);
  if (found == std::end(kPriorities))
    return Status::Of(Code::kMalformed, "schedule: priority \"{}\" is not idle, normal or urgent",
                      priority);
  out->priority = static_cast<vm::Priority>(found - std::begin(kPriorities));
  const auto read = [&](std::string_view key, int64_t least, int64_t most, int64_t value) {
    const Result<int64_t> got = GetIntOr(*schedule, key, value);
    if (!got.ok() || (*got >= least && *got <= most)) return got;
    return Result<int64_t>(Status::Of(
        Code::kInvalidArgument, "schedule: {} {} is not from {} to {}", key, *got, least, most));
  };
  FERRY_ASSIGN_OR_RETURN(const int64_t share, read("share", 1, vm::kMaxWeight, 1));
  out->share = static_cast<int>(share);
  FERRY_ASSIGN_OR_RETURN(out->deadline_ms, read("deadline_ms", 0, kMaxDeadlineMs, 0));
  return OkStatus();
}

Status ReadModels(const Json& task, std::map<std::string, std::string>* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* models, GetObjectOrNull(task, "models"));
  if (models == nullptr) return OkStatus();
  if (models->size() > kMaxModels)
    return Status::Of(Code::kLimitExceeded, "{} models, the limit is {}", models->size(),
                      kMaxModels);
  for (const auto& [name, value] : models->items()) {
    FERRY_ASSIGN_OR_RETURN((*out)[name], GetString(*models, name).Context("models"));
  }
  return OkStatus();
}

Status ReadScript(const Json& task, TaskSpec* out) {
  FERRY_ASSIGN_OR_RETURN(out->script, GetString(task, "script"));
  FERRY_ASSIGN_OR_RETURN(out->entry, GetStringOr(task, "entry", "on_trigger"));
  const std::string_view script = out->script;
  if (!script.ends_with(kScriptSuffix) || script.size() == kScriptSuffix.size())
    return Status::Of(Code::kMalformed, "script \"{}\" does not end with .py", script);
  out->module = script.substr(0, script.size() - kScriptSuffix.size());
  std::replace(out->module.begin(), out->module.end(), '/', '.');
  return OkStatus();
}

// What a script may reach beside its models, streams and files, which need no grant.
Status ReadGrants(const Json& task, TaskSpec* out) {
  FERRY_ASSIGN_OR_RETURN(const auto grants, GetStringsOr(task, "grants"));
  for (const std::string& grant : grants) {
    if (grant != "wall_clock")
      return Status::Of(Code::kMalformed, "grants: there is no \"{}\"", grant);
    out->wall_clock = true;
  }
  return OkStatus();
}

}  // namespace

Result<TaskSpec> ParseTask(const Json& task) {
  if (!task.is_object()) return Status(Code::kMalformed, "a task is a JSON object");
  for (const auto& [key, value] : task.items())
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown))
      return Status::Of(Code::kMalformed, "there is no member \"{}\"", key);
  TaskSpec out;
  FERRY_TRY(ReadScript(task, &out));
  FERRY_TRY(ReadModels(task, &out.models));
  FERRY_ASSIGN_OR_RETURN(flow::Definition flow, flow::DefinitionFromJson(task));
  out.flow = std::make_shared<const flow::Definition>(std::move(flow));
  if (!out.flow->trigger && out.flow->rules.empty() && out.flow->streams->empty())
    return Status(Code::kMalformed, "there is no trigger, no rule and no stream");
  FERRY_ASSIGN_OR_RETURN(out.fields, privacy::FieldsFromJson(task));
  out.privacy = privacy::Follow(*out.flow, out.fields);
  FERRY_TRY(privacy::Check(out.privacy));
  FERRY_TRY(ReadLimits(task, &out.limits));
  FERRY_TRY(ReadSchedule(task, &out.schedule));
  FERRY_TRY(ReadGrants(task, &out));
  return out;
}

Result<ScriptLimits> ReadScriptLimits(const Json& task) {
  ScriptLimits out;
  FERRY_TRY(ReadLimits(task, &out));
  return out;
}

std::string FileOfModule(std::string_view module) {
  std::string file(module);
  std::replace(file.begin(), file.end(), '.', '/');
  return file.append(kScriptSuffix);
}

std::string CompiledFile(std::string_view file) {
  if (file.ends_with(kScriptSuffix)) file.remove_suffix(kScriptSuffix.size());
  return std::string(file).append(vm::kBytecodeSuffix);
}

}  // namespace ferry::task

#include "tools/ferry/local/declaring_host.h"

#include <algorithm>

#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "device-runtime/bindings/modules.h"
#include "device-runtime/task/task_spec.h"

namespace ferry::cli {

Result<vm::ModuleFile> DeclaringHost::Module(std::string_view name) const {
  for (const bool is_package : {false, true}) {
    const std::string path =
        task::FileOfModule(is_package ? std::string(name) + ".__init__" : std::string(name));
    const auto found = ground_.sources->find(path);
    if (found == ground_.sources->end()) continue;
    vm::ModuleFile module(found->second);
    module.file = sys::JoinPath(ground_.folder, path);
    module.package = is_package;
    return module;
  }
  return Status::Of(Code::kNotFound, "the task has no module {}", name);
}

Status DeclaringHost::Run() {
  FERRY_ASSIGN_OR_RETURN(const task::ScriptLimits limits, task::ReadScriptLimits(task_));
  FERRY_ASSIGN_OR_RETURN(const auto grants, GetStringsOr(task_, "grants"));
  vm::Isolate::Options options;
  options.wall_clock = std::find(grants.begin(), grants.end(), "wall_clock") != grants.end();
  options.limits.steps = limits.steps;
  options.limits.memory_bytes = limits.memory_bytes;
  options.limits.depth = static_cast<int>(limits.depth);
  options.limits.wall_ns = limits.wall_ms * 1'000'000;
  options.limits.output_bytes = limits.output_bytes;
  options.loader = [this](std::string_view name) { return Module(name); };
  options.modules = bindings::AllModules();
  options.host = static_cast<bindings::Host*>(this);
  FERRY_ASSIGN_OR_RETURN(isolate_, vm::Isolate::Create(std::move(options)));
  module_ = ground_.script.substr(0, ground_.script.rfind(".py"));
  std::replace(module_.begin(), module_.end(), '/', '.');
  return AsStatus(isolate_->Import(module_));
}

Result<vm::Value> DeclaringHost::Global(const std::string& name) {
  return isolate_->GetGlobal(module_, name);
}

Result<ByteView> DeclaringHost::ModelFile(std::string_view name) const {
  FERRY_ASSIGN_OR_RETURN(const Json* models, GetObjectOrNull(task_, "models"));
  const auto file = models == nullptr ? std::string() : GetStringOr(*models, name, "").value_or("");
  const auto found = ground_.files->find(file);
  if (found == ground_.files->end())
    return Status::Of(Code::kNotFound, "the task has no model \"{}\"", name);
  return ByteView(found->second);
}

Result<std::shared_ptr<const engine::Model>> DeclaringHost::LoadModel(std::string_view name) {
  FERRY_ASSIGN_OR_RETURN(const ByteView bytes, ModelFile(name));
  return engine::Model::FromBytes(bytes);
}

Result<std::shared_ptr<const llm::Model>> DeclaringHost::LoadLanguageModel(std::string_view name) {
  FERRY_ASSIGN_OR_RETURN(const ByteView bytes, ModelFile(name));
  return llm::Model::FromBytes(bytes, nullptr);
}

std::vector<std::string> DeclaringHost::FileNames() {
  std::vector<std::string> out;
  for (const auto& [path, bytes] : *ground_.files) out.push_back(path);
  return out;
}

Result<ByteView> DeclaringHost::ReadFile(std::string_view name) {
  const auto found = ground_.files->find(std::string(name));
  if (found == ground_.files->end()) return Host::ReadFile(name);
  return ByteView(found->second);
}

int64_t DeclaringHost::NowMs() {
  return sys::SystemClock().NowUnixMs();
}

}  // namespace ferry::cli

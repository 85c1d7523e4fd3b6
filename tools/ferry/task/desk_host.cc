#include "tools/ferry/task/desk_host.h"

#include <cstdio>

#include "common/package/manifest.h"
#include "common/sys/clock.h"
#include "device-runtime/bindings/modules.h"

namespace ferry::cli {

Result<std::shared_ptr<const engine::Model>> DeskHost::LoadModel(std::string_view name) {
  const auto found = program_->models.find(std::string(name));
  if (found != program_->models.end()) return found->second;
  return Status::Of(Code::kNotFound, "the task has no model \"{}\"", name);
}

Result<std::shared_ptr<const llm::Model>> DeskHost::LoadLanguageModel(std::string_view name) {
  return program_->LanguageModel(name);
}

Status DeskHost::Emit(std::string_view stream, Json row) {
  if (!row.is_object())
    return Status::Of(Code::kInvalidArgument, "a row is a dict, not {}", row.type_name());
  rows.push_back({std::string(stream), std::move(row)});
  return OkStatus();
}

int64_t DeskHost::NowMs() {
  return sys::SystemClock().NowUnixMs();
}

void DeskHost::Log(LogLevel level, std::string_view line) {
  if (LogEnabled(level)) LogLine(level, "task " + program_->package->manifest().name, line);
}

Status DeskHost::Metric(bindings::MetricKind kind, std::string_view name, double value) {
  return metrics_.Record(kind, name, value);
}

vm::Isolate::Options DeskHost::Options() {
  const task::ScriptLimits& limits = program_->spec.limits;
  vm::Isolate::Options options;
  options.limits.steps = limits.steps;
  options.limits.memory_bytes = limits.memory_bytes;
  options.limits.depth = static_cast<int>(limits.depth);
  options.limits.wall_ns = limits.wall_ms * 1'000'000;
  options.limits.output_bytes = limits.output_bytes;
  options.wall_clock = program_->spec.wall_clock;
  options.loader = [program = program_](std::string_view module) {
    return program->Module(module);
  };
  options.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  options.modules = bindings::AllModules();
  options.host = static_cast<bindings::Host*>(this);
  return options;
}

}  // namespace ferry::cli

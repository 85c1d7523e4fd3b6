#include "device-runtime/task/program.h"

#include "common/package/manifest.h"

namespace ferry::task {
namespace {

// Reads one model of `program` from its file.
Status LoadModel(const std::shared_ptr<const package::Package>& package, const std::string& name,
                 const std::string& file, Program* program) {
  FERRY_ASSIGN_OR_RETURN(const ByteView bytes, package->File(file));
  if (file.ends_with(kLanguageModelSuffix)) {
    FERRY_ASSIGN_OR_RETURN(program->language_models[name], llm::Model::FromBytes(bytes, package));
    // A task whose model is damaged does not start.
    return program->language_models[name]->Ready();
  }
  FERRY_ASSIGN_OR_RETURN(program->models[name], engine::Model::FromBytes(bytes, package));
  return OkStatus();
}

}  // namespace

Result<std::shared_ptr<const llm::Model>> Program::LanguageModel(std::string_view name) const {
  const auto found = language_models.find(std::string(name));
  if (found != language_models.end()) return found->second;
  std::string known;
  for (const auto& [other, model] : language_models) known += (known.empty() ? "" : ", ") + other;
  return Status::Of(Code::kNotFound, "package {} has no language model \"{}\" (it has: {})",
                    package->manifest().name, name, known.empty() ? "none" : known);
}

Result<vm::ModuleFile> Program::Module(std::string_view name) const {
  for (const bool is_package : {false, true}) {
    const std::string file = FileOfModule(is_package ? std::string(name) + ".__init__" : name);
    const std::string compiled = CompiledFile(file);
    const bool has_compiled = package->Has(compiled);
    if (!has_compiled && !package->Has(file)) continue;
    FERRY_ASSIGN_OR_RETURN(ByteView bytes, package->File(has_compiled ? compiled : file));
    vm::ModuleFile module{std::string(AsText(bytes))};
    module.file = file;
    module.package = is_package;
    return module;
  }
  return Status::Of(Code::kNotFound, "package {} has no module {} ({})", package->manifest().name,
                    name, FileOfModule(name));
}

Result<ByteView> Program::File(std::string_view name) const {
  return FindFile(*package, exclusive.get(), name);
}

Result<std::shared_ptr<const Program>> LoadProgram(
    std::shared_ptr<const package::Package> package,
    std::shared_ptr<const ExclusiveFiles> exclusive) {
  const package::Manifest& manifest = package->manifest();
  const std::string title = fmt::format("package {} {}", manifest.name, manifest.version);
  if (manifest.content != "task")
    return Status::Of(Code::kInvalidArgument, "{} holds a {}, not a task", title, manifest.content);
  FERRY_TRY(package->VerifyFiles());  // names the package itself
  auto program = std::make_shared<Program>();
  auto spec = ParseTask(manifest.task).Context("{}: task", title);
  FERRY_ASSIGN_OR_RETURN(program->spec, std::move(spec));
  for (const auto& [name, file] : program->spec.models) {
    FERRY_TRY(LoadModel(package, name, file, program.get())
                  .Context("{}: model {} ({})", title, name, file));
  }
  program->package = std::move(package);
  program->exclusive = std::move(exclusive);
  return std::shared_ptr<const Program>(std::move(program));
}

}  // namespace ferry::task

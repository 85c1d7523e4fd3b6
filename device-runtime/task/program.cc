#include "device-runtime/task/program.h"

namespace ferry::task {

Result<std::string> Program::Source(std::string_view module) const {
  const std::string file = FileOfModule(module);
  if (!package->Has(file))
    return Status::Of(Code::kNotFound, "package {} has no module {} ({})", package->manifest().name,
                      module, file);
  FERRY_ASSIGN_OR_RETURN(ByteView bytes, package->File(file));
  return std::string(AsText(bytes));
}

Result<std::shared_ptr<const Program>> LoadProgram(
    std::shared_ptr<const package::Package> package) {
  const package::Manifest& manifest = package->manifest();
  const std::string title = fmt::format("package {} {}", manifest.name, manifest.version);
  if (manifest.content != "task")
    return Status::Of(Code::kInvalidArgument, "{} holds a {}, not a task", title, manifest.content);
  FERRY_TRY(package->VerifyFiles().Context("{}", title));
  auto program = std::make_shared<Program>();
  auto spec = ParseTask(manifest.task).Context("{}: task", title);
  FERRY_ASSIGN_OR_RETURN(program->spec, std::move(spec));
  for (const auto& [name, file] : program->spec.models) {
    auto bytes = package->File(file).Context("{}: model {}", title, name);
    if (!bytes.ok()) return bytes.status();
    auto model =
        engine::Model::FromBytes(*bytes, package).Context("{}: model {} ({})", title, name, file);
    FERRY_ASSIGN_OR_RETURN(program->models[name], std::move(model));
  }
  program->package = std::move(package);
  return std::shared_ptr<const Program>(std::move(program));
}

}  // namespace ferry::task

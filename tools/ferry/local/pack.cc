#include "tools/ferry/local/pack.h"

#include <algorithm>
#include <map>

#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/trust/targets.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/program.h"
#include "device-runtime/task/task_spec.h"
#include "device-runtime/vm/bytecode.h"
#include "device-runtime/vm/isolate.h"
#include "pipeline/table/rows.h"
#include "policy/requires/requires.h"
#include "tools/ferry/local/declared.h"
#include "tools/ferry/local/given_file.h"
#include "tools/ferry/local/models.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/task/desk_imports.h"

namespace ferry::cli {
namespace {

// What the server and devices would refuse is refused here.
Status CheckSayings(const package::Manifest& manifest) {
  FERRY_TRY(AsStatus(requires_::RequiresFromJson(manifest.requires_)));
  if (manifest.licence.size() > trust::kMaxLicenceBytes)
    return Status::Of(Code::kLimitExceeded, "licence: {} bytes, at most {}",
                      manifest.licence.size(), trust::kMaxLicenceBytes);
  if (manifest.description.size() > trust::kMaxDescriptionBytes)
    return Status::Of(Code::kLimitExceeded, "description: {} bytes, at most {}",
                      manifest.description.size(), trust::kMaxDescriptionBytes);
  return OkStatus();
}

// "at_rest": "sealed" is a requirement of its own: a device without a key cannot keep it so.
void TakeAtRest(const Json& about, package::Manifest& manifest) {
  const auto at_rest = about.find("at_rest");
  if (at_rest != about.end()) manifest.requires_["at_rest"] = *at_rest;
}

// Collects what goes into a package.
class Packer {
 public:
  Packer(std::string folder, bool with_source)
      : folder_(std::move(folder)), with_source_(with_source) {}

  Status AddTask();
  Status SetAbout(std::string_view text);  // of a model: {"requires","licence","description"}
  Status AddModel(const std::string& name, const std::string& path, const std::string& file);
  Result<Json> Write(const PackRequest& request);

  package::Manifest manifest;

 private:
  std::string At(const std::string& file) const { return sys::JoinPath(folder_, file); }
  Status AddFile(const std::string& path);
  Status AddScript(const std::string& path);
  Status FindScripts(const std::string& folder, std::vector<std::string>* out);
  Status AddScripts();
  Status RefuseDeskImports(const std::string& script) const;
  Status AddExtras();
  Status AddModels();
  Status AddCases(const char* member, Json& into);
  Status AddDeclaredParts();
  Status AddRows(const flow::Definition& definition);

  std::string folder_;
  bool with_source_;
  std::map<std::string, Bytes> files_;          // by path in the package
  std::map<std::string, std::string> sources_;  // of the scripts, by path in the folder
  Json models_ = Json::object();
};

Status Packer::AddFile(const std::string& path) {
  if (files_.contains(path)) return OkStatus();
  if (!package::IsFilePath(path)) {
    return Status::Of(Code::kInvalidArgument, "\"{}\" is no path for a file of a package", path);
  }
  FERRY_ASSIGN_OR_RETURN(files_[path], sys::ReadFile(sys::SystemFileSystem(), At(path)));
  return OkStatus();
}

// The package carries scripts compiled.
Status Packer::AddScript(const std::string& path) {
  const std::string compiled = task::CompiledFile(path);
  if (files_.contains(compiled)) return OkStatus();
  if (!package::IsFilePath(path)) {
    return Status::Of(Code::kInvalidArgument, "\"{}\" is no path for a file of a package", path);
  }
  FERRY_ASSIGN_OR_RETURN(const Bytes source,
                         sys::ReadFile(sys::SystemFileSystem(), At(path), vm::kMaxSourceBytes));
  FERRY_ASSIGN_OR_RETURN(const std::string bytes,
                         vm::CompileToBytecode(AsText(source), At(path), with_source_));
  files_[compiled] = ToBytes(bytes);
  sources_[path] = AsText(source);
  return OkStatus();
}

// Devices do not have the desk library: a script that would ask for it there is no task.
Status Packer::RefuseDeskImports(const std::string& script) const {
  const auto source = [this](const std::string& path) -> std::optional<std::string> {
    const auto found = sources_.find(path);
    return found == sources_.end() ? std::nullopt : std::optional(found->second);
  };
  FERRY_ASSIGN_OR_RETURN(const auto imports, FindDeskImports(folder_, script, source));
  return imports.empty() ? OkStatus() : Status(Code::kUnsupported, imports[0].message);
}

// The .py files of `folder` and of the packages in it: folders with an __init__.py.
Status Packer::FindScripts(const std::string& folder, std::vector<std::string>* out) {
  FERRY_ASSIGN_OR_RETURN(const auto names,
                         sys::SystemFileSystem().List(folder.empty() ? folder_ : At(folder)));
  for (const std::string& name : names) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    if (name.ends_with(".py")) out->push_back(path);
    if (sys::SystemFileSystem().Stat(At(path + "/__init__.py")).ok())
      FERRY_TRY(FindScripts(path, out));
  }
  return OkStatus();
}

// "script", and "modules" or, without that, every script beside it.
Status Packer::AddScripts() {
  FERRY_ASSIGN_OR_RETURN(const std::string script, GetString(manifest.task, "script"));
  FERRY_TRY(GetStringOr(manifest.task, "entry", ""));
  FERRY_TRY(AddScript(script));
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> modules, GetStringsOr(manifest.task, "modules"));
  if (!manifest.task.contains("modules")) {
    FERRY_TRY(FindScripts("", &modules));
    std::erase(modules, script);
    manifest.task["modules"] = modules;
  }
  for (const std::string& module : modules) FERRY_TRY(AddScript(module));
  return RefuseDeskImports(script);
}

Status Packer::AddModel(const std::string& name, const std::string& path, const std::string& file) {
  if (path.ends_with(task::kAdapterSuffix)) {
    FERRY_ASSIGN_OR_RETURN(models_[name], DescribeAdapterFile(path));
    FERRY_ASSIGN_OR_RETURN(files_[file], sys::ReadFile(sys::SystemFileSystem(), path));
    return OkStatus();
  }
  if (path.ends_with(task::kLanguageModelSuffix)) {
    FERRY_ASSIGN_OR_RETURN(models_[name], DescribeLanguageModel(path));
    FERRY_ASSIGN_OR_RETURN(files_[file], sys::ReadFile(sys::SystemFileSystem(), path));
    return OkStatus();
  }
  if (!path.ends_with(".onnx")) {
    FERRY_ASSIGN_OR_RETURN(const auto model, OpenModel(path));
    models_[name] = DescribeModel(model);
    FERRY_ASSIGN_OR_RETURN(files_[file], sys::ReadFile(sys::SystemFileSystem(), path));
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(ConvertedModel converted, ConvertOnnx(path));
  models_[name] = std::move(converted.summary);
  files_[file] = std::move(converted.file);
  return OkStatus();
}

// {"digits": "digits.onnx"} becomes {"digits": "digits.fm"}.
Status Packer::AddModels() {
  FERRY_ASSIGN_OR_RETURN(const Json* models, GetObjectOrNull(manifest.task, "models"));
  if (models == nullptr) return OkStatus();
  Json renamed = Json::object();
  for (const auto& [name, value] : models->items()) {
    if (!value.is_string()) {
      return Status::Of(Code::kMalformed, "field \"models\": \"{}\" is no file name", name);
    }
    const std::string source = value.get<std::string>();
    if (!package::IsFilePath(source)) {
      return Status::Of(Code::kInvalidArgument, "model \"{}\": \"{}\" is no path for a file", name,
                        source);
    }
    std::string file = source;
    if (file.ends_with(".onnx")) file = file.substr(0, file.size() - 5) + ".fm";
    if (files_.contains(file)) {
      return Status::Of(Code::kAlreadyExists, "model \"{}\": two files would be \"{}\"", name,
                        file);
    }
    FERRY_TRY(AddModel(name, At(source), file).Context("model \"{}\"", name));
    renamed[name] = std::move(file);
  }
  manifest.task["models"] = std::move(renamed);
  return OkStatus();
}

// What the script declares beside its functions. It sees the package's own files, not its scripts.
Status Packer::AddDeclaredParts() {
  FERRY_ASSIGN_OR_RETURN(const std::string script, GetString(manifest.task, "script"));
  return AddDeclared({folder_, script, &sources_, &files_}, &manifest.task);
}

// "probe" or "simulation": its object goes into the manifest, its cases into the package.
Status Packer::AddCases(const char* member, Json& into) {
  FERRY_ASSIGN_OR_RETURN(const Json* object, GetObjectOrNull(manifest.task, member));
  if (object == nullptr) return OkStatus();
  into = *object;
  FERRY_ASSIGN_OR_RETURN(const std::string file, GetStringOr(*object, "cases", ""));
  if (file.empty()) return OkStatus();
  FERRY_TRY(AddFile(file).Context("field \"{}\"", member));
  return AsStatus(ParseJson(AsText(files_[file]))).Context("{}", At(file));
}

// Files that tables begin with, read here as every device reads them.
Status Packer::AddRows(const flow::Definition& definition) {
  for (const table::Definition& table : definition.tables) {
    if (table.rows.empty()) continue;
    FERRY_TRY(AddFile(table.rows).Context("rows of table {}", table.name));
    FERRY_TRY(AsStatus(table::ReadRows(table, At(table.rows), AsText(files_[table.rows]))));
  }
  return OkStatus();
}

Status Packer::AddTask() {
  FERRY_ASSIGN_OR_RETURN(
      const Bytes text, sys::ReadFile(sys::SystemFileSystem(), At("task.json"), kMaxTaskJsonBytes));
  FERRY_ASSIGN_OR_RETURN(manifest.task, ParseJson(AsText(text)));
  FERRY_ASSIGN_OR_RETURN(manifest.name, GetString(manifest.task, "name"));
  FERRY_ASSIGN_OR_RETURN(manifest.version, GetString(manifest.task, "version"));
  FERRY_TRY(AddExtras());
  FERRY_TRY(AddScripts());
  FERRY_TRY(AddModels());
  FERRY_TRY(AddDeclaredParts());
  FERRY_ASSIGN_OR_RETURN(const task::TaskSpec spec, task::ParseTask(manifest.task));
  FERRY_TRY(AddRows(*spec.flow));
  FERRY_TRY(AddCases("probe", manifest.probe));
  FERRY_TRY(AddCases("simulation", manifest.simulation));
  return OkStatus();
}

// Members of task.json that only packing reads: "resources" (files to carry), and what the package
// says of itself.
Status Packer::AddExtras() {
  FERRY_ASSIGN_OR_RETURN(const auto resources, GetStringsOr(manifest.task, "resources"));
  for (const std::string& resource : resources) FERRY_TRY(AddFile(resource));
  FERRY_ASSIGN_OR_RETURN(const Json* needs, GetObjectOrNull(manifest.task, "requires"));
  if (needs != nullptr) manifest.requires_ = *needs;
  TakeAtRest(manifest.task, manifest);
  FERRY_ASSIGN_OR_RETURN(manifest.licence, GetStringOr(manifest.task, "licence", ""));
  FERRY_ASSIGN_OR_RETURN(manifest.description, GetStringOr(manifest.task, "description", ""));
  for (const char* member : {"resources", "requires", "at_rest", "licence", "description"})
    manifest.task.erase(member);
  return CheckSayings(manifest);
}

Status Packer::SetAbout(std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const Json about, ParseJson(text));
  FERRY_ASSIGN_OR_RETURN(const Json* needs, GetObjectOrNull(about, "requires"));
  if (needs != nullptr) manifest.requires_ = *needs;
  TakeAtRest(about, manifest);
  FERRY_ASSIGN_OR_RETURN(manifest.licence, GetStringOr(about, "licence", ""));
  FERRY_ASSIGN_OR_RETURN(manifest.description, GetStringOr(about, "description", ""));
  return CheckSayings(manifest);
}

Result<Json> Packer::Write(const PackRequest& request) {
  std::vector<package::SourceFile> sources;
  Json list = Json::array();
  for (const auto& [path, bytes] : files_) {
    sources.push_back({path, bytes});
    list.push_back({{"path", path}, {"length", bytes.size()}});
  }
  FERRY_TRY(package::WritePackageFile(sys::SystemFileSystem(), request.out, manifest,
                                      std::move(sources)));
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(request.out));
  return Json{{"package", manifest.name},    {"version", manifest.version},
              {"content", manifest.content}, {"file", request.out},
              {"bytes", info.size},          {"files", std::move(list)},
              {"models", std::move(models_)}};
}

Result<Json> PackModel(const PackRequest& request) {
  if (request.name.empty() || request.version.empty()) {
    return Status(Code::kInvalidArgument, "a model's package needs --name and --package-version");
  }
  Packer packer("", false);
  packer.manifest.name = request.name;
  packer.manifest.version = request.version;
  packer.manifest.content = "model";
  if (!request.about.empty()) {
    FERRY_ASSIGN_OR_RETURN(
        const Bytes text, sys::ReadFile(sys::SystemFileSystem(), request.about, kMaxTaskJsonBytes));
    FERRY_TRY(packer.SetAbout(AsText(text)).Context("{}", request.about));
  }
  std::string suffix = ".fm";
  for (const std::string_view kept : {task::kLanguageModelSuffix, task::kAdapterSuffix}) {
    if (request.source.ends_with(kept)) suffix = kept;
  }
  FERRY_TRY(packer.AddModel(request.name, request.source, request.name + suffix));
  return packer.Write(request);
}

}  // namespace

Result<Json> Pack(const PackRequest& request) {
  FERRY_TRY(CheckGiven(request.source));
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(request.source));
  if (!info.is_directory) return PackModel(request);
  Packer packer(request.source, request.with_source);
  FERRY_TRY(packer.AddTask().Context("{}", sys::JoinPath(request.source, "task.json")));
  if (request.git) {
    FERRY_TRY(trust::CheckOrigin(*request.git, packer.manifest.name, packer.manifest.version)
                  .Context("{}", sys::JoinPath(request.source, "task.json")));
    packer.manifest.git = request.git;
  }
  FERRY_ASSIGN_OR_RETURN(Json out, packer.Write(request));
  if (request.load) {
    const Working working("loading " + request.out);
    const auto host = task::TaskHost::LoadFile(sys::SystemFileSystem(), request.out, {});
    if (!host.ok()) {
      (void)sys::SystemFileSystem().RemoveTree(request.out);
      return host.status().Context("the packed task does not load");
    }
  }
  return out;
}

}  // namespace ferry::cli

// A package's task, loaded: what all running copies of it share. Immutable; any thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/package/reader.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/task/files/exclusive_files.h"
#include "device-runtime/task/task_spec.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::task {

// What a file of a language model ends with: it is mapped as it is, not compiled.
inline constexpr std::string_view kLanguageModelSuffix = ".flm";
// A file of an adapter of a language model, which may be in another package.
inline constexpr std::string_view kAdapterSuffix = ".fla";

struct Program {
  std::shared_ptr<const package::Package> package;
  std::shared_ptr<const ExclusiveFiles> exclusive;  // null: none
  TaskSpec spec;
  std::map<std::string, std::shared_ptr<const engine::Model>> models;
  // Their weights lie in the package, which they keep open.
  std::map<std::string, std::shared_ptr<const llm::Model>> language_models;

  // kNotFound names those that there are.
  Result<std::shared_ptr<const llm::Model>> LanguageModel(std::string_view name) const;

  // Of this device alone, else of the package; kNotFound.
  Result<ByteView> File(std::string_view name) const;

  // A module of the package, compiled or as source text; kNotFound.
  Result<vm::ModuleFile> Module(std::string_view name) const;
};

// Checks the hashes of all files, reads the manifest's task and loads its models. Errors name the
// package and the file.
Result<std::shared_ptr<const Program>> LoadProgram(std::shared_ptr<const package::Package> package,
                                                   std::shared_ptr<const ExclusiveFiles> exclusive);

}  // namespace ferry::task

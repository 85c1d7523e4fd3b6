// The isolate in which a script's top level runs when its task is packed: it has the task's
// modules, models and files, and collects what ferry.stream declares.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/bindings/host.h"
#include "device-runtime/vm/isolate.h"
#include "tools/ferry/local/declared.h"

namespace ferry::cli {

class DeclaringHost : public bindings::Host {
 public:
  // What `ground` points to and `task` outlive the host.
  DeclaringHost(const ScriptGround& ground, const Json& task) : ground_(ground), task_(task) {}

  // Runs the script's top level. Errors are the script's.
  Status Run();
  // A variable of the script; kNotFound.
  Result<vm::Value> Global(const std::string& name);
  std::vector<bindings::Declaration>& declared() { return declared_; }

  // bindings::Host
  Result<std::shared_ptr<const engine::Model>> LoadModel(std::string_view name) override;
  Result<std::shared_ptr<const llm::Model>> LoadLanguageModel(std::string_view name) override;
  std::vector<std::string> FileNames() override;
  Result<ByteView> ReadFile(std::string_view name) override;
  Status Emit(std::string_view, Json) override { return OkStatus(); }
  int64_t NowMs() override;
  std::vector<bindings::Declaration>* Declarations() override { return &declared_; }

 private:
  Result<vm::ModuleFile> Module(std::string_view name) const;
  Result<ByteView> ModelFile(std::string_view name) const;

  const ScriptGround& ground_;
  const Json& task_;
  std::vector<bindings::Declaration> declared_;
  std::string module_;
  std::unique_ptr<vm::Isolate> isolate_;  // last: it uses the rest
};

}  // namespace ferry::cli

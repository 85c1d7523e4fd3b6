#include <map>

#include "common/package/manifest.h"
#include "device-runtime/agent/run/runner.h"
#include "device-runtime/task/program.h"

namespace ferry::agent {
namespace {

class TaskRunner : public PackageRunner {
 public:
  explicit TaskRunner(std::unique_ptr<task::TaskHost> host) : host_(std::move(host)) {}
  Status Probe() override { return host_->Probe(); }
  task::EventOutcome OnEvent(event::Event event) override {
    return host_->OnEvent(std::move(event));
  }
  void Advance() override { host_->Advance(); }
  void Close() override { host_->Close(); }
  task::HostStats stats() const override { return host_->stats(); }
  Result<std::shared_ptr<const llm::Model>> LanguageModel(std::string_view name) override {
    return host_->LanguageModel(name);
  }

 private:
  std::unique_ptr<task::TaskHost> host_;
};

// A package of content "model": held for apps that ask for it, without a task to run.
class ModelRunner : public PackageRunner {
 public:
  explicit ModelRunner(std::shared_ptr<const package::Package> package)
      : package_(std::move(package)) {}
  Status Probe() override { return OkStatus(); }
  task::EventOutcome OnEvent(event::Event) override { return {}; }
  void Advance() override {}
  void Close() override {}
  task::HostStats stats() const override { return {}; }
  // Opened when it is first asked for: a device may hold models that no session needs.
  Result<std::shared_ptr<const llm::Model>> LanguageModel(std::string_view name) override {
    const std::string file = std::string(name) + std::string(task::kLanguageModelSuffix);
    if (const auto open = open_.find(file); open != open_.end()) return open->second;
    FERRY_ASSIGN_OR_RETURN(const ByteView bytes, package_->File(file));
    FERRY_ASSIGN_OR_RETURN(open_[file], llm::Model::FromBytes(bytes, package_).Context("{}", file));
    return open_[file];
  }

 private:
  std::shared_ptr<const package::Package> package_;
  std::map<std::string, std::shared_ptr<const llm::Model>> open_;
};

}  // namespace

RunnerLoader TaskRunnerLoader(sys::FileSystem& fs, const task::HostOptions& options) {
  return [&fs, options](const std::string& path) -> Result<std::unique_ptr<PackageRunner>> {
    FERRY_ASSIGN_OR_RETURN(auto package, package::Package::OpenFile(fs, path));
    if (package.manifest().content == "model") {
      FERRY_TRY(package.VerifyFiles());
      return std::unique_ptr<PackageRunner>(std::make_unique<ModelRunner>(
          std::make_shared<const package::Package>(std::move(package))));
    }
    FERRY_ASSIGN_OR_RETURN(
        auto host, task::TaskHost::Load(
                       std::make_shared<const package::Package>(std::move(package)), options));
    return std::unique_ptr<PackageRunner>(std::make_unique<TaskRunner>(std::move(host)));
  };
}

}  // namespace ferry::agent

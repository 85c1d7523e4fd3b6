#include "device-runtime/agent/run/runner.h"

#include <map>

#include "common/package/manifest.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/program.h"
#include "device-runtime/task/task_set.h"

namespace ferry::agent {
namespace {

// A package of content "model": held for apps that ask for it, without a task to run.
class ModelRunner : public PackageRunner {
 public:
  ModelRunner(std::shared_ptr<const package::Package> package,
              std::shared_ptr<const task::ExclusiveFiles> exclusive)
      : package_(std::move(package)), exclusive_(std::move(exclusive)) {}
  Status Probe() override { return OkStatus(); }
  std::shared_ptr<const flow::Definition> definition() const override { return nullptr; }
  task::EventOutcome Run(const flow::Start&) override { return {}; }
  task::HostStats stats() const override { return {}; }
  // Opened when it is first asked for: a device may hold models that no session needs.
  Result<std::shared_ptr<const llm::Model>> LanguageModel(std::string_view name) override {
    const std::string file = std::string(name) + std::string(task::kLanguageModelSuffix);
    if (const auto open = open_.find(file); open != open_.end()) return open->second;
    FERRY_ASSIGN_OR_RETURN(const ByteView bytes, package_->File(file));
    FERRY_ASSIGN_OR_RETURN(open_[file], llm::Model::FromBytes(bytes, package_).Context("{}", file));
    return open_[file];
  }
  Result<Bytes> ReadFile(std::string_view name) override {
    FERRY_ASSIGN_OR_RETURN(const ByteView bytes, task::FindFile(*package_, exclusive_.get(), name));
    return ToBytes(bytes);
  }

 private:
  std::shared_ptr<const package::Package> package_;
  std::shared_ptr<const task::ExclusiveFiles> exclusive_;
  std::map<std::string, std::shared_ptr<const llm::Model>> open_;
};

}  // namespace

RunnerLoader TaskRunnerLoader(sys::FileSystem& fs, const task::TaskSet& set) {
  return [&fs, &set](const std::string& path,
                     const task::OwnDirectories& files) -> Result<std::unique_ptr<PackageRunner>> {
    task::HostOptions options = set.host_options(kTaskGroup);
    FERRY_ASSIGN_OR_RETURN(options.exclusive, task::OpenOwnFiles(fs, files));
    FERRY_ASSIGN_OR_RETURN(auto package, package::Package::OpenFile(fs, path));
    if (package.manifest().content == "model") {
      FERRY_TRY(package.VerifyFiles());
      return std::unique_ptr<PackageRunner>(std::make_unique<ModelRunner>(
          std::make_shared<const package::Package>(std::move(package)), options.exclusive));
    }
    FERRY_ASSIGN_OR_RETURN(
        auto host, task::TaskHost::Load(
                       std::make_shared<const package::Package>(std::move(package)), options));
    return std::unique_ptr<PackageRunner>(std::move(host));
  };
}

}  // namespace ferry::agent

#include "cloud-server/verify/source.h"

#include "common/package/manifest.h"
#include "common/package/reader.h"

namespace ferry::server {
namespace {

constexpr std::string_view kModelSuffix = ".flm";

// The path of the only model file in `package`.
Result<std::string> ModelFileOf(const package::Package& package) {
  std::string found;
  for (const auto& file : package.manifest().files) {
    if (!file.path.ends_with(kModelSuffix)) continue;
    if (!found.empty()) {
      return Status::Of(Code::kBadPackage, "it has two language models: {} and {}", found,
                        file.path);
    }
    found = file.path;
  }
  if (found.empty()) {
    return Status::Of(Code::kBadPackage, "no file of it is a language model (*{})", kModelSuffix);
  }
  return found;
}

}  // namespace

Result<TargetName> ParseTargetName(std::string_view text) {
  TargetName name;
  const size_t at = text.find('@');
  name.package = text.substr(0, at);
  if (at != std::string_view::npos) name.version = text.substr(at + 1);
  if (name.package.empty() || (at != std::string_view::npos && name.version.empty())) {
    return Status::Of(Code::kInvalidArgument, "\"{}\" is not PACKAGE or PACKAGE@VERSION", text);
  }
  return name;
}

Result<std::string> TargetSource::Version(const TargetName& name) const {
  std::string version;
  FERRY_TRY(store_.Read([&](Transaction& tx) -> Status {
    if (!name.version.empty()) {
      FERRY_ASSIGN_OR_RETURN(const PackageRow row, tx.packages().Get(name.package, name.version));
      version = row.version;
      return OkStatus();
    }
    FERRY_ASSIGN_OR_RETURN(const std::vector<PackageRow> rows, tx.packages().All());
    // In the order of their release counters.
    for (const PackageRow& row : rows) {
      if (row.name == name.package) version = row.version;
    }
    return OkStatus();
  }));
  if (version.empty()) {
    return Status::Of(Code::kNotFound, "no version of package {} is published", name.package);
  }
  return version;
}

Result<std::shared_ptr<const llm::Model>> TargetSource::Open(const std::string& package,
                                                             const std::string& version) const {
  const auto open = [&]() -> Result<std::shared_ptr<const llm::Model>> {
    FERRY_TRY(fs_.RemoveTree(folder_));
    FERRY_TRY(fs_.MakeDirectories(folder_));
    const std::string path = sys::JoinPath(folder_, "target.fpk");
    FERRY_TRY(registry_.OpenPackage(package, version, fs_, path));
    auto opened = package::Package::OpenFile(fs_, path);
    // Mapped, it needs no name any more; nor does a damaged one.
    FERRY_TRY(fs_.RemoveTree(folder_));
    FERRY_TRY(opened.status());
    const auto owner = std::make_shared<package::Package>(std::move(*opened));
    FERRY_ASSIGN_OR_RETURN(const std::string file, ModelFileOf(*owner));
    FERRY_ASSIGN_OR_RETURN(const ByteView bytes, owner->VerifiedFile(file));
    FERRY_ASSIGN_OR_RETURN(auto made, llm::Model::FromBytes(bytes, owner));
    FERRY_TRY(made->Ready());
    return made;
  };
  auto model = open();
  if (!model.ok()) return model.status().Context("target {} {}", package, version);
  return model;
}

}  // namespace ferry::server

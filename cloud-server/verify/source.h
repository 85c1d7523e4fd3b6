// Targets out of the registry: a published package that holds one model file, opened with the
// server's escrow key.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cloud-server/registry/registry.h"
#include "cloud-server/store/store.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/model.h"

namespace ferry::server {

struct TargetName {
  std::string package;
  std::string version;  // empty: the newest that is published
};
// "pair-target" or "pair-target@1.0.0"; kInvalidArgument.
Result<TargetName> ParseTargetName(std::string_view text);

// Any thread.
class TargetSource {
 public:
  // Plain packages lie in `folder` for as long as they are being opened; it is emptied first.
  TargetSource(Store& store, Registry& registry, sys::FileSystem& fs, std::string folder)
      : store_(store), registry_(registry), fs_(fs), folder_(std::move(folder)) {}

  // The version to serve; kNotFound when none is published.
  Result<std::string> Version(const TargetName& name) const;
  // Errors name package and version: kBadPackage (no model file in it, or several), kBadModel,
  // those of Registry::OpenPackage.
  Result<std::shared_ptr<const llm::Model>> Open(const std::string& package,
                                                 const std::string& version) const;

 private:
  Store& store_;
  Registry& registry_;
  sys::FileSystem& fs_;
  std::string folder_;
};

}  // namespace ferry::server

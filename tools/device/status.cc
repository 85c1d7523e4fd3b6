#include <cstdio>

#include "common/base/json.h"
#include "device-runtime/agent/state/identity.h"
#include "device-runtime/agent/state/journal.h"
#include "device-runtime/agent/state/slots.h"
#include "tools/device/commands.h"

namespace ferry::device {
namespace {

Result<Json> ReadStatus(const std::string& directory) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const auto identity, agent::LoadIdentity(fs, directory));
  FERRY_ASSIGN_OR_RETURN(const auto journal, agent::Journal::Open(fs, directory));
  const agent::Slots slots(fs, directory);
  Json packages = Json::object();
  FERRY_ASSIGN_OR_RETURN(const auto names, slots.Packages());
  for (const std::string& name : names) {
    const auto read = slots.Read(name);
    if (!read.ok()) {  // the device makes it from the slots when it starts
      packages[name] = {{"error", read.status().message()}};
      continue;
    }
    const std::optional<agent::Current>& current = *read;
    if (!current) continue;
    packages[name] = {{"version", current->now.running.version},
                      {"release", current->now.release},
                      {"slot", current->now.slot},
                      {"trying", current->trying},
                      {"timeline", journal.VersionsOf(name)}};
  }
  Json status = {{"device_id", identity.device_id},
                 {"tenant", identity.join.tenant},
                 {"server", identity.join.host + ":" + std::to_string(identity.join.port)},
                 {"enrolled", identity.enrolled},
                 {"packages", std::move(packages)}};
  journal.AddTo(&status);
  return status;
}

void PrintText(const Json& status) {
  const auto text = [](const Json& object, const char* key) {
    return GetStringOr(object, key, "").value_or("");
  };
  std::printf("device   %s\nserver   %s\n", text(status, "device_id").c_str(),
              text(status, "server").c_str());
  const auto packages = GetObject(status, "packages");
  if (!packages.ok()) return;
  for (const auto& [name, package] : (*packages)->items()) {
    if (package.contains("error")) {
      std::printf("package  %s cannot be read: %s\n", name.c_str(), text(package, "error").c_str());
      continue;
    }
    std::printf("package  %s %s (slot %s, release %s)\n", name.c_str(),
                text(package, "version").c_str(), text(package, "slot").c_str(),
                text(package, "release").c_str());
  }
  const auto error = GetObjectOrNull(status, "last_error");
  if (error.ok() && *error != nullptr) {
    std::printf("error    %s: %s\n", text(**error, "name").c_str(), text(**error, "text").c_str());
  }
}

}  // namespace

int PrintStatus(const StatusOptions& options) {
  const auto status = ReadStatus(options.directory);
  if (!status.ok()) {
    if (options.json) {
      const ErrorInfo& info = InfoOf(status.code());
      const Json error = {{"code", static_cast<int>(info.code)},
                          {"name", info.name},
                          {"text", status.status().message()}};
      std::printf("%s\n", WriteJson(Json{{"error", error}}).c_str());
    }
    std::fprintf(stderr, "ferry-device: %s\n", status.status().ToString().c_str());
    return 1;
  }
  if (options.json) {
    std::printf("%s\n", WriteJson(*status).c_str());
  } else {
    PrintText(*status);
  }
  return 0;
}

}  // namespace ferry::device

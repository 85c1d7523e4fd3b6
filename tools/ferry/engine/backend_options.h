// --backend and --placement of the commands that run models.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "device-runtime/engine/engine.h"

namespace ferry::cli {

struct BackendOptions {
  std::string backend;    // names with commas; "": FERRY_BACKEND, else the CPU alone
  std::string placement;  // "" and "cost", "random:SEED"
};

// `options` lives as long as the command.
void AddBackendOptions(CLI::App* command, BackendOptions& options);
// kInvalidArgument for another placement. Names are looked at when a session is made.
Status ApplyBackendOptions(const BackendOptions& options, engine::SessionOptions& session);

}  // namespace ferry::cli

#include "tools/ferry/engine/backend_options.h"

#include <charconv>
#include <string_view>

namespace ferry::cli {

void AddBackendOptions(CLI::App* command, BackendOptions& options) {
  command->add_option(
      "--backend", options.backend,
      "devices beside the CPU that may run steps, names with commas (ferry backends "
      "lists them); the environment variable FERRY_BACKEND wins over it");
  command->add_option("--placement", options.placement,
                      "which of them runs a step: cost (default), or random:SEED for tests");
}

Status ApplyBackendOptions(const BackendOptions& options, engine::SessionOptions& session) {
  constexpr std::string_view kRandom = "random:";
  session.backend_names = options.backend;
  const std::string_view placement = options.placement;
  if (placement.empty() || placement == "cost") return OkStatus();
  uint64_t seed = 0;
  const char* end = placement.data() + placement.size();
  if (placement.starts_with(kRandom)) {
    const auto [at, error] = std::from_chars(placement.data() + kRandom.size(), end, seed);
    if (error == std::errc() && at == end) {
      session.placement = {.is_random = true, .seed = seed};
      return OkStatus();
    }
  }
  return Status::Of(Code::kInvalidArgument, "--placement: '{}' is neither cost nor random:SEED",
                    placement);
}

}  // namespace ferry::cli

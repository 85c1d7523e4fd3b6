// `ferry serve`: a model behind an OpenAI-compatible HTTP interface, until SIGTERM or Ctrl-C.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/ferry/command.h"
#include "tools/ferry/llm/serve/responders.h"
#include "tools/ferry/serve/service.h"

namespace ferry::cli {

inline constexpr int kServeGraceMs = 5'000;  // for running requests after a signal

struct ServeOptions {
  ResponderOptions responder;
  std::optional<std::string> host;  // 127.0.0.1 unless given
  uint16_t port = 8080;
  std::vector<std::string> names;  // that calls may give as host, off loopback
  std::string name;                // of the model on the wire; its file's by default
  int64_t max_tokens = 1024;
};

Result<Output> Serve(const ServeOptions& options, bool json);

}  // namespace ferry::cli

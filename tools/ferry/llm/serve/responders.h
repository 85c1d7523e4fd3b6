// Which responder a command line asks for.
#pragma once

#include <memory>

#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/serve/local_responder.h"
#include "tools/ferry/llm/serve/responder.h"
#include "tools/ferry/split/split_responder.h"

namespace ferry::cli {

struct ResponderOptions {
  ModelOptions model;
  LocalOptions local;
  SplitOptions split;
};

// MODEL and how it is run, or --split.
void AddResponderOptions(CLI::App* command, ResponderOptions& options);
Result<std::unique_ptr<Responder>> MakeResponder(const ResponderOptions& options);

}  // namespace ferry::cli

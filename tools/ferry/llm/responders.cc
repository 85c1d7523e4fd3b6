#include "tools/ferry/llm/responders.h"

namespace ferry::cli {

void AddResponderOptions(CLI::App* command, ResponderOptions& options) {
  AddModelOptions(command, options.model);
}

Result<std::unique_ptr<Responder>> MakeResponder(const ResponderOptions& options) {
  FERRY_ASSIGN_OR_RETURN(OpenedModel opened, OpenModel(options.model));
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<LocalResponder> local,
                         LocalResponder::Create(std::move(opened), options.local));
  return std::unique_ptr<Responder>(std::move(local));
}

}  // namespace ferry::cli

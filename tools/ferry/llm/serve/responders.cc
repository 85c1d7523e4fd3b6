#include "tools/ferry/llm/serve/responders.h"

namespace ferry::cli {

void AddResponderOptions(CLI::App* command, ResponderOptions& options) {
  CLI::Option* model = command->add_option("model", options.model.model,
                                           "a Hugging Face folder or a .flm file, or --split");
  AddRunOptions(command, options.model);
  AddLoraOption(command, options.model);
  CLI::Option* split = AddSplitOptions(command, options.split);
  model->excludes(split);
  command->parse_complete_callback([model, split] {
    if (model->empty() && split->empty()) throw CLI::RequiredError("a model, or --split");
  });
}

Result<std::unique_ptr<Responder>> MakeResponder(const ResponderOptions& options) {
  if (options.split.split) {
    SplitOptions device = options.split;
    device.adapters = options.model.lora;
    FERRY_ASSIGN_OR_RETURN(
        std::unique_ptr<SplitResponder> split,
        SplitResponder::Create(device, options.model.threads, options.model.kv_mb << 20));
    return std::unique_ptr<Responder>(std::move(split));
  }
  FERRY_ASSIGN_OR_RETURN(OpenedModel opened, OpenModel(options.model));
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<LocalResponder> local,
                         LocalResponder::Create(std::move(opened), options.local));
  return std::unique_ptr<Responder>(std::move(local));
}

}  // namespace ferry::cli

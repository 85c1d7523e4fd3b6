// ferry serve: a model behind an OpenAI-compatible HTTP interface.
#include "tools/ferry/serve/serve.h"

namespace ferry::cli {

void AddServeCommand(Commands& commands) {
  const auto options = std::make_shared<ServeOptions>();
  CLI::App* serve = commands.Add(
      nullptr, "serve", "answer OpenAI-compatible calls: /v1/chat/completions, /v1/completions",
      "ferry serve MODEL --port 8080",
      [options](const GlobalOptions& global) { return Serve(*options, global.json); });
  AddResponderOptions(serve, options->responder);
  serve->add_option("--host", options->host,
                    "address to listen on; this machine alone (127.0.0.1) by default");
  serve->add_option("--port", options->port, "port; 0 for any free one")->capture_default_str();
  serve->add_option("--known-as", options->names,
                    "a name that calls may give as their host when --host is no loopback address, "
                    "besides addresses and this machine's name; repeatable");
  serve->add_option("--name", options->name, "the model's name in calls; its file's by default");
  serve
      ->add_option("--max-tokens", options->max_tokens,
                   "most tokens of a chat answer that names no limit")
      ->check(CLI::Range(int64_t{1}, llm::kMaxContext))
      ->capture_default_str();
  serve
      ->add_option("--max-requests", options->responder.local.max_requests,
                   "requests computed at once; more wait")
      ->check(CLI::Range(int64_t{1}, int64_t{256}))
      ->capture_default_str();
}

}  // namespace ferry::cli

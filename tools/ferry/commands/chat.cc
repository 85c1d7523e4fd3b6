// ferry chat: a conversation with a language model.
#include "tools/ferry/chat/chat.h"

namespace ferry::cli {

void AddChatCommand(Commands& commands) {
  const auto options = std::make_shared<ChatOptions>();
  CLI::App* chat =
      commands.Add(nullptr, "chat", "talk with a language model; /help there lists its commands",
                   "ferry chat MODEL --system \"Be brief.\" --temperature 0.7",
                   [options](const GlobalOptions& global) { return Chat(*options, global.json); });
  AddResponderOptions(chat, options->responder);
  AddSamplingOptions(chat, options->sampling);
  chat->add_option("--system", options->system, "the system text");
  chat->add_option("--template", options->use_template,
                   "the model's chat template: auto (when it has one), on, off (continue the text)")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  chat->add_flag_callback(
      "--no-history", [options] { options->history = false; },
      "keep no history of the lines typed here");
  chat->add_option("--max-new", options->max_new, "most tokens of an answer")
      ->check(CLI::Range(int64_t{1}, llm::kMaxContext))
      ->capture_default_str();
}

}  // namespace ferry::cli

// The calls of `ferry serve`: which path does what, and one completion from its body to its answer.
// Source: calls after OpenAI's API reference.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/ferry/llm/chat_prompt.h"
#include "tools/ferry/llm/serve/responder.h"
#include "tools/ferry/serve/answer.h"
#include "tools/ferry/serve/http.h"

namespace ferry::cli {

inline constexpr int64_t kDefaultTextTokens = 16;  // of /v1/completions, as the API has it

struct ServiceOptions {
  std::string model;               // its name on the wire; no adapter has it
  int64_t chat_max_tokens = 1024;  // of an answer that does not say
  bool only_loopback = true;       // calls must name a loopback host
  std::vector<std::string> names;  // else an address, or one of these
  bool log = true;                 // a line a call on standard error, without what was said
};

// Any thread. Borrows the responder.
class Service {
 public:
  Service(Responder& responder, ServiceOptions options);
  void Handle(const HttpCall& call, HttpReply& reply);

 private:
  void Complete(CompletionKind kind, const HttpCall& call, HttpReply& reply);
  // `client`: address and key, for who calls with another key is another client.
  Result<ReplyRequest> ToRequest(const CompletionRequest& asked, const std::string& client,
                                 std::string* param) const;
  Result<std::vector<llm::TokenId>> ToPrompt(const CompletionRequest& asked,
                                             std::string* param) const;
  Status CheckOrigin(const HttpCall& call) const;
  // Whether a name is the model's or an adapter's.
  bool Serves(const std::string& name) const;
  Json ModelCard(const std::string& name) const;
  Json Health() const;
  void Log(const HttpCall& call, const std::string& how) const;

  Responder& responder_;
  const ServiceOptions options_;
  const std::vector<std::string> adapters_;  // served beside the model, each under its name
  const int64_t created_;
  std::unique_ptr<ChatPrompt> chat_;  // null: no template
};

}  // namespace ferry::cli

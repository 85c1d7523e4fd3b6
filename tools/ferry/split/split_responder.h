// Who answers in `ferry chat --split` and `ferry serve --split`: this process as a device. It joins
// a server through the SDK, gets the draft as a released package, and splits each reply with the
// server's target.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/api/runtime/llm/llm_session.h"
#include "device-runtime/api/runtime/runtime.h"
#include "tools/ferry/command.h"
#include "tools/ferry/llm/serve/responder.h"

namespace ferry::cli {

struct SplitOptions {
  bool split = false;
  std::string state;             // the device's state directory
  std::string join;              // join token, or a file with it; needed the first time
  std::string profile;           // JSON file of policy attributes
  std::string package = "pair";  // holds the draft
  std::string draft = "draft";   // the model's name in it
  std::string target;            // package of the server's model; empty: its only one
  std::string mode = "split";
  bool pipelined = false;
  bool fallback = true;
  int64_t draft_tokens = 0;
  std::vector<std::string> adapters;  // of the draft, as --lora names them
  double wait_seconds = 300;          // for the package, and for the verifier
};

inline constexpr double kVerifierWaitSeconds = 10;  // before the first reply

// --split, --state, --join, ... on `command`; returns the --split flag.
CLI::Option* AddSplitOptions(CLI::App* command, SplitOptions& options);

class SplitResponder : public Responder {
 public:
  // Joins, and waits with progress until the package is installed. kDeadlineExceeded names the
  // package; kFailedPrecondition: another process uses the state directory.
  static Result<std::unique_ptr<SplitResponder>> Create(const SplitOptions& options, int threads,
                                                        int64_t kv_bytes);

  const llm::Tokenizer& tokenizer() const override { return *tokenizer_; }
  const llm::ChatTemplate* chat_template() const override { return chat_template_; }
  int64_t context() const override;
  Result<Reply> Answer(const ReplyRequest& request, const ReplyEvents& events) override;
  Status SetMode(const std::string& mode) override;
  std::string mode() const override;
  Json Stats() const override;

 private:
  explicit SplitResponder(const SplitOptions& options) : options_(options) {}
  Status Join(int threads, int64_t kv_bytes);
  Status WaitForModel();
  Status WaitForAdapters();
  void WaitForVerifier();
  api::LlmSessionOptions SessionFor(const ReplyRequest& request) const;

  SplitOptions options_;
  std::unique_ptr<api::RuntimeCore> runtime_;
  api::NamedModel model_;
  std::shared_ptr<const llm::AdapterSet> adapters_;
  const llm::Tokenizer* tokenizer_ = nullptr;
  const llm::ChatTemplate* chat_template_ = nullptr;
  mutable std::mutex mutex_;  // guards what follows
  llm::SplitMode mode_ = llm::SplitMode::kSplit;
  std::list<api::LlmSession*> live_;
  int64_t replies_ = 0;
  Json last_ = Json::object();
};

}  // namespace ferry::cli

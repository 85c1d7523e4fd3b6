// Answers from a model on this machine: requests are batched together, conversations find their
// keys and values again by content.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device-runtime/llm/batch/batcher.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/serve/admission.h"
#include "tools/ferry/llm/serve/responder.h"

namespace ferry::cli {

struct LocalOptions {
  int64_t max_requests = 16;      // computed at once; more wait, and clients take turns
  int64_t max_waiting = 128;      // of all; kUnavailable past it
  int64_t max_waiting_each = 64;  // of one client; kQuotaUsed past it
  // Adapters with names are for requests that choose one; else all are for all, summed.
  bool adapters_by_name = false;
};

// Of a forward pass: a step of a running reply waits for one at most, whatever is read beside it.
inline constexpr int64_t kServePassMs = 50;

class LocalResponder : public Responder {
 public:
  static Result<std::unique_ptr<LocalResponder>> Create(OpenedModel opened,
                                                        const LocalOptions& options = {});
  ~LocalResponder() override;  // no Answer may be under way

  const llm::Tokenizer& tokenizer() const override { return *tokenizer_; }
  const llm::ChatTemplate* chat_template() const override { return template_; }
  int64_t context() const override { return opened_.model->config().context; }
  std::vector<std::string> adapters() const override;
  // A request is only let in while the memory for its longest reply is there: it cannot fail for
  // want of memory in the middle.
  Result<Reply> Answer(const ReplyRequest& request, const ReplyEvents& events) override;
  Status SetMode(const std::string& mode) override;
  std::string mode() const override { return "local"; }
  Json Stats() const override;

 private:
  class Run;
  LocalResponder(OpenedModel opened, const LocalOptions& options);
  const std::shared_ptr<const llm::AdapterSet>& AdaptersOf(const ReplyRequest& request) const;
  Status CheckRequest(const ReplyRequest& request) const;
  // Bytes of keys and values of the prompt and its longest reply.
  int64_t BytesFor(const ReplyRequest& request) const;

  OpenedModel opened_;
  const LocalOptions options_;
  const llm::Tokenizer* tokenizer_ = nullptr;
  const llm::ChatTemplate* template_ = nullptr;
  std::shared_ptr<llm::KvPool> pool_;
  std::unique_ptr<Admission> admission_;
  std::unique_ptr<llm::Batcher> batcher_;
  std::unique_ptr<sys::Executor> executor_;  // stops before the batcher goes
};

}  // namespace ferry::cli

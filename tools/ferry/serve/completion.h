// One completion while it is computed: tokens become text, text stops at a stop sequence, and goes
// out in events or, at the end, at once.
#pragma once

#include <string>
#include <vector>

#include "tools/ferry/llm/serve/responder.h"
#include "tools/ferry/serve/answer.h"
#include "tools/ferry/serve/http.h"
#include "tools/ferry/serve/stop_filter.h"

namespace ferry::cli {

// One thread. Borrows all.
class Completion {
 public:
  Completion(Responder& responder, const CompletionRequest& asked, AnswerWriter writer,
             HttpReply& reply);
  // Computes and sends. An error is the caller's to send while nothing was sent (`begun()` false);
  // a stream that has begun ends with an error event.
  Result<Usage> Run(const ReplyRequest& request);
  bool begun() const { return begun_; }

 private:
  bool OnToken(llm::TokenId id);
  bool Emit(const std::string& text);
  void Finish(const std::string& reason, const Usage& usage);

  Responder& responder_;
  const CompletionRequest& asked_;
  AnswerWriter writer_;
  HttpReply& reply_;
  llm::StreamDecoder decoder_;
  StopFilter filter_;
  std::string text_;
  bool begun_ = false;
};

}  // namespace ferry::cli

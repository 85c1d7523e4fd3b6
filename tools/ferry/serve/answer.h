// The JSON that completion calls are answered with. Pure. Source: shapes after OpenAI's API
// reference.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/json.h"
#include "tools/ferry/serve/request.h"

namespace ferry::cli {

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;  // of the prompt: not computed again
  int64_t completion_tokens = 0;
};

// One call's answers: whole, or in chunks.
class AnswerWriter {
 public:
  // `unique` makes the id; `created` in seconds since 1970.
  AnswerWriter(CompletionKind kind, const std::string& unique, int64_t created, std::string model);

  // Where tokens come from, in what follows; empty: not said.
  void SetMode(std::string mode) { mode_ = std::move(mode); }

  Json Whole(const std::string& text, const std::string& reason, const Usage& usage) const;
  // Chunks of a stream: the first, text, the last; and the usage, when it was asked for. The others
  // then say "usage": null.
  Json First(bool usage_follows) const;
  Json Text(const std::string& text, bool usage_follows) const;
  Json Last(const std::string& reason, bool usage_follows) const;
  Json UsageChunk(const Usage& usage) const;

 private:
  Json Envelope(bool chunk) const;
  Json Chunk(Json choice, bool usage_follows) const;

  CompletionKind kind_;
  std::string id_;
  int64_t created_;
  std::string model_;
  std::string mode_;
};

// An error as the API reports it, with its HTTP status.
struct ApiError {
  int status = 500;
  Json body;
};
// `param`: the field at fault; empty: none.
ApiError ErrorOf(const Status& status, const std::string& param);

// One server-sent event.
std::string SseEvent(const Json& data);
inline constexpr std::string_view kSseDone = "data: [DONE]\n\n";

}  // namespace ferry::cli

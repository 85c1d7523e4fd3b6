// The calls of ferry.h on tokens and sequences.
#include <algorithm>
#include <mutex>

#include "device-runtime/api/runtime/llm/llm_handles.h"
#include "device-runtime/api/runtime/llm/llm_sequence.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

struct ferry_sequence {
  std::unique_ptr<ferry::api::LlmSequence> sequence;
  std::mutex busy;  // held by the call that uses it
};

namespace {

using ferry::Code;
using ferry::OkStatus;
using ferry::Result;
using ferry::Status;
using ferry::api::CallApp;
using ferry::api::GiveText;
using ferry::api::Missing;
using ferry::api::Return;
using ferry::api::SequenceGeneration;
using ferry::llm::TokenId;
using IdSpan = std::span<const TokenId>;

Result<IdSpan> ReadIds(const int32_t* ids, size_t count) {
  if (ids == nullptr && count > 0) return Status(Code::kInvalidArgument, "ids is NULL");
  if (count > static_cast<size_t>(ferry::llm::kMaxContext))
    return Status::Of(Code::kLimitExceeded, "{} ids, the limit is {}", count,
                      ferry::llm::kMaxContext);
  return IdSpan(ids, count);
}

// What fits, and how many there are.
int GiveIds(IdSpan all, int32_t* ids, size_t capacity, size_t* count) {
  *count = all.size();
  std::copy_n(all.begin(), std::min(capacity, all.size()), ids);
  return Return(OkStatus());
}

// Runs `body` as the only call on the sequence.
template <typename Body>
int Alone(ferry_sequence& self, Body&& body) {
  const std::unique_lock<std::mutex> lock(self.busy, std::try_to_lock);
  if (!lock.owns_lock())
    return Return(Status(Code::kFailedPrecondition,
                         "the sequence is in another call: one at a time, or a sequence each"));
  return Return(body(*self.sequence));
}

using OnTokens = int (*)(void*, const char*, const int32_t*, size_t);

Result<SequenceGeneration> ReadGeneration(const ferry_session_options* options, OnTokens on_tokens,
                                          void* user) {
  FERRY_ASSIGN_OR_RETURN(const auto read, ferry::api::ReadSessionOptions(options));
  if (read.mode != ferry::llm::SplitMode::kDeviceOnly)
    return Status(Code::kInvalidArgument, "mode: a sequence stays on the device");
  if (options != nullptr && FERRY_MEMBER(options, adapter_count, size_t{0}) > 0)
    return Status(Code::kInvalidArgument, "adapter_count: a sequence takes no adapters");
  SequenceGeneration out;
  out.sampler = read.sampler;
  out.seed = read.seed;
  out.max_new = read.max_new;
  out.stop_at_end_token = read.stop_at_end_token;
  if (on_tokens != nullptr)
    out.on_tokens = [on_tokens, user](const std::string& text, IdSpan ids) {
      const ferry::api::CallbackScope inside;
      int end = 1;  // so ends what throws
      CallApp("on_tokens", [&] { end = on_tokens(user, text.c_str(), ids.data(), ids.size()); });
      return end == 0;
    };
  return out;
}

}  // namespace

extern "C" {

int ferry_model_encode(const ferry_model* model, const char* text, int as_text, int32_t* ids,
                       size_t capacity, size_t* count) {
  FERRY_FIND(ferry_model, opened, model);
  if (text == nullptr) return Missing("text");
  if (count == nullptr) return Missing("count");
  if (ids == nullptr && capacity > 0) return Missing("ids");
  const auto tokenizer = opened->named.model->tokenizer();
  if (!tokenizer.ok()) return Return(tokenizer.status());
  const auto made = (*tokenizer)
                        ->Encode(text, as_text != 0 ? ferry::llm::Specials::kAsText
                                                    : ferry::llm::Specials::kParse);
  return made.ok() ? GiveIds(*made, ids, capacity, count) : Return(made.status());
}

int ferry_model_decode(const ferry_model* model, const int32_t* ids, size_t count,
                       int skip_specials, char** text) {
  FERRY_FIND(ferry_model, opened, model);
  if (text == nullptr) return Missing("text");
  const auto read = ReadIds(ids, count);
  if (!read.ok()) return Return(read.status());
  const auto known = opened->named.model->CheckTokens(*read, 0);
  if (!known.ok()) return Return(known);
  const auto tokenizer = opened->named.model->tokenizer();
  if (!tokenizer.ok()) return Return(tokenizer.status());
  return GiveText(ferry::llm::Decode(**tokenizer, *read, skip_specials != 0), text);
}

int ferry_sequence_create(ferry_model* model, int64_t context, ferry_sequence** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  FERRY_FIND(ferry_model, opened, model);
  auto made = ferry::api::LlmSequence::Create(opened->core, opened->named, context);
  if (!made.ok()) return Return(made.status());
  auto held = std::make_shared<ferry_sequence>();
  held->sequence = std::move(*made);
  return Return(ferry::api::Open(std::move(held), out));
}

void ferry_sequence_destroy(ferry_sequence* sequence) {
  std::shared_ptr<ferry_sequence> found;
  if (!ferry::api::Find(sequence, "sequence", &found).ok()) return;
  found->sequence->Stop();  // a call of another thread returns
  found.reset();
  if (ferry::api::StartClosing(sequence) != nullptr) ferry::api::Close(sequence);
}

int ferry_sequence_append(ferry_sequence* sequence, const int32_t* ids, size_t count) {
  FERRY_FIND(ferry_sequence, held, sequence);
  const auto read = ReadIds(ids, count);
  if (!read.ok()) return Return(read.status());
  return Alone(*held, [&](auto& self) { return self.Append(*read); });
}

int ferry_sequence_truncate(ferry_sequence* sequence, size_t length) {
  FERRY_FIND(ferry_sequence, held, sequence);
  return Alone(*held, [&](auto& self) { return self.Truncate(length); });
}

int ferry_sequence_tokens(ferry_sequence* sequence, int32_t* ids, size_t capacity, size_t* count) {
  FERRY_FIND(ferry_sequence, held, sequence);
  if (count == nullptr) return Missing("count");
  if (ids == nullptr && capacity > 0) return Missing("ids");
  return Alone(*held, [&](auto& self) {
    GiveIds(self.tokens(), ids, capacity, count);
    return OkStatus();
  });
}

int ferry_sequence_logits(ferry_sequence* sequence, float* logits, size_t capacity) {
  FERRY_FIND(ferry_sequence, held, sequence);
  if (logits == nullptr) return Missing("logits");
  return Alone(*held, [&](auto& self) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<float> made, self.Logits());
    if (capacity < made.size())
      return Status::Of(Code::kInvalidArgument, "capacity {}, the vocabulary has {}", capacity,
                        made.size());
    std::ranges::copy(made, logits);
    return OkStatus();
  });
}

int ferry_sequence_generate(ferry_sequence* sequence, const ferry_session_options* options,
                            int (*on_tokens)(void* user, const char* text, const int32_t* ids,
                                             size_t count),
                            void* user, const char** reason) {
  FERRY_FIND(ferry_sequence, held, sequence);
  if (auto sized = ferry::api::CheckOldOptions(options, "ferry_session_options"); !sized.ok())
    return Return(sized);
  const auto read = ReadGeneration(options, on_tokens, user);
  if (!read.ok()) return Return(read.status());
  return Alone(*held, [&](auto& self) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto end, self.Generate(*read));
    if (reason != nullptr) *reason = ferry::llm::FinishReasonName(end);
    return OkStatus();
  });
}

}  // extern "C"

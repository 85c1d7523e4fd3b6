// The calls of ferry.h on language models.
#include <cstring>

#include "common/base/json.h"
#include "device-runtime/api/runtime/llm/llm_handles.h"
#include "device-runtime/api/runtime/runtime_handle.h"

struct ferry_adapter {
  std::shared_ptr<const ferry::llm::Adapter> adapter;
};

struct ferry_session {
  std::unique_ptr<ferry::api::LlmSession> session;
};

namespace {

using ferry::Code;
using ferry::Json;
using ferry::Result;
using ferry::Status;
using ferry::api::CallApp;
using ferry::api::GiveText;
using ferry::api::LlmSessionEvents;
using ferry::api::LlmSessionOptions;
using ferry::api::Missing;
using ferry::api::Return;
using ferry::api::TextOf;
using ferry::llm::AdapterSet;
using ferry::llm::SplitMode;

constexpr int64_t kDefaultMaxNew = 128;

Result<SplitMode> ReadMode(int mode) {
  switch (mode) {
    case FERRY_MODE_DEVICE_ONLY:
      return SplitMode::kDeviceOnly;
    case FERRY_MODE_SPLIT:
      return SplitMode::kSplit;
    case FERRY_MODE_CLOUD_ONLY:
      return SplitMode::kCloudOnly;
    default:
      return Status::Of(Code::kInvalidArgument, "there is no mode {}", mode);
  }
}

int ModeNumber(SplitMode mode) {
  switch (mode) {
    case SplitMode::kDeviceOnly:
      return FERRY_MODE_DEVICE_ONLY;
    case SplitMode::kSplit:
      return FERRY_MODE_SPLIT;
    case SplitMode::kCloudOnly:
      return FERRY_MODE_CLOUD_ONLY;
  }
  return FERRY_MODE_DEVICE_ONLY;
}

int SourceNumber(ferry::llm::TokenSource source) {
  switch (source) {
    case ferry::llm::TokenSource::kVerified:
      return FERRY_SOURCE_VERIFIED;
    case ferry::llm::TokenSource::kCloud:
      return FERRY_SOURCE_CLOUD;
    case ferry::llm::TokenSource::kDevice:
      return FERRY_SOURCE_DEVICE;
  }
  return FERRY_SOURCE_DEVICE;
}

// Zero stands for a switch that is off.
float OrOne(float value) {
  return value == 0 ? 1 : value;
}

Result<std::shared_ptr<const AdapterSet>> ReadAdapters(
    const ferry_session_options* given, const std::shared_ptr<const ferry::llm::Model>& model) {
  std::vector<AdapterSet::Part> parts;
  const size_t count = given == nullptr ? 0 : FERRY_MEMBER(given, adapter_count, size_t{0});
  if (count > ferry::llm::kMaxAdaptersOfSet)
    return Status::Of(Code::kLimitExceeded, "{} adapters, the limit is {}", count,
                      ferry::llm::kMaxAdaptersOfSet);
  for (size_t i = 0; i < count; ++i) {
    if (given->adapters == nullptr) return Status(Code::kInvalidArgument, "adapters is NULL");
    const float scale = given->adapter_scales == nullptr ? 1 : given->adapter_scales[i];
    std::shared_ptr<ferry_adapter> adapter;
    FERRY_TRY(ferry::api::Find(given->adapters[i], "adapter", &adapter).Context("adapter {}", i));
    parts.push_back({adapter->adapter, scale});
  }
  return AdapterSet::Create(model, std::move(parts));
}

LlmSessionEvents ReadCallbacks(const ferry_session_callbacks* given) {
  LlmSessionEvents out;
  if (given == nullptr) return out;
  void* user = FERRY_MEMBER(given, user, nullptr);
  if (auto* call = FERRY_MEMBER(given, on_tokens, nullptr); call != nullptr)
    out.on_tokens = [call, user](const std::string& text, std::span<const int32_t> ids,
                                 ferry::llm::TokenSource source) {
      const ferry::api::CallbackScope inside;
      CallApp("on_tokens",
              [&] { call(user, text.c_str(), ids.data(), ids.size(), SourceNumber(source)); });
    };
  if (auto* call = FERRY_MEMBER(given, on_mode, nullptr); call != nullptr)
    out.on_mode = [call, user](SplitMode mode, const Status& why) {
      const ferry::api::CallbackScope inside;
      CallApp("on_mode", [&] { call(user, ModeNumber(mode), why.message().c_str()); });
    };
  if (auto* call = FERRY_MEMBER(given, on_end, nullptr); call != nullptr)
    out.on_end = [call, user](const Status& status, const Json& stats) {
      Json shown = stats;
      if (!status.ok()) shown["error"] = status.message();
      const ferry::api::CallbackScope inside;
      CallApp("on_end", [&] {
        call(user, static_cast<int>(status.code()), ferry::WriteJson(shown).c_str());
      });
    };
  return out;
}

int GiveJson(const Json& json, char** out) {
  return GiveText(ferry::WriteJson(json), out);
}

}  // namespace

Result<LlmSessionOptions> ferry::api::ReadSessionOptions(const ferry_session_options* given) {
  LlmSessionOptions out;
  if (given == nullptr) return out;
  FERRY_ASSIGN_OR_RETURN(out.mode, ReadMode(FERRY_MEMBER(given, mode, 0)));
  out.pipelined = FERRY_MEMBER(given, pipelined, 0) != 0;
  out.fallback = FERRY_MEMBER(given, no_fallback, 0) == 0;
  out.stop_at_end_token = FERRY_MEMBER(given, ignore_end, 0) == 0;
  out.seed = FERRY_MEMBER(given, seed, 0);
  out.sampler.temperature = FERRY_MEMBER(given, temperature, 0);
  out.sampler.top_k = FERRY_MEMBER(given, top_k, 0);
  out.sampler.top_p = OrOne(FERRY_MEMBER(given, top_p, 0));
  out.sampler.repetition_penalty = OrOne(FERRY_MEMBER(given, repetition_penalty, 0));
  out.max_new = FERRY_MEMBER(given, max_new, 0);
  if (out.max_new == 0) out.max_new = kDefaultMaxNew;
  out.draft_tokens = FERRY_MEMBER(given, draft_tokens, 0);
  out.memory_bytes = FERRY_MEMBER(given, memory_bytes, 0);
  out.target = TextOf(FERRY_MEMBER(given, target, nullptr));
  return out;
}

extern "C" {

int ferry_model_open(ferry_runtime* runtime, const char* name, ferry_model** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  FERRY_FIND(ferry_runtime, self, runtime);
  if (name == nullptr) return Missing("name");
  auto found = self->runtime->FindModel(name);
  if (!found.ok()) return Return(found.status());
  return Return(ferry::api::Open(
      std::make_shared<ferry_model>(self->runtime->llm(), std::move(*found)), out));
}

void ferry_model_close(ferry_model* model) {
  ferry::api::Close(model);
}

int ferry_model_info(const ferry_model* model, char** json) {
  FERRY_FIND(ferry_model, opened, model);
  if (json == nullptr) return Missing("json");
  const ferry::llm::Model& self = *opened->named.model;
  return GiveJson({{"architecture", self.config().architecture},
                   {"parameters", self.parameters()},
                   {"weight_bytes", self.weight_bytes()},
                   {"vocabulary", self.config().vocabulary},
                   {"context", self.config().context},
                   {"chat", self.chat_template().ok()},
                   {"end_tokens", self.config().end_tokens},
                   {"package", opened->named.package},
                   {"version", opened->named.version}},
                  json);
}

int ferry_adapter_open(ferry_runtime* runtime, const ferry_model* model, const char* name,
                       ferry_adapter** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  FERRY_FIND(ferry_runtime, self, runtime);
  FERRY_FIND(ferry_model, opened, model);
  if (name == nullptr) return Missing("name");
  auto found = self->runtime->FindAdapter(name, opened->named.model);
  if (!found.ok()) return Return(found.status());
  return Return(ferry::api::Open(std::make_shared<ferry_adapter>(std::move(*found)), out));
}

void ferry_adapter_close(ferry_adapter* adapter) {
  ferry::api::Close(adapter);
}

int ferry_adapter_info(const ferry_adapter* adapter, char** json) {
  FERRY_FIND(ferry_adapter, held, adapter);
  if (json == nullptr) return Missing("json");
  const ferry::llm::Adapter& self = *held->adapter;
  return GiveJson({{"base", ferry::ToHex(self.base().digest())},
                   {"digest", ferry::ToHex(self.digest())},
                   {"tensors", self.changes().size()},
                   {"rank", self.rank()},
                   {"parameters", self.parameters()},
                   {"bytes", self.bytes()}},
                  json);
}

int ferry_session_create(ferry_model* model, const ferry_session_options* options,
                         const ferry_session_callbacks* callbacks, ferry_session** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  FERRY_FIND(ferry_model, opened, model);
  if (auto sized = ferry::api::CheckOldOptions(options, "ferry_session_options"); !sized.ok())
    return Return(sized);
  if (auto sized = ferry::api::CheckOldOptions(callbacks, "ferry_session_callbacks"); !sized.ok())
    return Return(sized);
  auto read = ferry::api::ReadSessionOptions(options);
  if (!read.ok()) return Return(read.status());
  auto adapters = ReadAdapters(options, opened->named.model);
  if (!adapters.ok()) return Return(adapters.status());
  read->adapters = std::move(*adapters);
  auto made =
      ferry::api::LlmSession::Create(opened->core, opened->named, *read, ReadCallbacks(callbacks));
  if (!made.ok()) return Return(made.status());
  return Return(ferry::api::Open(std::make_shared<ferry_session>(std::move(*made)), out));
}

void ferry_session_destroy(ferry_session* session) {
  std::shared_ptr<ferry_session> found;
  if (!ferry::api::Find(session, "session", &found).ok()) return;
  found->session->Cancel();  // whoever waits for it returns
  found.reset();
  if (ferry::api::StartClosing(session) != nullptr) ferry::api::Close(session);
}

int ferry_session_start_text(ferry_session* session, const char* text) {
  FERRY_FIND(ferry_session, held, session);
  if (text == nullptr) return Missing("text");
  return Return(held->session->StartText(text));
}

int ferry_session_start_chat(ferry_session* session, const char* messages_json) {
  FERRY_FIND(ferry_session, held, session);
  if (messages_json == nullptr) return Missing("messages_json");
  const auto messages = ferry::ParseJson(messages_json).Context("messages");
  return Return(messages.ok() ? held->session->StartChat(*messages) : messages.status());
}

int ferry_session_start_ids(ferry_session* session, const int32_t* ids, size_t count) {
  FERRY_FIND(ferry_session, held, session);
  if (ids == nullptr) return Missing("ids");
  if (count > static_cast<size_t>(ferry::llm::kMaxContext))
    return Return(Status::Of(Code::kLimitExceeded, "{} ids, the limit is {}", count,
                             ferry::llm::kMaxContext));
  return Return(held->session->StartIds({ids, ids + count}));
}

int ferry_session_set_mode(ferry_session* session, int mode) {
  FERRY_FIND(ferry_session, held, session);
  const auto read = ReadMode(mode);
  return Return(read.ok() ? held->session->SetMode(*read) : read.status());
}

int ferry_session_cancel(ferry_session* session) {
  FERRY_FIND(ferry_session, held, session);
  held->session->Cancel();
  return Return(ferry::OkStatus());
}

int ferry_session_wait(ferry_session* session, int64_t timeout_ms) {
  FERRY_FIND(ferry_session, held, session);
  return Return(held->session->Wait(timeout_ms));
}

int ferry_session_stats(ferry_session* session, char** json) {
  FERRY_FIND(ferry_session, held, session);
  if (json == nullptr) return Missing("json");
  return GiveJson(held->session->StatsJson(), json);
}

}  // extern "C"

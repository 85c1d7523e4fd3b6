// Language models: models, adapters, sessions and what they say.
#include <memory>

#include "sdk/node/src/handle.h"
#include "sdk/node/src/inbox.h"

namespace ferry::node {
namespace {

// Where a session's callbacks go.
struct Listener : Extra {
  std::shared_ptr<Inbox> inbox;
  double receiver = 0;
};

void OnTokens(void* user, const char* text, const int32_t* ids, size_t count, int source) {
  const auto& listener = *static_cast<Listener*>(user);
  listener.inbox->Push(
      {Kinds::kTokens, listener.receiver, source, text, std::vector<int32_t>(ids, ids + count)});
}
void OnMode(void* user, int mode, const char* why) {
  const auto& listener = *static_cast<Listener*>(user);
  listener.inbox->Push({Kinds::kMode, listener.receiver, mode, why, {}});
}
void OnEnd(void* user, int code, const char* stats_json) {
  const auto& listener = *static_cast<Listener*>(user);
  listener.inbox->Push({Kinds::kEnd, listener.receiver, code, stats_json, {}});
}

// modelOpen(runtime, name)
napi_value OpenModel(const Args& args) {
  auto made = std::make_shared<ferry_model*>(nullptr);
  return Answer(
      args, true,
      [=, runtime = RawOf<ferry_runtime>(args, 0, Kind::kRuntime), name = args.Text(1)] {
        return ferry_model_open(runtime, name.c_str(), made.get());
      },
      [=, addon = &args.addon()](napi_env) { return NewHandle(*addon, Kind::kModel, *made); });
}

// modelInfo(model)
napi_value ModelInfo(const Args& args) {
  const auto* model = RawOf<ferry_model>(args, 0, Kind::kModel);
  return AnswerText(args, false, [=](char** out) { return ferry_model_info(model, out); });
}

// modelEncode(model, text, asText): an Int32Array
napi_value Encode(const Args& args) {
  const auto* model = RawOf<ferry_model>(args, 0, Kind::kModel);
  const std::string text = args.Text(1);
  std::vector<int32_t> ids;
  size_t count = text.size() / 2 + 8;
  do {
    ids.resize(count);
    CheckCall(ferry_model_encode(model, text.c_str(), args.Flag(2) ? 1 : 0, ids.data(), ids.size(),
                                 &count));
  } while (count > ids.size());
  ids.resize(count);
  return IdsOf(args.env(), ids);
}

// modelDecode(model, Int32Array, skipSpecials)
napi_value Decode(const Args& args) {
  const auto* model = RawOf<ferry_model>(args, 0, Kind::kModel);
  const Memory ids = MemoryOf(args.env(), args[1]);
  return AnswerText(args, false, [&, skip = args.Flag(2) ? 1 : 0](char** out) {
    return ferry_model_decode(model, static_cast<const int32_t*>(ids.data),
                              ids.bytes / sizeof(int32_t), skip, out);
  });
}

// adapterOpen(runtime, model, name)
napi_value OpenAdapter(const Args& args) {
  auto made = std::make_shared<ferry_adapter*>(nullptr);
  return Answer(
      args, true,
      [=, runtime = RawOf<ferry_runtime>(args, 0, Kind::kRuntime),
       model = RawOf<ferry_model>(args, 1, Kind::kModel), name = args.Text(2)] {
        return ferry_adapter_open(runtime, model, name.c_str(), made.get());
      },
      [=, addon = &args.addon()](napi_env) { return NewHandle(*addon, Kind::kAdapter, *made); });
}

// adapterInfo(adapter)
napi_value AdapterInfo(const Args& args) {
  const auto* adapter = RawOf<ferry_adapter>(args, 0, Kind::kAdapter);
  return AnswerText(args, false, [=](char** out) { return ferry_adapter_info(adapter, out); });
}

// Of sessionOpen's two lists.
struct Adapters {
  std::vector<const ferry_adapter*> handles;
  std::vector<float> scales;
};
Adapters AdaptersOf(const Args& args, size_t handles, size_t scales) {
  const napi_env env = args.env();
  Adapters out;
  uint32_t count = 0;
  Check(env, napi_get_array_length(env, args[handles], &count));
  for (uint32_t i = 0; i < count; ++i) {
    napi_value handle, scale;
    void* data = nullptr;
    double number = 1;
    Check(env, napi_get_element(env, args[handles], i, &handle));
    Check(env, napi_get_value_external(env, handle, &data));
    if (static_cast<Handle*>(data)->kind != Kind::kAdapter)
      throw Failure{FERRY_kInvalidArgument, "a handle that is no adapter"};
    Check(env, napi_get_element(env, args[scales], i, &scale));
    Check(env, napi_get_value_double(env, scale, &number));
    out.handles.push_back(static_cast<ferry_adapter*>(static_cast<Handle*>(data)->raw));
    out.scales.push_back(static_cast<float>(number));
  }
  return out;
}

// sessionOpen(model, receiver, mode, pipelined, noFallback, ignoreEnd, seed, temperature, topK,
// topP, repetitionPenalty, maxNew, draftTokens, memoryBytes, target, adapters, scales)
napi_value OpenSession(const Args& args) {
  auto listener = std::make_shared<Listener>();
  listener->inbox = args.addon().inbox;
  listener->receiver = args.Number(1);
  ferry_session_options options{};
  options.size = sizeof(options);
  options.mode = static_cast<int>(args.Number(2));
  options.pipelined = args.Flag(3) ? 1 : 0;
  options.no_fallback = args.Flag(4) ? 1 : 0;
  options.ignore_end = args.Flag(5) ? 1 : 0;
  options.seed = args.Big(6);
  options.temperature = static_cast<float>(args.Number(7));
  options.top_k = args.Whole(8);
  options.top_p = static_cast<float>(args.Number(9));
  options.repetition_penalty = static_cast<float>(args.Number(10));
  options.max_new = args.Whole(11);
  options.draft_tokens = args.Whole(12);
  options.memory_bytes = args.Whole(13);
  const auto target = args.MaybeText(14);
  options.target = target ? target->c_str() : nullptr;
  const Adapters adapters = AdaptersOf(args, 15, 16);
  options.adapters = adapters.handles.data();
  options.adapter_scales = adapters.scales.data();
  options.adapter_count = adapters.handles.size();
  ferry_session_callbacks callbacks{};
  callbacks.size = sizeof(callbacks);
  callbacks.user = listener.get();
  callbacks.on_tokens = &OnTokens;
  callbacks.on_mode = &OnMode;
  callbacks.on_end = &OnEnd;
  ferry_session* made = nullptr;
  CheckCall(
      ferry_session_create(RawOf<ferry_model>(args, 0, Kind::kModel), &options, &callbacks, &made));
  return NewHandle(args.addon(), Kind::kSession, made, listener);
}

ferry_session* SessionOf(const Args& args) {
  return RawOf<ferry_session>(args, 0, Kind::kSession);
}

// sessionStartText(session, text), sessionStartChat(session, messagesJson)
template <int (*F)(ferry_session*, const char*)>
napi_value StartWith(const Args& args) {
  CheckCall(F(SessionOf(args), args.Text(1).c_str()));
  return nullptr;
}

// sessionStartIds(session, Int32Array)
napi_value StartIds(const Args& args) {
  const Memory ids = MemoryOf(args.env(), args[1]);
  static const int32_t none = 0;
  CheckCall(ferry_session_start_ids(
      SessionOf(args), ids.data != nullptr ? static_cast<const int32_t*>(ids.data) : &none,
      ids.bytes / sizeof(int32_t)));
  return nullptr;
}

// sessionSetMode(session, mode)
napi_value SetMode(const Args& args) {
  CheckCall(ferry_session_set_mode(SessionOf(args), static_cast<int>(args.Number(1))));
  return nullptr;
}

// chatCancel(session)
napi_value Cancel(const Args& args) {
  CheckCall(ferry_session_cancel(SessionOf(args)));
  return nullptr;
}

// sessionStats(session)
napi_value Stats(const Args& args) {
  auto* session = SessionOf(args);
  return AnswerText(args, false, [=](char** out) { return ferry_session_stats(session, out); });
}

}  // namespace

std::vector<Row> LanguageRows() {
  return {{"modelOpen", &Entry<&OpenModel>},
          {"modelInfo", &Entry<&ModelInfo>},
          {"modelEncode", &Entry<&Encode>},
          {"modelDecode", &Entry<&Decode>},
          {"adapterOpen", &Entry<&OpenAdapter>},
          {"adapterInfo", &Entry<&AdapterInfo>},
          {"sessionOpen", &Entry<&OpenSession>},
          {"sessionStartText", &Entry<&StartWith<&ferry_session_start_text>>},
          {"sessionStartChat", &Entry<&StartWith<&ferry_session_start_chat>>},
          {"sessionStartIds", &Entry<&StartIds>},
          {"sessionSetMode", &Entry<&SetMode>},
          {"chatCancel", &Entry<&Cancel>},
          {"sessionStats", &Entry<&Stats>}};
}

}  // namespace ferry::node

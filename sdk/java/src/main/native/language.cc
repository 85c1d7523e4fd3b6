// Language models, and streams and policies without a package.
#include <memory>

#include "sdk/java/src/main/native/jni_support.h"

using namespace ferry::java;  // NOLINT: a file of JNI functions

namespace {

ferry_session* Chat(jlong handle) {
  return Raw<ferry_session>(handle);
}
ferry_stream* StreamOf(jlong handle) {
  return Raw<ferry_stream>(handle);
}

void OnTokens(void* user, const char* text, const int32_t* ids, size_t count, int source) {
  static_cast<Callback*>(user)->Call(Kind::kTokens, source, text, ids, count);
}
void OnMode(void* user, int mode, const char* why) {
  static_cast<Callback*>(user)->Call(Kind::kMode, mode, why);
}
void OnEnd(void* user, int code, const char* stats_json) {
  static_cast<Callback*>(user)->Call(Kind::kEnd, code, stats_json);
}

std::vector<jlong> Longs(JNIEnv* env, jlongArray array) {
  std::vector<jlong> out(static_cast<size_t>(env->GetArrayLength(array)));
  env->GetLongArrayRegion(array, 0, static_cast<jsize>(out.size()), out.data());
  return out;
}
// Never without data.
std::vector<jint> Ints(JNIEnv* env, jintArray array, size_t* count) {
  *count = static_cast<size_t>(env->GetArrayLength(array));
  std::vector<jint> out(*count + 1);
  env->GetIntArrayRegion(array, 0, static_cast<jsize>(*count), out.data());
  return out;
}
std::vector<jfloat> Floats(JNIEnv* env, jfloatArray array) {
  std::vector<jfloat> out(static_cast<size_t>(env->GetArrayLength(array)));
  env->GetFloatArrayRegion(array, 0, static_cast<jsize>(out.size()), out.data());
  return out;
}

}  // namespace

FERRY_JNI(jlong, modelOpen)(JNIEnv* env, jclass, jlong runtime, jbyteArray name) {
  ferry_model* model = nullptr;
  Failed(env, ferry_model_open(Raw<ferry_runtime>(runtime), Text(env, name).get(), &model));
  return Number(model);
}
FERRY_JNI(void, modelClose)(JNIEnv*, jclass, jlong model) {
  ferry_model_close(Raw<ferry_model>(model));
}
FERRY_JNI(jbyteArray, modelInfo)(JNIEnv* env, jclass, jlong model) {
  return Given(env, [&](char** out) { return ferry_model_info(Raw<ferry_model>(model), out); });
}

FERRY_JNI(jintArray, modelEncode)
(JNIEnv* env, jclass, jlong model, jbyteArray text, jboolean as_text) {
  const Text whole(env, text);
  std::vector<jint> ids;
  size_t count = 64;
  do {
    ids.resize(count);
    if (Failed(env, ferry_model_encode(Raw<ferry_model>(model), whole.get(), as_text, ids.data(),
                                       ids.size(), &count)))
      return nullptr;
  } while (count > ids.size());
  jintArray out = env->NewIntArray(static_cast<jsize>(count));
  if (out != nullptr) env->SetIntArrayRegion(out, 0, static_cast<jsize>(count), ids.data());
  return out;
}
FERRY_JNI(jbyteArray, modelDecode)
(JNIEnv* env, jclass, jlong model, jintArray ids, jboolean skip_specials) {
  size_t count = 0;
  const auto list = Ints(env, ids, &count);
  return Given(env, [&](char** out) {
    return ferry_model_decode(Raw<ferry_model>(model), list.data(), count, skip_specials, out);
  });
}

FERRY_JNI(jlong, adapterOpen)(JNIEnv* env, jclass, jlong runtime, jlong model, jbyteArray name) {
  ferry_adapter* adapter = nullptr;
  Failed(env, ferry_adapter_open(Raw<ferry_runtime>(runtime), Raw<ferry_model>(model),
                                 Text(env, name).get(), &adapter));
  return Number(adapter);
}
FERRY_JNI(void, adapterClose)(JNIEnv*, jclass, jlong adapter) {
  ferry_adapter_close(Raw<ferry_adapter>(adapter));
}
FERRY_JNI(jbyteArray, adapterInfo)(JNIEnv* env, jclass, jlong adapter) {
  return Given(env,
               [&](char** out) { return ferry_adapter_info(Raw<ferry_adapter>(adapter), out); });
}

FERRY_JNI(jlongArray, chatCreate)
(JNIEnv* env, jclass, jlong model, jlongArray whole, jfloatArray reals, jbyteArray target,
 jlongArray adapters, jfloatArray scales, jobject listener) {
  const auto numbers = Longs(env, whole);
  const auto real = Floats(env, reals);
  const Text server(env, target);
  std::vector<const ferry_adapter*> handles;
  for (const jlong one : Longs(env, adapters)) handles.push_back(Raw<ferry_adapter>(one));
  const auto scale = Floats(env, scales);
  ferry_session_options options{};
  options.size = sizeof(options);
  options.mode = static_cast<int>(numbers[0]);
  options.pipelined = static_cast<int>(numbers[1]);
  options.no_fallback = static_cast<int>(numbers[2]);
  options.ignore_end = static_cast<int>(numbers[3]);
  options.seed = static_cast<uint64_t>(numbers[4]);
  options.top_k = numbers[5];
  options.max_new = numbers[6];
  options.draft_tokens = numbers[7];
  options.memory_bytes = numbers[8];
  options.temperature = real[0];
  options.top_p = real[1];
  options.repetition_penalty = real[2];
  options.target = server.get();
  options.adapters = handles.data();
  options.adapter_scales = scale.data();
  options.adapter_count = handles.size();
  auto callback = std::make_unique<Callback>(env, listener);
  ferry_session_callbacks callbacks{};
  callbacks.size = sizeof(callbacks);
  callbacks.user = callback.get();
  callbacks.on_tokens = &OnTokens;
  callbacks.on_mode = &OnMode;
  callbacks.on_end = &OnEnd;
  ferry_session* chat = nullptr;
  if (Failed(env, ferry_session_create(Raw<ferry_model>(model), &options, &callbacks, &chat)))
    return nullptr;
  return Pair(env, Number(chat), callback.release());
}

FERRY_JNI(void, chatDestroy)(JNIEnv*, jclass, jlong chat, jlong callback) {
  ferry_session_destroy(Chat(chat));
  delete Raw<Callback>(callback);
}
FERRY_JNI(jint, chatStartText)(JNIEnv* env, jclass, jlong chat, jbyteArray text) {
  return ferry_session_start_text(Chat(chat), Text(env, text).get());
}
FERRY_JNI(jint, chatStartMessages)(JNIEnv* env, jclass, jlong chat, jbyteArray json) {
  return ferry_session_start_chat(Chat(chat), Text(env, json).get());
}
FERRY_JNI(jint, chatStartIds)(JNIEnv* env, jclass, jlong chat, jintArray ids) {
  size_t count = 0;
  const auto list = Ints(env, ids, &count);
  return ferry_session_start_ids(Chat(chat), list.data(), count);
}
FERRY_JNI(jint, chatSetMode)(JNIEnv*, jclass, jlong chat, jint mode) {
  return ferry_session_set_mode(Chat(chat), mode);
}
FERRY_JNI(jint, chatCancel)(JNIEnv*, jclass, jlong chat) {
  return ferry_session_cancel(Chat(chat));
}
FERRY_JNI(jbyteArray, chatStats)(JNIEnv* env, jclass, jlong chat) {
  return Given(env, [&](char** out) { return ferry_session_stats(Chat(chat), out); });
}

FERRY_JNI(jlong, streamOpen)(JNIEnv* env, jclass, jbyteArray json) {
  ferry_stream* stream = nullptr;
  Failed(env, ferry_stream_open(Text(env, json).get(), &stream));
  return Number(stream);
}
FERRY_JNI(void, streamClose)(JNIEnv*, jclass, jlong stream) {
  ferry_stream_close(StreamOf(stream));
}
FERRY_JNI(jint, streamSend)
(JNIEnv* env, jclass, jlong stream, jbyteArray source, jbyteArray row) {
  return ferry_stream_send(StreamOf(stream), Text(env, source).get(), Text(env, row).get());
}
FERRY_JNI(jint, streamSendEvent)(JNIEnv* env, jclass, jlong stream, jbyteArray json) {
  return ferry_stream_send_event(StreamOf(stream), Text(env, json).get());
}
FERRY_JNI(jint, streamAdvance)(JNIEnv*, jclass, jlong stream, jlong time_ms) {
  return ferry_stream_advance(StreamOf(stream), time_ms);
}
FERRY_JNI(jbyteArray, streamRead)(JNIEnv* env, jclass, jlong stream, jlong most) {
  return Given(env, [&](char** out) {
    return ferry_stream_read(StreamOf(stream), static_cast<size_t>(most), out);
  });
}
FERRY_JNI(jbyteArray, streamStatus)(JNIEnv* env, jclass, jlong stream) {
  return Given(env, [&](char** out) { return ferry_stream_status(StreamOf(stream), out); });
}

FERRY_JNI(jbyteArray, policyMatches)
(JNIEnv* env, jclass, jbyteArray rule, jbyteArray attributes, jbyteArray salt) {
  int matches = 0;
  char* reason = nullptr;
  jbyteArray out = nullptr;
  if (!Failed(env, ferry_policy_matches(Text(env, rule).get(), Text(env, attributes).get(),
                                        Text(env, salt).get(), &matches, &reason)) &&
      matches == 0)
    out = Bytes(env, reason == nullptr ? "" : reason);
  ferry_string_free(reason);
  return out;
}

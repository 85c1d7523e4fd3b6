// The runtime: tasks, events, tables, the agent.
#include <cstring>
#include <memory>
#include <optional>

#include "sdk/java/src/main/native/jni_support.h"

using namespace ferry::java;  // NOLINT: a file of JNI functions

namespace {

ferry_runtime* RuntimeOf(jlong handle) {
  return Raw<ferry_runtime>(handle);
}

// 32 bytes that lie here no longer than the call that needs them.
class Key {
 public:
  // False with a FerryException under way.
  bool Read(JNIEnv* env, jbyteArray bytes) {
    is_given_ = bytes != nullptr;
    if (!is_given_) return true;
    const jsize size = env->GetArrayLength(bytes);
    if (size != static_cast<jsize>(sizeof(bytes_))) {
      Throw(env, FERRY_kInvalidArgument,
            ("atRestKey has " + std::to_string(size) + " bytes, a key has 32").c_str());
      return false;
    }
    env->GetByteArrayRegion(bytes, 0, size, reinterpret_cast<jbyte*>(bytes_));
    return true;
  }
  ~Key() { explicit_bzero(bytes_, sizeof(bytes_)); }
  using Filler = int (*)(void*, unsigned char*);
  Filler filler() const {
    if (!is_given_) return nullptr;
    return [](void* context, unsigned char* key) -> int {
      std::memcpy(key, static_cast<Key*>(context)->bytes_, sizeof(bytes_));
      return FERRY_kOk;
    };
  }

 private:
  bool is_given_ = false;
  unsigned char bytes_[32] = {};
};

}  // namespace

FERRY_JNI(jlongArray, runtimeCreate)
(JNIEnv* env, jclass, jint threads, jbyteArray outbox_path, jlong kv_bytes, jbyteArray at_rest_key,
 jobject on_result) {
  Key key;
  if (!key.Read(env, at_rest_key)) return nullptr;
  const Text outbox(env, outbox_path);
  ferry_options options{};
  options.size = sizeof(options);
  options.threads = threads;
  options.outbox_path = outbox.get();
  options.kv_bytes = kv_bytes;
  options.at_rest_key = key.filler();
  options.at_rest_context = &key;
  auto callback = std::make_unique<Callback>(env, on_result);
  const auto call = [](void* user, const char* json) {
    static_cast<Callback*>(user)->Call(Kind::kResult, 0, json);
  };
  ferry_runtime* runtime = nullptr;
  if (Failed(env, ferry_runtime_create(&options, call, callback.get(), &runtime))) return nullptr;
  return Pair(env, Number(runtime), callback.release());
}

FERRY_JNI(void, runtimeDestroy)(JNIEnv*, jclass, jlong runtime, jlong callback) {
  ferry_runtime_destroy(RuntimeOf(runtime));
  delete Raw<Callback>(callback);
}

FERRY_JNI(jint, taskOpen)(JNIEnv* env, jclass, jlong runtime, jbyteArray path) {
  return ferry_task_open(RuntimeOf(runtime), Text(env, path).get());
}

FERRY_JNI(jint, agentStart)
(JNIEnv* env, jclass, jlong runtime, jbyteArray directory, jbyteArray join_token,
 jbyteArray profile_json, jboolean push, jlong poll_ms, jbyteArray at_rest_key,
 jboolean forget_sealed) {
  Key key;
  if (!key.Read(env, at_rest_key)) return FERRY_kOk;  // the exception tells
  const Text folder(env, directory), token(env, join_token), profile(env, profile_json);
  ferry_agent_options options{};
  options.size = sizeof(options);
  options.directory = folder.get();
  options.join_token = token.get();
  options.profile_json = profile.get();
  options.push = push ? 1 : 0;
  options.poll_ms = poll_ms;
  options.at_rest_key = key.filler();
  options.at_rest_context = &key;
  options.forget_sealed = forget_sealed ? 1 : 0;
  return ferry_agent_start(RuntimeOf(runtime), &options);
}

FERRY_JNI(jint, eventSend)(JNIEnv* env, jclass, jlong runtime, jbyteArray json) {
  return ferry_event_send(RuntimeOf(runtime), Text(env, json).get());
}
FERRY_JNI(jint, eventSendDurable)(JNIEnv* env, jclass, jlong runtime, jbyteArray json) {
  return ferry_event_send_durable(RuntimeOf(runtime), Text(env, json).get());
}
FERRY_JNI(jint, conditionsSet)(JNIEnv* env, jclass, jlong runtime, jbyteArray json) {
  return ferry_conditions_set(RuntimeOf(runtime), Text(env, json).get());
}
FERRY_JNI(jbyteArray, haveText)(JNIEnv* env, jclass, jlong runtime) {
  return Given(env, [&](char** out) { return ferry_have_text(RuntimeOf(runtime), out); });
}
FERRY_JNI(jint, takeText)(JNIEnv* env, jclass, jlong runtime, jbyteArray text) {
  return ferry_take_text(RuntimeOf(runtime), Text(env, text).get());
}
FERRY_JNI(jint, flush)(JNIEnv*, jclass, jlong runtime, jlong timeout_ms) {
  return ferry_flush(RuntimeOf(runtime), timeout_ms);
}

FERRY_JNI(jlong, taskCall)
(JNIEnv* env, jclass, jlong runtime, jbyteArray name, jbyteArray function, jbyteArray argument) {
  uint64_t call = 0;
  Failed(env, ferry_task_call(RuntimeOf(runtime), Text(env, name).get(), Text(env, function).get(),
                              Text(env, argument).get(), &call));
  return static_cast<jlong>(call);
}

FERRY_JNI(jbyteArray, fileRead)
(JNIEnv* env, jclass, jlong runtime, jbyteArray name, jbyteArray file) {
  uint8_t* bytes = nullptr;
  size_t size = 0;
  jbyteArray out = nullptr;
  if (!Failed(env, ferry_file_read(RuntimeOf(runtime), Text(env, name).get(), Text(env, file).get(),
                                   &bytes, &size)))
    out = Bytes(env, bytes, size);
  ferry_bytes_free(bytes);
  return out;
}

FERRY_JNI(jbyteArray, tableGet)
(JNIEnv* env, jclass, jlong runtime, jbyteArray name, jbyteArray table, jbyteArray key) {
  return Given(env, [&](char** out) {
    return ferry_table_get(RuntimeOf(runtime), Text(env, name).get(), Text(env, table).get(),
                           Text(env, key).get(), out);
  });
}
FERRY_JNI(jint, tablePut)
(JNIEnv* env, jclass, jlong runtime, jbyteArray name, jbyteArray table, jbyteArray row) {
  return ferry_table_put(RuntimeOf(runtime), Text(env, name).get(), Text(env, table).get(),
                         Text(env, row).get());
}
FERRY_JNI(jint, tableDelete)
(JNIEnv* env, jclass, jlong runtime, jbyteArray name, jbyteArray table, jbyteArray key) {
  return ferry_table_delete(RuntimeOf(runtime), Text(env, name).get(), Text(env, table).get(),
                            Text(env, key).get());
}
FERRY_JNI(jbyteArray, tableRange)
(JNIEnv* env, jclass, jlong runtime, jbyteArray name, jbyteArray table, jbyteArray query) {
  return Given(env, [&](char** out) {
    return ferry_table_range(RuntimeOf(runtime), Text(env, name).get(), Text(env, table).get(),
                             Text(env, query).get(), out);
  });
}

FERRY_JNI(jint, consentSet)(JNIEnv*, jclass, jlong runtime, jboolean given) {
  return ferry_consent_set(RuntimeOf(runtime), given ? 1 : 0);
}
FERRY_JNI(jbyteArray, dataErase)(JNIEnv* env, jclass, jlong runtime) {
  return Given(env, [&](char** out) { return ferry_data_erase(RuntimeOf(runtime), out); });
}
FERRY_JNI(jbyteArray, status)(JNIEnv* env, jclass, jlong runtime) {
  return Given(env, [&](char** out) { return ferry_status(RuntimeOf(runtime), out); });
}

// Sessions of models, and their runs.
#include <cstddef>
#include <memory>

#include "sdk/java/src/main/native/jni_support.h"

using namespace ferry::java;  // NOLINT: a file of JNI functions

// Session.java writes these structs.
static_assert(sizeof(ferry_tensor) == 104 && offsetof(ferry_tensor, name) == 8 &&
              offsetof(ferry_tensor, type) == 16 && offsetof(ferry_tensor, rank) == 20 &&
              offsetof(ferry_tensor, shape) == 24 && offsetof(ferry_tensor, data) == 88 &&
              offsetof(ferry_tensor, bytes) == 96 && FERRY_MAX_RANK == 8);

FERRY_JNI(jlong, sessionCreate)
(JNIEnv* env, jclass, jlong engine, jint threads, jint precision, jbyteArray isa,
 jbyteArray backends, jlong memory_bytes, jboolean profile, jbyteArray tune_file, jboolean tune,
 jlong seed) {
  const Text isa_text(env, isa), backend_names(env, backends), file(env, tune_file);
  ferry_engine_session_options options{};
  options.size = sizeof(options);
  options.threads = threads;
  options.precision = precision;
  options.isa = isa_text.get();
  options.backends = backend_names.get();
  options.memory_bytes = memory_bytes;
  options.profile = profile ? 1 : 0;
  options.tune_file = file.get();
  options.tune = tune ? 1 : 0;
  options.seed = static_cast<uint64_t>(seed);
  ferry_engine_session* session = nullptr;
  Failed(env, ferry_engine_session_create(Raw<ferry_engine>(engine), &options, &session));
  return Number(session);
}

FERRY_JNI(void, sessionDestroy)(JNIEnv*, jclass, jlong session) {
  ferry_engine_session_destroy(Raw<ferry_engine_session>(session));
}

FERRY_JNI(jint, run)
(JNIEnv*, jclass, jlong session, jlong inputs, jint input_count, jlong outputs, jint output_count) {
  return ferry_engine_run(Raw<ferry_engine_session>(session), Raw<ferry_tensor>(inputs),
                          static_cast<size_t>(input_count), Raw<ferry_tensor>(outputs),
                          static_cast<size_t>(output_count));
}

FERRY_JNI(jint, runAsync)
(JNIEnv* env, jclass, jlong session, jlong inputs, jint input_count, jlong outputs,
 jint output_count, jobject done) {
  auto callback = std::make_unique<Callback>(env, done);
  const auto call = [](void* user, int code, const char* text) {
    const std::unique_ptr<Callback> back(static_cast<Callback*>(user));
    back->Call(Kind::kDone, code, text);
  };
  const int code =
      ferry_engine_run_async(Raw<ferry_engine_session>(session), Raw<ferry_tensor>(inputs),
                             static_cast<size_t>(input_count), Raw<ferry_tensor>(outputs),
                             static_cast<size_t>(output_count), call, callback.get());
  if (code == FERRY_kOk) (void)callback.release();
  return code;
}

FERRY_JNI(jint, resize)(JNIEnv*, jclass, jlong session, jlong inputs, jint input_count) {
  return ferry_engine_resize(Raw<ferry_engine_session>(session), Raw<ferry_tensor>(inputs),
                             static_cast<size_t>(input_count));
}
FERRY_JNI(jint, cancel)(JNIEnv*, jclass, jlong session) {
  return ferry_engine_cancel(Raw<ferry_engine_session>(session));
}
FERRY_JNI(jbyteArray, sessionInfo)(JNIEnv* env, jclass, jlong session) {
  return Given(env, [&](char** out) {
    return ferry_engine_session_info(Raw<ferry_engine_session>(session), out);
  });
}
FERRY_JNI(jbyteArray, sessionProfile)(JNIEnv* env, jclass, jlong session) {
  return Given(env, [&](char** out) {
    return ferry_engine_profile(Raw<ferry_engine_session>(session), out);
  });
}

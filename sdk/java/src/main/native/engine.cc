// Models and what they say of themselves.
#include <cstddef>
#include <cstring>
#include <string>

#include "sdk/java/src/main/native/jni_support.h"

using namespace ferry::java;  // NOLINT: a file of JNI functions

FERRY_JNI(jbyteArray, version)(JNIEnv* env, jclass) {
  return Bytes(env, ferry_version());
}
FERRY_JNI(jbyteArray, errorText)(JNIEnv* env, jclass) {
  return Bytes(env, ferry_error_text());
}
FERRY_JNI(jbyteArray, codeName)(JNIEnv* env, jclass, jint code) {
  return Bytes(env, ferry_code_name(code));
}
FERRY_JNI(jlong, typeBytes)(JNIEnv*, jclass, jint type) {
  return static_cast<jlong>(ferry_type_bytes(type));
}

FERRY_JNI(jboolean, isInCallback)(JNIEnv*, jclass) {
  return IsInCallback() ? JNI_TRUE : JNI_FALSE;
}

FERRY_JNI(jlong, address)(JNIEnv* env, jclass, jobject buffer) {
  return reinterpret_cast<jlong>(env->GetDirectBufferAddress(buffer));
}
FERRY_JNI(void, copy)(JNIEnv*, jclass, jlong from, jlong to, jlong bytes) {
  std::memcpy(Raw<void>(to), Raw<void>(from), static_cast<size_t>(bytes));
}
FERRY_JNI(jbyteArray, textAt)(JNIEnv* env, jclass, jlong pointers, jlong index) {
  return Bytes(env, Raw<const char* const>(pointers)[index]);
}

namespace {

ferry_engine_options Options(jboolean verify) {
  ferry_engine_options options{};
  options.size = sizeof(options);
  options.verify = verify ? 1 : 0;
  return options;
}

// Memory of a model: a buffer of Java that stays until the library lets go of it.
void ReleaseBuffer(void* context) {
  if (JNIEnv* env = ThisThread(); env != nullptr)
    env->DeleteGlobalRef(static_cast<jobject>(context));
}

}  // namespace

FERRY_JNI(jlong, engineOpen)(JNIEnv* env, jclass, jbyteArray path, jboolean verify) {
  const auto options = Options(verify);
  ferry_engine* engine = nullptr;
  Failed(env, ferry_engine_open(Text(env, path).get(), &options, &engine));
  return Number(engine);
}

FERRY_JNI(jlong, engineOpenMemory)
(JNIEnv* env, jclass, jobject direct, jlong size, jboolean verify) {
  const auto options = Options(verify);
  ferry_engine* engine = nullptr;
  Failed(env,
         ferry_engine_open_memory(env->GetDirectBufferAddress(direct), static_cast<size_t>(size),
                                  &options, &ReleaseBuffer, env->NewGlobalRef(direct), &engine));
  return Number(engine);
}

FERRY_JNI(jlong, engineOpenDescriptor)
(JNIEnv* env, jclass, jobject file, jlong offset, jlong length, jboolean verify) {
  const jclass type = env->FindClass("java/io/FileDescriptor");
  const jfieldID field = type == nullptr ? nullptr : env->GetFieldID(type, "fd", "I");
  if (field == nullptr) return 0;
  const auto options = Options(verify);
  ferry_engine* engine = nullptr;
  Failed(env,
         ferry_engine_open_descriptor(env->GetIntField(file, field), static_cast<uint64_t>(offset),
                                      static_cast<uint64_t>(length), &options, &engine));
  return Number(engine);
}

FERRY_JNI(jlong, engineOpenPackage)
(JNIEnv* env, jclass, jlong runtime, jbyteArray name, jboolean verify) {
  const auto options = Options(verify);
  ferry_engine* engine = nullptr;
  Failed(env, ferry_engine_open_package(Raw<ferry_runtime>(runtime), Text(env, name).get(),
                                        &options, &engine));
  return Number(engine);
}

FERRY_JNI(void, engineClose)(JNIEnv*, jclass, jlong engine) {
  ferry_engine_close(Raw<ferry_engine>(engine));
}

FERRY_JNI(jobjectArray, engineIo)
(JNIEnv* env, jclass, jlong engine, jboolean output, jint index, jlongArray numbers,
 jdoubleArray reals) {
  ferry_engine_io io{};
  io.size = sizeof(io);
  const auto one = output ? &ferry_engine_output : &ferry_engine_input;
  const int code = one(Raw<ferry_engine>(engine), index, &io);
  if (code == FERRY_kOutOfRange || Failed(env, code)) return nullptr;
  jlong cells[12] = {io.type, io.rank};
  for (int axis = 0; axis < FERRY_MAX_RANK; ++axis) cells[2 + axis] = io.shape[axis];
  cells[10] = io.zero_point;
  cells[11] = reinterpret_cast<jlong>(io.name);
  env->SetLongArrayRegion(numbers, 0, 12, cells);
  env->SetDoubleArrayRegion(reals, 0, 1, &io.scale);
  const int rank = io.rank < 0 ? 0 : io.rank;
  const jobjectArray texts = env->NewObjectArray(2 + rank, env->FindClass("[B"), nullptr);
  if (texts == nullptr) return nullptr;
  for (int i = 0; i < 2 + rank; ++i) {
    const char* text = i == 0 ? io.name : i == 1 ? io.kind : io.symbols[i - 2];
    env->SetObjectArrayElement(texts, i, Bytes(env, text));
  }
  return texts;
}

FERRY_JNI(jbyteArray, engineInfo)(JNIEnv* env, jclass, jlong engine) {
  return Given(env, [&](char** out) { return ferry_engine_info(Raw<ferry_engine>(engine), out); });
}
FERRY_JNI(jbyteArray, engineIsas)(JNIEnv* env, jclass) {
  return Given(env, [](char** out) { return ferry_engine_isas(out); });
}

#include "sdk/java/src/main/native/jni_support.h"

namespace ferry::java {
namespace {

JavaVM* g_machine = nullptr;
jclass g_native = nullptr;  // ferry.Native
jmethodID g_failed = nullptr;
jmethodID g_uncaught = nullptr;
jmethodID g_call = nullptr;  // Native.Callback.call

// How many callbacks this thread is in.
int& Depth() {
  thread_local int depth = 0;
  return depth;
}

// Detaches a thread of the library that was attached, when it ends.
struct Attached {
  bool is_mine = false;
  ~Attached() {
    if (is_mine) g_machine->DetachCurrentThread();
  }
};

}  // namespace

Text::Text(JNIEnv* env, jbyteArray bytes) : is_null_(bytes == nullptr) {
  if (is_null_) return;
  const jsize size = env->GetArrayLength(bytes);
  if (size < 1) return;
  text_.resize(static_cast<size_t>(size) - 1);  // without its zero byte
  env->GetByteArrayRegion(bytes, 0, size - 1, reinterpret_cast<jbyte*>(text_.data()));
}

jbyteArray Bytes(JNIEnv* env, const void* data, size_t size) {
  const jbyteArray out = env->NewByteArray(static_cast<jsize>(size));
  if (out != nullptr)
    env->SetByteArrayRegion(out, 0, static_cast<jsize>(size), static_cast<const jbyte*>(data));
  return out;
}
jbyteArray Bytes(JNIEnv* env, const char* text) {
  return Bytes(env, text, std::char_traits<char>::length(text));
}

void Throw(JNIEnv* env, int code, const char* text) {
  if (const jbyteArray bytes = Bytes(env, text); bytes != nullptr)
    env->CallStaticVoidMethod(g_native, g_failed, code, bytes);
}

bool Failed(JNIEnv* env, int code) {
  if (code == FERRY_kOk) return false;
  Throw(env, code, ferry_error_text());
  return true;
}

JNIEnv* ThisThread() {
  thread_local Attached attached;
  JNIEnv* env = nullptr;
  if (g_machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_10) == JNI_OK) return env;
  // A daemon: the JVM does not wait for it.
  JavaVMAttachArgs args = {JNI_VERSION_10, const_cast<char*>("ferry"), nullptr};
  if (g_machine->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&env), &args) != JNI_OK)
    return nullptr;
  attached.is_mine = true;
  return env;
}

Callback::~Callback() {
  if (JNIEnv* env = ThisThread(); env != nullptr) env->DeleteGlobalRef(object_);
}

void Callback::Call(Kind kind, int number, const char* text, const int32_t* ids,
                    size_t count) const {
  JNIEnv* env = ThisThread();
  if (env == nullptr || env->PushLocalFrame(8) != JNI_OK) return;
  const jbyteArray bytes = Bytes(env, text);
  const jintArray list = env->NewIntArray(static_cast<jsize>(count));
  if (list != nullptr && count > 0) env->SetIntArrayRegion(list, 0, static_cast<jsize>(count), ids);
  ++Depth();
  if (bytes != nullptr && list != nullptr)
    env->CallVoidMethod(object_, g_call, static_cast<jint>(kind), number, bytes, list);
  if (const jthrowable thrown = env->ExceptionOccurred(); thrown != nullptr) {
    env->ExceptionClear();
    env->CallStaticVoidMethod(g_native, g_uncaught, thrown);
    env->ExceptionClear();  // of the handler, which has had its say
  }
  --Depth();
  env->PopLocalFrame(nullptr);
}

bool IsInCallback() {
  return Depth() > 0;
}

jlongArray Pair(JNIEnv* env, jlong handle, Callback* callback) {
  const jlong values[] = {handle, Number(callback)};
  const jlongArray out = env->NewLongArray(2);
  if (out != nullptr) env->SetLongArrayRegion(out, 0, 2, values);
  return out;
}

}  // namespace ferry::java

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* machine, void*) {
  using namespace ferry::java;
  JNIEnv* env = nullptr;
  if (machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  g_machine = machine;
  const jclass found = env->FindClass("ferry/Native");
  const jclass callback = env->FindClass("ferry/Native$Callback");
  if (found == nullptr || callback == nullptr) return JNI_ERR;
  g_native = static_cast<jclass>(env->NewGlobalRef(found));
  g_failed = env->GetStaticMethodID(found, "failed", "(I[B)V");
  g_uncaught = env->GetStaticMethodID(found, "uncaught", "(Ljava/lang/Throwable;)V");
  g_call = env->GetMethodID(callback, "call", "(II[B[I)V");
  return g_failed != nullptr && g_uncaught != nullptr && g_call != nullptr ? JNI_VERSION_10
                                                                           : JNI_ERR;
}

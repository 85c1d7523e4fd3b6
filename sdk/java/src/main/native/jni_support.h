// What the files of the JNI library share: texts, errors, callbacks. Names are those of
// src/main/java/ferry/Native.java.
#pragma once

#include <jni.h>

#include <string>
#include <vector>

#include "device-runtime/api/ferry.h"

#define FERRY_JNI(type, name) extern "C" JNIEXPORT type JNICALL Java_ferry_Native_##name

namespace ferry::java {

// The numbers are those of Native.java.
enum class Kind { kDone = 0, kResult = 1, kTokens = 2, kMode = 3, kEnd = 4 };

template <typename T>
T* Raw(jlong handle) {
  return reinterpret_cast<T*>(handle);  // NOLINT: a number that the library looks up
}
template <typename T>
jlong Number(T* handle) {
  return reinterpret_cast<jlong>(handle);
}

// A text of Java: bytes that end in a zero byte, or null.
class Text {
 public:
  Text(JNIEnv* env, jbyteArray bytes);
  const char* get() const { return is_null_ ? nullptr : text_.c_str(); }

 private:
  bool is_null_;
  std::string text_;
};

jbyteArray Bytes(JNIEnv* env, const char* text);
jbyteArray Bytes(JNIEnv* env, const void* data, size_t size);

// True, with a FerryException under way, when `code` is an error of this thread's last call.
bool Failed(JNIEnv* env, int code);
void Throw(JNIEnv* env, int code, const char* text);

// The text that a function of the C interface gives, or a FerryException.
template <typename F>
jbyteArray Given(JNIEnv* env, F&& call) {
  char* text = nullptr;
  jbyteArray out = nullptr;
  if (!Failed(env, call(&text)) && text != nullptr) out = Bytes(env, text);
  ferry_string_free(text);
  return out;
}

// The environment of this thread, which becomes one of the JVM until it ends; null when the JVM is
// ending.
JNIEnv* ThisThread();

// A Native.Callback that the library's threads call. What it throws goes to the thread's handler of
// uncaught exceptions.
class Callback {
 public:
  Callback(JNIEnv* env, jobject callback) : object_(env->NewGlobalRef(callback)) {}
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  ~Callback();
  void Call(Kind kind, int number, const char* text, const int32_t* ids = nullptr,
            size_t count = 0) const;

 private:
  jobject object_;
};

bool IsInCallback();

// {handle, callback}
jlongArray Pair(JNIEnv* env, jlong handle, Callback* callback);

}  // namespace ferry::java

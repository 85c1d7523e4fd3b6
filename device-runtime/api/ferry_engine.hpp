// Models on tensors for C++ apps: the calls ferry_engine_* with owners, spans and results. Header
// only, no exceptions, nothing but the standard library; the component "engine" is enough.
//
//   auto engine = ferry::api::Engine::Open("model.onnx");
//   auto session = engine ? engine->NewSession() : engine.error();
//   std::vector<float> image(64), scores(10);
//   if (auto ran = session->Run({ferry::api::In("image", image, {1, 1, 8, 8})},
//                               {ferry::api::Out("prob", scores)}); !ran)
//     std::cerr << ran.error().text << '\n';
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ferry.h"

namespace ferry::api {

// Why a call failed: a code of the one table, and a sentence with the place.
struct Error {
  int code = FERRY_kInternal;
  std::string text;
  std::string name() const { return ferry_code_name(code); }
  // Of the call of this thread that just failed.
  static Error Last(int code) { return {code, ferry_error_text()}; }
};

// A value, or the error that there is instead. Reading the one that is not there is a fault of the
// caller's, as with std::expected.
template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : held_(std::in_place_index<1>, std::move(error)) {}
  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() & { return *std::get_if<0>(&held_); }
  const T& operator*() const& { return *std::get_if<0>(&held_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&held_)); }
  T* operator->() { return std::get_if<0>(&held_); }
  const T* operator->() const { return std::get_if<0>(&held_); }
  const Error& error() const { return *std::get_if<1>(&held_); }

 private:
  std::variant<T, Error> held_;
};
struct Nothing {};
using Done = Expected<Nothing>;

// The FERRY_TYPE_* of a C++ type; 0 for one that no tensor has.
template <typename T>
constexpr int TypeOf() {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, float>) return FERRY_TYPE_F32;
  if constexpr (std::is_same_v<Plain, double>) return FERRY_TYPE_F64;
  if constexpr (std::is_same_v<Plain, int8_t>) return FERRY_TYPE_I8;
  if constexpr (std::is_same_v<Plain, uint8_t>) return FERRY_TYPE_U8;
  if constexpr (std::is_same_v<Plain, int16_t>) return FERRY_TYPE_I16;
  if constexpr (std::is_same_v<Plain, uint16_t>) return FERRY_TYPE_U16;
  if constexpr (std::is_same_v<Plain, int32_t>) return FERRY_TYPE_I32;
  if constexpr (std::is_same_v<Plain, uint32_t>) return FERRY_TYPE_U32;
  if constexpr (std::is_same_v<Plain, int64_t>) return FERRY_TYPE_I64;
  if constexpr (std::is_same_v<Plain, uint64_t>) return FERRY_TYPE_U64;
  if constexpr (std::is_same_v<Plain, bool>) return FERRY_TYPE_BOOL;
  return 0;
}

// An input of a run: a view of the app's memory, which must outlive the run. `name` nullptr: by
// place.
template <typename Range>
ferry_tensor In(const char* name, const Range& values, std::initializer_list<int64_t> shape) {
  const std::span view(values);
  using T = typename decltype(view)::element_type;
  static_assert(TypeOf<T>() != 0, "no tensor has elements of this type");
  ferry_tensor out = {};
  out.size = sizeof(out);
  out.name = name;
  out.type = TypeOf<T>();
  out.rank = static_cast<int>(shape.size());
  int axis = 0;
  for (const int64_t extent : shape)
    if (axis < FERRY_MAX_RANK) out.shape[axis++] = extent;
  out.data = const_cast<void*>(static_cast<const void*>(view.data()));  // only read
  out.bytes = view.size_bytes();
  return out;
}
// An output in the app's memory: kernels write there.
template <typename Range>
ferry_tensor Out(const char* name, Range& values) {
  const std::span view(values);
  ferry_tensor out = {};
  out.size = sizeof(out);
  out.name = name;
  out.data = view.data();
  out.bytes = view.size_bytes();
  return out;
}
// An output that the session keeps until its next run.
inline ferry_tensor Out(const char* name) {
  ferry_tensor out = {};
  out.size = sizeof(out);
  out.name = name;
  return out;
}
// The elements of a tensor that a run filled in; empty where it is of another type.
template <typename T>
std::span<const T> Elements(const ferry_tensor& tensor) {
  if (tensor.type != TypeOf<T>()) return {};
  return {static_cast<const T*>(tensor.data), tensor.bytes / sizeof(T)};
}

// A copy of a text that the library made.
inline std::string TakeText(char* text) {
  std::string out(text);
  ferry_string_free(text);
  return out;
}

// One runner of a model. One thread at a time; a second one gets FERRY_kFailedPrecondition.
class EngineSession {
 public:
  // Fills `outputs` in; see ferry_engine_run. No copies, no allocations.
  Done Run(std::span<const ferry_tensor> inputs, std::span<ferry_tensor> outputs) {
    return Note(ferry_engine_run(session_.get(), inputs.data(), inputs.size(), outputs.data(),
                                 outputs.size()));
  }
  // The same from lists, where outputs lie in the app's memory.
  Done Run(std::initializer_list<ferry_tensor> inputs,
           std::initializer_list<ferry_tensor> outputs) {
    std::vector<ferry_tensor> filled(outputs);
    return Run(std::span<const ferry_tensor>(inputs.begin(), inputs.size()), filled);
  }
  // On a thread of the session; see ferry_engine_run_async.
  Done RunAsync(std::span<const ferry_tensor> inputs, std::span<ferry_tensor> outputs,
                ferry_engine_done done, void* user) {
    return Note(ferry_engine_run_async(session_.get(), inputs.data(), inputs.size(), outputs.data(),
                                       outputs.size(), done, user));
  }
  Done Resize(std::span<const ferry_tensor> inputs) {
    return Note(ferry_engine_resize(session_.get(), inputs.data(), inputs.size()));
  }
  Done Cancel() { return Note(ferry_engine_cancel(session_.get())); }
  Expected<std::string> InfoJson() {
    char* text = nullptr;
    const int code = ferry_engine_session_info(session_.get(), &text);
    return code == FERRY_kOk ? Expected<std::string>(TakeText(text)) : Error::Last(code);
  }
  Expected<std::string> ProfileJson() {
    char* text = nullptr;
    const int code = ferry_engine_profile(session_.get(), &text);
    return code == FERRY_kOk ? Expected<std::string>(TakeText(text)) : Error::Last(code);
  }

 private:
  friend class Engine;
  struct Destroy {
    void operator()(ferry_engine_session* session) const { ferry_engine_session_destroy(session); }
  };
  explicit EngineSession(ferry_engine_session* session) : session_(session) {}
  static Done Note(int code) {
    return code == FERRY_kOk ? Done(Nothing{}) : Done(Error::Last(code));
  }
  std::unique_ptr<ferry_engine_session, Destroy> session_;
};

// How a session runs; see ferry_engine_session_options.
struct EngineOptions {
  int threads = 0;
  ferry_precision precision = FERRY_PRECISION_DEFAULT;
  std::string isa = {};
  std::string backends = {};
  int64_t memory_bytes = 0;
  bool profile = false;
  std::string tune_file = {};
  bool tune = false;
  uint64_t seed = 0;
  std::string cache_folder = {};
};

// A loaded model; copies share it, and sessions of it live on.
class Engine {
 public:
  static Expected<Engine> Open(const std::string& path, bool verify = false) {
    ferry_engine* engine = nullptr;
    const ferry_engine_options options = {sizeof(options), verify ? 1 : 0};
    const int code = ferry_engine_open(path.c_str(), &options, &engine);
    return Made(code, engine);
  }
  // `owner` keeps the bytes.
  static Expected<Engine> OpenMemory(std::span<const uint8_t> bytes,
                                     std::shared_ptr<const void> owner = nullptr) {
    ferry_engine* engine = nullptr;
    auto* kept = new std::shared_ptr<const void>(std::move(owner));
    const auto release = [](void* context) {
      delete static_cast<std::shared_ptr<const void>*>(context);
    };
    const int code =
        ferry_engine_open_memory(bytes.data(), bytes.size(), nullptr, release, kept, &engine);
    return Made(code, engine);
  }
  static Expected<Engine> OpenDescriptor(int descriptor, uint64_t offset = 0, uint64_t length = 0) {
    ferry_engine* engine = nullptr;
    const int code = ferry_engine_open_descriptor(descriptor, offset, length, nullptr, &engine);
    return Made(code, engine);
  }

  Expected<EngineSession> NewSession(const EngineOptions& given = {}) const {
    ferry_engine_session_options options = {};
    options.size = sizeof(options);
    options.threads = given.threads;
    options.precision = given.precision;
    options.isa = given.isa.empty() ? nullptr : given.isa.c_str();
    options.backends = given.backends.empty() ? nullptr : given.backends.c_str();
    options.memory_bytes = given.memory_bytes;
    options.profile = given.profile ? 1 : 0;
    options.tune_file = given.tune_file.empty() ? nullptr : given.tune_file.c_str();
    options.tune = given.tune ? 1 : 0;
    options.seed = given.seed;
    options.cache_folder = given.cache_folder.empty() ? nullptr : given.cache_folder.c_str();
    ferry_engine_session* session = nullptr;
    const int code = ferry_engine_session_create(engine_.get(), &options, &session);
    if (code != FERRY_kOk) return Error::Last(code);
    return EngineSession(session);
  }
  // As the model declares them; their texts live as long as the engine.
  std::vector<ferry_engine_io> Inputs() const {
    return All(ferry_engine_input_count(engine_.get()), &ferry_engine_input);
  }
  std::vector<ferry_engine_io> Outputs() const {
    return All(ferry_engine_output_count(engine_.get()), &ferry_engine_output);
  }
  Expected<std::string> InfoJson() const {
    char* text = nullptr;
    const int code = ferry_engine_info(engine_.get(), &text);
    return code == FERRY_kOk ? Expected<std::string>(TakeText(text)) : Error::Last(code);
  }
  // Instruction sets of this machine, as a JSON list.
  static std::string IsasJson() {
    char* text = nullptr;
    return ferry_engine_isas(&text) == FERRY_kOk ? TakeText(text) : std::string();
  }

 private:
  friend class Runtime;
  explicit Engine(ferry_engine* engine) : engine_(engine, &ferry_engine_close) {}
  static Expected<Engine> Made(int code, ferry_engine* engine) {
    return code == FERRY_kOk ? Expected<Engine>(Engine(engine)) : Error::Last(code);
  }
  std::vector<ferry_engine_io> All(int count,
                                   int (*read)(const ferry_engine*, int, ferry_engine_io*)) const {
    std::vector<ferry_engine_io> out(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      out[static_cast<size_t>(i)].size = sizeof(ferry_engine_io);
      read(engine_.get(), i, &out[static_cast<size_t>(i)]);
    }
    return out;
  }
  std::shared_ptr<ferry_engine> engine_;
};

}  // namespace ferry::api

// Ferry for C++ apps: ferry.h with owners and exceptions left out. Header only.
//
//   ferry::api::Runtime ferry([](std::string_view json) { std::cout << json << '\n'; });
//   if (!ferry.OpenTask("digits.fpk")) std::cerr << ferry.error() << '\n';
//   ferry.Send(R"({"id":"page_enter","page":"scan"})");
//
//   auto model = ferry::api::Model::Open(ferry, "draft.flm");
//   ferry::api::Session session(*model, {.max_new = 64}, {.on_tokens = show});
//   session.Start("It was a dark"); session.Wait();
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ferry.h"
#include "ferry_engine.hpp"

namespace ferry::api {

// Results arrive as JSON, on a thread of the runtime, one at a time (see ferry.h).
using OnResult = std::function<void(std::string_view json)>;

struct Agent {
  std::string directory;
  std::string join_token;    // empty: this device has joined before
  std::string profile_json;  // empty: what was said before
  bool push = true;
  std::chrono::milliseconds poll{0};  // 0: the default
  // 32 bytes of the system's key store, which seal packages that ask for it; empty: none.
  std::string at_rest_key;
  bool forget_sealed = false;  // what lies sealed under a key that is lost goes
};

// What the policy says of one device.
struct Reach {
  bool matches = false;
  std::string reason;
};

// Owns a runtime. Functions return whether they succeeded; error() and code() tell why not. Any
// thread may call; the text and code belong to the thread that failed.
class Runtime {
 public:
  explicit Runtime(OnResult on_result = {}, const ferry_options* options = nullptr)
      : on_result_(std::make_unique<OnResult>(std::move(on_result))) {
    ferry_runtime* made = nullptr;
    Note(ferry_runtime_create(options, &Runtime::Call, on_result_.get(), &made));
    runtime_.reset(made);
  }

  bool ok() const { return runtime_ != nullptr; }
  bool OpenTask(const std::string& package_path) {
    return Note(ferry_task_open(runtime_.get(), package_path.c_str()));
  }
  bool StartAgent(const Agent& agent) {
    ferry_agent_options options{};
    options.size = sizeof(options);
    options.directory = agent.directory.c_str();
    options.join_token = agent.join_token.empty() ? nullptr : agent.join_token.c_str();
    options.profile_json = agent.profile_json.empty() ? nullptr : agent.profile_json.c_str();
    options.push = agent.push ? 1 : 0;
    options.poll_ms = agent.poll.count();
    options.forget_sealed = agent.forget_sealed ? 1 : 0;
    if (!agent.at_rest_key.empty()) {
      options.at_rest_key = [](void* context, unsigned char key[32]) -> int {
        const std::string& from = *static_cast<const std::string*>(context);
        if (from.size() != 32) return FERRY_kInvalidArgument;
        for (int i = 0; i < 32; ++i) key[i] = static_cast<unsigned char>(from[i]);
        return FERRY_kOk;
      };
      options.at_rest_context = const_cast<std::string*>(&agent.at_rest_key);
    }
    return Note(ferry_agent_start(runtime_.get(), &options));
  }
  bool Send(const std::string& event_json) {
    return Note(ferry_event_send(runtime_.get(), event_json.c_str()));
  }
  // Ok when the event is on the disk, to be given to the tasks until they are done with it.
  bool SendDurable(const std::string& event_json) {
    return Note(ferry_event_send_durable(runtime_.get(), event_json.c_str()));
  }
  // Whether rows may go to the server; kept.
  bool SetConsent(bool given) { return Note(ferry_consent_set(runtime_.get(), given ? 1 : 0)); }
  // Removes what is known of who uses the app; the receipt, "" after an error.
  std::string EraseData() {
    char* receipt = nullptr;
    if (!Note(ferry_data_erase(runtime_.get(), &receipt))) return "";
    std::string out = receipt;
    ferry_string_free(receipt);
    return out;
  }
  // For any request of the app to its own server; "" while there is none.
  std::string HaveText() {
    char* text = nullptr;
    return Note(ferry_have_text(runtime_.get(), &text)) ? Take(text) : std::string();
  }
  // What its server got for it at POST /api/v1/have.
  bool TakeText(const std::string& text) {
    return Note(ferry_take_text(runtime_.get(), text.c_str()));
  }
  // {"idle","charging","unmetered","utc_offset_minutes"} of the device, for releases that wait.
  bool SetConditions(const std::string& conditions_json) {
    return Note(ferry_conditions_set(runtime_.get(), conditions_json.c_str()));
  }
  bool Flush(std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
    return Note(ferry_flush(runtime_.get(), timeout.count()));
  }
  // Calls a function of a task's script; its result has the answered number as "call".
  std::optional<uint64_t> Call(const std::string& package, const std::string& function,
                               const std::string& argument_json = "null") {
    uint64_t call = 0;
    if (!Note(ferry_task_call(runtime_.get(), package.c_str(), function.c_str(),
                              argument_json.c_str(), &call)))
      return std::nullopt;
    return call;
  }
  // A file of a task, as its script reads it; nothing when it failed.
  std::optional<std::string> ReadFile(const std::string& package, const std::string& name) {
    uint8_t* bytes = nullptr;
    size_t size = 0;
    if (!Note(ferry_file_read(runtime_.get(), package.c_str(), name.c_str(), &bytes, &size)))
      return std::nullopt;
    std::string out(reinterpret_cast<const char*>(bytes), size);
    ferry_bytes_free(bytes);
    return out;
  }
  // The model "package:model" of an open or installed task.
  Expected<Engine> OpenEngine(const std::string& name) {
    ferry_engine* engine = nullptr;
    const int code = ferry_engine_open_package(runtime_.get(), name.c_str(), nullptr, &engine);
    return Engine::Made(code, engine);
  }
  // Rows of tables as JSON (see ferry_table_get): "null" for one that is not there, nothing when it
  // failed.
  std::optional<std::string> GetRow(const std::string& package, const std::string& table,
                                    const std::string& key_json) {
    char* text = nullptr;
    if (!Note(ferry_table_get(runtime_.get(), package.c_str(), table.c_str(), key_json.c_str(),
                              &text)))
      return std::nullopt;
    return Take(text);
  }
  bool PutRow(const std::string& package, const std::string& table, const std::string& row_json) {
    return Note(ferry_table_put(runtime_.get(), package.c_str(), table.c_str(), row_json.c_str()));
  }
  bool DeleteRow(const std::string& package, const std::string& table,
                 const std::string& key_json) {
    return Note(
        ferry_table_delete(runtime_.get(), package.c_str(), table.c_str(), key_json.c_str()));
  }
  std::optional<std::string> RangeOfRows(const std::string& package, const std::string& table,
                                         const std::string& query_json = "{}") {
    char* text = nullptr;
    if (!Note(ferry_table_range(runtime_.get(), package.c_str(), table.c_str(), query_json.c_str(),
                                &text)))
      return std::nullopt;
    return Take(text);
  }
  // Empty when it failed.
  std::string StatusJson() {
    char* text = nullptr;
    return Note(ferry_status(runtime_.get(), &text)) ? Take(text) : std::string();
  }

  static std::string error() { return ferry_error_text(); }
  static int code() { return LastCode(); }

 private:
  friend std::optional<Reach> PolicyMatches(const std::string&, const std::string&,
                                            const std::string&);
  friend class Adapter;
  friend class Model;
  friend class Sequence;
  friend class Session;
  struct Destroy {
    void operator()(ferry_runtime* runtime) const { ferry_runtime_destroy(runtime); }
  };
  static void Call(void* user, const char* json) {
    if (const auto& on_result = *static_cast<OnResult*>(user)) on_result(json);
  }
  static int& LastCode() {
    thread_local int code = FERRY_kOk;
    return code;
  }
  static bool Note(int code) {
    LastCode() = code;
    return code == FERRY_kOk;
  }
  static std::string Take(char* text) {
    std::string out(text);
    ferry_string_free(text);
    return out;
  }

  std::unique_ptr<OnResult> on_result_;  // outlives the runtime below
  std::unique_ptr<ferry_runtime, Destroy> runtime_;
};

// A language model; copies share it.
class Model {
 public:
  // "folder", "file.flm" or "package:model"; empty when it failed (Runtime::error()).
  static std::optional<Model> Open(const Runtime& runtime, const std::string& name) {
    ferry_model* opened = nullptr;
    if (!Runtime::Note(ferry_model_open(runtime.runtime_.get(), name.c_str(), &opened)))
      return std::nullopt;
    return Model(opened);
  }
  std::string InfoJson() const {
    char* text = nullptr;
    return Runtime::Note(ferry_model_info(model_.get(), &text)) ? Runtime::Take(text)
                                                                : std::string();
  }
  // The tokens of a text. Names of special tokens in it are those tokens, or text like any other.
  std::optional<std::vector<int32_t>> Encode(const std::string& text, bool as_text = false) const {
    std::vector<int32_t> ids;
    size_t count = text.size() + 2;
    do {
      ids.resize(count);
      if (!Runtime::Note(ferry_model_encode(model_.get(), text.c_str(), as_text ? 1 : 0, ids.data(),
                                            ids.size(), &count)))
        return std::nullopt;
    } while (count > ids.size());
    ids.resize(count);
    return ids;
  }
  std::optional<std::string> Decode(const std::vector<int32_t>& ids,
                                    bool skip_specials = false) const {
    char* text = nullptr;
    if (!Runtime::Note(
            ferry_model_decode(model_.get(), ids.data(), ids.size(), skip_specials ? 1 : 0, &text)))
      return std::nullopt;
    return Runtime::Take(text);
  }

 private:
  friend class Adapter;
  friend class Sequence;
  friend class Session;
  explicit Model(ferry_model* model) : model_(model, &ferry_model_close) {}
  std::shared_ptr<ferry_model> model_;
};

// An adapter of a model; copies share it.
class Adapter {
 public:
  // "folder", "file.fla" or "package:adapter"; empty when it failed (Runtime::error()).
  static std::optional<Adapter> Open(const Runtime& runtime, const Model& model,
                                     const std::string& name) {
    ferry_adapter* opened = nullptr;
    if (!Runtime::Note(
            ferry_adapter_open(runtime.runtime_.get(), model.model_.get(), name.c_str(), &opened)))
      return std::nullopt;
    return Adapter(opened);
  }
  std::string InfoJson() const {
    char* text = nullptr;
    return Runtime::Note(ferry_adapter_info(adapter_.get(), &text)) ? Runtime::Take(text)
                                                                    : std::string();
  }

 private:
  friend class Session;
  explicit Adapter(ferry_adapter* adapter) : adapter_(adapter, &ferry_adapter_close) {}
  std::shared_ptr<ferry_adapter> adapter_;
};

// How a session generates; see ferry_session_options for each.
struct SessionOptions {
  ferry_mode mode = FERRY_MODE_DEVICE_ONLY;
  bool pipelined = false;
  bool fallback = true;
  bool ignore_end = false;
  uint64_t seed = 0;
  float temperature = 0;
  int64_t top_k = 0;
  float top_p = 1;
  float repetition_penalty = 1;
  int64_t max_new = 128;
  int64_t draft_tokens = 0;
  int64_t memory_bytes = 0;
  std::string target;
  std::vector<std::pair<Adapter, float>> adapters;  // with their scales
};

// Called as ferry_session_callbacks says.
struct SessionEvents {
  std::function<void(std::string_view text, const int32_t* ids, size_t count, ferry_source source)>
      on_tokens;
  std::function<void(ferry_mode mode, std::string_view why)> on_mode;
  std::function<void(int code, std::string_view stats_json)> on_end;
};

// One generation after another with a model. Errors as with Runtime: error() and code().
class Session {
 public:
  Session(const Model& model, const SessionOptions& given = {}, SessionEvents events = {})
      : events_(std::make_unique<SessionEvents>(std::move(events))) {
    ferry_session_options options{};
    options.size = sizeof(options);
    options.mode = given.mode;
    options.pipelined = given.pipelined ? 1 : 0;
    options.no_fallback = given.fallback ? 0 : 1;
    options.ignore_end = given.ignore_end ? 1 : 0;
    options.seed = given.seed;
    options.temperature = given.temperature;
    options.top_k = given.top_k;
    options.top_p = given.top_p;
    options.repetition_penalty = given.repetition_penalty;
    options.max_new = given.max_new;
    options.draft_tokens = given.draft_tokens;
    options.memory_bytes = given.memory_bytes;
    options.target = given.target.empty() ? nullptr : given.target.c_str();
    std::vector<const ferry_adapter*> adapters;
    std::vector<float> scales;
    for (const auto& [adapter, scale] : given.adapters) {
      adapters.push_back(adapter.adapter_.get());
      scales.push_back(scale);
    }
    options.adapters = adapters.data();
    options.adapter_scales = scales.data();
    options.adapter_count = adapters.size();
    ferry_session_callbacks callbacks{};
    callbacks.size = sizeof(callbacks);
    callbacks.user = events_.get();
    callbacks.on_tokens = &Session::OnTokens;
    callbacks.on_mode = &Session::OnMode;
    callbacks.on_end = &Session::OnEnd;
    ferry_session* made = nullptr;
    Runtime::Note(ferry_session_create(model.model_.get(), &options, &callbacks, &made));
    session_.reset(made);
  }

  bool ok() const { return session_ != nullptr; }
  bool Start(const std::string& text) {
    return Runtime::Note(ferry_session_start_text(session_.get(), text.c_str()));
  }
  bool StartChat(const std::string& messages_json) {
    return Runtime::Note(ferry_session_start_chat(session_.get(), messages_json.c_str()));
  }
  bool StartIds(const std::vector<int32_t>& ids) {
    return Runtime::Note(ferry_session_start_ids(session_.get(), ids.data(), ids.size()));
  }
  bool SetMode(ferry_mode mode) {
    return Runtime::Note(ferry_session_set_mode(session_.get(), mode));
  }
  bool Cancel() { return Runtime::Note(ferry_session_cancel(session_.get())); }
  bool Wait(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1)) {
    return Runtime::Note(ferry_session_wait(session_.get(), timeout.count()));
  }
  std::string StatsJson() {
    char* text = nullptr;
    return Runtime::Note(ferry_session_stats(session_.get(), &text)) ? Runtime::Take(text)
                                                                     : std::string();
  }

 private:
  struct Destroy {
    void operator()(ferry_session* session) const { ferry_session_destroy(session); }
  };
  static void OnTokens(void* user, const char* text, const int32_t* ids, size_t count, int source) {
    if (const auto& call = static_cast<SessionEvents*>(user)->on_tokens)
      call(text, ids, count, static_cast<ferry_source>(source));
  }
  static void OnMode(void* user, int mode, const char* why) {
    if (const auto& call = static_cast<SessionEvents*>(user)->on_mode)
      call(static_cast<ferry_mode>(mode), why);
  }
  static void OnEnd(void* user, int code, const char* stats_json) {
    if (const auto& call = static_cast<SessionEvents*>(user)->on_end) call(code, stats_json);
  }

  std::unique_ptr<SessionEvents> events_;  // outlives the session below
  std::unique_ptr<ferry_session, Destroy> session_;
};

// Tokens with what a model keeps of them; see ferry_sequence. Errors as with Runtime.
class Sequence {
 public:
  // New tokens and what of their text can be shown; false ends the generation.
  using OnTokens = std::function<bool(std::string_view text, const int32_t* ids, size_t count)>;

  // `context`: most tokens, 0 for the model's. Empty when it failed.
  static std::optional<Sequence> Create(const Model& model, int64_t context = 0) {
    ferry_sequence* made = nullptr;
    if (!Runtime::Note(ferry_sequence_create(model.model_.get(), context, &made)))
      return std::nullopt;
    return Sequence(made);
  }
  bool Append(const std::vector<int32_t>& ids) {
    return Runtime::Note(ferry_sequence_append(sequence_.get(), ids.data(), ids.size()));
  }
  bool Truncate(size_t length) {
    return Runtime::Note(ferry_sequence_truncate(sequence_.get(), length));
  }
  std::vector<int32_t> Tokens() {
    std::vector<int32_t> ids;
    size_t count = 0;
    if (!Runtime::Note(ferry_sequence_tokens(sequence_.get(), nullptr, 0, &count))) return ids;
    ids.resize(count);
    Runtime::Note(ferry_sequence_tokens(sequence_.get(), ids.data(), ids.size(), &count));
    return ids;
  }
  // What follows the last token, a float each of the vocabulary.
  bool Logits(float* logits, size_t capacity) {
    return Runtime::Note(ferry_sequence_logits(sequence_.get(), logits, capacity));
  }
  // The text; of `options` count those of sampling, max_new and ignore_end. `reason`, not null:
  // why it ended.
  std::optional<std::string> Generate(const SessionOptions& given = {}, OnTokens on_tokens = {},
                                      std::string* reason = nullptr) {
    ferry_session_options options{};
    options.size = sizeof(options);
    options.mode = given.mode;
    options.ignore_end = given.ignore_end ? 1 : 0;
    options.seed = given.seed;
    options.temperature = given.temperature;
    options.top_k = given.top_k;
    options.top_p = given.top_p;
    options.repetition_penalty = given.repetition_penalty;
    options.max_new = given.max_new;
    Hearing hearing{{}, std::move(on_tokens)};
    const char* why = "";
    if (!Runtime::Note(
            ferry_sequence_generate(sequence_.get(), &options, &Sequence::Hear, &hearing, &why)))
      return std::nullopt;
    if (reason != nullptr) *reason = why;
    return std::move(hearing.text);
  }

 private:
  struct Hearing {
    std::string text;
    OnTokens on_tokens;
  };
  static int Hear(void* user, const char* text, const int32_t* ids, size_t count) {
    auto& self = *static_cast<Hearing*>(user);
    self.text += text;
    return !self.on_tokens || self.on_tokens(text, ids, count) ? 0 : 1;
  }
  struct Destroy {
    void operator()(ferry_sequence* sequence) const { ferry_sequence_destroy(sequence); }
  };
  explicit Sequence(ferry_sequence* sequence) : sequence_(sequence) {}
  std::unique_ptr<ferry_sequence, Destroy> sequence_;
};

// Streams of operators without a package; see ferry_stream_open. One thread at a time.
class Stream {
 public:
  static Expected<Stream> Open(const std::string& streams_json) {
    ferry_stream* opened = nullptr;
    const int code = ferry_stream_open(streams_json.c_str(), &opened);
    if (code != FERRY_kOk) return Error::Last(code);
    return Stream(opened);
  }
  Done Send(const std::string& source, const std::string& row_json) {
    return Note(ferry_stream_send(stream_.get(), source.c_str(), row_json.c_str()));
  }
  Done SendEvent(const std::string& event_json) {
    return Note(ferry_stream_send_event(stream_.get(), event_json.c_str()));
  }
  // Event time has come so far; negative: the end, all windows close.
  Done Advance(int64_t time_ms) { return Note(ferry_stream_advance(stream_.get(), time_ms)); }
  // The rows that have left streams since the last call, as a JSON list; most 0: all.
  Expected<std::string> Read(size_t most = 0) {
    char* text = nullptr;
    const int code = ferry_stream_read(stream_.get(), most, &text);
    return code == FERRY_kOk ? Expected<std::string>(TakeText(text)) : Error::Last(code);
  }
  Expected<std::string> StatusJson() {
    char* text = nullptr;
    const int code = ferry_stream_status(stream_.get(), &text);
    return code == FERRY_kOk ? Expected<std::string>(TakeText(text)) : Error::Last(code);
  }

 private:
  struct Close {
    void operator()(ferry_stream* stream) const { ferry_stream_close(stream); }
  };
  explicit Stream(ferry_stream* stream) : stream_(stream) {}
  static Done Note(int code) {
    return code == FERRY_kOk ? Done(Nothing{}) : Done(Error::Last(code));
  }
  std::unique_ptr<ferry_stream, Close> stream_;
};

// Whether `rule` reaches the device; nullopt when rule or attributes are bad.
inline std::optional<Reach> PolicyMatches(const std::string& rule,
                                          const std::string& attributes_json,
                                          const std::string& salt) {
  int matches = 0;
  char* reason = nullptr;
  if (!Runtime::Note(ferry_policy_matches(rule.c_str(), attributes_json.c_str(), salt.c_str(),
                                          &matches, &reason)))
    return std::nullopt;
  return Reach{matches != 0, Runtime::Take(reason)};
}

}  // namespace ferry::api
